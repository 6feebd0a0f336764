"""Simple detectors on the same features, for comparison.

Each scores a window of one point, or of all points of the machine at once; high = anomalous. The
limit is the 99.9 % quantile of the scores of the baseline, as usual for such detectors.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.scales import MAD_TO_SIGMA

Float64 = NDArray[np.float64]

LIMIT_QUANTILE: Final = 0.999


class Reference(Protocol):
    """A detector that is fitted to a baseline and then scores windows."""

    def fit(self, x: Float64) -> None:
        """Learn from baseline features x [shape=(n, points, slots)] in model units."""

    def score(self, x: Float64) -> Float64:
        """Score windows [shape=(n,)]."""


class Rms:
    """Distance of the level from its baseline median in robust σ; the largest of the points.

    Two-sided, because a fault may lower the level; the first slot holds ln r.m.s.
    """

    def fit(self, x: Float64) -> None:
        """Learn median and MAD of each point's level."""
        level = x[:, :, 0]
        self._centre = np.median(level, axis=0)
        distance = np.abs(level - self._centre)
        self._sigma = np.maximum(MAD_TO_SIGMA * np.median(distance, axis=0), 1e-6)

    def score(self, x: Float64) -> Float64:
        """Score windows."""
        largest: Float64 = (np.abs(x[:, :, 0] - self._centre) / self._sigma).max(axis=1)
        return largest


class _Scaled:
    """Robust scaling of all features at once, as the learned references need it."""

    def _fit_scale(self, x: Float64) -> Float64:
        flat = x.reshape(len(x), -1)
        self._centre = np.median(flat, axis=0)
        mad = MAD_TO_SIGMA * np.median(np.abs(flat - self._centre), axis=0)
        self._sigma = np.where(mad > 1e-9, mad, 1.0)
        return self._scale(x)

    def _scale(self, x: Float64) -> Float64:
        scaled: Float64 = (x.reshape(len(x), -1) - self._centre) / self._sigma
        return scaled


class Mahalanobis(_Scaled):
    """Squared Mahalanobis distance under a Ledoit–Wolf covariance; all points side by side."""

    def fit(self, x: Float64) -> None:
        """Learn the covariance."""
        from sklearn.covariance import LedoitWolf

        self._model = LedoitWolf().fit(self._fit_scale(x))

    def score(self, x: Float64) -> Float64:
        """Score windows."""
        distance: Float64 = self._model.mahalanobis(self._scale(x))
        return distance


class IsolationForest(_Scaled):
    """Isolation forest of 200 trees (Liu, Ting & Zhou 2008); all points side by side."""

    def fit(self, x: Float64) -> None:
        """Grow the trees."""
        from sklearn.ensemble import IsolationForest as Forest

        self._model = Forest(n_estimators=200, random_state=0).fit(self._fit_scale(x))

    def score(self, x: Float64) -> Float64:
        """Score windows."""
        score: Float64 = -self._model.score_samples(self._scale(x))
        return score


REFERENCES: Final[dict[str, type[Reference]]] = {
    "rms": Rms,
    "mahalanobis": Mahalanobis,
    "isolation_forest": IsolationForest,
}


def limit_of(baseline_scores: Float64) -> float:
    """Limit of a reference from its scores on the baseline."""
    return float(np.quantile(baseline_scores, LIMIT_QUANTILE))
