"""Evidence over time: cumulative sums of normal scores, with levels from a false-alarm budget.

A chart tuned to a lasting shift δ of the score accumulates ``S ← max(0, S + s − k)`` with the
allowance k = δ/2 (Page 1954). Its condition begins when S reaches h. The mean time between false
alarms follows from Siegmund's approximation; correlated windows count for less. There are two
charts: the warning chart for small lasting shifts, the alarm chart for larger ones. The score is a
distance in all features, so falling and rising levels are equal evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

OVERSHOOT = 1.166
"""Mean overshoot at both barriers of a standard normal walk, 2 × 0.583 (Siegmund 1985)."""
OVERSHOOT_CORRELATED = 0.45
"""Growth of the overshoot with ρ beyond its scaling by τ, fitted to simulated series (ρ 0.3 to 0.8,
k 0.5 and 1); the rates agree within a factor of 1.4 (tests/models/decision/test_evidence.py)."""
LARGEST_EXPONENT = 700.0
NORMAL, WARNING, ALARM = 0, 1, 2


def average_run_length(level: float, allowance: float, correlation: float = 0.0) -> float:
    """Mean number of windows between false alarms of a one-sided chart.

    Siegmund (1985): ``(exp(2kb) − 2kb − 1) / (2k²)`` with ``b = h + 1.166`` for independent
    standard normal scores. In a first-order autoregressive series ``τ = (1 + ρ)/(1 − ρ)`` windows
    count as one: time and evidence stretch by τ.

    Parameters
    ----------
    level : float
        h > 0, in σ of the score.
    allowance : float
        k > 0, in σ of the score.
    correlation : float
        ρ of neighbouring windows, 0..1.

    Examples
    --------
    >>> round(average_run_length(4.0, 0.5))  # tables say 336
    338
    """
    tau = (1 + correlation) / (1 - correlation)
    overshoot = OVERSHOOT * (1 + OVERSHOOT_CORRELATED * correlation)
    x = min(2 * allowance * (level / tau + overshoot), LARGEST_EXPONENT)
    return float(np.expm1(x) - x) * tau / (2 * allowance**2)


def level_for(run_length: float, allowance: float, correlation: float = 0.0) -> float:
    """Level h with this mean number of windows between false alarms (by bisection)."""
    low, high = 0.0, 1e4
    for _ in range(80):
        middle = (low + high) / 2
        if average_run_length(middle, allowance, correlation) < run_length:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True)
class Chart:
    """Allowance and level of each row's chart, [shape=(rows,)]."""

    allowance: Float64
    level: Float64


class Evidence:
    """Accumulated evidence of several rows (points, and the machine last), with hysteresis.

    Parameters
    ----------
    warning, alarm : Chart
    cap : float
        Upper limit of the evidence as a multiple of the level, > 1.
    off_level : float
        Share of its level below which a condition ends, 0..1.
    """

    def __init__(self, warning: Chart, alarm: Chart, cap: float, off_level: float) -> None:
        self.allowance = np.stack([warning.allowance, alarm.allowance])
        self.level = np.stack([warning.level, alarm.level])
        self._ceiling = cap * self.level
        self._off = off_level * self.level
        self.sums = np.zeros_like(self.level)
        self._on = np.zeros(self.level.shape, bool)
        self.open = False
        """Whether any row is not `NORMAL`."""

    def update(self, rows: NDArray[np.intp] | slice, scores: Float64) -> None:
        """Add one capped normal score for each of these rows; a slice is faster than an array."""
        step = self.allowance.copy()  # The sums of the other rows do not change.
        step[:, rows] = scores
        step -= self.allowance
        sums = self.sums
        sums += step
        np.maximum(sums, 0.0, out=sums)
        np.minimum(sums, self._ceiling, out=sums)
        reached = sums >= self.level
        if self.open or reached.any():
            self._on &= sums >= self._off
            self._on |= reached
            self.open = bool(self._on.any())

    def condition(self) -> NDArray[np.intp]:
        """Code of each row: `NORMAL`, `WARNING` or `ALARM`."""
        return np.where(self._on[1], ALARM, np.where(self._on[0], WARNING, NORMAL))

    def reset(self) -> None:
        """Discard all evidence, for example after maintenance."""
        self.sums[:] = 0.0
        self._on[:] = False
        self.open = False

    def snapshot(self) -> tuple[Float64, NDArray[np.bool_]]:
        """Copy the evidence and the conditions, to store them."""
        return self.sums.copy(), self._on.copy()

    def restore(self, sums: Float64, on: NDArray[np.bool_]) -> None:
        """Resume from `snapshot`."""
        self.sums[:], self._on[:] = sums, on
        self.open = bool(self._on.any())
