"""The picture that proves a case: point, metric, spectrum and time at which it shows best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from auscult.app.cases.location import BEARING_FAULTS, speaks_for
from auscult.app.cases.reading import Surroundings
from auscult.app.store import spectra
from auscult.app.store.connection import Database
from auscult.app.views import Case, EventView, Movement, Picture
from auscult.contract.payloads import SEVERITY, Condition
from auscult.contract.records import Reason
from auscult.contract.said import Said, SaidValue

BEFORE_MS: Final = 24 * 3_600_000
"""The trend shows a healthy day before the case."""
LINES: Final = {"outer": "bpfo", "inner": "bpfi", "ball": "bsf", "cage": "ftf"}
"""Whose frequency of a bearing shows a fault."""
RACES: Final = ("outer", "inner")
"""Faults that knock once with each ball that passes."""
IMPULSIVE: Final = ("envelope", "bpfo", "bpfi", "bsf", "ftf", "kurtosis", "crest")


def picture_of(
    db: Database,
    events: Sequence[EventView],
    shown: EventView,
    case: Case,
    diagnosis: Reason | None,
    around: Surroundings | None,
    *,
    values: bool,
) -> Picture | None:
    """Return what to show first, None where no point is known.

    Parameters
    ----------
    db : Database
    events : sequence of Event
        The events of the case: the trend shows them.
    shown : Event
        The one of them that the spectrum and the case's `symptom` are of.
    case : Case
    diagnosis : Reason, optional
    around : Surroundings, optional
    values : bool
        Whether the point has overall values: its trend is the proof.
    """
    point = case.location.point
    if point is None:
        return None
    if values:
        return _trend(events, case)
    fault, shows = case.fault, case.symptom
    envelope = fault in BEARING_FAULTS or (
        shows is not None and any(word in shows.feature for word in IMPULSIVE)
    )
    best = _spectrum(db, shown, point, "envelope" if envelope else "spectrum")
    opened = min(event.started_ms for event in events)
    last = max(event.ended_ms or event.updated_ms for event in events)
    shaft_hz = _shaft_hz(db, best and best[1])
    line_hz = (
        _line_hz(diagnosis, shows)
        or _of_order(fault, shows, shaft_hz)
        or _of_bearing(case, shaft_hz, around)
    )
    said = caption(fault, line_hz, shows)
    return Picture.model_validate(
        {
            "point": point,
            "feature": _feature(case, point) or _limited(events, point),
            "kind": best[0] if best else ("envelope" if envelope else "spectrum"),
            "spectrum_id": best[1] if best else None,
            "said": said,
            "text": said.text,
            "at_ms": best[2] if best else last,
            "since_ms": max(0, opened - BEFORE_MS),
            "until_ms": last,
            "low_hz": shows.low_hz if shows else None,
            "high_hz": shows.high_hz if shows else None,
            "line_hz": line_hz,
            "line": fault,
        }
    )


def caption(fault: str | None, line_hz: float | None, shows: Movement | None) -> Said:
    """Return what a spectrum shows: a line and its multiples, else what moved most."""
    if line_hz is not None and fault is not None:
        code = "proof_knocks" if fault in RACES else "proof_line"
        return Said(code, {"fault": fault, "hz": line_hz})
    if line_hz is not None:
        return Said("proof_shaft", {"hz": line_hz})
    return moved(shows) if shows is not None else Said("proof_any")


def moved(shows: Movement) -> Said:
    """Return how a feature moved against the healthy machine."""
    named: dict[str, SaidValue] = {
        "title": shows.title, "feature": shows.feature, "unit": shows.unit
    }  # fmt: skip
    if shows.low_hz is not None and shows.high_hz is not None:
        named |= {"low_hz": shows.low_hz, "high_hz": shows.high_hz}
    if shows.change_db is None:
        return Said("proof_value", {**named, "value": shows.value, "baseline": shows.baseline})
    code = "proof_rose" if shows.change_db >= 0 else "proof_fell"
    return Said(code, {**named, "change_db": abs(shows.change_db)})


def _trend(events: Sequence[EventView], case: Case) -> Picture:
    opened = min(event.started_ms for event in events)
    last = max(event.ended_ms or event.updated_ms for event in events)
    point = case.location.point or ""
    said = case.measured.said if case.measured else caption(None, None, case.symptom)
    return Picture(
        point=point,
        said=said,
        text=said.text,
        feature=_feature(case, point) or _limited(events, point),
        plot="trend",
        at_ms=last,
        since_ms=max(0, opened - BEFORE_MS),
        until_ms=last,
    )


def _feature(case: Case, point: str) -> str | None:
    """Return the feature of the strip, whose trend is shown."""
    if case.measured is not None and case.measured.point == point:
        return case.measured.feature
    return case.symptom.feature if case.symptom else None


def _spectrum(db: Database, event: EventView, point: str, kind: str) -> tuple[str, str, int] | None:
    """Return kind, id and time of an event's newest spectrum in the worst condition."""
    refs = list(spectra.view_conditions(db, event.id, point))
    if not refs:
        return None
    ref, _ = max(
        refs,
        key=lambda one: (
            one[0].kind == kind, SEVERITY[Condition(one[1] or "normal")], one[0].window_ms
        ),
    )  # fmt: skip
    return ref.kind, ref.id, ref.window_ms


def _limited(events: Sequence[EventView], point: str) -> str | None:
    """Return the feature whose limit a point exceeds."""
    for event in events:
        for reason in event.reasons:
            if reason.point == point and reason.said and "feature" in reason.said.values:
                return str(reason.said.values["feature"])
    return None


def _shaft_hz(db: Database, spectrum: str | None) -> float | None:
    """Return the speed at which a spectrum was measured, Hz."""
    measured = spectra.view(db, spectrum) if spectrum else None
    return measured.speed_rpm / 60 if measured and measured.speed_rpm else None


def _of_order(fault: str | None, shows: Movement | None, shaft_hz: float | None) -> float | None:
    """Return the shaft's frequency where one of its orders moved most.

    None where the order does not speak for the fault: the line would carry the fault's name.
    """
    if shows is None or not shows.feature.startswith("order_"):
        return None
    return shaft_hz if fault is None or speaks_for(fault, shows.feature) else None


def _of_bearing(case: Case, shaft_hz: float | None, around: Surroundings | None) -> float | None:
    """Return the line of a bearing's fault where the diagnosis names no frequency."""
    bearings = around.plate.get("bearings", ()) if around else ()
    named = next((one for one in bearings if one["name"] == case.location.bearing), None)
    order = named.get(LINES.get(case.fault or "")) if named else None
    return order * shaft_hz if order and shaft_hz else None


def _line_hz(diagnosis: Reason | None, shows: Movement | None) -> float | None:
    if diagnosis is not None and diagnosis.said is not None:
        hz = diagnosis.said.values.get("hz")
        if isinstance(hz, int | float):
            return float(hz)
    if diagnosis and shows and shows.order and shows.low_hz is not None and shows.high_hz:
        return (shows.low_hz + shows.high_hz) / 2
    return None
