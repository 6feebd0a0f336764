"""Handling of alarms (ISA-18.2) where it is kept: each transition, and over a real broker."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.contract.event import Event, EventPhase
from auscult.contract.parts import SuppressionPart
from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.gateway.machines import alarm_store
from auscult.gateway.machines import alarms as alarms_module
from auscult.gateway.machines.alarm_store import AlarmsWrite
from auscult.gateway.machines.alarms import AlarmError, MachineAlarms
from auscult.gateway.storage.archive import EventWrite
from auscult.gateway.storage.store import Store
from tests.gateway.commands.test_commands import audit, faulty
from tests.gateway.plant import TOPICS, Process, settings
from tests.reasons import text_of
from tests.waiting import wait_until

__all__ = ["faulty"]

WARNING, ALARM = Condition.WARNING, Condition.ALARM
SHELF = SuppressionPart(kind="shelved", reason="overhaul", actor="eva", since_ms=0, until_ms=100)
WORK = SuppressionPart(
    kind="planned_work", reason="", actor="tom", since_ms=0, until_ms=100, event_id="e1"
)
OUT = SuppressionPart(kind="out_of_service", reason="dismantled", actor="eva", since_ms=0)


def event(event_id: str = "e1", peak: Condition = WARNING, ended: bool = False) -> Event:
    return Event(
        event_id=event_id, machine="pump", phase=EventPhase.END if ended else EventPhase.UPDATE,
        condition=Condition.NORMAL if ended else peak, started_ms=1, updated_ms=2,
        ended_ms=3 if ended else None, peak_condition=peak, peak_evidence=1.0,
    )  # fmt: skip


@pytest.fixture
def alarms():
    machine = MachineAlarms("pump")
    assert machine.follow(event()).state == "unacknowledged"
    return machine


def test_acknowledged_stays_so_until_worse(alarms):
    alarm = alarms.acknowledge("e1", "eva", "ordered", 7)
    assert (alarm.state, alarm.acknowledged_by, alarm.acknowledged_ns) == ("acknowledged", "eva", 7)
    assert alarms.follow(event()).state == "acknowledged"
    with pytest.raises(AlarmError, match="eva has acknowledged it"):
        alarms.acknowledge("e1", "tom", "", 8)
    assert alarms.follow(event(peak=ALARM)).state == "unacknowledged"
    with pytest.raises(AlarmError, match="become worse"):
        alarms.acknowledge("e1", "tom", "", 9, seen=WARNING)
    assert alarms.acknowledge("e1", "tom", "", 9, seen=ALARM).acknowledged_by == "tom"
    added = Reason(ReasonKind.LEARNED, ALARM, Said("added_departs", {"at_ms": 2}))
    more = event(peak=ALARM).model_copy(update={"reasons": (added,)})
    assert alarms.follow(more).state == "unacknowledged"
    alarms.acknowledge("e1", "tom", "", 10)
    assert alarms.follow(more).state == "acknowledged", "once"


def test_a_return_to_normal_never_raises_again(alarms):
    alarms.acknowledge("e1", "eva", "", 7)
    assert alarms.follow(event(ended=True)).state == "normal"
    assert (alarms.shown, alarms.waiting) == (None, 0)


def test_what_returned_by_itself_waits_for_someone(alarms):
    assert alarms.follow(event(ended=True)).state == "returned"
    assert alarms.waiting == 1
    assert alarms.acknowledge("e1", "eva", "", 7).state == "normal"
    with pytest.raises(AlarmError, match="needs no acknowledgement"):
        alarms.acknowledge("e1", "eva", "", 8)


def test_a_shelf_hides_and_gives_back_unacknowledged(alarms):
    alarms.acknowledge("e1", "eva", "", 7)
    assert [a.state for a in alarms.suppress(SHELF)] == ["shelved"]
    with pytest.raises(AlarmError, match="are shelved"):
        alarms.acknowledge("e1", "eva", "", 8)
    assert alarms.follow(event("e2")).state == "shelved"
    assert alarms.follow(event("e2", ended=True)).state == "normal"
    assert alarms.expire(99) is None
    assert [a.state for a in alarms.expire(100)] == ["unacknowledged"]
    assert alarms.expire(101) is None


def test_a_shelf_of_a_clock_that_was_ahead_does_not_hide_until_then(alarms):
    year_ms, hour_ms = 365 * 86_400_000, 3_600_000
    alarms.suppress(SHELF.model_copy(update={"since_ms": year_ms, "until_ms": year_ms + hour_ms}))
    assert alarms.expire(year_ms - 60_000) is None
    assert [a.state for a in alarms.expire(0)] == ["unacknowledged"]


def test_a_shelf_ended_by_hand_leaves_acknowledged(alarms):
    alarms.suppress(SHELF)
    with pytest.raises(AlarmError, match="not out of service"):
        alarms.release("out_of_service", "tom", "", 50)
    (alarm,) = alarms.release("shelved", "tom", "", 50)
    assert (alarm.state, alarm.acknowledged_by) == ("acknowledged", "tom")


def test_out_of_service_lasts_until_brought_back(alarms):
    alarms.suppress(OUT)
    assert alarms.expire(10**18) is None
    with pytest.raises(AlarmError, match="out of service: bring it back"):
        alarms.suppress(SHELF)
    alarms.release("out_of_service", "eva", "", 50)
    assert alarms.follow(event()).state == "acknowledged"


def test_planned_work_hides_until_it_is_finished_or_its_time_is_over(alarms):
    assert [a.state for a in alarms.suppress(WORK)] == ["planned_work"]
    with pytest.raises(AlarmError, match="report it finished first"):
        alarms.suppress(SHELF)
    longer = WORK.model_copy(update={"until_ms": 200})
    alarms.suppress(longer)
    assert alarms.expire(199) is None
    (alarm,) = alarms.expire(200)
    assert (alarm.state, alarm.acknowledged_by) == ("acknowledged", "tom")
    assert [a.state for a in alarms.reopen()] == ["unacknowledged"], "the work did not help"


class Life:
    """A machine's events and what people do, step by step."""

    def __init__(self):
        self.alarms, self.open, self.n = MachineAlarms("pump"), None, 0

    def worse(self):
        self.n += self.open is None
        self.open = event(f"e{self.n}", ALARM if self.open else WARNING)
        return [self.alarms.follow(self.open)]

    def end(self):
        if self.open is None:
            return []
        ended, self.open = (
            self.open.model_copy(update={"phase": EventPhase.END, "ended_ms": 3}),
            None,
        )
        return [self.alarms.follow(ended)]

    def acknowledge(self):
        return [self.alarms.acknowledge(f"e{self.n}", "eva", "", 5)]

    def shelve(self):
        return self.alarms.suppress(SHELF)

    def take_out(self):
        return self.alarms.suppress(OUT)

    def begin_work(self):
        return self.alarms.suppress(WORK)

    def finish_work(self):
        return self.alarms.release("planned_work", "eva", "", 5)

    def check_fails(self):
        return self.alarms.reopen()

    def unshelve(self):
        return self.alarms.release("shelved", "eva", "", 5)

    def bring_back(self):
        return self.alarms.release("out_of_service", "eva", "", 5)

    def expire_shelf(self):
        return self.alarms.expire(100) or []


