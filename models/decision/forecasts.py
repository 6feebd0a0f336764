"""Forecasts of the time to a limit, from the history of the features that have limits.

A fault may take an hour or a year, so the history of each feature has several time scales. A trend
counts only if it brings the feature beyond all values of the longer scales: the daily rise of a
temperature is significant over an hour, but leads to no limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.own_band import own_band_hz
from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.feature_names import band_values, feature_words
from auscult.models.decision.limited_values import limited_value
from auscult.models.decision.limits import Limit
from auscult.models.decision.trend import Forecast, time_to_limit

Float64 = NDArray[np.float64]

SCALES: Final = 5
STEP: Final = 10
"""Values of the scale below of which each scale stores the median."""
LENGTH: Final = 80
"""Values of a scale: with intervals of 1 min the scales reach back 80 min, 13 h, 6 days, 8 weeks
and 18 months."""
BEYOND: Final = 0.1
"""Share of the range of older values by which a trend must exceed them."""
NOW: Final = 3
"""The present value is the median of this number of values, so that one outlier has no effect."""


@dataclass
class ForecastHistory:
    """One feature of one point. All arrays [shape=(SCALES, LENGTH)], the newest value last."""

    t_ns: NDArray[np.int64] = field(default_factory=lambda: np.zeros((SCALES, LENGTH), np.int64))
    y: Float64 = field(default_factory=lambda: np.zeros((SCALES, LENGTH)))
    taken: NDArray[np.int64] = field(default_factory=lambda: np.zeros(SCALES, np.int64))
    found: dict[tuple[float, int], tuple[int, Forecast | None]] = field(default_factory=dict)
    """Forecasts by limit and scale, with the number of values at the time."""

    def add(self, t_ns: int, value: float) -> None:
        """Add a value at a time, ns since 1970.

        Values from this time on, of a clock that was ahead, are discarded.
        """
        if self.taken[0] and t_ns <= self.t_ns[0, -1]:
            self._discard_from(t_ns)
        for scale in range(SCALES):
            self.t_ns[scale, :-1], self.y[scale, :-1] = self.t_ns[scale, 1:], self.y[scale, 1:]
            self.t_ns[scale, -1], self.y[scale, -1] = t_ns, value
            self.taken[scale] += 1
            if self.taken[scale] % STEP:
                return
            value = float(np.median(self.y[scale, -STEP:]))

    def _discard_from(self, t_ns: int) -> None:
        for scale in range(SCALES):
            times, _ = self.held(scale)
            later = int((times >= t_ns).sum())
            for row in (self.t_ns[scale], self.y[scale]):
                row[:] = np.roll(row, later)
            self.taken[scale] = len(times) - later
        self.found.clear()

    def held(self, scale: int) -> tuple[NDArray[np.int64], Float64]:
        n = min(int(self.taken[scale]), LENGTH)
        return self.t_ns[scale, LENGTH - n :], self.y[scale, LENGTH - n :]

    def now(self) -> float:
        return float(np.median(self.held(0)[1][-NOW:]))

    def forecast(self, limit: float, *, level: bool) -> Forecast | None:
        """Return the forecast from the shortest scale that shows a trend."""
        for scale in range(SCALES):
            taken = int(self.taken[scale])
            made_of, found = self.found.get((limit, scale), (0, None))
            if made_of != taken:
                latest = self.held(scale - 1) if scale else None
                found = time_to_limit(*self.held(scale), limit, level=level, latest=latest)
                self.found[limit, scale] = taken, found
            if found is not None and self._is_extreme(scale, float(np.sign(limit - self.now()))):
                return found
        return None

    def _is_extreme(self, scale: int, sign: float) -> bool:
        t_ns, y = self.held(scale)
        now = sign * float(np.median(y[-NOW:]))
        for longer in range(scale + 1, SCALES):
            older_t_ns, older = self.held(longer)
            before = older[older_t_ns < t_ns[0]]
            if before.size and now <= (sign * before).max() + BEYOND * np.ptp(before):
                return False
        return True


class Forecasts:
    """Forecasts for all points of a machine."""

    def __init__(self, specs: Mapping[str, FeatureSpec]) -> None:
        self._specs = dict(specs)
        self._history: dict[tuple[str, str], ForecastHistory] = {}

    def add(
        self, point: str, t_ns: int, values: NDArray[np.float32], limits: Sequence[Limit]
    ) -> None:
        """Add the mean features [shape=(d,)] of an interval; stores those with limits."""
        for name in {limit.feature for limit in limits}:
            value = limited_value(self._specs[point], point, name).compute(values)
            if np.isfinite(value):
                self._history.setdefault((point, name), ForecastHistory()).add(t_ns, value)

    def reasons(self, point: str, limits: Sequence[Limit]) -> tuple[Reason, ...]:
        """Return the forecasts of the next level of each limit of the point."""
        found = (self._reason(point, limit) for limit in limits)
        return tuple(reason for reason in found if reason is not None)

    def _reason(self, point: str, limit: Limit) -> Reason | None:
        history = self._history.get((point, limit.feature))
        if history is None:
            return None
        spec = self._specs[point]
        read = limited_value(spec, point, limit.feature)
        now, sign = history.now(), 1.0 if limit.direction == "above" else -1.0
        for name, at in (("warning", limit.warning), ("alarm", limit.alarm)):
            if at is None or sign * (at - now) <= 0:
                continue
            forecast = history.forecast(at, level=read.is_level)
            if forecast is None:
                return None
            said = Said(
                "forecast",
                {
                    "feature": limit.feature,
                    "title": limit.title or feature_words(spec, limit.feature),
                    **band_values(spec, limit.feature),
                    "level": name,
                    "standard": limit.standard,
                    "expected_s": round(forecast.expected_s),
                    "earliest_s": round(forecast.earliest_s),
                    "latest_s": None,  # see `Forecast`; gateways of 0.3 had one
                },
            )
            return Reason(
                ReasonKind.TREND,
                Condition.NORMAL,
                said,
                point=point,
                value=now,
                limit=at,
                unit=read.unit,
            )
        return None

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Convert the history to named arrays."""
        return {
            f"{point}/{name}/{part}": array
            for (point, name), history in self._history.items()
            for part, array in (("t_ns", history.t_ns), ("y", history.y), ("taken", history.taken))
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`, for points and features that still exist."""
        for key in arrays:
            point, name, part = key.rsplit("/", 2)
            if part == "y" and point in self._specs and _has(self._specs[point], name):
                t_ns, y, taken = (arrays[f"{point}/{name}/{p}"] for p in ("t_ns", "y", "taken"))
                self._history[point, name] = ForecastHistory(t_ns.copy(), y.copy(), taken.copy())


def _has(spec: FeatureSpec, name: str) -> bool:
    return name in spec.index or own_band_hz(name) is not None
