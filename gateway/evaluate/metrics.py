"""Figures of merit of scores with known truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Float64 = NDArray[np.float64]


def auc(healthy: Float64, faulty: Float64) -> float | None:
    """Probability that a faulty window scores higher than a healthy one; ties count half.

    >>> auc(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.875
    """
    if len(healthy) == 0 or len(faulty) == 0:
        return None
    ranks = rankdata(np.concatenate([healthy, faulty]))
    rank_sum = float(ranks[len(healthy) :].sum())
    above = rank_sum - len(faulty) * (len(faulty) + 1) / 2
    return above / (len(healthy) * len(faulty))


def share(beyond: NDArray[np.bool_]) -> float | None:
    """Share of true values, None for an empty array."""
    return float(beyond.mean()) if len(beyond) else None


def mean(values: list[float | None]) -> float | None:
    """Return the mean of the values that are not None; None if there are none."""
    known = [v for v in values if v is not None]
    return float(np.mean(known)) if known else None