STEPS = [
    "worse",
    "end",
    "acknowledge",
    "shelve",
    "take_out",
    "begin_work",
    "finish_work",
    "check_fails",
    "unshelve",
    "bring_back",
    "expire_shelf",
]


@given(st.lists(st.sampled_from(STEPS)))
def test_whatever_happens_the_state_is_sound(steps):
    life, last = Life(), {}
    for step in steps:
        changed = []
        with suppress(AlarmError):
            changed = getattr(life, step)()
        for alarm in changed:
            changes, state = last.get(alarm.event.event_id, (-1, None))
            assert alarm.changes > changes or alarm.state == state
            last[alarm.event.event_id] = (alarm.changes, alarm.state)
            if alarm.event.ended_ms is None:
                hidden = alarm.state in ("shelved", "out_of_service", "planned_work")
                assert hidden == (life.alarms.suppression is not None)
            else:
                assert alarm.state in ("returned", "normal")
        if life.alarms.suppression and life.open:
            assert life.alarms.shown.state == life.alarms.suppression.kind


def test_the_oldest_of_too_many_returned_alarms_waits_no_longer(alarms, monkeypatch):
    monkeypatch.setattr(alarms_module, "MOST_RETURNED", 3)
    given_up = []
    for number in range(2, 7):
        for ended in (False, True):
            alarms.follow(event(f"e{number}", ended=ended))
            given_up += alarms.give_up_oldest()
    assert [alarm.event.event_id for alarm in given_up] == ["e2", "e3"]
    assert {(alarm.state, alarm.acknowledged_by) for alarm in given_up} == {("normal", "auscult")}
    assert [alarm.event.event_id for alarm in alarms.active] == ["e1", "e4", "e5", "e6"]
    assert alarms.shown.event.event_id == "e1", "the open one waits whatever its age"


