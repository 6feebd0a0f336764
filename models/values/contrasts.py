"""Contrasts of overall values: a block against those before, and how large healthy ones are.

The level of a plant's value wanders with load, product and season, so the spread of its levels
grows with time. Contrasts of one kind and one scale are nearly stationary even then (as wavelet
coefficients are: Abry and Veitch 1998), so those of the healthy past calibrate the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

Float64 = NDArray[np.float64]

KEPT: Final = 96
"""Most contrasts in memory; beyond it every second one is dropped, so that the rest represents the
whole past."""
FIRST: Final = 8
"""Contrasts before the first calibration."""
AGAIN: Final = 1.15
"""Growth of their number after which they are calibrated again."""
FREEDOM: Final = 20.0
"""Most degrees of freedom: tails of plant values are heavier than normal ones."""
DEPENDENT: Final = 0.85
"""Largest correlation of neighbours by which evidence is stretched; slower values wander."""
WANDERS: Final = 0.7
"""Correlation of neighbours beyond which a value wanders, and doesn't hold another's event open."""
EXPLAINED: Final = 0.5
"""Least share of the variance of contrasts, on parts of the past that the fit did not see, that the
other values must explain; else the relation is not used."""
LEAST_EXPLAINING: Final = 24
"""Contrasts that a relation needs."""
RIDGE: Final = 0.1
"""Ridge of the relation, in units of its variances."""
FOLDS: Final = 4
CLIP: Final = 4.0
"""Contrasts count at most so many spreads in relations."""
ALLOWANCE: Final = 2.0
"""Allowance of the charts, in σ: smaller shifts are found at a longer scale."""
CAP: Final = 6.0
"""Largest normal score: one block alone is no evidence at a budget of a year."""
QUIET: Final = 0.99 * ALLOWANCE
"""Spreads up to which a contrast adds nothing to a chart: its normal score is no larger."""


def spread(contrasts: Float64) -> Float64:
    """Return the spread of contrasts [shape=(n, d)] about 0 [shape=(d,)].

    It is the widest of two quantiles and of the r.m.s. without outliers, so that shoulders of
    rounded values count.
    """
    size = np.abs(contrasts)
    middle, most = np.quantile(size, (0.5, 0.95), axis=0)
    robust = np.maximum(middle / 0.6745, most / 1.96)
    within = np.minimum(size, 6 * robust + 1e-12)
    return np.asarray(np.maximum(robust, np.sqrt(np.square(within).mean(axis=0))))


class Contrasts:
    """Contrasts of all values of a machine, of one kind at one scale.

    There are 2 d channels: the d values themselves, and each value less what the others explain. A
    value that no drive is, a temperature or a vibration, is compared by what the drives do not
    explain alone, where they explain it: more load is no departure. Other values explain one
    another beside their own level, else a fault that moves both would be none.

    Parameters
    ----------
    least : np.ndarray [shape=(d,)]
        Least spread of each value.
    drives : np.ndarray [shape=(d,), dtype=bool]
        Which values drive the machine: current, power, speed, flow, pressure.
    """

    def __init__(self, least: Float64, drives: NDArray[np.bool_]) -> None:
        self.least, self._drives = least, drives
        d = len(least)
        self.explained = np.zeros(d, bool)
        """Values that the drives explain."""
        self.kept: list[Float64] = []
        self.seen, self._stride, self._fitted = 0, 1, 0
        self.correlation = np.zeros(d)
        self.sigma, self.relation = np.full(2 * d, np.inf), np.zeros((d, d))
        self._nothing = np.zeros(2 * d)
        self._freedom, self._stretch = np.ones(2 * d), np.ones(2 * d)
        self.sums = np.zeros((2, 2 * d))
        """Charts upwards and downwards."""
        self._waiting: list[Float64] = []

    @property
    def known(self) -> bool:
        """Return whether they are calibrated."""
        return self._fitted > 0

    def add(self, contrast: Float64) -> None:
        """Learn a contrast [shape=(d,)] of the healthy machine."""
        if self.seen % self._stride == 0:
            self.kept.append(contrast)
            if len(self.kept) >= KEPT:
                self.kept = self.kept[::2]
                self._stride *= 2
        self.seen += 1
        if self.seen >= max(FIRST, AGAIN * self._fitted):
            self._fit()

    def _fit(self) -> None:
        self._fitted = self.seen
        d = len(self.least)
        own = np.asarray(self.kept)
        sigma = np.maximum(spread(own), self.least)
        z = np.clip(own / sigma, -CLIP, CLIP)
        if self._stride == 1:
            together = (z[1:] * z[:-1]).sum(axis=0)
            found = together / np.maximum(np.square(z).sum(axis=0), 1e-9)
            self.correlation = np.clip(found, 0.0, 0.99)
        rho = self.correlation
        self._freedom = np.tile(np.clip(self.seen * (1 - rho) / (1 + rho) - 1, 1.0, FREEDOM), 2)
        rho = np.minimum(rho, DEPENDENT)
        self._stretch = np.tile((1 + rho) / (1 - rho), 2)
        self.sigma[:d], self.sigma[d:], self.relation = sigma, np.inf, np.zeros((d, d))
        self.explained = np.zeros(d, bool)
        if d > 1 and len(z) >= LEAST_EXPLAINING:
            self._relate(z, sigma)

    def _relate(self, z: Float64, sigma: Float64) -> None:
        """Fit what each value's contrast is, given those of the others."""
        n, d = z.shape
        fold = np.arange(n) * FOLDS // n
        whole = z.T @ z
        parts = [z[fold == f].T @ z[fold == f] for f in range(FOLDS)]

        def related(j: int, others: NDArray[np.intp]) -> bool:
            """Explain value j by others, if they do on parts that the fit did not see."""
            pick, ridge = np.ix_(others, others), RIDGE * n * np.eye(len(others))
            rest = np.empty(n)
            for f in range(FOLDS):
                left = whole - parts[f]
                weights = np.linalg.solve(left[pick] + ridge, left[others, j])
                rest[fold == f] = z[fold == f, j] - z[np.ix_(fold == f, others)] @ weights
            if np.square(rest).sum() > (1 - EXPLAINED) * whole[j, j]:
                return False
            weights = np.linalg.solve(whole[pick] + ridge, whole[others, j])
            self.relation[j, others] = weights * sigma[j] / sigma[others]
            found = spread(rest[:, None])[0] * sigma[j]
            self.sigma[d + j] = max(found, self.least[j])
            return True

        drives = np.flatnonzero(self._drives)
        for j in range(d):
            if len(drives) and not self._drives[j]:
                self.explained[j] = related(j, drives)
            if not self.explained[j]:
                related(j, np.flatnonzero(np.arange(d) != j))

    def channels(self, contrast: Float64) -> Float64:
        """Return the channels of a contrast, in spreads [shape=(2 d,)]."""
        d = len(contrast)
        bound = CLIP * self.sigma[:d]
        within = np.minimum(np.maximum(contrast, -bound), bound)
        rest = contrast - self.relation @ within
        own = np.where(self.explained, 0.0, contrast)
        return np.asarray(np.concatenate((own, rest)) / self.sigma)

    def rest(self) -> Float64:
        """Return the weights [shape=(d, d)] of each value less what the drives explain of it."""
        d = len(self.least)
        return np.asarray(np.eye(d) - np.where(self.explained[:, None], self.relation, 0.0))

    def weights(self, channel: int) -> Float64:
        """Return the weight of each value in a channel [shape=(d,)]."""
        d = len(self.least)
        own = np.eye(d)[channel % d]
        return np.asarray(own if channel < d else own - self.relation[channel - d])

    def chart(
        self, z: Float64, contrast: Float64, p_value: float, alarm_p: float, *, learns: bool = True
    ) -> tuple[Float64, Float64]:
        """Add a contrast to the charts; return each channel's share of warning and alarm level.

        ``z`` are its channels. If it `learns`, it is learned once no chart holds evidence any more.
        """
        size = np.abs(z)
        if size.max() < QUIET and not self.sums.any():
            # Nearly always.
            if learns:
                self._waiting.append(contrast)
            self._learn_waiting()
            return self._nothing, self._nothing
        tail = np.maximum(stdtr(self._freedom, -size), 1e-12)
        score = np.sign(z) * np.minimum(-ndtri(tail), CAP)
        self.sums = np.maximum(self.sums + np.array([score, -score]) - ALLOWANCE, 0.0)
        warning, alarm = (self.level(p) for p in (p_value, alarm_p))
        self.sums = np.minimum(self.sums, 1.2 * alarm)
        if learns:
            self._waiting.append(contrast)
        if not self.sums.any():
            self._learn_waiting()
        elif len(self._waiting) > KEPT:
            self.add(self._waiting.pop(0))
        highest = self.sums.max(axis=0)
        return highest / warning, highest / alarm

    def _learn_waiting(self) -> None:
        for one in self._waiting:
            self.add(one)
        self._waiting = []

    def level(self, p_value: float) -> Float64:
        """Return the level of each channel's charts at this p-value [shape=(2 d,)]."""
        return np.asarray(np.log(2 * ALLOWANCE**2 / p_value) / (2 * ALLOWANCE) * self._stretch)

    @property
    def freedom(self) -> Float64:
        """Return the degrees of freedom of each channel's tails [shape=(2 d,)]."""
        return self._freedom

    def reset(self) -> None:
        """Discard evidence, and what was not learned because of it."""
        self.sums[:] = 0.0
        self._waiting = []

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Copy to arrays."""
        d = len(self.least)
        return {
            "kept": np.array(self.kept, np.float32).reshape(-1, d),
            "waiting": np.array(self._waiting, np.float32).reshape(-1, d),
            "counts": np.array([self.seen, self._stride, self._fitted]),
            "sums": self.sums.copy(),
            "correlation": self.correlation.copy(),
            "sigma": self.sigma.copy(),
            "relation": self.relation.copy(),
            "explained": self.explained.copy(),
            "strength": np.array([self._freedom, self._stretch]),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`."""
        self.kept = list(arrays["kept"].astype(np.float64))
        self._waiting = list(arrays["waiting"].astype(np.float64))
        self.seen, self._stride, self._fitted = arrays["counts"].tolist()
        self.sums, self.correlation = arrays["sums"].copy(), arrays["correlation"].copy()
        self.sigma, self.relation = arrays["sigma"].copy(), arrays["relation"].copy()
        self.explained = arrays["explained"].copy()
        self._freedom, self._stretch = arrays["strength"].copy()
