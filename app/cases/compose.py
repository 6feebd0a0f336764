"""Composes cases for people from their rows, events and machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, Final, Literal

from auscult.app.cases import attention, common, history, prescriptions, troubles
from auscult.app.cases.headline import headline
from auscult.app.cases.location import (
    diagnosis_of,
    grouped,
    limit_of,
    locate,
    moved_of,
    symptom,
)
from auscult.app.cases.measured import bound_of, measured_of, quantity_of, relation_of
from auscult.app.cases.picture import picture_of
from auscult.app.cases.ranking import criticality_of, ranking_of
from auscult.app.cases.reading import Surroundings, surroundings
from auscult.app.cases.status import status_of
from auscult.app.cases.urgency import is_refuted, urgency_of
from auscult.app.store import cases, commands, events, evidence, gateways, machines
from auscult.app.store.connection import Database
from auscult.app.store.cursor import encode
from auscult.app.store.freshness import Freshness
from auscult.app.store.troubles import case_of_sensor
from auscult.app.views import (
    Case,
    CaseDetail,
    CaseList,
    CaseState,
    CommonCause,
    EventView,
    EvidencePoint,
    Finding,
    Machine,
    Movement,
    Outcome,
    PlantStatus,
    PointStatements,
    Repeats,
    SentCommand,
    WorkOrder,
    WorkState,
)
from auscult.contract.records import DEPARTED, RECOVERED, Condition, Reason, ReasonKind
from auscult.contract.said import Said

LEADING: Final = 10
"""Events of a case that its headline is made of."""
RULES: Final[tuple[Literal["learned", "fixed_limit", "iso_zone"], ...]] = (
    "learned", "fixed_limit", "iso_zone",
)  # fmt: skip
SHOWN_EVENTS: Final = 50
TREND_MS: Final = 24 * 3_600_000


def view_active(db: Database, freshness: Freshness, machine: str | None = None) -> CaseList:
    """Return all cases that are not finished, most urgent first, with the plant's state."""
    items = _active(db, freshness, machine)
    of_plant = items if machine is None else _active(db, freshness)
    return CaseList(status=_status(db, freshness, of_plant), items=items)


def _active(db: Database, freshness: Freshness, machine: str | None = None) -> list[Case]:
    found = view_rows(db, freshness, cases.active(db, freshness.now_ms, machine))
    return attention.in_order(case for case in found if case.attention != "closed")


def view_closed(
    db: Database, freshness: Freshness, machine: str | None, limit: int, cursor: str | None
) -> CaseList:
    """Return a page of finished cases, newest first, with the plant's state.

    Raises
    ------
    CursorError
        If this server did not give `cursor`.
    """
    rows = cases.closed(db, freshness.now_ms, machine, limit + 1, cursor)
    last = rows[limit - 1] if len(rows) > limit else None
    items = view_rows(db, freshness, rows[:limit])
    return CaseList(
        status=_status(db, freshness, _active(db, freshness)),
        items=[case for case in items if case.attention == "closed"],
        next_cursor=encode(last["last_ms"], last["id"]) if last else None,
    )


def view_between(db: Database, freshness: Freshness, since_ms: int, until_ms: int) -> list[Case]:
    """Return the cases that overlap a time, most urgent first."""
    return attention.in_order(view_rows(db, freshness, cases.between(db, since_ms, until_ms)))


def view(db: Database, freshness: Freshness, identity: str) -> Case | None:
    """Return one case, None if there is none of that id."""
    row = cases.row(db, identity)
    return None if row is None else next(iter(view_rows(db, freshness, [row])), None)


def view_detail(db: Database, freshness: Freshness, identity: str) -> CaseDetail | None:
    """Return one case with its proof and history, None if there is none of that id."""
    row = cases.row(db, identity)
    if row is None:
        return None
    if row["kind"] != "machine":
        own_case = next(iter(view_rows(db, freshness, [row])), None)
        return troubles.detail_of(db, freshness, own_case) if own_case else None
    known = _known(db, freshness, [row], evidence.KEPT_MS, SHOWN_EVENTS)[identity]
    if not known.listed:
        return None
    parts = _Parts(known)
    read = partial(_case, parts=parts, freshness=freshness)
    case = next(db.damage.readable("machine_case", [row], read), None)
    if case is None:
        return None
    picture = picture_of(
        db, parts.listed, parts.shown, case, parts.diagnosis, known.around, values=parts.of_values
    )
    return CaseDetail(
        **dict(_related(db, case, common.causes(db, freshness))),
        check_first=prescriptions.of_case(db, freshness, case),
        picture=picture,
        points=parts.groups,
        moved=moved_of(parts.groups),
        evidence=_with_newest(known),
        events=sorted(known.listed, key=lambda e: (-e.started_ms, e.id)),
        history=history.of_case(db, row, known.listed),
        photo_list=cases.photos(db, identity),
        repair_check=_repair_check(db, case),
    )


