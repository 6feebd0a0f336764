"""From scores to p-values: conformal in the bulk, generalised Pareto in the tail.

The scores are held out: each comes from a model that was not fitted to its window
(cross-conformal, Vovk 2015; contiguous blocks, because neighbouring windows overlap). A p-value is
the probability that a healthy window scores this high: it means the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri, stdtrit  # scipy.stats would take 50 MB

from auscult.dsp.scales import MAD_TO_SIGMA

Float64 = NDArray[np.float64]

GRID = 64
"""Grid points of the stored distribution function."""
TAIL_SHARE = 0.1
"""Share of the scores in the tail."""
TAIL_MIN = 10
"""Fewest scores in the tail, if the baseline has twice as many."""
SHAPE_PRIOR = 0.1
"""Prior tail shape of log scores: a little heavier than exponential."""
SHAPE_PRIOR_WEIGHT = 50.0
"""Exceedances at which the measured shape counts as much as the prior."""
SHAPE_RANGE = (0.0, 0.5)
"""Allowed shapes; a negative one would mean that healthy windows have a highest score."""
CORRELATION_PRIOR = 0.25
"""Prior correlation of neighbouring windows, half of which overlap."""
CORRELATION_PRIOR_WEIGHT = 50.0
"""Pairs of windows at which the measured correlation counts as much as the prior."""
WANDER_WINDOWS = 20
"""Windows after which a machine's wander is another: on uestc the autocorrelation falls from 0.12
at two windows to 0 at 16 (docs/results.md)."""
WANDER_MAX = 0.9
ALL_EQUAL_EXCESS = 0.45
"""Mean excess of scores that are all equal: that of a normal distribution's squares."""
SMALLEST_LN_P = -300.0


@dataclass(frozen=True, slots=True)
class StatePrior:
    """Prior of the log scores' means of new states: μ ~ N(0, σ²/m), σ² around ``sigma``².

    ``states`` is the number of states that the prior of σ is worth, ``mean_states`` that of μ.
    """

    states: float
    sigma: float
    mean_states: float


