"""Whatever happens to a machine, no two statements about its case contradict each other."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from auscult.app.cases import compose, earlier
from auscult.app.cases.common import SEVERAL
from auscult.app.notify import message
from auscult.app.store import cases, labels, lost, machines
from auscult.app.store.cases import NewEntry
from auscult.app.store.database import DashboardStore
from auscult.app.store.freshness import Freshness
from auscult.app.store.sqlite import SqliteFile
from auscult.app.views import CaseDetail, CaseList, EarlierCases, Machine
from auscult.contract.inventory import Inventory
from auscult.contract.parts import Level, RepairPart, SuppressionPart
from auscult.contract.records import DEPARTED, RECOVERED
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.pump_events import HOUR, SEEN, T, departs, inventory, moved, stored
from tests.app.test_case_values import beyond
from tests.app.test_case_values import plate as of_values

PUMPS = ("pump-3", "pump-4", "pump-5")
BERLIN = ZoneInfo("Europe/Berlin")
TEMPERATURE = (beyond(42.0, 35.0),)
UNCLEAR = (departs("P_DE", moved("band_11", 9.0, change_db=12.0)),)


def plate() -> Inventory:
    """Return a pump with points of vibration and of values."""
    [pump], [other] = inventory().machines, of_values().machines
    points = (*pump.points, *(one for one in other.points if one.kind == "value"))
    return Inventory(ts=T, machines=tuple(
        pump.model_copy(update={"id": one, "name": one, "power_kw": 30.0, "points": points})
        for one in PUMPS
    ))  # fmt: skip


class Pump:
    """What a machine's gateway and people hold of it."""

    def __init__(self) -> None:
        self.event: Any = None
        self.held: SuppressionPart | None = None
        self.repair: RepairPart | None = None
        self.newest = ""
        self.value = False