def _with_newest(known: _CaseRecords) -> list[EvidencePoint]:
    """Return the highest evidence of each step, then the newest that was measured."""
    series, machine = known.series, known.machine
    newest: list[tuple[int, float]] = []
    if machine is not None and machine.evidence is not None and machine.updated_ms is not None:
        newest = [(machine.updated_ms, machine.evidence)]
    later = [one for one in newest if not series or one[0] > series[-1][0]]
    return [EvidencePoint(at_ms=at, evidence=value) for at, value in (*series, *later)]


def _repair_check(db: Database, case: Case) -> SentCommand | None:
    repaired = case.finding is not None and case.finding.result == "fault_repaired"
    if not repaired or case.closed_ms is None:
        return None
    newest = cases.newest_event(db, case.id)
    return commands.view_repair_check(db, case.machine_id, newest, case.closed_ms)


def _status(db: Database, freshness: Freshness, active: Sequence[Case]) -> PlantStatus:
    return attention.status_of(
        active, machines.view_all(db, freshness), gateways.view_all(db, freshness)
    )


def view_rows(db: Database, freshness: Freshness, rows: Sequence[dict[str, Any]]) -> list[Case]:
    """Return the cases of rows, in their order."""
    known = _known(db, freshness, rows, TREND_MS, LEADING)

    def composed(row: dict[str, Any]) -> Case | None:
        own = known[row["id"]]
        if row["kind"] != "machine":
            return troubles.case_of(row, own.around, freshness, own.counts)
        # a case without events is damaged, which `health` reports
        return _case(row, _Parts(own), freshness) if own.listed else None

    found = db.damage.readable("machine_case", rows, composed)
    shared = common.causes(db, freshness)
    return [_related(db, one, shared) for one in found if one]


def _related(db: Database, case: Case, shared: Mapping[str, CommonCause]) -> Case:
    """Return a case with those that are probably the same thing."""
    doubted = case.state == "open" and case.headline.code == "case_sensor"
    sensor = case_of_sensor(db, case.machine_id, case.location.point) if doubted else None
    return case.model_copy(update={"common": shared.get(case.id), "explained_by": sensor})


@dataclass(frozen=True, slots=True)
class _CaseRecords:
    """What the database holds about a case beside its row."""

    around: Surroundings | None
    listed: list[EventView]
    series: Sequence[tuple[int, float]]
    counts: dict[str, int]
    lengths_s: list[float]
    repaired_ms: int

    @property
    def machine(self) -> Machine | None:
        """Return the machine; None if the database does not know it."""
        return self.around.machine if self.around else None


def _known(
    db: Database, freshness: Freshness, rows: Sequence[dict[str, Any]], span_ms: int, most: int
) -> dict[str, _CaseRecords]:
    """Return what is known by the cases' ids, with ``most`` events and the evidence of a time."""
    identities, machine_ids = ([row[name] for row in rows] for name in ("id", "machine_id"))
    around = surroundings(db, freshness, machine_ids)
    by_case = cases.event_ids(db, identities, most)
    some = events.view_some(db, [event for ids in by_case.values() for event in ids])
    series = evidence.view_since(db, list(around), freshness.now_ms - span_ms)
    counts, lengths = cases.counts(db, identities), cases.durations_s(db, identities)
    repaired = cases.repaired_ms(db, list(around))
    return {
        one: _CaseRecords(
            around.get(machine), [some[i] for i in by_case.get(one, ()) if i in some],
            series.get(machine, []), counts.get(one, {}), lengths.get(one, []),
            repaired.get(machine, 0),
        )
        for one, machine in zip(identities, machine_ids, strict=True)
    }  # fmt: skip