PREDICTED_PRIOR = StatePrior(states=16.0, sigma=0.15, mean_states=1.0)
"""For states that are predicted: healthy windows score 1 (log score 0) if the spread of the
prediction is right, and states differ by about 15 %. From three states alone, Student's t never
reaches 0.002. Checked by leaving one rig out (docs/decisions/0021)."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Distribution of held-out log scores of healthy windows.

    ``u`` [shape=(GRID,)] are ascending log scores, ``ln_p`` the logarithm of the share of healthy
    windows at or above each. Beyond ``u[-1]`` the distribution continues as a generalised Pareto
    tail with ``scale`` and ``shape``.
    """

    u: Float64
    ln_p: Float64
    scale: float
    shape: float
    n: int

    @classmethod
    def fit(cls, log_scores: Float64, inflation: float = 1.0) -> Calibration:
        """Fit to held-out log scores [shape=(n,)], n ≥ 2.

        Parameters
        ----------
        log_scores : np.ndarray [shape=(n,)]
            Natural logarithms of scores of healthy windows.
        inflation : float
            Number of windows that count as one, ≥ 1 (see `Persistence`).

        Notes
        -----
        The mean excess of the tail is estimated from few values. The predictive distribution of an
        exponential whose scale is estimated from m values is a Pareto with shape 1/m, so 1/m is
        added to the shape. This keeps p valid for a baseline of 14 windows.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> calibration = Calibration.fit(rng.standard_normal(500))
        >>> p = np.exp(calibration.ln_p_of(np.array([0.0, 1.645, 6.0])))
        >>> bool(0.45 < p[0] < 0.55), bool(0.03 < p[1] < 0.07), bool(p[2] < 0.002)
        (True, True, True)
        """
        u = np.sort(np.asarray(log_scores, np.float64))
        n = len(u)
        tail = min(max(TAIL_MIN, round(TAIL_SHARE * n)), n // 2)
        threshold = (u[n - tail - 1] + u[n - tail]) / 2
        excess = u[n - tail :] - threshold
        effective = max(tail / inflation, 2.0)
        shape = _pareto_shape(excess)
        trust = effective / (effective + SHAPE_PRIOR_WEIGHT)
        shape = float(np.clip(trust * shape + (1 - trust) * SHAPE_PRIOR, *SHAPE_RANGE))
        mean_excess = float(excess.mean()) or ALL_EQUAL_EXCESS
        scale = max(mean_excess * (1 - shape), 1e-3)
        body = u[: n - tail]
        grid = np.append(np.quantile(body, np.linspace(0, 1, GRID - 1)), threshold)
        at_or_above = n - np.searchsorted(u, grid, side="left")
        ln_p = np.log((at_or_above + 1) / (n + 1))
        return cls(grid, ln_p, scale, shape + 1 / effective, n)

    @classmethod
    def fit_new_state(
        cls, log_scores: Float64, state: NDArray[np.intp], prior: StatePrior | None = None
    ) -> Calibration | None:
        """Fit for windows of an operating state that the baseline does not hold.

        None for fewer than two states without a prior: one state does not show how states differ.

        Parameters
        ----------
        log_scores : np.ndarray [shape=(n,)]
            Scores of windows with their own state left out of the baseline.
        state : np.ndarray [shape=(n,)]
            Their states.
        prior : StatePrior, optional
            What is known of the states' means beforehand.

        Notes
        -----
        Windows of one state share its offset, so there are as many independent scores as states.
        The p-value of a window in a new state follows Student's t, with one degree of freedom less
        than states, and the variance between and within states. With two states hardly any score
        is improbable: two states say little about a third. With a prior it follows the posterior
        predictive of the normal-inverse-gamma model (Gelman et al., Bayesian Data Analysis, 3.3).
        """
        groups = [log_scores[state == k] for k in np.unique(state)]
        states = len(groups)
        if states < 2 and prior is None:
            return None
        means = np.array([group.mean() for group in groups])
        within = float(np.mean([group.var() for group in groups]))
        if prior is None:
            centre, n, freedom = float(means.mean()), float(states), float(states - 1)
            between = float(means.var(ddof=1))
        else:
            n, freedom = states + prior.mean_states, states + prior.states
            centre = float(means.sum()) / n
            squares = float(((means - means.mean()) ** 2).sum())
            squares += states * prior.mean_states / n * float(means.mean()) ** 2
            between = (prior.states * prior.sigma**2 + squares) / freedom
        sigma = np.sqrt(between * (1 + 1 / n) + within + 1e-6)
        p = np.geomspace(0.999, TAIL_SHARE, GRID)
        at = -stdtrit(freedom, p)
        hazard = _student_density(float(at[-1]), freedom) / TAIL_SHARE
        return cls(
            u=centre + sigma * at,
            ln_p=np.log(p),
            scale=float(sigma) / hazard,
            shape=1 / freedom,
            n=states,
        )

    def ln_p_of_one(self, log_score: float) -> float:
        """Return the natural logarithm of the p-value of one log score; faster than `ln_p_of`."""
        if log_score <= self.u[0]:
            return float(self.ln_p[0])
        if log_score <= self.u[-1]:
            i = int(self.u.searchsorted(log_score))
            (u0, u1), (p0, p1) = self.u[i - 1 : i + 1].tolist(), self.ln_p[i - 1 : i + 1].tolist()
            return float(p0 + (p1 - p0) * (log_score - u0) / (u1 - u0))
        excess = (log_score - float(self.u[-1])) / self.scale
        return max(float(self.ln_p[-1]) - log1p(self.shape * excess) / self.shape, SMALLEST_LN_P)

    def ln_p_of(self, log_scores: Float64) -> Float64:
        """Return the natural logarithm of the p-value of each log score [shape=(n,)]."""
        x = np.asarray(log_scores, np.float64)
        left = self.u[1:-1].searchsorted(x, side="right")
        slope = np.diff(self.ln_p) / np.maximum(np.diff(self.u), 1e-12)
        bulk = np.minimum(x, self.u[-1])
        ln_p: Float64 = self.ln_p[left] + slope[left] * (np.maximum(bulk, self.u[0]) - self.u[left])
        ln_p -= np.log1p((x - bulk) * (self.shape / self.scale)) * (1 / self.shape)
        np.maximum(ln_p, SMALLEST_LN_P, out=ln_p)
        return ln_p


@dataclass(frozen=True, slots=True)
class CalibrationStack:
    """Calibrations of several points as arrays, so that one pass computes a hop."""

    u: Float64
    above: Float64
    """End of the interval that begins at each grid point but the last; infinite for the last."""
    lowest: Float64
    highest: Float64
    ln_p_grid: Float64
    slope: Float64
    """Slope of ln p from each grid point to the next."""
    decay: Float64
    """Shape over scale of the tail."""
    tail: Float64
    """One over the shape of the tail."""

    @classmethod
    def stack(cls, calibrations: Sequence[Calibration]) -> CalibrationStack:
        """Stack them in this order."""
        u, ln_p = np.stack([c.u for c in calibrations]), np.stack([c.ln_p for c in calibrations])
        slope = np.zeros_like(u)
        slope[:, :-1] = np.diff(ln_p) / np.maximum(np.diff(u), 1e-12)
        above = u[:, 1:].copy()
        above[:, -1] = np.inf
        return cls(
            u,
            above,
            u[:, 0],
            u[:, -1],
            ln_p,
            slope,
            np.array([c.shape / c.scale for c in calibrations]),
            np.array([1 / c.shape for c in calibrations]),
        )

    def ln_p(self, rows: NDArray[np.intp], log_scores: Float64) -> Float64:
        """Natural logarithm of the p-value of each log score, by the calibration in its row."""
        left = (self.above.take(rows, axis=0) > log_scores[:, None]).argmax(1)
        left += GRID * rows
        bulk = np.minimum(log_scores, self.highest.take(rows))
        ln_p: Float64 = self.ln_p_grid.take(left)
        within = np.maximum(bulk, self.lowest.take(rows)) - self.u.take(left)
        ln_p += self.slope.take(left) * within
        ln_p -= np.log1p((log_scores - bulk) * self.decay.take(rows)) * self.tail.take(rows)
        np.maximum(ln_p, SMALLEST_LN_P, out=ln_p)
        return ln_p


@dataclass(frozen=True, slots=True)
class Persistence:
    """Dependence of the normal scores of healthy windows over time.

    ``correlation`` is ρ of neighbouring windows, 0..1; ``wander`` is the standard deviation, in σ,
    of the mean score of a block from one block to another, beyond the part that ρ explains.
    """

    correlation: float
    wander: float

    @property
    def inflation(self) -> float:
        """Number of windows that count as one, (1 + ρ)/(1 − ρ): factor on a mean's variance."""
        return (1 + self.correlation) / (1 - self.correlation)

    @property
    def within(self) -> tuple[float, float]:
        """Return the correlation and variance of the scores around their slow wander.

        The normal scores have variance 1 in all, and ρ includes the wander, so a share ω² of both
        belongs to it.
        """
        slow = min(self.wander**2, WANDER_MAX)
        return max(0.0, (self.correlation - slow) / (1 - slow)), 1 - slow

    @property
    def long_run(self) -> float:
        """Return the variance of a mean of many windows, times their number."""
        rho, variance = self.within
        return variance * (1 + rho) / (1 - rho) + WANDER_WINDOWS * self.wander**2

    @classmethod
    def measure(cls, blocks: Sequence[Float64], correlation_max: float) -> Persistence:
        """Measure on held-out normal scores.

        Parameters
        ----------
        blocks : sequence of np.ndarray
            Blocks of consecutive scores, each held out as one.
        correlation_max : float
            Upper limit of ρ, 0..1.
        """
        pairs = [np.stack([b[:-1], b[1:]]) for b in blocks if len(b) > 1]
        both = np.concatenate([*pairs, np.empty((2, 0))], axis=1)
        rho, weight = 0.0, both.shape[1]
        if weight:
            centred = both - both.mean()
            square = float((centred**2).mean())
            rho = float((centred[0] * centred[1]).mean()) / square if square > 0 else 0.0
        trust = weight / (weight + CORRELATION_PRIOR_WEIGHT)
        rho = trust * rho + (1 - trust) * CORRELATION_PRIOR
        plain = cls(float(np.clip(rho, 0.0, correlation_max)), 0.0)
        means = np.array([b.mean() for b in blocks if len(b)])
        sampling = float(np.mean([plain.inflation / len(b) for b in blocks if len(b)]))
        spread = MAD_TO_SIGMA * float(np.median(np.abs(means - np.median(means))))
        return cls(plain.correlation, float(np.sqrt(max(0.0, spread**2 - sampling))))


def _student_density(x: float, freedom: float) -> float:
    """Return the density of Student's t."""
    half = (freedom + 1) / 2
    scale = float(np.exp(gammaln(half) - gammaln(freedom / 2))) / np.sqrt(freedom * np.pi)
    return float(scale * (1 + x * x / freedom) ** -half)


def _pareto_shape(excess: Float64) -> float:
    """Shape of a generalised Pareto by probability-weighted moments (Hosking & Wallis 1987)."""
    m = len(excess)
    if m < 2:
        return SHAPE_PRIOR
    x = np.sort(excess)
    b0 = float(x.mean())
    b1 = float((x * (m - np.arange(1, m + 1)) / (m - 1)).mean())
    bottom = b0 - 2 * b1
    return 2 - b0 / bottom if bottom > 1e-12 else SHAPE_RANGE[1]


def capped_normal_scores(p: Float64, cap: float) -> Float64:
    """Convert p-values to standard normal scores: p = 0.16 is 1 σ, limited to ±cap.

    >>> capped_normal_scores(np.array([0.5, 0.16, 1e-30]), 4.0).round(1).tolist()
    [-0.0, 1.0, 4.0]
    """
    scores: Float64 = np.minimum(np.maximum(-ndtri(p), -cap), cap)
    return scores