class Plant(RuleBasedStateMachine):
    """Sisters in one area, and what their gateway and people may do; an oracle of plain facts.

    Rules are about the machine that `turns_to` chose last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = DashboardStore(SqliteFile(Path(self.folder.name) / "dashboard.db"))
        self.now = T
        self.pumps = {one: Pump() for one in PUMPS}
        self.id = PUMPS[0]
        self.events, self.labels, self.changes = 0, 0, 0
        stored(self.store, m.status(ts=T), plate())
        for one in PUMPS:
            self.turns_to(one)
            self.tell()

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(machine=st.sampled_from(PUMPS))
    def turns_to(self, machine: str) -> None:
        self.id = machine

    @property
    def pump(self) -> Pump:
        return self.pumps[self.id]

    def tell(self, condition: str | None = None, reasons: tuple = ()) -> None:
        """Publish the machine's state."""
        condition = condition or ("alarm" if self.pump.event else "normal")
        stored(self.store, m.machine_state(
            self.id, condition, ts=self.now, evidence=20.0 if self.pump.event else 0.1,
            warning_level=6.0, alarm_level=10.0, suppression=self.pump.held,
            event_id=self.pump.event and self.pump.event.event_id,
            repair=self.pump.repair, reasons=reasons,
        ))  # fmt: skip

    def put(self, phase: str, **more: object) -> None:
        assert self.pump.event is not None
        self.changes += 1
        state = "unacknowledged" if phase != "end" else "returned"
        more = {"handling": m.handling(state, self.changes), **more}
        self.pump.event = self.pump.event.model_copy(
            update={"phase": phase, "updated_ms": self.now, "ts": self.now, **more}
        )
        stored(self.store, self.pump.event)

    def later(self, ms: int = 60_000) -> None:
        self.now += ms

    def case(self) -> CaseDetail | None:
        db = self.store.read()
        sql = "SELECT id FROM machine_case WHERE machine_id = ? ORDER BY opened_ms DESC LIMIT 1"
        rows = db.execute(sql, (self.machine_id,)).fetchall()
        return compose.view_detail(db, self.freshness(), rows[0][0]) if rows else None

    @property
    def machine_id(self) -> str:
        return f"plant~gw1~{self.id}"

    def freshness(self) -> Freshness:
        return Freshness(self.now, 180_000)

    @precondition(lambda self: self.pump.event is None and self.pump.held is None)
    @rule(reasons=st.sampled_from([SEEN, UNCLEAR, TEMPERATURE]))
    def departs(self, reasons: tuple) -> None:
        self.later()
        self.events += 1
        self.pump.newest = f"e{self.events}"
        self.pump.value = reasons is TEMPERATURE
        self.pump.event = m.event(
            self.id, self.pump.newest, ts=self.now, started_ms=self.now, updated_ms=self.now,
            reasons=reasons, points=(), peak_evidence=0.0 if self.pump.value else 20.0,
        )  # fmt: skip
        stored(self.store, self.pump.event)
        self.tell()

    @rule(reasons=st.sampled_from([SEEN, UNCLEAR]))
    def all_depart(self, reasons: tuple) -> None:
        for one, pump in self.pumps.items():
            if pump.event is None and pump.held is None:
                self.turns_to(one)
                self.departs(reasons)

    @rule()
    def is_split(self) -> None:
        case = self.case()
        together = case.common.cases if case and case.common else []
        for ref in together:
            entry = NewEntry(ref.id, self.now, "Eva", "split")
            self.store.write(lambda db, entry=entry: cases.add_entry(db, entry))

    @precondition(lambda self: self.pump.value)
    @rule(celsius=st.sampled_from([20.0, 34.0, 36.0, 42.0]))
    def measures(self, celsius: float) -> None:
        level = {"temperature_c": Level(value=celsius, unit="°C")}
        stored(self.store, m.point_state(self.id, "TB", ts=self.now, levels=level))

    @precondition(lambda self: self.pump.event is not None)
    @rule(acknowledged=st.booleans())
    def ends(self, acknowledged: bool) -> None:
        self.later()
        state = "normal" if acknowledged else "returned"
        self.put("end", ended_ms=self.now, condition="normal",
                 handling=m.handling(state, self.changes + 1))  # fmt: skip
        self.pump.event = None
        self.tell()

    @precondition(lambda self: self.pump.event is not None)
    @rule()
    def is_acknowledged(self) -> None:
        self.later()
        seen = {"acknowledged_ms": self.now, "acknowledged_by": "Eva"}
        self.put("update", handling=m.handling("acknowledged", self.changes + 1, **seen))

    @precondition(lambda self: self.pump.newest)
    @rule(verdict=st.sampled_from(["confirmed_fault", "false_alarm", "planned_work", "unsure"]))
    def is_answered(self, verdict: str) -> None:
        self.later()
        self.labels += 1
        kind = "gear" if verdict == "confirmed_fault" else None
        said = m.label(f"l{self.labels}", self.pump.newest, verdict, kind=kind,
                       created_ms=self.now)  # fmt: skip
        self.store.write(lambda db: labels.add(db, self.machine_id, said))

    @precondition(lambda self: self.pump.event is not None and self.pump.held is None)
    @rule()
    def is_worked_on(self) -> None:
        self.later()
        self.pump.held = SuppressionPart(
            kind="planned_work", reason="", actor="Eva", since_ms=self.now,
            event_id=self.pump.event.event_id,
        )  # fmt: skip
        self.put("update", handling=m.handling("planned_work", self.changes + 1))
        self.tell("unknown")

    @precondition(lambda self: self.pump.held is not None)
    @rule(result=st.sampled_from([None, "gone", "unchanged", "new"]))
    def work_is_finished(self, result: str | None) -> None:
        self.later()
        said = Said("repair_watched", {"windows": 3, "needed": 20})
        self.pump.repair = RepairPart(
            event_id=self.pump.held.event_id or "", since_ms=self.now, windows=20,
            windows_needed=20, result=result, said=said,
        )  # fmt: skip
        self.pump.held = None
        self.tell()

    @precondition(lambda self: self.pump.event is not None and self.pump.held is None)
    @rule()
    def gateway_forgets(self) -> None:
        """Its data folder is new: it has neither the event nor a baseline."""
        self.later()
        event_id = self.pump.event.event_id
        self.store.write(lambda db: lost.note(db, event_id, self.now))
        self.pump.event = None
        self.tell("learning")

    @rule()
    def gateway_is_silent(self) -> None:
        self.later(HOUR)

    @rule()
    def gateway_restarts(self) -> None:
        self.later()
        stored(self.store, m.status(ts=self.now))
        self.tell("alarm" if self.pump.event else "learning")

    @rule()
    def a_day_passes(self) -> None:
        self.later(25 * HOUR)
        self.tell()

    @precondition(lambda self: self.pump.newest and self.pump.event is None)
    @rule(result=st.sampled_from(["fault_repaired", "fault_not_repaired", "no_fault"]))
    def is_closed(self, result: str) -> None:
        case = self.case()
        if case is None or (case.state == "open" and case.lost_ms is None):
            return
        self.later()

        def job(db) -> None:
            lost.close_of_case(db, case.id, self.now)
            cases.update(db, case.id, closed_ms=self.now, closed_by="Eva")
            cases.set_finding(db, case.id, {"result": result, "kind": None, "text": ""})
            cases.refresh(db, case.id, self.machine_id)

        self.store.write(job)

    @precondition(lambda self: self.pump.newest)
    @rule()
    def is_reopened(self) -> None:
        case = self.case()
        if case is None or case.closed_ms is None:
            return
        self.later()
        self.store.write(
            lambda db: cases.update(db, case.id, closed_ms=None, closed_by="", finding=None)
        )

    @invariant()
    def statements_agree(self) -> None:
        db = self.store.read()
        case = self.case()
        if case is None:
            return
        listed = compose.view_active(db, self.freshness())
        closed = compose.view_closed(db, self.freshness(), None, 50, None)
        agree(case)
        # one record, whoever asks
        everywhere = [one for one in (*listed.items, *closed.items) if one.id == case.id]
        assert [one.model_dump() for one in everywhere] == [
            compose.view(db, self.freshness(), case.id).model_dump()
        ]
        assert {name: getattr(case, name) for name in type(everywhere[0]).model_fields} == dict(
            everywhere[0]
        )
        together_agree(case, listed)
        before_agree(case, earlier.of_machine(db, self.freshness(), self.machine_id, case.id))
        counts_agree(listed, machines.view_all(db, self.freshness()))
        mail(case, self.now)


