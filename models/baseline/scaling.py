"""Robust scaling per operating state: features become z-scores of the state's own baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.scales import MAD_TO_SIGMA
from auscult.models.network.input_slots import SPREAD_FLOOR

SHRINK_WINDOWS = 20.0
"""Windows at which a state's own spread counts as much as the pooled one."""

KNOT_ROUNDS = 3
"""Rounds between the location of knots and the windows' shift from it; the third changes little."""

Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class StateScaling:
    """Location and spread of each feature in each operating state.

    ``location`` and ``spread`` are [shape=(states, d), dtype=float32], in the features' model
    units (natural logarithm for ``scale="log"``); every spread is > 0.
    """

    location: Float32
    spread: Float32

    @classmethod
    def fit(
        cls,
        x: Float32,
        state: NDArray[np.intp],
        states: int,
        least_size: Float32 | float = 1.0,
        shift: Float32 | None = None,
    ) -> StateScaling:
        """Fit median and MAD per state; with few windows the MAD is shrunk to the pooled MAD.

        Parameters
        ----------
        x : np.ndarray [shape=(n, d)]
            Features in model units.
        state : np.ndarray [shape=(n,)]
            State of each row, 0..states−1. A state without rows gets the median of all rows.
        least_size : float or np.ndarray [shape=(d,)]
            Smallest size that the floor refers to; 0 = the size of the values.
        shift : np.ndarray [shape=(n, states)], optional
            Of windows from their knots (`auscult.models.baseline.knots`).

        Examples
        --------
        >>> x = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], np.float32)
        >>> scaling = StateScaling.fit(x, np.array([0, 0, 0, 1, 1, 1]), 2)
        >>> scaling.location.ravel().tolist(), round(float(scaling.spread[0, 0]), 2)
        ([1.0, 11.0], 1.48)
        """
        location = _medians(x, state, states)
        if shift is not None:
            for _ in range(KNOT_ROUNDS):
                brought = x - shift @ location
                location = _medians(brought, state, states)
            x = brought
        distance = np.abs(x - location[state])
        size = np.maximum(least_size, np.abs(location).mean(0))
        floor = SPREAD_FLOOR * np.where(size > 0, size, 1.0)
        pooled = np.maximum(MAD_TO_SIGMA * np.median(distance, axis=0), floor)
        spread = np.empty_like(location)
        for k in range(states):
            rows = state == k
            trust = rows.sum() / (rows.sum() + SHRINK_WINDOWS)
            own = MAD_TO_SIGMA * np.median(distance[rows], axis=0) if rows.any() else pooled
            own = np.maximum(own, floor)
            spread[k] = np.exp(trust * np.log(own) + (1 - trust) * np.log(pooled))
        return cls(location.astype(np.float32), spread.astype(np.float32))

    def brought(self, x: Float32, shift: Float32 | None) -> Float32:
        """Bring rows x [shape=(n, d)] to their knots by their shift [shape=(n, states)]."""
        return x if shift is None else x - shift @ self.location

    def standardise(
        self, x: Float32, state: NDArray[np.intp], shift: Float32 | None = None
    ) -> Float32:
        """Return the robust z-scores of rows x [shape=(n, d)] in their states."""
        return (self.brought(x, shift) - self.location[state]) / self.spread[state]


def _medians(x: Float32, state: NDArray[np.intp], states: int) -> Float32:
    """Return the median of each state [shape=(states, d)]; of all rows for a state without any."""
    medians = np.tile(np.median(x, axis=0), (states, 1))
    for k in range(states):
        if (rows := state == k).any():
            medians[k] = np.median(x[rows], axis=0)
    return medians
