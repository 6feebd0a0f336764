"""Kinds of source that deliver overall values, and the numbers that devices send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, TypeVar

from auscult.contract.machines import MachineSettings, PointSettings
from auscult.contract.said import Rejection, Said
from auscult.gateway.records import MOST_VALUE, TRUTH, PointValue
from auscult.gateway.settings.value_source import ValueSettings, ValueSource
from auscult.gateway.sources.contract import Source, SourceKind, SourceProblem
from auscult.link.broker import BrokerSettings

V = TypeVar("V", bound=ValueSource)


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
        if word in TRUTH:
            return TRUTH[word]
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


class Receiver(Source):
    """A source that devices send to: what it received lately can be shown without opening it."""

    latest: Mapping[str, tuple[int, PointValue]]
    """The newest value of each point, unscaled, with its arrival, ns."""


class ValueKind(SourceKind[V]):
    """A kind of source of overall values; a person can try its settings before they are used."""

    def problems(self, settings: V, machine: MachineSettings) -> Iterator[SourceProblem]:
        yield from super().problems(settings, machine)
        kinds = {point.id: point.kind for point in machine.points}
        for point, place in settings.feeds.items():
            if kinds.get(point.point, "value") != "value":
                yield SourceProblem(place, Said("point_takes_samples"))

    def receiver(self, settings: V, running: Iterable[Source]) -> Receiver | None:
        """Return the running source that receives what a trial of these settings would receive.

        Raises
        ------
        Rejection
            If a source of another machine receives it.
        """
        del settings, running
        return None

    def nothing(
        self, settings: V, value: ValueSettings, broker: BrokerSettings, after_s: float
    ) -> Said:
        """Say that no value of a point came within a trial, though the source works."""
        del settings, value, broker
        return Said("trial_nothing", {"after_s": after_s})