def together_agree(case: CaseDetail, listed: CaseList) -> None:
    """Fail where the cases of a common cause do not all say the same of it."""
    if case.common is None:
        return
    items = {one.id: one for one in listed.items}
    refs = case.common.cases
    assert len(refs) >= SEVERAL
    assert case.id in [ref.id for ref in refs]
    assert len({ref.machine_id for ref in refs}) == len(refs), "one case of each machine"
    assert case.common.since_ms == min(items[ref.id].opened_ms for ref in refs)
    for ref in refs:
        assert items[ref.id].common == case.common
        assert items[ref.id].machine_name == ref.machine_name
        assert items[ref.id].attention != "closed"
    faults = {items[ref.id].fault for ref in refs if items[ref.id].label is None}
    assert len(faults - {None}) <= 1


def before_agree(case: CaseDetail, known: EarlierCases) -> None:
    """Fail where an earlier case is later, the case itself, or says nothing of what was found."""
    assert len(known.sisters) == len(PUMPS) - 1
    own = {case.machine_id, *(one.id for one in known.sisters)}
    for one in known.items:
        assert one.case.opened_ms < case.opened_ms
        assert one.case.machine_id in own
        assert one.sister == (one.case.machine_id != case.machine_id)
        assert one.case.finding is not None or one.case.label is not None


def counts_agree(listed: CaseList, plant: list[Machine]) -> None:
    """Fail where the plant's counts are not those of the lists, each machine counted once."""
    status = listed.status
    groups = (
        "needs_someone", "in_hand", "shelved", "learning", "at_rest", "quiet",
    )  # fmt: skip
    assert sum(getattr(status, group) for group in groups) == status.machines == len(plant)
    cased = {case.machine_id for case in listed.items}
    for group in groups:
        first = {c.machine_id: c.attention for c in reversed(listed.items)}
        own = [m for m in plant if m.id not in cased and m.need == group]
        blind = [m for m in plant if m.id not in cased and m.need == "cannot_assess"]
        alike = sum(one == group for one in first.values()) + len(own)
        assert getattr(status, group) == alike + len(blind) * (group == "needs_someone")
    assert status.cannot_assess <= status.needs_someone
    assert status.unacknowledged == sum(c.unacknowledged for c in listed.items)


