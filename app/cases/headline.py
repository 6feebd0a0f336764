"""The headline of a case: fault or symptom with its place, in plain words."""

from __future__ import annotations

from auscult.app.views import Location, Zone
from auscult.contract.records import Reason
from auscult.contract.said import Said


def headline(
    diagnosis: Reason | None,
    limit: Reason | None,
    location: Location,
    zone: Zone | None,
    *,
    sensor: bool,
) -> Said:
    """Return what is wrong and where: a named fault, else a limit, else the change itself.

    `sensor` says whether a sensor fault was found beside the change.
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
    return Said("case_sensor" if sensor else "case_unclear", {"point": point})
