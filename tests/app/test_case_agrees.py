"""Whatever happens to a machine, no two statements about its case contradict each other."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from auscult.app.cases import compose
from auscult.app.notify import message
from auscult.app.store import cases, labels, lost, machines
from auscult.app.store.database import DashboardStore
from auscult.app.store.freshness import Freshness
from auscult.app.store.sqlite import SqliteFile
from auscult.app.views import CaseDetail, CaseList, Machine
from auscult.contract.inventory import Inventory
from auscult.contract.parts import Level, RepairPart, SuppressionPart
from auscult.contract.records import DEPARTED, RECOVERED
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.pump_events import HOUR, PUMP, SEEN, T, departs, inventory, moved, stored
from tests.app.test_case_values import beyond
from tests.app.test_case_values import plate as of_values

BERLIN = ZoneInfo("Europe/Berlin")
TEMPERATURE = (beyond(42.0, 35.0),)
UNCLEAR = (departs("P_DE", moved("band_11", 9.0, change_db=12.0)),)


def plate() -> Inventory:
    """Return a pump with points of vibration and of values."""
    [pump], [other] = inventory().machines, of_values().machines
    points = (*pump.points, *(one for one in other.points if one.kind == "value"))
    return Inventory(ts=T, machines=(pump.model_copy(update={"points": points}),))


class Plant(RuleBasedStateMachine):
    """One machine, and what its gateway and people may do; an oracle of a few plain facts."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = DashboardStore(SqliteFile(Path(self.folder.name) / "dashboard.db"))
        self.now = T
        self.event = self.held = self.repair = None
        self.events, self.labels, self.changes = 0, 0, 0
        self.value = False
        stored(self.store, m.status(ts=T), plate())
        self.tell()

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def tell(self, condition: str | None = None, reasons: tuple = ()) -> None:
        """Publish the machine's state."""
        condition = condition or ("alarm" if self.event else "normal")
        stored(self.store, m.machine_state(
            "pump-3", condition, ts=self.now, evidence=20.0 if self.event else 0.1,
            warning_level=6.0, alarm_level=10.0, event_id=self.event and self.event.event_id,
            suppression=self.held, repair=self.repair, reasons=reasons,
        ))  # fmt: skip

    def put(self, phase: str, **more: object) -> None:
        assert self.event is not None
        self.changes += 1
        state = "unacknowledged" if phase != "end" else "returned"
        more = {"handling": m.handling(state, self.changes), **more}
        self.event = self.event.model_copy(
            update={"phase": phase, "updated_ms": self.now, "ts": self.now, **more}
        )
        stored(self.store, self.event)

    def later(self, ms: int = 60_000) -> None:
        self.now += ms

    def case(self) -> CaseDetail | None:
        db = self.store.read()
        rows = db.execute("SELECT id FROM machine_case ORDER BY opened_ms DESC LIMIT 1").fetchall()
        return compose.view_detail(db, self.freshness(), rows[0][0]) if rows else None

    def freshness(self) -> Freshness:
        return Freshness(self.now, 180_000)

    @precondition(lambda self: self.event is None and self.held is None)
    @rule(reasons=st.sampled_from([SEEN, UNCLEAR, TEMPERATURE]))
    def departs(self, reasons: tuple) -> None:
        self.later()
        self.events += 1
        self.value = reasons is TEMPERATURE
        self.event = m.event(
            "pump-3", f"e{self.events}", ts=self.now, started_ms=self.now, updated_ms=self.now,
            reasons=reasons, points=(), peak_evidence=0.0 if self.value else 20.0,
        )  # fmt: skip
        stored(self.store, self.event)
        self.tell()

    @precondition(lambda self: self.value)
    @rule(celsius=st.sampled_from([20.0, 34.0, 36.0, 42.0]))
    def measures(self, celsius: float) -> None:
        level = {"temperature_c": Level(value=celsius, unit="°C")}
        stored(self.store, m.point_state("pump-3", "TB", ts=self.now, levels=level))

    @precondition(lambda self: self.event is not None)
    @rule(acknowledged=st.booleans())
    def ends(self, acknowledged: bool) -> None:
        self.later()
        state = "normal" if acknowledged else "returned"
        self.put("end", ended_ms=self.now, condition="normal",
                 handling=m.handling(state, self.changes + 1))  # fmt: skip
        self.event = None
        self.tell()

    @precondition(lambda self: self.event is not None)
    @rule()
    def is_acknowledged(self) -> None:
        self.later()
        seen = {"acknowledged_ms": self.now, "acknowledged_by": "Eva"}
        self.put("update", handling=m.handling("acknowledged", self.changes + 1, **seen))

    @precondition(lambda self: self.events > 0)
    @rule(verdict=st.sampled_from(["confirmed_fault", "false_alarm", "planned_work", "unsure"]))
    def is_answered(self, verdict: str) -> None:
        self.later()
        self.labels += 1
        kind = "gear" if verdict == "confirmed_fault" else None
        said = m.label(f"l{self.labels}", f"e{self.events}", verdict, kind=kind,
                       created_ms=self.now)  # fmt: skip
        self.store.write(lambda db: labels.add(db, PUMP, said))

    @precondition(lambda self: self.event is not None and self.held is None)
    @rule()
    def is_worked_on(self) -> None:
        self.later()
        self.held = SuppressionPart(
            kind="planned_work", reason="", actor="Eva", since_ms=self.now,
            event_id=self.event.event_id,
        )  # fmt: skip
        self.put("update", handling=m.handling("planned_work", self.changes + 1))
        self.tell("unknown")

    @precondition(lambda self: self.held is not None)
    @rule(result=st.sampled_from([None, "gone", "unchanged", "new"]))
    def work_is_finished(self, result: str | None) -> None:
        self.later()
        said = Said("repair_watched", {"windows": 3, "needed": 20})
        self.repair = RepairPart(event_id=self.held.event_id or "", since_ms=self.now, windows=20,
                                 windows_needed=20, result=result, said=said)  # fmt: skip
        self.held = None
        self.tell()

    @precondition(lambda self: self.event is not None and self.held is None)
    @rule()
    def gateway_forgets(self) -> None:
        """Its data folder is new: it has neither the event nor a baseline."""
        self.later()
        event_id = self.event.event_id
        self.store.write(lambda db: lost.note(db, event_id, self.now))
        self.event = None
        self.tell("learning")

    @rule()
    def gateway_is_silent(self) -> None:
        self.later(HOUR)

    @rule()
    def gateway_restarts(self) -> None:
        self.later()
        stored(self.store, m.status(ts=self.now))
        self.tell("alarm" if self.event else "learning")

    @rule()
    def a_day_passes(self) -> None:
        self.later(25 * HOUR)
        self.tell()

    @precondition(lambda self: self.events > 0 and self.event is None)
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
            cases.refresh(db, case.id, PUMP)

        self.store.write(job)

    @precondition(lambda self: self.events > 0)
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
        counts_agree(listed, machines.view_all(db, self.freshness()))
        mail(case, self.now)


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