def test_what_was_done_survives_a_restart(tmp_path, alarms):
    alarms.acknowledge("e1", "eva", "ordered", 7)
    alarms.follow(event("e2", ended=True))
    alarms.suppress(WORK)
    store = Store(tmp_path)

    def save(db):
        for name in ("e1", "e2"):
            EventWrite(event(name, ended=name == "e2")).write_to(db)
        AlarmsWrite.from_machine(alarms, alarms.active).write_to(db)

    store.write(save).result()
    again = alarm_store.restored(store, "pump")
    store.close()
    assert (again.suppression, again.active) == (alarms.suppression, alarms.active)


def handling(reader):
    return reader.latest[TOPICS.machine_state("pump")]["handling"]["state"]


def test_commands_handle_alarms_and_states_and_events_tell(faulty, trained):
    wait_until(lambda: handling(faulty) == "unacknowledged")
    identity = str(faulty.of("event")[0]["event_id"])
    faulty.command("acknowledge", "a1", {"event_id": identity, "comment": "ordered"})
    assert faulty.answer("a1")["ok"]
    wait_until(lambda: handling(faulty) == "acknowledged")
    latest = faulty.of("event")[-1]
    assert latest["phase"] != "start"
    assert (latest["handling"]["acknowledged_by"], latest["handling"]["comment"]) == (
        "anna",
        "ordered",
    )
    faulty.command("acknowledge", "a2", {"event_id": "unknown"})
    assert "no event unknown" in text_of(faulty.answer("a2"))
    faulty.command("shelve", "s1", {"machine": "pump", "duration_s": 1, "reason": "test"})
    assert faulty.answer("s1")["ok"]
    wait_until(lambda: handling(faulty) == "shelved")
    wait_until(lambda: handling(faulty) == "unacknowledged", what="the shelf runs out by itself")
    assert "suppression" not in faulty.latest[TOPICS.machine_state("pump")]
    faulty.command("out_of_service", "o1", {"machine": "pump", "reason": "dismantled"})
    assert faulty.answer("o1")["ok"]
    wait_until(lambda: handling(faulty) == "out_of_service")
    faulty.command("unshelve", "u1", {"machine": "pump"})
    assert text_of(faulty.answer("u1")) == "pump is not shelved"
    faulty.command("return_to_service", "r1", {"machine": "pump"})
    assert faulty.answer("r1")["ok"]
    wait_until(lambda: handling(faulty) == "acknowledged")
    done = [(actor, action.split()[0]) for actor, action, _ in audit(trained)]
    assert ("anna", "shelve") in done
    assert ("auscult", "unshelve") in done


def test_a_kill_loses_no_handling(mosquitto, reader, recordings, trained, tmp_path):
    config = settings(mosquitto, trained, recordings["faulty"], repeat=True)
    gateway = Process(config, tmp_path / "gateway.log")
    reader.wait_for("alarm")
    wait_until(lambda: reader.of("event"))
    reader.command("out_of_service", "o1", {"machine": "pump", "reason": "dismantled"})
    assert reader.answer("o1")["ok"]
    gateway.kill()
    reader.latest.clear()
    gateway = Process(config, tmp_path / "gateway.log")
    started_s = time.time()
    wait_until(lambda: handling(reader) == "out_of_service" if TOPICS.machine_state("pump")
               in reader.latest else False)  # fmt: skip
    state = reader.latest[TOPICS.machine_state("pump")]
    assert state["suppression"]["actor"] == "anna"
    assert state["suppression"]["since_ms"] < 1000 * started_s
    gateway.terminate()
