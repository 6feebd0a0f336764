"""Runs and stops of a machine: it runs, coasts down, rests and starts again."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np

from auscult.dsp.simulation.rotation import Float64, Rotation

LEAST_HZ: Final = 1e-3
"""A rotation always turns; at rest it creeps by so much."""


@dataclass(frozen=True)
class Cycle:
    """Speed over time of a machine that runs, coasts down, rests and starts, again and again.

    Parameters
    ----------
    speed_rpm : float
        While it runs.
    run_s : float
        Infinite: it never stops.
    coast_s, rest_s, start_s : float
        Speed falls and rises linearly.

    Examples
    --------
    >>> Cycle(1500, run_s=10, coast_s=4, rest_s=2, start_s=2).hz(np.array([5.0, 12, 15, 17, 19]))
    array([25. , 12.5,  0. , 12.5, 25. ])
    """

    speed_rpm: float
    run_s: float = inf
    coast_s: float = 20.0
    rest_s: float = 30.0
    start_s: float = 5.0

    def hz(self, times_s: Float64) -> Float64:
        """Return the shaft frequency at these times, [shape=(n,)]."""
        if self.run_s == inf:
            return np.full(times_s.size, self.speed_rpm / 60)
        knots, levels = self._knots
        return np.asarray(np.interp(times_s % knots[-1], knots, levels))

    @property
    def _knots(self) -> tuple[Float64, Float64]:
        knots = np.cumsum([0.0, self.run_s, self.coast_s, self.rest_s, self.start_s])
        return knots, self.speed_rpm / 60 * np.array([1.0, 1.0, 0.0, 0.0, 1.0])

    def angle(self, times_s: Float64) -> Float64:
        """Return the angle in turns at these times, [shape=(n,)]: the integral of the speed."""
        if self.run_s == inf:
            return times_s * self.speed_rpm / 60
        knots, levels = self._knots
        turned = np.cumsum([0.0, *(np.diff(knots) * (levels[1:] + levels[:-1]) / 2)])
        cycles, within = np.divmod(times_s, knots[-1])
        part = np.clip(np.searchsorted(knots, within, side="right") - 1, 0, knots.size - 2)
        passed = within - knots[part]
        slope = (levels[part + 1] - levels[part]) / np.diff(knots).clip(1e-9)[part]
        return np.asarray(
            cycles * turned[-1] + turned[part] + levels[part] * passed + slope * passed**2 / 2
        )

    def rotation(self, fs_hz: float, seconds: float, start_s: float = 0.0) -> Rotation:
        """Return the rotation within a time; consecutive pieces fit together."""
        n = round(seconds * fs_hz)
        times_s = start_s + np.arange(n) / fs_hz
        creep = LEAST_HZ if self.run_s < inf else 0.0
        return Rotation(
            fs_hz, self.hz(times_s) + creep, self.angle(times_s) + creep * times_s, start_s
        )
