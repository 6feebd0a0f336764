"""Composes the cases of sensors, and of what carries their signals, from their rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from auscult.app.cases import attention, prescriptions
from auscult.app.cases.ranking import criticality_of, ranking_of
from auscult.app.cases.reading import Surroundings
from auscult.app.cases.status import status_of
from auscult.app.store import cases
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.store.troubles import REASONS
from auscult.app.views import (
    Case,
    CaseDetail,
    CaseEntry,
    CaseMachine,
    Evidence,
    Location,
    Outcome,
    Repeats,
    Urgency,
    WorkOrder,
)
from auscult.contract.records import Condition
from auscult.contract.said import Said


def case_of(
    row: dict[str, Any], around: Surroundings | None, freshness: Freshness, counts: dict[str, int]
) -> Case:
    """Return a case of a sensor, a supply, a gateway or the broker."""
    known = json.loads(row["known"])
    machines = [
        CaseMachine(id=i, name=name, area=area)
        for i, name, area in zip(known["ids"], known["names"], known["areas"], strict=True)
    ]
    state = attention.state_of(row, freshness.now_ms, False)
    lasts = bool(row["open_events"] or row["unacknowledged"])
    status, status_ms = status_of(
        row, state, "unmeasured", None, row["acknowledged_by"], False, None
    )
    point = known["point"]
    point_name = around.point_name(point) if around else point or ""
    headline = _headline(row, known, machines, point_name)
    urgency = _urgency(row, state, len(machines), around)
    ranking = ranking_of(urgency, criticality_of(around), None)
    several = row["kind"] != "sensor"
    return Case(
        id=row["id"],
        kind=row["kind"],
        machines=machines,
        machine_id=row["machine_id"],
        machine_name=row["machine_id"].partition("~")[2] if several else machines[0].name,
        area=machines[0].area if len({m.area for m in machines}) == 1 else "",
        state=state,
        attention=attention.attention_of(row, state, False, False) if lasts else "closed",
        ranking=ranking,
        criticality=criticality_of(around),
        status=status,
        status_ms=status_ms,
        condition=Condition.UNKNOWN,
        peak_condition=Condition.UNKNOWN,
        opened_ms=row["opened_ms"],
        updated_ms=row["last_ms"],
        ended_ms=None if row["open_events"] else row["last_ms"],
        closed_ms=row["closed_ms"],
        closed_by=row["closed_by"],
        finding=Outcome(**json.loads(row["finding"])) if row["finding"] else None,
        headline=headline,
        text=headline.text,
        location=Location(point=point, point_name=point_name),
        urgency=urgency,
        repeats=Repeats(times=row["events"]),
        event_id="",
        unacknowledged=row["unacknowledged"],
        acknowledged_by=row["acknowledged_by"],
        acknowledged_ms=row["acknowledged_ms"],
        assignee=row["assignee"],
        due_ms=row["due_ms"],
        order=WorkOrder(**json.loads(row["work_order"])) if row["work_order"] else None,
        notes=counts.get("note", 0),
        photos=counts.get("photo", 0),
    )


def detail_of(db: Database, freshness: Freshness, case: Case) -> CaseDetail:
    """Return a case with what to check first and what people did."""
    lines = sorted((*cases.entries(db, case.id), *_lines(case)), key=lambda e: (-e.at_ms, e.id))
    return CaseDetail(
        **dict(case),
        check_first=prescriptions.of_case(db, freshness, case),
        history=lines,
        photo_list=cases.photos(db, case.id),
    )


def _headline(
    row: dict[str, Any], known: dict[str, Any], machines: list[CaseMachine], point_name: str
) -> Said:
    count = len(machines)
    if row["kind"] == "sensor":
        reasons = REASONS.validate_python(known["reasons"])
        silent = known["point"] is None and row["subject"].startswith("machine ")
        code = "trouble_machine" if silent else "trouble_sensor"
        return Said(code, {"point": point_name, "reason": reasons[0].said})
    if row["kind"] == "supply":
        return Said("trouble_supply", {"count": count, "area": machines[0].area})
    if row["kind"] == "broker":
        return Said("trouble_broker", {"count": count})
    gateway = row["machine_id"].partition("~")[2]
    return Said("trouble_gateway", {"count": count, "gateway": gateway})


def _urgency(row: dict[str, Any], state: str, count: int, around: Surroundings | None) -> Urgency:
    blind = count > 1 or around is None or around.machine.condition == Condition.UNKNOWN
    if state != "open":
        level, said = "over", Said("urgency_signal_back")
    elif row["kind"] != "sensor" or blind:
        level, said = "days", Said("urgency_blind", {"count": count})
    else:
        level, said = "weeks", Said("urgency_half_blind")
    return Urgency.model_validate(
        {"level": level, "said": said, "text": said.text, "evidence": Evidence(peak=0)}
    )


def _lines(case: Case) -> Iterator[CaseEntry]:
    yield CaseEntry(id=f"start-{case.id}", at_ms=case.opened_ms, kind="opened")
    if case.ended_ms is not None:
        yield CaseEntry(id=f"end-{case.id}", at_ms=case.ended_ms, kind="ended")
