"""Process values from any topic: speed, load and others, which make the operating state."""

from __future__ import annotations

import math
from typing import Any

from pydantic_core import from_json

from auscult.contract.records import OperatingState
from auscult.contract.said import Rejection
from auscult.gateway.sources.support.mqtt_settings import ProcessValueSettings

TEXT_LENGTH = 64
MAX_NUMBERS = 12
"""Different whole numbers that a tag without resolution may take: more are a measured value, and
each would be an operating state of its own."""
COVARIATES = ("speed_rpm", "load")
"""Quantities of the operating state that are numbers by nature."""


class TagError(Rejection):
    """A process value that can't be read."""


def value_at(payload: bytes, pointer: str) -> Any:
    """Give the value in a JSON message that a JSON pointer (RFC 6901) names.

    Raises
    ------
    TagError
        If the message is no JSON or holds no such value.

    Examples
    --------
    >>> value_at(b'{"a": {"b/c": [1, 2]}}', "/a/b~1c/1"), value_at(b"12.5", "")
    (2, 12.5)
    """
    try:
        value = from_json(payload)
    except ValueError as error:
        raise TagError("not_json", payload=repr(payload[:40])) from error
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise TagError("no_value_at", pointer=pointer)
    return value


class ProcessTags:
    """The newest values of a machine's tags.

    Parameters
    ----------
    stale_after_s : float
        An older value is unknown.
    """

    def __init__(self, stale_after_s: float) -> None:
        self._stale_after_s = stale_after_s
        self._values: dict[str, tuple[float | str, float]] = {}
        self._numbers: dict[str, set[float]] = {}

    def put(self, tag: ProcessValueSettings, value: Any, now_s: float) -> None:
        """Store a received value: a number, a truth value, or a text.

        Raises
        ------
        TagError
            If it can't be read as that tag; the one before counts on.
        """
        read = _read(tag, value)
        if isinstance(read, float) and tag.name not in COVARIATES:
            read = self._categorical(tag, read)
        self._values[tag.name] = (read, now_s)

    def _categorical(self, tag: ProcessValueSettings, number: float) -> float:
        """Round a number to its resolution; one that is measured needs a resolution."""
        if tag.resolution is not None:
            return round(number / tag.resolution) * tag.resolution
        numbers = self._numbers.setdefault(tag.name, set())
        if not number.is_integer() or len(numbers | {number}) > MAX_NUMBERS:
            raise TagError("tag_not_categorical", name=tag.name, value=f"{number:g}")
        numbers.add(number)
        return number

    def discard(self, name: str) -> None:
        """Note that a value is unknown from now on."""
        self._values.pop(name, None)

    def state(self, now_s: float) -> OperatingState | None:
        """Give the operating state now, None if nothing is known of it."""
        known = {
            name: value
            for name, (value, at_s) in self._values.items()
            if now_s - at_s <= self._stale_after_s
        }
        if not known:
            return None
        speed_rpm, load = known.pop("speed_rpm", None), known.pop("load", None)
        return OperatingState(
            # A drive that turns backwards reports a negative speed; the sign has no use here.
            speed_rpm=abs(speed_rpm) if isinstance(speed_rpm, float) else None,
            load=load if isinstance(load, float) else None,
            tags={n: v if isinstance(v, str) else f"{v:g}" for n, v in known.items()},
        )


def _read(tag: ProcessValueSettings, value: Any) -> float | str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and tag.name not in COVARIATES:
        return value[:TEXT_LENGTH]
    try:
        number = float(value) * tag.scale + tag.offset
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise TagError("not_a_number", value=str(value)[:40])
    return number
