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
from numpy.typing import ArrayLike, NDArray

from auscult.models.decision.alarm_rule import RULE

Float64 = NDArray[np.float64]

OVERSHOOT = 1.166
"""Mean overshoot at both barriers of a standard normal walk, 2 × 0.583 (Siegmund 1985)."""
OVERSHOOT_CORRELATED = 0.45
"""Growth of the overshoot with ρ beyond its scaling by τ, fitted to simulated series (ρ 0.3 to 0.8,
k 0.5 and 1); the rates agree within a factor of 1.4 (tests/models/decision/test_evidence.py)."""
LARGEST_EXPONENT = 700.0
NEARLY_NO_DRIFT = 1e-3
LEVEL_STEPS = 30
LARGEST_LEVEL = 1e4
OFFSETS = np.linspace(-4.0, 5.0, 37)
"""Offsets of a machine's scores, in standard deviations, over which rates are averaged."""
_WEIGHTS = np.exp(-(OFFSETS**2) / 2)
_WEIGHTS /= _WEIGHTS.sum()
NORMAL, WARNING, ALARM = 0, 1, 2


def average_run_length(
    level: ArrayLike, allowance: ArrayLike, correlation: ArrayLike = 0.0
) -> Float64:
    """Return the mean number of windows between false alarms of one-sided charts.

    Siegmund (1985): ``(exp(2kb) − 2kb − 1) / (2k²)`` with ``b = h + 1.166`` for independent
    standard normal scores. In a first-order autoregressive series ``τ = (1 + ρ)/(1 − ρ)`` windows
    count as one: time and evidence stretch by τ.

    Parameters
    ----------
    level : array_like
        h > 0, in σ of the score.
    allowance : array_like
        k, in σ of the score; negative where the scores lie above the allowance.
    correlation : array_like
        ρ of neighbouring windows, 0..1.

    Examples
    --------
    >>> round(float(average_run_length(4.0, 0.5)))  # tables say 336
    338
    """
    k, rho = np.asarray(allowance, np.float64), np.asarray(correlation, np.float64)
    tau = (1 + rho) / (1 - rho)
    b = np.asarray(level, np.float64) / tau + OVERSHOOT * (1 + OVERSHOOT_CORRELATED * rho)
    k = np.where(np.abs(k * b) < NEARLY_NO_DRIFT, NEARLY_NO_DRIFT / b, k)
    x = np.minimum(2 * k * b, LARGEST_EXPONENT)
    return np.asarray((np.expm1(x) - x) * tau / (2 * k**2))


def level_for(
    run_length: ArrayLike,
    allowance: ArrayLike,
    correlation: ArrayLike = 0.0,
    offset_sigma: ArrayLike = 0.0,
) -> Float64:
    """Return the levels h with this mean number of windows between false alarms, by bisection.

    The scores of a machine have an unknown offset with the standard deviation ``offset_sigma``; the
    number of false alarms is averaged over it. All arguments broadcast.
    """
    k, rho, sigma, run = np.broadcast_arrays(allowance, correlation, offset_sigma, run_length)
    drift = k[..., None] - sigma[..., None] * OFFSETS
    logs = [np.full(k.shape, np.log(1e-4)), np.full(k.shape, np.log(LARGEST_LEVEL))]
    for _ in range(LEVEL_STEPS):
        middle = (logs[0] + logs[1]) / 2
        lengths = average_run_length(np.exp(middle)[..., None], drift, rho[..., None])
        enough = (_WEIGHTS / np.maximum(lengths, 1.0)).sum(-1) <= 1 / run
        logs = [np.where(enough, logs[0], middle), np.where(enough, middle, logs[1])]
    return np.asarray(np.exp(logs[1]))


@dataclass(frozen=True, slots=True)
class ControlChart:
    """Allowance and level of each row's chart, [shape=(rows,)]."""

    allowance: Float64
    level: Float64


class EvidenceCharts:
    """Accumulated evidence of several rows (points, and the machine last), with hysteresis.

    ``share`` [shape=(2, rows)] is the evidence of the warning and the alarm chart, as a share of
    their levels.

    Parameters
    ----------
    warning, alarm : ControlChart
    cap : float
        Upper limit of ``share``, > 1.
    """

    def __init__(self, warning: ControlChart, alarm: ControlChart, cap: float) -> None:
        self.use(
            np.stack([warning.allowance, alarm.allowance]), np.stack([warning.level, alarm.level])
        )
        self._cap = cap
        self.share = np.zeros_like(self.level)
        self._on = np.zeros(self.level.shape, bool)
        self.open = False
        """Whether any row is not `NORMAL`."""

    def use(self, allowance: Float64, level: Float64) -> None:
        """Use these charts [shape=(2, rows)] from now on; each keeps its share."""
        self.allowance, self.level = allowance, level
        self._per_level = 1.0 / level

    def update(self, rows: NDArray[np.intp] | slice, scores: Float64) -> None:
        """Add one capped normal score for each of these rows; a slice is faster than an array."""
        step = self.allowance.copy()  # The shares of the other rows do not change.
        step[:, rows] = scores
        step -= self.allowance
        step *= self._per_level
        share = self.share
        share += step
        np.maximum(share, 0.0, out=share)
        np.minimum(share, self._cap, out=share)
        if self.open or (share >= 1.0).any():
            self._on = RULE.on_by_evidence(self._on, share)
            self.open = bool(self._on.any())

    def condition(self) -> NDArray[np.intp]:
        """Return the code of each row: `NORMAL`, `WARNING` or `ALARM`."""
        return np.where(self._on[1], ALARM, np.where(self._on[0], WARNING, NORMAL))

    def conditions_on(self) -> NDArray[np.bool_]:
        """Return whether each row is not `NORMAL`."""
        return np.asarray(self._on.any(axis=0))

    def reset(self) -> None:
        """Discard all evidence, for example after maintenance."""
        self.share[:] = 0.0
        self._on[:] = False
        self.open = False

    def snapshot(self) -> tuple[Float64, NDArray[np.bool_]]:
        """Copy the evidence and the conditions, to store them."""
        return self.share.copy(), self._on.copy()

    def restore(self, share: Float64, on: NDArray[np.bool_]) -> None:
        """Resume from `snapshot`."""
        self.share[:], self._on[:] = share, on
        self.open = bool(self._on.any())