class _Parts:
    """The leading events of a case, and what their reasons say together."""

    def __init__(self, known: _CaseRecords) -> None:
        self.known = known
        self.listed = listed = known.listed[:LEADING]
        self.around = around = known.around
        self.lead = listed[0]
        self.lost = self.lead.open and self.lead.lost_ms is not None
        self.label = next((event.label for event in listed if event.label), None)
        # A repeat that began now has moved little: what is shown is of the strongest event.
        self.shown = max(listed, key=_strength)
        self.reasons: list[Reason] = list(self.shown.reasons)
        named = diagnosis_of(self.reasons)
        # a repeat may be too short to name the fault that an earlier one showed
        self.diagnosis = named or diagnosis_of(r for event in listed for r in event.reasons)
        if self.diagnosis is not None and named is None:
            self.reasons.append(self.diagnosis)
        kind = self.label.confirmed_kind if self.label else None
        if kind is not None and (self.diagnosis is None or self.diagnosis.fault != kind):
            # a person's word comes before the detector's
            self.diagnosis = Reason(
                ReasonKind.LEARNED,
                self.lead.peak_condition,
                Said("text", {"text": kind}),
                fault=kind,
            )
        self.work = _work_of(listed, known.machine)
        self.limit = limit_of(self.lead.reasons)
        self.relation = relation_of(self.lead.reasons)
        fault = self.diagnosis.fault if self.diagnosis else None
        self.groups: list[PointStatements] = grouped(self.reasons, around, fault)
        self.location = locate(self.diagnosis, self.limit, self.relation, self.groups, around)
        self.symptom = symptom(self.groups, self.location, fault)
        here = around.point(self.location.point) if around else None
        self.of_values = here is not None and here.kind == "value"
        self.value = self.symptom if self.of_values else None
        """How the overall value at the place of the change moved."""
        others = self.relation.said.values.get("others") if self.relation else None
        ids = map(str, others) if isinstance(others, list | tuple) else ()
        self.explaining = [around.point_name(one) if around else one for one in ids]
        """Names of the points from which the value at the place of the change was expected."""
        bound = bound_of(self.limit, self.relation, self.symptom, self.location.point, around)
        self.measured = measured_of(bound, self.lead, around)

    @property
    def moved_here(self) -> list[Movement]:
        """Return what moved at the place of the change, the farthest first."""
        return next((g.moved for g in self.groups if g.point == self.location.point), [])

    @property
    def also(self) -> list[str]:
        """Return the quantities of other points that moved too, or are beyond a limit."""
        here = self.measured.point if self.measured else self.location.point
        others = {
            group.point
            for group in self.groups
            if group.point not in (None, here)
            and (group.moved or any(r.kind in ("fixed_limit", "iso_zone") for r in group.reasons))
        }
        known = (self.around.point(one) for one in others) if self.around else ()
        return sorted({quantity_of(one) for one in known if one is not None})

    @property
    def decided_by(self) -> Literal["learned", "iso_zone", "fixed_limit"]:
        """Return the kind of rule that opened the case; the learned one where several did."""
        kinds = {r.kind for r in self.lead.reasons if r.condition in DEPARTED}
        found = (kind for kind in RULES if kind in kinds)
        return next(found, "learned")

    @property
    def sensor(self) -> bool:
        """Return whether a sensor fault was found at the place of the change."""
        here = self.location.point
        return any(r.kind == "sensor" and here in (r.point, None) for r in self.reasons)


def _strength(event: EventView) -> tuple[bool, float, int]:
    return event.peak_condition == "alarm", event.peak_evidence, event.started_ms


def _work_of(listed: Sequence[EventView], machine: Machine | None) -> WorkState | None:
    """Return what became of planned work or a repair for a case, None without any."""
    ids = {event.id for event in listed}
    if machine is None:
        return None
    held, check = machine.suppression, machine.repair
    if held is not None and held.kind == "planned_work" and held.event_id in ids:
        return "under_way"
    if check is None or check.event_id not in ids:
        return None
    return check.result or "watched"


def _unrepaired(row: dict[str, Any], finding: Finding | None, parts: _Parts) -> bool:
    """Return whether a confirmed fault is in the machine as far as people have said."""
    if parts.known.repaired_ms > row["last_ms"] or parts.work == "gone":
        return False
    if finding is not None:
        return finding.result == "fault_not_repaired"
    answer = parts.label
    return answer is not None and answer.undone_ms is None and answer.verdict == "confirmed_fault"


