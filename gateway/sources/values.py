"""Numbers that devices deliver: read, scaled, and rejected where they can't be a measurement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from auscult.contract.machines import MachineSettings, PointSettings
from auscult.contract.said import Rejection, Said
from auscult.gateway.records import MOST_VALUE, PointId
from auscult.gateway.settings.source import Place
from auscult.gateway.settings.value_source import ValueSettings
from auscult.gateway.sources.contract import SourceProblem

TRUE = frozenset({"on", "true", "open", "yes", "running"})


FALSE = frozenset({"off", "false", "closed", "no", "stopped"})


class MessageError(Rejection):
    """A message without the wanted value; it says why."""


def number_of(value: Any, plate: PointSettings | None = None) -> float:
    """Read a number, a text with a number, or a truth value.

    Raises
    ------
    MessageError
        If it is none of these, or not finite, or a truth value at a point that measures a quantity.

    >>> number_of("21.5"), number_of(True), number_of("OFF")
    (21.5, 1.0, 0.0)
    """
    measures = plate is not None and not plate.state and plate.quantity not in (None, "other")
    if isinstance(value, bool) and measures:
        raise MessageError("not_a_number", value=str(value).lower())
    if isinstance(value, str) and not measures:
        word = value.strip().casefold()
        if word in TRUE or word in FALSE:
            return float(word in TRUE)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number):
        raise MessageError("not_a_number", value=str(value)[:40])
    return number


def scaled(number: float, own: ValueSettings) -> float:
    """Return a delivered number in the unit of its settings.

    Raises
    ------
    MessageError
        If it is beyond what can be a measurement.
    """
    value = number * own.scale + own.offset
    if not abs(value) <= MOST_VALUE:
        raise MessageError("value_too_large", value=f"{value:.3g}", limit=f"{MOST_VALUE:g}")
    return value


def value_points(
    feeds: Mapping[PointId, Place], machine: MachineSettings
) -> Iterator[SourceProblem]:
    """Find the points that take samples instead of values."""
    kinds = {point.id: point.kind for point in machine.points}
    for point, place in feeds.items():
        if kinds.get(point.point, "value") != "value":
            yield SourceProblem(place, Said("point_takes_samples"))
