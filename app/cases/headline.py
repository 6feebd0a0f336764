"""The headline of a case: fault or symptom with its place, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from auscult.app.cases.measured import is_below
from auscult.app.views import Location, Movement, Zone
from auscult.contract.records import Reason
from auscult.contract.said import Said, SaidValue

LEAST_DB: Final = 6.0
"""A level that doubled or halved: less scatters in a band of a single window."""
LEAST_SIGMA: Final = 3.0
_LEVELS: Final = (("band_", "hz"), ("mel_", "hz"), ("order_", "order"), ("gear_mesh_level", "mesh"))
"""Features of a spectrum that one can see or hear, and how their place is named."""


def headline(
    diagnosis: Reason | None,
    limit: Reason | None,
    location: Location,
    zone: Zone | None,
    relation: Reason | None,
    value: Movement | None,
    moved: Sequence[Movement],
    *,
    others: Sequence[str] = (),
    sensor: bool,
) -> Said:
    """Return what is wrong and where.

    Parameters
    ----------
    diagnosis : Reason, optional
        A named fault comes first.
    limit : Reason, optional
    location : Location
    zone : Zone, optional
    relation : Reason, optional
        The relation of values that broke.
    value : Movement, optional
        How the overall value at `location` moved.
    moved : sequence of Movement
        What moved at `location`, the farthest first.
    others : sequence of str
        Names of the points from which `relation` expects its value; empty of a level.
    sensor : bool
        Whether a sensor fault was found beside the change.
    """
    point = location.point_name
    if diagnosis is not None and diagnosis.fault is not None:
        return Said(
            "case_fault",
            {"fault": diagnosis.fault, "point": point, "bearing": location.bearing or ""},
        )
    if limit is not None and limit.kind == "iso_zone" and zone is not None and zone.zone in "CD":
        return Said("case_zone", {"zone": zone.zone, "point": point})
    if limit is not None and limit.said is not None:
        level = limit.said.values.get("level", "warning")
        return Said("case_limit", {**_named(limit), "level": level, "point": point})
    if relation is not None and others:
        return Said(
            "case_relation",
            {
                **_named(relation),
                "direction": "below" if is_below(relation) else "above",
                "others": tuple(others),
                "count": len(others),
                "point": point,
            },
        )
    if value is not None and not sensor:
        return Said(
            "case_value",
            {
                "title": value.title,
                "feature": value.feature,
                "unit": value.unit,
                "direction": "above" if value.value > value.baseline else "below",
                "point": point,
            },
        )
    if sensor:
        return Said("case_sensor", {"point": point})
    if moves := _moves(moved):
        return Said("case_moved", {"moves": moves, "point": point})
    return Said("case_unclear", {"point": point})


def _named(reason: Reason) -> dict[str, SaidValue]:
    """Return by what a sentence names the value of a reason."""
    values = reason.said.values
    title, feature = values.get("title", ""), values.get("feature", "")
    return {"title": title, "feature": feature, "unit": reason.unit or ""}


def _moves(moved: Sequence[Movement]) -> tuple[Said, ...]:
    """Return where the spectrum rose and fell most, the larger one first: what is sure of it."""
    found: dict[bool, Said] = {}
    for one in moved:
        place = next((p for name, p in _LEVELS if one.feature.startswith(name)), None)
        change_db = one.change_db or 0.0
        if place is None or abs(change_db) < LEAST_DB or abs(one.sigma) < LEAST_SIGMA:
            continue
        values = {"db": round(abs(change_db)), "direction": "more" if change_db > 0 else "less"}
        if place == "order":
            said = Said("moved_order", {**values, "order": int(one.feature[6:-1])})
        elif place == "mesh":
            said = Said("moved_mesh", values)
        elif one.low_hz is not None and one.high_hz is not None:
            middle = (one.low_hz * one.high_hz) ** 0.5 or one.high_hz / 2
            said = Said("moved_band", {**values, "hz": float(f"{middle:.2g}")})
        else:
            continue
        found.setdefault(change_db > 0, said)
    return tuple(found.values())
