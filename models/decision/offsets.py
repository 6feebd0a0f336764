"""The offset that the baseline's error gives all later scores, estimated from healthy windows.

A baseline of few windows places a state wrongly by a part of its spread, so all later scores of the
state share an offset. It is estimated from the windows after the baseline, in each operating state.
Only healthy windows count: those before the last zero of the warning chart, which is the estimate
of when a change began (Page 1954); windows of an event never count. The estimate is drawn towards 0
by the baseline's own windows, and never exceeds 2.5 times the offset's standard deviation before
it, so a fault is not learned as an offset. Learning ends when the offset is known to 0.1 σ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Rows = NDArray[np.intp]

ENOUGH_SIGMA = 0.1
"""Standard error at which an offset counts as known: the charts then take at most 1.1 times as long
as with a known offset."""
LARGEST_SIGMA = 2.5
"""Limit of the estimate, in standard deviations of the offset before it."""
STAGES_PER_DOUBLING = 2
"""Stages of the charts while the number of healthy windows doubles."""


class Offsets:
    """Offsets of the scores of several rows (points, and the machine last) in each state.

    Parameters
    ----------
    long_run : np.ndarray [shape=(rows,)]
        Variance of the mean of n scores, times n.
    sigma : np.ndarray [shape=(rows,)]
        Standard deviation of the offset by the baseline's error alone, > 0.
    states : int
    """

    def __init__(self, long_run: Float64, sigma: Float64, states: int) -> None:
        self._first = long_run / sigma**2
        """Windows that the baseline counts as."""
        self.enough = np.maximum(long_run / ENOUGH_SIGMA**2 - self._first, 0.0)
        """Healthy windows in a state after which its offset is known [shape=(rows,)]."""
        doublings = np.log2(1 + self.enough / self._first)
        self._last = np.ceil(STAGES_PER_DOUBLING * doublings).astype(np.intp)
        self.stages = int(self._last.max()) + 1
        self._sigma = sigma
        self.windows = np.zeros((len(sigma), states))
        """Healthy windows since the baseline [shape=(rows, states)]."""
        self._total = np.zeros_like(self.windows)
        self._waiting = np.zeros_like(self.windows)
        self._waiting_total = np.zeros_like(self.windows)
        self._known = bool((self.enough <= 0).all())

    def discard_waiting(self) -> None:
        """Discard windows of which it is open whether they are healthy."""
        self._waiting[:] = self._waiting_total[:] = 0.0

    def sigma_at(self, stage: int) -> Float64:
        """Return the standard error of the rows' offsets at the start of a stage."""
        stage_of = np.minimum(stage, self._last)
        return np.asarray(self._sigma * 2.0 ** (-stage_of / STAGES_PER_DOUBLING / 2))

    def windows_in(self, stage: int) -> Float64:
        """Count the windows that a stage lasts, infinite for a row's last [shape=(rows,)]."""
        start, end = (self._first * 2.0 ** (s / STAGES_PER_DOUBLING) for s in (stage, stage + 1))
        return np.where(stage >= self._last, np.inf, end - start)

    def stage(self, rows: Rows, states: Rows) -> NDArray[np.intp]:
        """Stage of each row in the state: how far its offset is known."""
        doublings = np.log2(1 + self.windows[rows, states] / self._first[rows])
        stage = (STAGES_PER_DOUBLING * doublings).astype(np.intp)
        return np.asarray(np.minimum(stage, self._last[rows]))

    def estimate(self, rows: Rows, states: Rows) -> Float64:
        """Estimate the offset of each row in its state, in σ."""
        mean = self._total[rows, states] / (self.windows[rows, states] + self._first[rows])
        limit = LARGEST_SIGMA * self._sigma[rows]
        return np.asarray(np.minimum(np.maximum(mean, -limit), limit))

    def add(self, rows: Rows, states: Rows, scores: Float64) -> None:
        """Add one normal score of each of these rows; it waits until the row is healthy again."""
        if not self._known:
            self._waiting[rows, states] += 1
            self._waiting_total[rows, states] += scores

    def settle(self, healthy: NDArray[np.bool_], ill: NDArray[np.bool_]) -> bool:
        """Count what waits in healthy rows, discard it in ill ones; True if any counted."""
        if self._known:
            return False
        if ill.any():
            self._waiting[ill] = self._waiting_total[ill] = 0.0
        if not healthy.any():
            return False
        open_ = self.windows[healthy] < self.enough[healthy, None]
        self.windows[healthy] += self._waiting[healthy] * open_
        self._total[healthy] += self._waiting_total[healthy] * open_
        self._waiting[healthy] = self._waiting_total[healthy] = 0.0
        self._known = bool((self.windows >= self.enough[:, None]).all())
        return True

    def windows_missing(self) -> Float64:
        """Count the healthy windows that each row still needs, in all states [shape=(rows,)]."""
        return np.asarray(np.maximum(self.enough[:, None] - self.windows, 0.0).sum(1))

    def to_arrays(self) -> Mapping[str, NDArray[Any]]:
        """Copy what was learned and what waits, to store them."""
        return {name: array.copy() for name, array in self._arrays().items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`."""
        for name, array in self._arrays().items():
            array[:] = arrays.get(name, 0.0)  # nothing waits in states of older versions
        self._known = bool((self.windows >= self.enough[:, None]).all())

    def _arrays(self) -> dict[str, Float64]:
        return {
            "windows": self.windows,
            "total": self._total,
            "waiting": self._waiting,
            "waiting_total": self._waiting_total,
        }
