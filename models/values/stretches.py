"""Levels of stretches: the last ones against those before, in windows of 1 to 32 stretches.

A stretch is a run of the machine, a day at most. Its mean counts once: values within it are
correlated, and campaigns differ by product and load more than the values of one.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.models.values.contrasts import FREEDOM, spread

Float64 = NDArray[np.float64]

WINDOWS: Final = (1, 2, 4, 8, 16, 32)
"""Stretches of the last window; those before reach back four times as far."""
FEWEST: Final = 6
"""Stretches before windows are compared."""
ALONE: Final = 12.0
"""Degrees of freedom of a single stretch: no mean makes its tails normal."""
INFLATION, WEIGHT = 1.0, 4.0
"""Variance of longer windows over that of stretches with the correlation of neighbours, before it
is known, and how many windows this assumption counts as."""
SEASON_C, SEASON_DAYS = 1.75, 90.0
"""A hall's temperature moves by so much over a quarter of a year, °C (standard deviation)."""
KEPT: Final = 256
"""Most stretches in memory: the longest window and those before it are 164."""
WHOLE_BLOCKS: Final = 8
"""Blocks of a stretch that counts in full."""


class StretchWindow(NamedTuple):
    """The last stretches against those before.

    ``z`` [shape=(d,)] in spreads, of which each is a ``unit`` of the values; ``before`` and ``now``
    are levels [shape=(d,)].
    """

    length: int
    z: Float64
    unit: Float64
    freedom: float
    before: Float64
    now: Float64


class Stretches:
    """Levels of the stretches of a machine's runs.

    Parameters
    ----------
    least : np.ndarray [shape=(d,)]
        Least spread of each value.
    seasonal_c : np.ndarray [shape=(d,)]
        Units of a value per °C of the hall; 0 where a season does not move it.
    """

    def __init__(self, least: Float64, seasonal_c: Float64) -> None:
        self._least, self._seasonal = least, seasonal_c
        self.levels = np.zeros((0, len(least)))
        self.weights, self.ends_s = np.zeros(0), np.zeros(0)
        self._level: tuple[Float64, int, Float64] | None = None

    def __len__(self) -> int:
        return len(self.levels)

    def add(self, level: Float64, weight: float, end_s: float) -> None:
        """Add the level of a stretch [shape=(d,)], which ended at this time, UTC s."""
        self.levels = np.concatenate([self.levels, level[None]])[-KEPT:]
        self.weights = np.append(self.weights, weight)[-KEPT:]
        self.ends_s = np.append(self.ends_s, end_s)[-KEPT:]

    def level(self, most: int) -> Float64:
        """Return the level of the last stretches [shape=(d,)], this many at most."""
        # Asked for each block, and new once a stretch.
        if self._level is None or self._level[0] is not self.levels or self._level[1] != most:
            level = np.asarray(np.median(self.levels[-most:], axis=0))
            self._level = self.levels, most, level
        return self._level[2]

    def take(self, count: int) -> tuple[Float64, Float64]:
        """Remove the last stretches; return their levels and ends."""
        taken = self.levels[-count:], self.ends_s[-count:]
        self.levels, self.weights = self.levels[:-count], self.weights[:-count]
        self.ends_s = self.ends_s[:-count]
        return taken

    def move(self, by: Float64) -> None:
        """Move all levels: what is normal from now on has the same spread at another level."""
        self.levels = self.levels + by

    def windows(self, weights: Float64) -> list[StretchWindow]:
        """Return the last window of each length, against the stretches before.

        ``weights`` [shape=(d, d)] of the values in what is compared: `Contrasts.rest`.
        """
        n, found = len(self), list[StretchWindow]()
        if n < FEWEST:
            return found
        weight = self.weights[:, None]
        weighed = np.concatenate([[[0.0]], np.cumsum(weight, axis=0)])
        summed = np.concatenate(
            [np.zeros((1, len(self._least))), np.cumsum(self.levels * weight, axis=0)]
        )
        compared = summed @ weights.T
        single = self._least
        for length in WINDOWS:
            if n < 2 * length + 2:
                break
            ends = np.arange(max(2 * length, length + 3), n + 1)
            starts = ends - length
            first = np.maximum(0, starts - 4 * length - 4)
            size = np.sqrt(1 / length + 1 / (starts - first))[:, None]
            now, before = weighed[ends] - weighed[starts], weighed[starts] - weighed[first]
            contrasts = (compared[ends] - compared[starts]) / now
            contrasts = (contrasts - (compared[starts] - compared[first]) / before) / size
            past = contrasts[:-1]
            if length == 1:
                single = sigma = np.maximum(spread(past), self._least)
                lag = (past[1:] * past[:-1]).sum(axis=0) / np.square(past).sum(axis=0).clip(1e-12)
                rho = np.clip(lag, 0.0, 0.8)
                expected = INFLATION * (1 + rho) / (1 - rho)
            else:
                independent = len(past) / length
                seen = np.square(spread(past) / single) if len(past) >= 3 else expected
                inflation = WEIGHT * np.minimum(expected, length) + independent * seen
                sigma = single * np.sqrt(np.maximum(inflation / (WEIGHT + independent), 1.0))
            apart_days = (
                self.ends_s[starts[-1] :].mean() - self.ends_s[first[-1] : starts[-1]].mean()
            ) / 86_400
            season = self._seasonal * SEASON_C * min(1.0, apart_days / SEASON_DAYS) / size[-1]
            sigma = np.sqrt(np.square(sigma) + np.square(season))
            freedom = min(n - 1.0, ALONE if length == 1 else FREEDOM)
            level_now = (summed[-1] - summed[starts[-1]]) / now[-1]
            level_before = (summed[starts[-1]] - summed[first[-1]]) / before[-1]
            z, unit = contrasts[-1] / sigma, sigma * size[-1]
            found.append(StretchWindow(length, z, unit, freedom, level_before, level_now))
        return found

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Copy to arrays."""
        return {
            "levels": self.levels.astype(np.float32),
            "weights": self.weights.astype(np.float16),
            "ends_s": self.ends_s.copy(),
        }

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`."""
        self.levels = arrays["levels"].astype(np.float64)
        self.weights = arrays["weights"].astype(np.float64)
        self.ends_s = arrays["ends_s"].copy()