def _refuted(parts: _Parts, unrepaired: bool) -> bool:
    answer = parts.label
    if answer is None or answer.undone_ms is not None or unrepaired:
        return False
    return is_refuted(answer, parts.work)


def _confirmed_by(row: dict[str, Any], parts: _Parts) -> str:
    return (parts.label.actor if parts.label else "") or row["closed_by"]


def _condition(parts: _Parts, state: CaseState) -> Condition:
    """Return the machine's condition; its event's while the machine is lost or lags behind."""
    machine, lead = parts.known.machine, parts.lead
    if parts.lost or machine is None or (state == "open" and machine.condition in RECOVERED):
        return lead.condition
    return machine.condition


SAME_IN_ROW: Final = (
    "id", "machine_id", "peak_condition", "opened_ms", "closed_ms", "closed_by",
    "unacknowledged", "assignee", "due_ms",
)  # fmt: skip


def _of_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a case that its row decides."""
    return {name: row[name] for name in SAME_IN_ROW} | {
        "updated_ms": row["last_ms"],
        "ended_ms": None if row["open_events"] else row["last_ms"],
        "finding": Outcome(**json.loads(row["finding"])) if row["finding"] else None,
        "order": WorkOrder(**json.loads(row["work_order"])) if row["work_order"] else None,
    }


SAME_IN_PARTS: Final = ("symptom", "measured", "also", "decided_by", "location", "work", "label")


def _of_events(parts: _Parts) -> dict[str, Any]:
    """Return the fields of a case that its events decide."""
    lead, diagnosis = parts.lead, parts.diagnosis
    matched, missing = (diagnosis.matched, diagnosis.missing) if diagnosis else ((), ())
    last = max((one.handling for one in parts.listed), key=lambda one: one.acknowledged_ms or 0)
    return {name: getattr(parts, name) for name in SAME_IN_PARTS} | {
        "event_id": lead.id,
        "machine_name": lead.machine_name,
        "area": lead.area,
        "added_ms": lead.added_ms or None,
        "lost_ms": lead.lost_ms if parts.lost else None,
        "fault": diagnosis.fault if diagnosis else None,
        "confidence": diagnosis.confidence if diagnosis else None,
        "signs_found": len(matched),
        "signs_sought": len(matched) + len(missing),
        "acknowledged_by": last.acknowledged_by,
        "acknowledged_ms": last.acknowledged_ms,
    }


def _case(row: dict[str, Any], parts: _Parts, freshness: Freshness) -> Case:
    """Return a case: what its row and its events decide, and what follows from both now."""
    known, machine, around = parts.known, parts.known.machine, parts.around
    of_row, of_events = _of_row(row), _of_events(parts)
    unrepaired = _unrepaired(row, of_row["finding"], parts)
    state = attention.state_of(row, freshness.now_ms, unrepaired)
    condition = _condition(parts, state)
    recent = [one for one in known.series if one[0] >= freshness.now_ms - TREND_MS]
    urgency = urgency_of(
        parts.lead, around, parts.limit, recent, parts.label, parts.work, parts.measured,
        unrepaired=_confirmed_by(row, parts) if unrepaired and state != "closed" else None,
    )  # fmt: skip
    said = headline(
        parts.diagnosis, parts.limit, parts.location, urgency.zone, parts.relation, parts.value,
        parts.moved_here, others=parts.explaining, sensor=parts.sensor,
    )  # fmt: skip
    status, status_ms = status_of(
        row, state, "lost" if parts.lost else condition, parts.lead,
        of_events["acknowledged_by"], unrepaired, parts.work,
    )  # fmt: skip
    criticality = criticality_of(around)
    suppression = machine.suppression if machine else None
    return Case(
        **of_row,
        **of_events,
        state=state,
        attention=attention.attention_of(row, state, suppression is not None, unrepaired),
        ranking=ranking_of(urgency, criticality, parts.symptom),
        criticality=criticality,
        status=status,
        status_ms=status_ms,
        unrepaired=unrepaired,
        stale=machine is None or machine.stale,
        condition=condition,
        headline=said,
        text=said.text,
        urgency=urgency,
        repeats=Repeats(
            times=row["events"], median_s=median(known.lengths_s) if known.lengths_s else None
        ),
        suppression=suppression,
        refuted=_refuted(parts, unrepaired),
        notes=known.counts.get("note", 0),
        photos=known.counts.get("photo", 0),
    )
