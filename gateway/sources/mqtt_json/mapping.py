"""Where values are in JSON over MQTT, and the templates of common devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from auscult.gateway.sources.mqtt_json.settings import JsonValueSettings
from auscult.gateway.sources.support.json_path import compiled
from auscult.gateway.sources.support.shipped import shipped
from auscult.gateway.sources.values import MessageError


@dataclass(frozen=True, slots=True)
class TemplateValue:
    """A value that a kind of device sends."""

    name: str
    path: str
    quantity: str
    unit: str


@dataclass(frozen=True, slots=True)
class Template:
    """Where a kind of device puts its values; a file of `templates/`."""

    name: str
    title: str
    source: str
    topic: str
    time_path: str
    interval_s: float
    values: tuple[TemplateValue, ...]


@cache
def templates() -> Mapping[str, Template]:
    """Return all templates by name."""
    found = {}
    for name, given in shipped("mqtt_json", "templates"):
        values = tuple(TemplateValue(**value) for value in given.pop("values"))
        found[name] = Template(name=name, values=values, **given)
    return found


@dataclass(frozen=True, slots=True)
class Mapped:
    """A value's settings with its template applied."""

    settings: JsonValueSettings
    topic: str
    path: str
    time_path: str
    unit: str


def mapped(settings: JsonValueSettings) -> Mapped:
    """Apply the template of a value.

    Raises
    ------
    MessageError
        If topic or template are missing or unknown, or a path is malformed.
    """
    topic, path, time_path, unit = (
        settings.topic or "", settings.path, settings.time_path, settings.unit,
    )  # fmt: skip
    if settings.template:
        template = templates().get(settings.template)
        if template is None:
            raise MessageError("template_unknown", name=settings.template, names=tuple(templates()))
        topic = topic or template.topic.replace("{device}", settings.device)
        time_path = time_path or template.time_path
        if settings.value:
            value = next((one for one in template.values if one.name == settings.value), None)
            if value is None:
                names = tuple(one.name for one in template.values)
                raise MessageError(
                    "template_value_unknown",
                    template=template.name,
                    name=settings.value,
                    names=names,
                )
            path, unit = path or value.path, unit or value.unit
    if not topic or "{" in topic:
        raise MessageError("mapping_incomplete", point=settings.point, keys="topic")
    for one in (path, time_path):
        if one and not one.startswith("/"):
            compiled(one)
    return Mapped(settings, topic, path, time_path, unit)
