"""A machine as the template of others: which settings it gives, and what they change."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from pydantic import ValidationError

from auscult.app.views import BulkChange
from auscult.contract.invalid import said_of
from auscult.contract.machines import MachineSettings
from auscult.contract.said import Rejection


class TemplatePart(StrEnum):
    """What a template gives; ids, names, areas and sources stay each machine's own."""

    NAME_PLATE = "name_plate"
    TRAIN = "train"
    BASELINE = "baseline"
    LIMITS = "limits"
    POINTS = "points"


_OF_MACHINE = {
    TemplatePart.NAME_PLATE: (
        "power_kw", "speed_rpm", "shaft_height_mm", "support", "iso_class", "line_hz", "pole_pairs",
    ),
    TemplatePart.TRAIN: ("bearings", "gear_teeth", "shafts", "gears", "belts", "blades"),
    TemplatePart.BASELINE: (
        "baseline_windows", "baseline_days", "baseline_starts", "start_s", "running_from_signal",
        "approve_baseline",
    ),
}  # fmt: skip
_OF_POINTS = {
    TemplatePart.LIMITS: ("limits",),
    TemplatePart.POINTS: (
        "direction", "shaft", "bearings", "envelope_low_hz", "envelope_high_hz",
    ),
}  # fmt: skip
_ALIKE = ("kind", "unit", "quantity")
"""A point takes limits and settings only from one that measures the same."""


def applied(
    template: MachineSettings, target: MachineSettings, parts: Iterable[TemplatePart]
) -> MachineSettings:
    """Return the target with the parts of the template; points are matched by their id.

    Raises
    ------
    Rejection
        If the target lacks a point of the template, a point measures something else, or the result
        breaks a rule of machines.
    """
    chosen = set(parts)
    given, new = template.model_dump(), target.model_dump()
    for part, names in _OF_MACHINE.items():
        if part in chosen:
            new.update({key: given[key] for key in names})
    own = {point["id"]: point for point in new["points"]}
    keys = [key for part, of in _OF_POINTS.items() if part in chosen for key in of]
    for point in given["points"] if keys else ():
        if point["id"] not in own:
            raise Rejection("template_point_missing", point=point["id"])
        if any(point[key] != own[point["id"]][key] for key in _ALIKE):
            raise Rejection("template_point_differs", point=point["id"])
        own[point["id"]].update({key: point[key] for key in keys})
    try:
        return MachineSettings.model_validate(new)
    except ValidationError as error:
        raise Rejection(said_of(error.errors()[0])) from None


def changes(before: MachineSettings, after: MachineSettings) -> list[BulkChange]:
    """Return the settings that differ; those of a point as ``point/setting``."""
    old, new = _flat(before), _flat(after)
    return [
        BulkChange(setting=key, before=old.get(key), after=new.get(key))
        for key in new
        if old.get(key) != new.get(key)
    ]


def _flat(machine: MachineSettings) -> dict[str, Any]:
    settings = machine.model_dump(mode="json")
    points = settings.pop("points")
    return settings | {f"{p['id']}/{key}": value for p in points for key, value in p.items()}
