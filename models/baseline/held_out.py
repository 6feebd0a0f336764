"""Held-out scores, for the calibration: each from a model that was not fitted to its window.

The windows of each operating state are cut into contiguous blocks, because neighbours overlap. A
block is scored with scaling and distance fitted to the other blocks. Where states have few windows,
each leaves out another block at a time (docs/decisions/0054).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.scales import MAD_TO_SIGMA
from auscult.models.baseline.scaling import StateScaling
from auscult.models.baseline.score import ShrunkDistance, log_score
from auscult.models.network.autoencoder import soft_clip
from auscult.models.network.input_slots import Slots
from auscult.models.network.passthrough import Network, Trained
from auscult.models.settings import DetectorSettings

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

MIN_WINDOWS = 10
"""Fewest windows of a point from which a spread can be estimated."""


@dataclass(frozen=True, slots=True)
class BaselineRows:
    """Baseline of one point: model units, state, time, and shift from its knot of each window.

    ``shift`` is None where the states are no knots.
    """

    x: Float32
    state: NDArray[np.intp]
    t_ns: NDArray[np.int64]
    shift: Float32 | None = None

    def where(self, rows: NDArray[np.bool_]) -> BaselineRows:
        """Select these rows."""
        shift = None if self.shift is None else self.shift[rows]
        return BaselineRows(self.x[rows], self.state[rows], self.t_ns[rows], shift)

    def scaling(self, states: int, least_size: Float32) -> StateScaling:
        """Return the location and spread of these windows in each of so many states."""
        return StateScaling.fit(self.x, self.state, states, least_size, self.shift)


class HeldOut(NamedTuple):
    """Rows of each point that one model scores, and those that it is fitted to."""

    block: list[NDArray[np.bool_]]
    use: list[NDArray[np.bool_]]


def parts_of(
    rows: list[BaselineRows],
    fold: list[NDArray[np.intp]],
    clean: list[NDArray[np.bool_]],
    folds: int,
) -> list[HeldOut]:
    """Return the parts of a baseline whose rows lie in these blocks.

    Neighbours of the block are left out of the fit too, because windows overlap. Rows that are
    not clean are scored, but no model is fitted to them.
    """
    parts = []
    for f in range(folds):
        block = [one == f for one in fold]
        apart = [_apart(b, row.state) for b, row in zip(block, rows, strict=True)]
        parts.append(HeldOut(block, [a & ok for a, ok in zip(apart, clean, strict=True)]))
    return parts


def held_out_scores(
    trained: Trained,
    slots: Slots,
    rows: list[BaselineRows],
    parts: list[HeldOut],
    states: int,
) -> list[Float64]:
    """Log score of each row of each point, from a model that was not fitted to its block.

    ``parts`` are those of `parts_of`.
    """
    scores = [np.zeros(len(row.x)) for row in rows]
    for blocks, use in parts:
        autoencoder = trained(use)
        for i, row in enumerate(rows):
            if not blocks[i].any():
                continue
            train, test = row.where(use[i]), row.where(blocks[i])
            scaling = train.scaling(states, slots.least_size)
            v, _ = represent(autoencoder, slots.mask[i], scaling, train)
            distance = fitted_distance(autoencoder, slots.mask[i], v)
            scores[i][blocks[i]] = log_score(
                distance, *represent(autoencoder, slots.mask[i], scaling, test)
            )
    return scores


def represent(
    autoencoder: Network, mask: Float32, scaling: StateScaling, rows: BaselineRows
) -> tuple[Float32, Float32]:
    """Return the residual and latent of rows side by side, and the rows' z-scores."""
    z = scaling.standardise(rows.x, rows.state, rows.shift) * mask
    parts = []
    for start in range(0, len(z), 4096):
        block = z[start : start + 4096]
        inference = autoencoder.infer(soft_clip(block), np.tile(mask, (len(block), 1)))
        parts.append(np.concatenate([inference.residual, inference.latent], axis=1))
    return np.concatenate(parts), z


def fitted_distance(autoencoder: Network, mask: Float32, v: Float32) -> ShrunkDistance:
    """Fit the distance of a point to its residual and latent v [shape=(n, m)]."""
    return ShrunkDistance.fit(v) if autoencoder.latent else ShrunkDistance.unit(mask)


def folds_of(state: NDArray[np.intp], folds: int, *, staggered: bool = False) -> NDArray[np.intp]:
    """Return the block of each row: the rows of each state cut into contiguous runs.

    ``staggered``: each state begins with another block. In a model fitted to one of two windows of
    every state nothing varies, and a healthy window is as far as a fault.

    >>> folds_of(np.array([0, 0, 1, 1]), 10).tolist()
    [0, 5, 0, 5]
    >>> folds_of(np.array([0, 0, 1, 1]), 10, staggered=True).tolist()
    [0, 5, 1, 6]
    """
    fold = np.empty(len(state), np.intp)
    for k in np.unique(state):
        rows = np.flatnonzero(state == k)
        fold[rows] = np.arange(len(rows)) * folds // len(rows)
    return (fold + state) % folds if staggered else fold


def _apart(block: NDArray[np.bool_], state: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Rows outside a block and not next to it; with too few of those, all rows outside it."""
    near = block.copy()
    near[1:] |= block[:-1]
    near[:-1] |= block[1:]
    for k in np.unique(state[block]):
        own = state == k
        if near[own].all():
            near[own] = block[own]
    return ~near if (~near).sum() >= MIN_WINDOWS // 2 else ~block


def without_outliers(log_scores: Float64, settings: DetectorSettings) -> NDArray[np.bool_]:
    """Return the rows that are no outliers; if there are too many for outliers, all rows belong."""
    centre = np.median(log_scores)
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(log_scores - centre)))
    far = log_scores > centre + settings.outlier_sigma * max(sigma, 1e-3)
    allowed = max(1, int(settings.outlier_share * len(log_scores)))
    return ~far if far.sum() <= allowed else np.ones(len(far), bool)
