"""Simple detectors on the same overall values, for comparison: fitted once, a limit, no memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

LIMIT_QUANTILE: Final = 0.99
"""A limit is this quantile of the baseline's scores."""
EXPLAINED: Final = 0.9
"""Share of the baseline's variance that the principal components have."""
REFERENCE_MEDIAN: Final = 5
"""Rows of the running median over flags before they count as events, which removes spikes."""


def t2_q(baseline: Float64) -> Callable[[Float64], Flags]:
    """Fit Hotelling's T² and Q of a principal component analysis (Jackson & Mudholkar 1979).

    Parameters
    ----------
    baseline : np.ndarray [shape=(n, points)]

    Returns
    -------
    callable
        Flags rows [shape=(m, points)] beyond either limit.
    """
    centre, spread = baseline.mean(axis=0), baseline.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    _, singular, axes = np.linalg.svd((baseline - centre) / spread, full_matrices=False)
    variance = singular**2 / (len(baseline) - 1)
    share = np.cumsum(variance) / max(variance.sum(), np.finfo(float).tiny)
    kept = int(np.searchsorted(share, EXPLAINED)) + 1
    axes, variance = axes[:kept], np.maximum(variance[:kept], 1e-12)

    def statistics(rows: Float64) -> Float64:
        z = (rows - centre) / spread
        scores = z @ axes.T
        residual = z - scores @ axes
        return np.stack([(scores**2 / variance).sum(axis=1), (residual**2).sum(axis=1)])

    limits = np.quantile(statistics(baseline), LIMIT_QUANTILE, axis=1)

    def flag(rows: Float64) -> Flags:
        beyond: Flags = np.asarray((statistics(rows) > limits[:, None]).any(axis=0))
        return beyond

    return flag


def isolation_forest(baseline: Float64) -> Callable[[Float64], Flags]:
    """Fit an isolation forest of 200 trees (Liu, Ting & Zhou 2008)."""
    from sklearn.ensemble import IsolationForest

    forest = IsolationForest(n_estimators=200, random_state=0).fit(baseline)
    limit = np.quantile(-forest.score_samples(baseline), LIMIT_QUANTILE)

    def flag(rows: Float64) -> Flags:
        beyond: Flags = np.asarray(-forest.score_samples(rows) > limit)
        return beyond

    return flag


REFERENCES: Final = {"t2_q": t2_q, "isolation_forest": isolation_forest}
