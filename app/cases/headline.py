"""The headline of a case: fault or symptom with its place, in plain words."""

from __future__ import annotations

from auscult.app.views import Location, Movement, Zone
from auscult.contract.records import Reason
from auscult.contract.said import Said


def headline(
    diagnosis: Reason | None,
    limit: Reason | None,
    location: Location,
    zone: Zone | None,
    relation: Reason | None,
    value: Movement | None,
    *,
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
        values = limit.said.values
        return Said(
            "case_limit",
            {
                "title": values.get("title", ""),
                "feature": values.get("feature", ""),
                "unit": limit.unit or "",
                "level": values.get("level", "warning"),
                "point": point,
            },
        )
    if relation is not None:
        own = {"value": relation.value, "unit": relation.unit or "", "point": point}
        return Said(relation.said.code, {**relation.said.values, **own})
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
    return Said("case_sensor" if sensor else "case_unclear", {"point": point})
