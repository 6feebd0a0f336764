"""Sensor faults, separate from machine faults: which windows hold a measurement, and doubts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.dsp.health import SensorHealth
from auscult.models.records import Observation

UNUSABLE: Final = (
    SensorHealth.NOT_FINITE
    | SensorHealth.FLAT_LINE
    | SensorHealth.DROPOUT
    | SensorHealth.NOISE_FLOOR
    | SensorHealth.HELD
)
"""Windows with these faults hold no information on the machine: no decision is made on them.
Clipping is none of them: a failing machine may drive the converter to its rails. Nor are single
spikes: the detector weighs them."""
DOUBTFUL: Final = SensorHealth.BIAS | SensorHealth.UNCERTAIN
"""Windows with these faults are decided on, with the fault beside the decision, but not learned."""

_UNUSABLE_BITS: Final = int(UNUSABLE)
_DOUBTFUL_BITS: Final = int(DOUBTFUL)
_FAULT_BITS: Final = _UNUSABLE_BITS | _DOUBTFUL_BITS


class SensorChecks:
    """Counts faulty windows in a row of each point.

    Examples
    --------
    >>> sensors = SensorChecks(windows=2)
    >>> [sensors.update("de", SensorHealth.FLAT_LINE) for _ in range(2)]
    [False, False]
    >>> sensors.unusable("de").text
    'sensor fault: a flat line'
    """

    def __init__(self, windows: int) -> None:
        self._windows = windows
        self._streak: dict[str, int] = {}
        self._health: dict[str, SensorHealth] = {}
        self._faulty: set[str] = set()
        self.explained: Mapping[str, Said] = {}
        """Points whose departure a sensor fault would explain (`SensorSignatures`)."""

    def update(self, point: str, health: int) -> bool:
        """Check the health bits of a window; True if the window is usable."""
        if not health & _FAULT_BITS:
            if self._streak.pop(point, 0):
                self._faulty.discard(point)
            return True
        self._streak[point] = self._streak.get(point, 0) + 1
        self._health[point] = SensorHealth(health & _FAULT_BITS)
        if self._streak[point] >= self._windows:
            self._faulty.add(point)
        return not health & _UNUSABLE_BITS

    def all_well(self, observations: Sequence[Observation]) -> bool:
        """Return whether these windows, and the last ones of all points, are usable."""
        return not self._streak and not any(one.health & _FAULT_BITS for one in observations)

    def any(self) -> bool:
        """Return whether any point has a sensor fault now."""
        return bool(self._faulty or self.explained)

    def doubtful(self) -> bool:
        """Return whether the last window of any point is one that must not be learned."""
        return any(self._health[point] & DOUBTFUL for point in self._streak)

    def snapshot(self) -> dict[str, tuple[int, int]]:
        """Copy count and health of the unusable windows of each point, to store them."""
        return {point: (n, int(self._health[point])) for point, n in self._streak.items()}

    def restore(self, stored: Mapping[str, tuple[int, int]]) -> None:
        """Resume from `snapshot`."""
        self._streak = {point: windows for point, (windows, _) in stored.items()}
        self._health = {point: SensorHealth(health) for point, (_, health) in stored.items()}
        self._faulty = {point for point, n in self._streak.items() if n >= self._windows}

    def unusable(self, point: str) -> Reason | None:
        """Return why there is no decision on a point, None if its windows are usable."""
        if point in self._faulty and self._health[point] & UNUSABLE:
            return _reason(point, self._found(point))
        return None

    def beside(self, point: str) -> tuple[Reason, ...]:
        """Return the sensor faults that are beside the decision on a point."""
        said = [self._found(point)] if point in self._faulty else []
        if point in self.explained:
            said.append(self.explained[point])
        return tuple(_reason(point, one) for one in said)

    def _found(self, point: str) -> Said:
        found = tuple(str(flag.name).lower() for flag in self._health[point])
        return Said("sensor_fault", {"faults": found})


def holds_measurement(window: Observation) -> bool:
    """Return whether a window can be scored: no sensor fault, every feature a number."""
    return not window.health & _UNUSABLE_BITS and bool(np.isfinite(window.features).all())


def is_doubtful(health: int) -> bool:
    """Return whether a window is decided on, but not learned."""
    return bool(health & _DOUBTFUL_BITS)


def _reason(point: str, said: Said) -> Reason:
    return Reason(ReasonKind.SENSOR, Condition.UNKNOWN, said, point=point)
