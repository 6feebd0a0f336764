"""The anomaly score: distance of residual and latent under a shrunk covariance. High = anomalous.

A plain reconstruction error weighs all features alike and misses departures that the net can
reconstruct. The Mahalanobis distance of residual and latent together avoids both. Its covariance is
shrunk, because there are fewer windows than coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.models.network.autoencoder import soft_clip

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

SMALLEST_SCORE = 1e-3
"""A distance below it is no news: 0.03 σ of a single value."""


def oas_shrinkage(correlation: Float64, n: float) -> float:
    """Share of the identity in the shrunk correlation matrix, 0..1.

    Oracle approximating shrinkage (Chen, Wiesel, Eldar & Hero 2010, eq. 23) for n effective rows.

    >>> oas_shrinkage(np.eye(3), 10.0)
    1.0
    """
    d = len(correlation)
    if d == 0:
        return 1.0
    mean_square = float((correlation**2).mean())
    mu = float(np.trace(correlation)) / d
    top = mean_square + mu**2
    bottom = (n + 1) * (mean_square - mu**2 / d)
    return 1.0 if bottom <= top else top / bottom


@dataclass(frozen=True, slots=True)
class ShrunkDistance:
    """Squared distance from the centre of the baseline, per coordinate.

    ``centre`` is [shape=(m,)], float32; ``whiten`` is [shape=(m, m)], float16 as in a stored state.
    The distance of v is the mean of ``((v − centre) whiten)²`` over the coordinates that vary,
    about 1 for healthy windows.
    """

    centre: Float32
    whiten: NDArray[np.float16]

    @classmethod
    def fit(cls, v: Float32, effective: float | None = None) -> ShrunkDistance:
        """Fit to baseline rows v [shape=(n, m)]; ``effective`` is their number without overlap.

        Coordinates that never vary (masked features) get no weight.
        """
        n, m = v.shape
        centre = v.mean(0, dtype=np.float64)
        deviation = v - centre
        sigma = np.sqrt((deviation**2).mean(0))
        active = sigma > 1e-6
        correlation = np.zeros((m, m))
        scaled = deviation[:, active] / sigma[active]
        inner = scaled.T @ scaled / n
        share = oas_shrinkage(inner, effective if effective is not None else n)
        inner = (1 - share) * inner + share * np.eye(len(inner))
        values, vectors = np.linalg.eigh(inner)
        root = vectors / np.sqrt(np.maximum(values, 1e-6))
        correlation[np.ix_(active, active)] = (root @ vectors.T) / sigma[active][:, None]
        whiten = correlation / np.sqrt(max(int(active.sum()), 1))
        return cls(centre.astype(np.float32), whiten.astype(np.float16))

    @classmethod
    def unit(cls, mask: Float32) -> ShrunkDistance:
        """Return the distance of z-scores that need no whitening: the square of the one in use."""
        return cls(np.zeros_like(mask), np.diag(mask).astype(np.float16))

    def __call__(self, v: Float32) -> Float32:
        """Return the distances [shape=(n,)] of rows v [shape=(n, m)]."""
        w = (v - self.centre) @ self.whiten.astype(np.float32)
        distance: Float32 = np.einsum("ij,ij->i", w, w)
        return distance


@dataclass(frozen=True, slots=True)
class DistanceStack:
    """Distances of several points as arrays, so that one pass computes a hop.

    Slots that no point uses are left out: the u coordinates are the residuals of the first
    ``slots`` and the whole latent. ``centre`` is [shape=(points, u)], ``whiten`` is
    [shape=(points, u, u)], both float32.
    """

    slots: int
    centre: Float32
    whiten: Float32

    @classmethod
    def stack(cls, distances: Sequence[ShrunkDistance], slots: int, width: int) -> DistanceStack:
        """Stack distances over `width` residuals, of which `slots` are in use, and the latent."""
        used = np.r_[:slots, width : len(distances[0].centre)]
        return cls(
            slots,
            np.stack([d.centre[used] for d in distances]),
            np.stack([d.whiten[np.ix_(used, used)] for d in distances]).astype(np.float32),
        )

    def distance_of(self, row: int, width: int) -> ShrunkDistance:
        """Return one point's distance over `width` residuals, restored exactly."""
        latent = self.centre.shape[1] - self.slots
        used = np.r_[: self.slots, width : width + latent]
        centre = np.zeros(width + latent, np.float32)
        whiten = np.zeros((width + latent, width + latent), np.float16)
        centre[used] = self.centre[row]
        whiten[np.ix_(used, used)] = self.whiten[row]
        return ShrunkDistance(centre, whiten)

    def positions(self, rows: NDArray[np.intp], residual: Float32, latent: Float32) -> Float32:
        """Return the whitened coordinates of windows, each of the point with this row.

        Parameters
        ----------
        rows : np.ndarray [shape=(n,)]
        residual : np.ndarray [shape=(n, width)]
        latent : np.ndarray [shape=(n, k)]

        Returns
        -------
        np.ndarray [shape=(n, width + k), dtype=float32]
        """
        v = np.concatenate([residual[:, : self.slots], latent], axis=1)
        v -= self.centre.take(rows, axis=0)
        if len(rows) == len(self.whiten) and (rows[1:] > rows[:-1]).all():
            w = np.matmul(v[:, None], self.whiten)[:, 0]
        elif (rows == rows[0]).all():
            w = v @ self.whiten[rows[0]]
        else:
            w = np.matmul(v[:, None], self.whiten[rows])[:, 0]
        position = np.zeros((len(rows), residual.shape[1] + latent.shape[1]), np.float32)
        position[:, : self.slots] = w[:, : self.slots]
        position[:, residual.shape[1] :] = w[:, self.slots :]
        return position


def log_score(distance: ShrunkDistance, v: Float32, z: Float32) -> Float64:
    """Return the natural logarithm of the score of each row (see `unclipped_log_score`).

    Parameters
    ----------
    distance : ShrunkDistance
    v : np.ndarray [shape=(n, m)]
        Residual and latent.
    z : np.ndarray [shape=(n, width)]
        Their robust z-scores, before `soft_clip`.
    """
    return unclipped_log_score(distance(v), z, soft_clip(z))


def unclipped_log_score(distance: NDArray[np.floating], z: Float32, clipped: Float32) -> Float64:
    """Return the logarithm of distances, corrected for the clipping of the net's input.

    `soft_clip` limits the z-scores, so distances saturate. A departure ten times larger must still
    score higher: ``ln D + ln(1 + ln(|z|² / |clipped z|²))``.
    """
    full = np.einsum("ij,ij->i", z, z) + 1.0
    ratio = full / (np.einsum("ij,ij->i", clipped, clipped) + 1.0)
    logs: Float64 = np.log(np.maximum(distance, SMALLEST_SCORE)) + np.log1p(np.log(ratio))
    return logs
