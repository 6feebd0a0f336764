"""What departs and where: the fault, its place, and how far each point moved.

The evidence of several points saturates at the same level, so the place comes from the diagnosis,
else from the point whose levels changed most in dB. Ranked by robust z-score, a quiet point with
little scatter comes first: of 26 faults at the drive end (CWRU, two sets), dB places 19 there and
the z-score 10.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from auscult.app.cases.reading import Surroundings
from auscult.app.views import Location, Movement, PointStatements
from auscult.contract.payloads import SEVERITY, Contribution
from auscult.contract.records import Reason
from auscult.contract.said import Said

BEARING_FAULTS: Final = frozenset({"outer", "inner", "ball", "cage", "bearing"})
SPEAKS_FOR: Final = {
    "outer": "bpfo",
    "inner": "bpfi",
    "ball": "bsf|ftf",
    "cage": "ftf",
    "bearing": "bpfo|bpfi|bsf|ftf|envelope",
    "imbalance": "order_1x",
    "misalignment": "order_[123]x",
    "bent": "order_[12]x",
    "looseness": "order_",
    "gear": "gear_mesh",
    "electrical": "line_frequency",
    "rub": "envelope|band|kurtosis|skewness",
    "blades": "band",
    "belt": "band",
    "turbulence": "band",
    "cavitation": "envelope|band",
    "lubrication": "envelope|band|value",
}
"""Features by which a fault shows, as patterns (ISO 13379-1, annex D)."""


def diagnosis_of(reasons: Iterable[Reason]) -> Reason | None:
    """Return the reason that names a fault with the most confidence, None if none does."""
    named = [r for r in reasons if r.fault is not None]
    return max(named, key=lambda r: (r.confidence or 0.0, SEVERITY[r.condition]), default=None)


def limit_of(reasons: Iterable[Reason]) -> Reason | None:
    """Return the worst limit or ISO zone that is exceeded."""
    beyond = [r for r in reasons if r.kind in ("iso_zone", "fixed_limit") and r.limit is not None]
    return max(beyond, key=lambda r: (SEVERITY[r.condition], _share(r)), default=None)


def _share(reason: Reason) -> float:
    """Return how far the value is beyond the limit, above or below it, as a share of the limit."""
    limit = reason.limit or 0.0
    return abs((reason.value or 0.0) - limit) / (abs(limit) or 1.0)


def speaks_for(fault: str | None, feature: str) -> bool:
    """Tell whether a fault shows by this feature."""
    return fault in SPEAKS_FOR and re.search(SPEAKS_FOR[fault], feature) is not None


def grouped(
    reasons: Sequence[Reason], around: Surroundings | None, fault: str | None
) -> list[PointStatements]:
    """Group statements by point, the point whose levels changed most first.

    Where a fault is named, only features by which it shows count for the order.
    """
    by_point: dict[str | None, list[Reason]] = {}
    for reason in reasons:
        by_point.setdefault(reason.point, []).append(reason)
    groups = [_statements(point, some, around, fault) for point, some in by_point.items()]
    by_point_id = sorted(groups, key=lambda g: g.point or "")
    strongest = sorted(by_point_id, key=lambda g: _strength(g.moved, fault), reverse=True)
    return sorted(strongest, key=lambda g: g.point is None)


def _statements(
    point: str | None, reasons: list[Reason], around: Surroundings | None, fault: str | None
) -> PointStatements:
    moved = _movements(c for r in reasons for c in r.contributions)
    return PointStatements(
        point=point,
        point_name=around.point_name(point) if around else point or "",
        strength=_strength(moved, fault)[0],
        moved=moved,
        reasons=reasons,
    )


def moved_of(groups: Sequence[PointStatements]) -> Said | None:
    """Return how many signs there are and where they are strongest; None without any.

    The machine as a whole is no point; alone it is named as the place.
    """
    count = sum(len(group.moved) or len(group.reasons) for group in groups)
    points = [group for group in groups if group.point is not None]
    if not count:
        return None
    if not points:
        return Said("moved_whole", {"count": count})
    values = {"count": count, "points": len(points)}
    return Said("moved_points", {**values, "point": points[0].point_name or points[0].point or ""})


def _strength(moved: Sequence[Movement], fault: str | None) -> tuple[float, float]:
    """Return how far a point moved; where a fault is named, by the features by which it shows."""
    counting = [m for m in moved if speaks_for(fault, m.feature)] or moved
    return max((_moved_by(m) for m in counting), default=(0.0, 0.0))


def _moved_by(one: Contribution | Movement) -> tuple[float, float]:
    """Return how far a feature moved, in the unit in which people read it: dB before σ."""
    return abs(one.change_db or 0.0), abs(one.sigma)


def _movements(contributions: Iterable[Contribution]) -> list[Movement]:
    """Return each feature once, at its farthest, the farthest first."""
    farthest: dict[str, Contribution] = {}
    for one in contributions:
        if one.feature not in farthest or _moved_by(one) > _moved_by(farthest[one.feature]):
            farthest[one.feature] = one
    return [
        Movement(
            feature=c.feature, title=c.title or c.feature, low_hz=c.low_hz, high_hz=c.high_hz,
            order=c.order, value=c.value, baseline=c.baseline, unit=c.unit, sigma=c.sigma,
            change_db=c.change_db,
        )
        for c in sorted(farthest.values(), key=_moved_by, reverse=True)
    ]  # fmt: skip


def symptom(
    groups: Sequence[PointStatements], location: Location, fault: str | None
) -> Movement | None:
    """Return the movement that strip, caption, picture and trend show.

    It is the strongest at the place of the fault, of those by which a named fault shows.
    """
    moved = next((g.moved for g in groups if g.point == location.point), [])
    return next((m for m in moved if speaks_for(fault, m.feature)), moved[0] if moved else None)


def locate(
    diagnosis: Reason | None,
    limit: Reason | None,
    relation: Reason | None,
    groups: Sequence[PointStatements],
    around: Surroundings | None,
) -> Location:
    """Return where the fault is: by the diagnosis, by a value, or by what moved most.

    The place of a value is that of the limit which the plant set, or of the relation that broke:
    the headline names it.
    """
    values = diagnosis.said.values if diagnosis and diagnosis.said else {}
    moved = next((g for g in groups if g.point is not None and g.moved), None)
    point, source = None, None
    if diagnosis is not None and diagnosis.point and _of_machine(diagnosis):
        point, source = diagnosis.point, "diagnosis"
    elif diagnosis is None and limit is not None and limit.point and limit.kind == "fixed_limit":
        point, source = limit.point, "limit"
    elif diagnosis is None and relation is not None and relation.point:
        point, source = relation.point, "relation"
    elif moved is not None:
        point, source = moved.point, "moved_most"
    elif diagnosis is not None and diagnosis.point:
        point, source = diagnosis.point, "diagnosis"
    elif limit is not None and limit.point:
        point, source = limit.point, "limit"
    return Location.model_validate(
        {
            "point": point,
            "point_name": around.point_name(point) if around else point or "",
            "shaft": _text(values.get("shaft")),
            "bearing": _bearing(diagnosis, values, around),
            "source": source,
        }
    )


def _of_machine(diagnosis: Reason) -> bool:
    """Tell whether all points were compared; the fault matrix is about one point by itself."""
    return diagnosis.said is None or diagnosis.said.code != "diagnosis"


def _bearing(diagnosis: Reason | None, values: Any, around: Surroundings | None) -> str | None:
    if diagnosis is None or diagnosis.fault not in BEARING_FAULTS:
        return None
    if named := _text(values.get("bearing")):
        return named
    names = {b["name"] for b in (around.plate.get("bearings", ()) if around else ())}
    return names.pop() if len(names) == 1 else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
