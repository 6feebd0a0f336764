"""One p-value of a machine from the p-values of its points.

Fisher's statistic, −2 Σ ln p, with Brown's (1975) correction: the points of a machine measure the
same shaft, so their p-values are correlated and count for less than independent ones. One point
with strong evidence is enough, weak evidence of several points adds up, and more points do not
cause more false alarms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammaln

Float64 = NDArray[np.float64]

UNKNOWN_CORRELATION = 0.5
"""Prior correlation of two points, used where they were hardly ever measured together."""
FEW_WINDOWS = 20.0
"""Joint windows at which the measured correlation counts as much as the prior."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """Covariance of −2 ln p between points, [shape=(points, points)]; 4 on the diagonal."""

    covariance: Float64

    @classmethod
    def fit(cls, ln_p: Float64) -> Fusion:
        """Fit to held-out ln p [shape=(windows, points)] of simultaneous windows, NaN = absent."""
        points = ln_p.shape[1]
        covariance = np.full((points, points), 4.0 * UNKNOWN_CORRELATION)
        for i in range(points):
            for j in range(i):
                both = np.isfinite(ln_p[:, i]) & np.isfinite(ln_p[:, j])
                n = int(both.sum())
                if n < 3:
                    continue
                with np.errstate(invalid="ignore", divide="ignore"):
                    r = float(np.nan_to_num(np.corrcoef(ln_p[both, i], ln_p[both, j])[0, 1]))
                trust = n / (n + FEW_WINDOWS)
                r = trust * max(r, 0.0) + (1 - trust) * UNKNOWN_CORRELATION
                covariance[i, j] = covariance[j, i] = 4.0 * r
        np.fill_diagonal(covariance, 4.0)
        return cls(covariance)

    def variance(self, rows: NDArray[np.intp]) -> float:
        """Return the variance of Fisher's statistic of these points."""
        return float(self.covariance[rows[:, None], rows].sum())

    def ln_p(self, ln_p: Float64, rows: NDArray[np.intp]) -> float:
        """Return the logarithm of the fused p-value of these points' ln p, before calibration."""
        return fused_ln_p(ln_p, self.variance(rows))


def fused_ln_p(ln_p: Float64, variance: float) -> float:
    """Return the logarithm of the fused p-value of points whose statistic has this variance.

    Examples
    --------
    >>> round(float(np.exp(fused_ln_p(np.log([0.05, 0.05]), 8.0))), 4)
    0.0175
    """
    c = len(ln_p)
    if c == 1:
        return float(ln_p[0])
    mean = 2.0 * c
    scale = variance / (2 * mean)
    a, x = mean**2 / variance, -float(ln_p.sum()) / scale
    tail = float(gammaincc(a, x))
    if tail > 1e-280:
        return log(tail)
    return (a - 1) * log(x) - x - float(gammaln(a)) + log(1 + (a - 1) / x)