def agree(case: CaseDetail) -> None:  # noqa: C901 - a list of pairs
    """Fail on any two statements of a case that contradict each other."""
    open_, over = case.state == "open", case.urgency.level == "over"
    code, why = case.status.code, case.urgency.said.code
    # state against condition
    if open_:
        assert case.condition not in RECOVERED or case.lost_ms is not None
        assert case.ended_ms is None
        assert not over
    else:
        assert case.ended_ms is not None
        assert over or (case.unrepaired and case.state == "over")
        assert case.urgency.time_to_limit is None
    assert ("over" in code) == (case.state == "over")
    assert code.startswith("status_closed") == (case.state == "closed")
    assert ("waits" in code) <= (case.unacknowledged > 0 or not case.acknowledged_by)
    if why == "urgency_over":
        assert case.events[0].condition in RECOVERED
        assert all(e.lost_ms is None for e in case.events if e.id == case.event_id)
    # planned work against alarm, answer and what to check
    if case.work == "under_way" and open_ and case.lost_ms is None:
        assert (code, why, case.check_first) == ("status_work", "urgency_work", None)
        assert case.attention == "shelved"
    # memory: a confirmed fault stays until someone says what was done
    if case.unrepaired:
        assert case.attention != "closed"
        checked = case.check_first is not None or case.work == "under_way"
        assert case.state == "closed" or (not over and checked)
    if case.attention == "closed":
        assert case.state == "closed"
    # urgency against forecast and value
    ahead = case.urgency.time_to_limit
    assert (why == "urgency_limit_ahead") <= (ahead is not None)
    value = case.measured
    if value is not None:
        bound = value.limit if value.limit is not None else value.expected
        assert bound is not None
        assert abs(abs(value.value - bound) - abs(value.beyond)) < 1e-6
        assert ("below" in value.text) == (value.value < bound)
        assert not (why == "urgency_limit_passed" and value.current and value.beyond < 0)
        assert case.headline.code in ("case_limit", "case_fault", "case_value", "case_sensor")
    # caption against picture, strip against both
    picture = case.picture
    if picture is not None:
        assert picture.point == case.location.point
        assert (picture.plot == "trend") <= (picture.spectrum_id is None)
        if value is not None and value.point == picture.point:
            assert picture.feature == value.feature
        elif case.symptom is not None:
            assert picture.feature == case.symptom.feature
        said, shows = picture.said, case.symptom
        assert ("hz" in said.values) == (picture.line_hz is not None)
        if picture.line_hz is not None:
            assert said.values["hz"] == picture.line_hz
            assert said.values.get("fault") == (picture.line or case.fault)
        elif picture.plot == "spectrum" and shows is not None:
            assert said.values["feature"] == shows.feature
            assert said.values.get("low_hz") == picture.low_hz
            moved = shows.change_db or 0.0
            assert said.values.get("change_db", 0.0) == abs(moved)
            assert said.code != ("proof_rose" if moved < 0 else "proof_fell")
        elif value is not None and picture.plot == "trend":
            assert said == value.said
    # counts against lists
    signs = sum(len(group.moved) or len(group.reasons) for group in case.points)
    assert (case.moved.values["count"] if case.moved else 0) == signs
    # answer against urgency and condition of the work
    if case.refuted:
        assert case.label is not None
        assert case.label.verdict in ("false_alarm", "planned_work")
        assert case.label.undone_ms is None
        assert not case.unrepaired
        assert case.work not in ("unchanged", "new") or case.label.verdict == "false_alarm"
    assert (why == "urgency_normal") <= case.refuted
    if case.check_first is not None and value is not None and case.headline.code == "case_limit":
        assert case.check_first.fault == value.quantity
    assert case.decided_by == "fixed_limit" or value is None or value.limit is None
    if case.condition in DEPARTED and open_:
        assert case.peak_condition in DEPARTED


def mail(case: CaseDetail, now_ms: int) -> None:
    """Compare the message to people with the record, and its times with the plant's zone."""
    now = datetime.fromtimestamp(now_ms / 1000, BERLIN)
    subject, body = message.about_case(case, case.check_first, "opened", "en", now, "")
    assert case.text.lower() in subject.lower()
    assert case.urgency.text.lower() in body.lower()
    opened = datetime.fromtimestamp(case.opened_ms / 1000, UTC).astimezone(BERLIN)
    assert f"{opened:%Y-%m-%d %H:%M}" in body
    if case.measured is not None:
        assert case.measured.text in body


TestPlant = Plant.TestCase
TestPlant.settings = settings(
    max_examples=25, stateful_step_count=14, deadline=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
