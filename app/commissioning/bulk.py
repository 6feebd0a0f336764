"""A machine as the template of others: which settings it gives, and what they change."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from auscult.app.views import BulkChange
from auscult.contract.invalid import said_of
from auscult.contract.machines import MachineSettings, PointSettings, TemplatePart
from auscult.contract.said import Rejection

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
    new.update({key: given[key] for key in _settings_of(MachineSettings, chosen)})
    own = {point["id"]: point for point in new["points"]}
    keys = _settings_of(PointSettings, chosen)
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


def _settings_of(model: type[BaseModel], parts: Container[TemplatePart]) -> list[str]:
    """Return the settings of a model that belong to parts of a template."""
    marked = ((name, field.json_schema_extra) for name, field in model.model_fields.items())
    return [name for name, own in marked if isinstance(own, dict) and own.get("x-group") in parts]


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
