"""The value that a case is about: how far it is beyond its limit, or from what is expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from auscult.app.cases.reading import Surroundings
from auscult.app.views import EventView, Measured, Movement, Point
from auscult.contract.records import Reason
from auscult.contract.said import Said, SaidValue

_VIBRATION: Final = (
    "velocity", "acceleration", "displacement", "crest_factor", "kurtosis", "vibration",
)  # fmt: skip
VELOCITY: Final = "velocity_rms_mm_s"
_DIFFERENCE: Final = {"°C": "K"}
"""Units in which a difference is stated in another one than the value."""


_OF_LIMIT: Final = ("measured_limit", "measured_limit_worst")
_OF_EXPECTED: Final = ("measured_expected", "measured_expected_worst")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a value is compared with: a limit, or what is expected."""

    feature: str
    title: str
    unit: str
    point: str
    at: float
    worst: float
    level: str | None = None
    """`warning` or `alarm` of a limit; None of an expected value."""
    below: bool = False
    """Whether the departure is below the bound."""


def quantity_of(point: Point) -> str:
    """Return what a point measures; all of vibration, waveform or value, is `vibration`."""
    if point.kind == "sound":
        return "sound"
    own = point.quantity or "vibration"
    return "vibration" if own.startswith(_VIBRATION) else own


def relation_of(reasons: Iterable[Reason]) -> Reason | None:
    """Return the first learned reason that states what was expected beside what was measured.

    Its sentence names the relation that broke; its values hold `expected` and `feature`. The
    gateway names the value first that opened the event, to SCADA too.
    """
    learned = (r for r in reasons if r.kind == "learned" and r.said.values.get("feature"))
    stated = (r for r in learned if isinstance(r.said.values.get("expected"), int | float))
    return next(stated, None)


def expected_of(relation: Reason) -> float:
    """Return the value that a reason of `relation_of` expects, in its unit."""
    return float(relation.said.values["expected"])  # type: ignore[arg-type] # by `relation_of`


def is_below(relation: Reason) -> bool:
    """Return whether a value is below what a relation expects."""
    return relation.value is not None and relation.value < expected_of(relation)


def bound_of(
    limit: Reason | None,
    relation: Reason | None,
    symptom: Movement | None,
    point: str | None,
    around: Surroundings | None,
) -> Bound | None:
    """Return what the value of a case is compared with.

    Parameters
    ----------
    limit : Reason, optional
        The worst limit that is exceeded.
    relation : Reason, optional
        By `relation_of`.
    symptom : Movement, optional
        What moved most at `point`.
    point : str, optional
    around : Surroundings, optional

    Returns
    -------
    Bound or None
        None of a signal's features that have no limit: their spectra show the change.
    """
    if limit is not None and limit.kind == "fixed_limit" and limit.point is not None:
        values = limit.said.values
        worst, at = limit.value, limit.limit
        if worst is None or at is None:
            return None
        return Bound(
            str(values.get("feature", "")), str(values.get("title", "")), limit.unit or "",
            limit.point, at, worst, str(values.get("level", limit.condition)),
            values.get("direction") == "below",
        )  # fmt: skip
    if relation is not None and relation.point is not None and relation.value is not None:
        values = relation.said.values
        expected = expected_of(relation)
        return Bound(
            str(values["feature"]), str(values.get("title", "")), relation.unit or "",
            relation.point, expected, relation.value, None, is_below(relation),
        )  # fmt: skip
    here = around.point(point) if around else None
    if symptom is None or here is None or here.kind != "value" or symptom.feature == VELOCITY:
        return None
    return Bound(
        symptom.feature, symptom.title, symptom.unit, here.point, symptom.baseline, symptom.value,
        None, symptom.value < symptom.baseline,
    )  # fmt: skip


def measured_of(
    bound: Bound | None, event: EventView, around: Surroundings | None
) -> Measured | None:
    """Return the value of a case now; at its worst, where the case is over or nothing arrives."""
    if bound is None:
        return None
    here = around.point(bound.point) if around else None
    level = here.levels.get(bound.feature) if here else None
    fresh = here is not None and not here.stale and event.open and event.lost_ms is None
    now = level is not None and fresh and level.quality != "bad"
    value = level.value if level is not None and now else bound.worst
    by = bound.at - value if bound.below else value - bound.at
    values: dict[str, SaidValue] = {
        "beyond": round(abs(by), 6),
        "beyond_unit": _DIFFERENCE.get(bound.unit, bound.unit),
        "limit": bound.at,
        "unit": bound.unit,
        "direction": "below" if bound.below == (by >= 0) else "above",
        "level": bound.level or "",
    }
    codes = _OF_EXPECTED if bound.level is None else _OF_LIMIT
    said = Said(codes[0 if now else 1], values)
    return Measured(
        feature=bound.feature,
        title=bound.title,
        unit=bound.unit,
        point=bound.point,
        quantity=here.quantity if here else None,
        value=value,
        limit=None if bound.level is None else bound.at,
        expected=bound.at if bound.level is None else None,
        level=bound.level,
        beyond=by,
        said=said,
        text=said.text,
        since_ms=event.started_ms,
        at_ms=here.window_ms if here is not None and now else event.updated_ms,
        current=now,
    )
