"""Robust scaling per operating state: features become z-scores of the state's own baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MAD_TO_SIGMA = 1.4826
"""Median absolute deviation to standard deviation, for a normal distribution."""
SHRINK_WINDOWS = 20.0
"""A state with so many windows trusts its own spread as much as the pooled one."""
FLOOR = 0.01
"""Smallest spread believed: 0.09 dB of a level-like feature, 1 % of a linear one's size. Below
it lie rounding and the repeatability of any sensor chain."""

Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class StateScaling:
    """Location and spread of each feature in each operating state.

    ``location`` and ``spread`` are [shape=(states, d), dtype=float32], in the features' model
    units (natural logarithm for level-like ones); every spread is > 0.
    """

    location: Float32
    spread: Float32

    @classmethod
    def fit(cls, x: Float32, state: NDArray[np.intp], states: int) -> StateScaling:
        """Median per state; MAD per state, drawn towards the pooled MAD where windows are few.

        Parameters
        ----------
        x : np.ndarray [shape=(n, d)]
            Features in model units.
        state : np.ndarray [shape=(n,)]
            State of each row, 0..states−1. A state without rows takes the median of all.

        Examples
        --------
        >>> x = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], np.float32)
        >>> scaling = StateScaling.fit(x, np.array([0, 0, 0, 1, 1, 1]), 2)
        >>> scaling.location.ravel().tolist(), round(float(scaling.spread[0, 0]), 2)
        ([1.0, 11.0], 1.48)
        """
        location = np.tile(np.median(x, axis=0), (states, 1))
        for k in range(states):
            if (rows := state == k).any():
                location[k] = np.median(x[rows], axis=0)
        distance = np.abs(x - location[state])
        floor = FLOOR * np.maximum(1.0, np.abs(location).mean(0))
        pooled = np.maximum(MAD_TO_SIGMA * np.median(distance, axis=0), floor)
        spread = np.empty_like(location)
        for k in range(states):
            rows = state == k
            trust = rows.sum() / (rows.sum() + SHRINK_WINDOWS)
            own = MAD_TO_SIGMA * np.median(distance[rows], axis=0) if rows.any() else pooled
            own = np.maximum(own, floor)
            spread[k] = np.exp(trust * np.log(own) + (1 - trust) * np.log(pooled))
        return cls(location.astype(np.float32), spread.astype(np.float32))

    def standardise(self, x: Float32, state: NDArray[np.intp]) -> Float32:
        """z-scores of rows x [shape=(n, d)] in their states."""
        return (x - self.location[state]) / self.spread[state]
