"""Values in any JSON: by JMESPath or JSON pointer, and templates of common devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic_core import from_json

from auscult.gateway.sources.mqtt_json.settings import JsonValueSettings
from auscult.gateway.sources.support.process_tags import TagError, value_at
from auscult.gateway.sources.support.shipped import shipped
from auscult.gateway.sources.values import MessageError

MAX_KEYS = 12
"""Keys that a message names for a wrong path."""


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


@cache
def compiled(path: str) -> Any:
    """Compile a JMESPath expression.

    Raises
    ------
    MessageError
        If it is malformed.
    """
    try:
        return jmespath.compile(path)
    except JMESPathError as error:
        raise MessageError("path_malformed", path=path, detail=str(error).split("\n")[0]) from error


def found_at(payload: bytes, path: str) -> Any:
    """Return what a path leads to in a message.

    Raises
    ------
    MessageError, TagError
        If the message is no JSON, or the path leads to nothing.

    Examples
    --------
    >>> found_at(b'{"object": {"t": 21.5}}', "object.t"), found_at(b'{"a": [1, 2]}', "/a/1")
    (21.5, 2)
    """
    if not path or path.startswith("/"):
        return value_at(payload, path)
    try:
        message = from_json(payload)
    except ValueError as error:
        raise TagError("not_json", payload=repr(payload[:40])) from error
    try:
        found = compiled(path).search(message)
    except JMESPathError as error:
        raise MessageError("path_malformed", path=path, detail=str(error)) from error
    if found is None:
        keys = tuple(list(message)[:MAX_KEYS]) if isinstance(message, dict) else ()
        raise MessageError("no_value_by", path=path, keys=keys)
    return found
