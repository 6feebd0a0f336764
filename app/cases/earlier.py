"""Sisters of a machine, and earlier cases of it and of them with what people found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from auscult.app.cases import compose
from auscult.app.store import cases, events, machines
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.views import Alike, Case, CaseMachine, EarlierCase, EarlierCases

LOOKED_AT: Final = 60
"""So many answered cases, the newest, are compared."""
LISTED: Final = 12
ORDER: Final[tuple[Alike, ...]] = ("recognised", "place", "fault", "signs", "other")
_SAME: Final = ("power_kw", "speed_rpm", "support")
_WHERE_BOTH_SAY: Final = ("bearings", "gear_teeth")


def sisters_of(db: Database, machine: str) -> list[CaseMachine]:
    """Return the machines of the same make as `machine`, by name.

    Where either states its template, both have the same; a machine is its own template until it
    states one. Else their points are the same, and nothing on their name plates differs; either
    the plates give power and speed, or the names differ by their numbers only.
    """
    plates = dict(machines.plates(db))
    own = plates.get(machine)
    return sorted(
        (
            CaseMachine(id=one, name=plate["name"] or plate["id"], area=plate["area"])
            for one, plate in plates.items()
            if own is not None and one != machine and _are_sisters(machine, own, one, plate)
        ),
        key=lambda one: (one.name, one.id),
    )


def _are_sisters(one: str, plate: dict[str, Any], other: str, its: dict[str, Any]) -> bool:
    stated, others = plate.get("template"), its.get("template")
    return (stated or one) == (others or other) if stated or others else _of_one_make(plate, its)


def _of_one_make(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if any(one.get(key) != other.get(key) for key in _SAME):
        return False
    if any(one[k] != other[k] for k in _WHERE_BOTH_SAY if one.get(k) and other.get(k)):
        return False
    points, others = _points(one), _points(other)
    if not points or not (points <= others or others <= points):
        return False
    rated = bool(one.get("power_kw") and one.get("speed_rpm"))
    return rated or _without_number(one) == _without_number(other) != ""


def _points(plate: dict[str, Any]) -> set[tuple[Any, ...]]:
    keys = ("id", "kind", "unit", "quantity")
    return {tuple(point.get(key) for key in keys) for point in plate["points"]}


def _without_number(plate: dict[str, Any]) -> str:
    return re.sub(r"\d+", "#", str(plate["name"])) if re.search(r"\d", str(plate["name"])) else ""


def of_machine(
    db: Database, freshness: Freshness, machine: str, case: str | None = None
) -> EarlierCases:
    """Return the answered cases of a machine and of its sisters.

    Parameters
    ----------
    db : Database
    freshness : Freshness
    machine : str
    case : str, optional
        Of this machine: only cases that began before it, the most similar first.
    """
    sisters = sisters_of(db, machine)
    now = compose.view(db, freshness, case) if case else None
    rows = cases.answered(
        db,
        [machine, *(one.id for one in sisters)],
        now.opened_ms if now else freshness.now_ms + 1,
        LOOKED_AT,
    )
    recognised = _recognised(db, case) if case else {}
    known = {row["id"] for row in rows}
    rows += [row for one in recognised if one not in known and (row := cases.row(db, one))]
    found = [
        one.model_copy(update={"alike": "recognised", "likeness": recognised[one.case.id]})
        if one.case.id in recognised
        else one
        for one in _known(machine, now, compose.view_rows(db, freshness, rows))
    ]
    found.sort(key=lambda e: (ORDER.index(e.alike), e.sister, -e.case.opened_ms))
    return EarlierCases(sisters=sisters, items=found[:LISTED], further=len(found[LISTED:]))


def _recognised(db: Database, case: str) -> dict[str, float]:
    """Return the earlier cases whose fault the gateway recognised, with their likeness, 0..1."""
    ids = cases.event_ids(db, [case], compose.LEADING).get(case, [])
    found: dict[str, float] = {}
    for reason in (r for event in events.view_some(db, ids).values() for r in event.reasons):
        if reason.said.code == "resembles":
            earlier = cases.of_event(db, str(reason.said.values.get("event_id", "")))
            if earlier is not None and earlier != case:
                found[earlier] = max(found.get(earlier, 0.0), reason.value or 0.0)
    return found


def _known(machine: str, now: Case | None, found: list[Case]) -> Iterator[EarlierCase]:
    for one in found:
        if one.label is not None or one.finding is not None:  # not taken back
            alike = _alike(now, one) if now else "other"
            yield EarlierCase(case=one, sister=one.machine_id != machine, alike=alike)


def _alike(now: Case, before: Case) -> Alike:
    """Return in what a case is like an earlier one; what people found counts before the signs."""
    fault = (before.finding.kind if before.finding else None) or before.fault
    if fault is not None and fault == now.fault:
        here, there = now.location, before.location
        same = (here.point, here.bearing) == (there.point, there.bearing)
        return "place" if same else "fault"
    signs, known = _sign(now), _sign(before)
    return "signs" if signs is not None and signs == known else "other"


def _sign(case: Case) -> tuple[str, str | None] | None:
    """Return the feature that the case is about, with its point where it is a value."""
    if case.measured is not None:
        return case.measured.feature, case.measured.point
    return (case.symptom.feature, None) if case.symptom else None
