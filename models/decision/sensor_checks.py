"""Sensor faults, separate from machine faults: which windows hold a valid measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from auscult.dsp.health import SensorHealth
from auscult.models.records import Condition, Observation, Reason, ReasonKind, Said

FAULTS: Final = (
    SensorHealth.NOT_FINITE
    | SensorHealth.FLAT_LINE
    | SensorHealth.BIAS
    | SensorHealth.DROPOUT
    | SensorHealth.NOISE_FLOOR
    | SensorHealth.UNCERTAIN
    | SensorHealth.HELD
)
"""Windows with these faults hold no information on the machine. Clipping is none of them: a failing
machine may drive the converter to its rails, and must not become unknown. Nor are single spikes:
the detector weighs them."""

_FAULT_BITS: Final = int(FAULTS)


class SensorChecks:
    """Counts unusable windows in a row of each point.

    Examples
    --------
    >>> sensors = SensorChecks(windows=2)
    >>> [sensors.update("de", SensorHealth.FLAT_LINE) for _ in range(2)], sensors.reason("de").text
    ([False, False], 'sensor fault: a flat line')
    """

    def __init__(self, windows: int) -> None:
        self._windows = windows
        self._streak: dict[str, int] = {}
        self._health: dict[str, SensorHealth] = {}
        self._faulty: set[str] = set()
        self.explained: Mapping[str, Said] = {}
        """Points whose departure from the baseline a sensor fault explains (`SensorSignatures`)."""

    def update(self, point: str, health: int) -> bool:
        """Check the health bits of a window; True if the window is usable."""
        if not health & _FAULT_BITS:
            if self._streak.pop(point, 0):
                self._faulty.discard(point)
            return True
        self._streak[point] = self._streak.get(point, 0) + 1
        self._health[point] = SensorHealth(health) & FAULTS
        if self._streak[point] >= self._windows:
            self._faulty.add(point)
        return False

    def all_well(self, observations: Sequence[Observation]) -> bool:
        """Whether these windows, and the last ones of all points, are usable."""
        return not self._streak and not any(one.health & _FAULT_BITS for one in observations)

    def any(self) -> bool:
        """Whether any point is unknown now."""
        return bool(self._faulty or self.explained)

    def snapshot(self) -> dict[str, tuple[int, int]]:
        """Copy count and health of the unusable windows of each point, to store them."""
        return {point: (n, int(self._health[point])) for point, n in self._streak.items()}

    def restore(self, stored: Mapping[str, tuple[int, int]]) -> None:
        """Resume from `snapshot`."""
        self._streak = {point: windows for point, (windows, _) in stored.items()}
        self._health = {point: SensorHealth(health) for point, (_, health) in stored.items()}
        self._faulty = {point for point, n in self._streak.items() if n >= self._windows}

    def reason(self, point: str) -> Reason | None:
        """Why a point is unknown, None if its sensor is well."""
        if point in self._faulty:
            health = self._health[point]
            found = tuple(str(flag.name).lower() for flag in FAULTS if health & flag)
            said = Said("sensor_fault", {"faults": found})
        elif point in self.explained:
            said = self.explained[point]
        else:
            return None
        return Reason(ReasonKind.SENSOR, Condition.UNKNOWN, said, point=point)
