"""Report by exception: which readings are worth a message, and what is current for a birth."""

from __future__ import annotations

from dataclasses import dataclass, replace

from auscult.contract.message import now_ms
from auscult.gateway.tags.metrics import Metric, Quality, Reading

Key = tuple[str | None, str]
"""(unit, metric name); the unit None is the edge node itself."""


@dataclass(frozen=True, slots=True)
class Report:
    """A reading worth a message, and whether its quality is news."""

    reading: Reading
    quality_changed: bool = False


class CurrentValues:
    """The latest reading of each metric, and the one that was reported last."""

    def __init__(self) -> None:
        self._current: dict[Key, Reading] = {}
        self._reported: dict[Key, Reading] = {}

    def current(self, unit: str | None, name: str) -> Reading | None:
        """Return the latest reading, None before the first."""
        return self._current.get((unit, name))

    def offer(self, unit: str | None, metric: Metric, reading: Reading) -> Report | None:
        """Take a reading; return it as it is to be reported, or None where nothing changed.

        A value that is no longer known keeps the last one with bad quality, so that no DATA
        message carries a null. A reading older than the current one is not taken, unless the
        current one was not measured or is of a clock that was ahead.

        Raises
        ------
        ValueError
            If the value does not fit the metric.
        """
        key = (unit, metric.name)
        reading = replace(reading, value=metric.check(reading.value))
        if metric.momentary:
            return Report(reading) if reading.value is not None else None
        before = self._current.get(key)
        if before is not None and before.measured and reading.t_ms < before.t_ms <= now_ms():
            return None
        if reading.value is None:
            if before is None:
                return None
            quality = Quality.BAD if reading.quality is Quality.GOOD else reading.quality
            reading = replace(reading, value=before.value, quality=quality)
        self._current[key] = reading
        last = self._reported.get(key)
        if last is not None and not _worth_telling(metric, last, reading):
            return None
        self._reported[key] = reading
        return Report(reading, last is not None and last.quality is not reading.quality)

    def announced(self, unit: str | None, name: str) -> None:
        """Note that a birth has published the current value: changes count from there."""
        key = (unit, name)
        if key in self._current:
            self._reported[key] = self._current[key]


def _worth_telling(metric: Metric, last: Reading, reading: Reading) -> bool:
    if reading.quality is not last.quality:
        return True
    old, new = last.value, reading.value
    if isinstance(old, int | float) and isinstance(new, int | float) and not isinstance(new, bool):
        return metric.dead_band.exceeded(float(old), float(new))
    return new != old
