"""The head: what was learned from labels about a point, as a correction of its score.

A false alarm adds a place where the machine is healthy outside its baseline: a new speed, a new
load, another season. In whitened coordinates the machine spreads around such a place about as it
does around the baseline, so the distance from that place is the right score; a fault in the new
condition still lies far from it. A trained logistic unit, the gate of the head, decides how far a
place applies to a window; confirmed faults are its counterexamples.

    u' = u − min(1, 2p) · max(0, u − u_place) − offset

u is the natural logarithm of the score, u_place that of the distance from the nearest known-normal
place, p the trained unit's probability that the place applies (fully from p = 0.5) and offset a
raised limit. So the score never rises, never falls below the place's distance less the offset, and
without labels it is u, bit for bit.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.models.learning.adapter import Adapter
from auscult.models.network.architecture import Architecture

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

WIDTH = Architecture().head_width
GROUPS = WIDTH - 4
"""Groups of neighbouring coordinates: the gate gets the departure of each from the place."""
AT_PLACE, AT_FAULT = GROUPS, GROUPS + 1
"""Features: log distance from the place; how much nearer a confirmed fault is than the place."""

START_BIAS, START_AT_PLACE, START_AT_FAULT = 6.0, -4.0, -2.0
"""Before any training a place applies to windows within e^1.5 = 4.5 times a healthy distance, and
half as far next to a confirmed fault."""


@dataclass(frozen=True, slots=True)
class Head:
    """Places and gate of one point; as small arrays, so that a checkpoint is a few kB.

    Parameters
    ----------
    weights : np.ndarray [shape=(65,), dtype=float32]
        Of the gate: 64 features, bias last.
    importance : np.ndarray [shape=(65,), dtype=float32]
        Fisher information that labels so far have given each weight (EWC).
    places : np.ndarray [shape=(k, m), dtype=float16]
        Known-normal places in whitened coordinates, where the baseline is at 0.
    spread : np.ndarray [shape=(k,), dtype=float32]
        Mean squared distance of healthy windows from each place, ≥ 1.
    faults : np.ndarray [shape=(j, m), dtype=float16]
        Places of confirmed faults.
    adapter : Adapter
        Correction of the residual; none unless the places were not enough.
    offset : float
        Raise of the limit in the logarithm of the score, ≥ 0.
    """

    weights: Float32
    importance: Float32
    places: NDArray[np.float16]
    spread: Float32
    faults: NDArray[np.float16]
    adapter: Adapter
    offset: float = 0.0

    @classmethod
    def start(cls, coordinates: int) -> Head:
        """Return the head that changes nothing, for windows of so many whitened coordinates."""
        weights = np.zeros(WIDTH + 1, np.float32)
        weights[[AT_PLACE, AT_FAULT, -1]] = START_AT_PLACE, START_AT_FAULT, START_BIAS
        none = np.zeros((0, coordinates), np.float16)
        return cls(
            weights, np.zeros_like(weights), none, np.zeros(0, np.float32), none, Adapter.none()
        )

    @property
    def is_start(self) -> bool:
        """True if the head changes no score."""
        return len(self.places) == 0 and self.offset == 0.0 and self.adapter.is_none

    def adjust(self, positions: Float32, hidden: Float32, log_scores: Float64) -> Float64:
        """Correct log scores.

        Parameters
        ----------
        positions : np.ndarray [shape=(b, m), dtype=float32]
            Windows in whitened coordinates: ``(v − centre) @ whiten`` of `ShrunkDistance`.
        hidden : np.ndarray [shape=(b, h), dtype=float32]
            Their last hidden layer, the adapter's input.
        log_scores : np.ndarray [shape=(b,), dtype=float64]
            Natural logarithm of their scores.

        Returns
        -------
        np.ndarray [shape=(b,)]
            No value is higher than before.
        """
        if self.is_start:
            return log_scores
        if not self.adapter.is_none:
            log_scores = log_scores + self.adapter.gain(positions, hidden)
        adjusted: Float64 = log_scores - self.offset
        if len(self.places) == 0:
            return adjusted
        nearest, distance = self._nearest(positions)
        at_place = np.log(distance)
        may = np.flatnonzero(at_place < log_scores)
        if len(may):
            features = self._features(positions[may], nearest[may], distance[may])
            logit = features @ self.weights[:-1] + self.weights[-1]
            gate = np.minimum(1, 1 + np.tanh(logit / 2))
            adjusted[may] -= gate * (log_scores[may] - at_place[may])
        return adjusted

    def features(self, positions: Float32) -> Float32:
        """Return the gate's inputs [shape=(b, 64)] for windows at these positions."""
        return self._features(positions, *self._nearest(positions))

    def _nearest(self, positions: Float32) -> tuple[NDArray[np.intp], Float32]:
        """Index of the place nearest to each window, and the squared distance from it."""
        squared = _squared_distances(positions, self.places.astype(np.float32)) / self.spread
        nearest = squared.argmin(1)
        return nearest, np.maximum(squared[np.arange(len(nearest)), nearest], 1e-6)

    def _features(
        self, positions: Float32, nearest: NDArray[np.intp], distance: Float32
    ) -> Float32:
        place = self.places[nearest].astype(np.float32)
        energy = (positions - place) ** 2 / self.spread[nearest, None]
        features = np.zeros((len(positions), WIDTH), np.float32)
        features[:, :GROUPS] = np.log1p(GROUPS * np.add.reduceat(energy, _groups(energy), axis=1))
        features[:, AT_PLACE] = np.clip(np.log(distance), -3, 6)
        if len(self.faults):
            faults = self.faults.astype(np.float32)
            # A fault where it was observed, or moved to the place.
            seen = _squared_distances(positions, faults).min(1)
            moved = _squared_distances(positions - place, faults).min(1)
            from_fault = np.maximum(np.minimum(seen, moved), 1e-6)
            features[:, AT_FAULT] = np.clip(np.log(distance / from_fault), 0, 4)
        return features

    def resembles(self, position: Float32) -> tuple[int, float] | None:
        """Find the confirmed fault that lies nearest in direction: index and cosine, 0..1.

        It compares directions, because a returning fault may be weaker or stronger.
        """
        if len(self.faults) == 0:
            return None
        faults = self.faults.astype(np.float32)
        size = np.linalg.norm(faults, axis=1) * np.linalg.norm(position)
        cosine = faults @ position / np.maximum(size, 1e-12)
        return int(cosine.argmax()), float(max(0.0, cosine.max()))

    def to_bytes(self) -> bytes:
        """Serialise, the same bytes for the same head."""
        buffer = io.BytesIO()
        for array in (
            self.weights, self.importance, self.places, self.spread, self.faults,
            self.adapter.a, self.adapter.b, np.asarray(self.offset),
        ):  # fmt: skip
            np.save(buffer, array, allow_pickle=False)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Head:
        """Read the bytes of `to_bytes`.

        Raises
        ------
        ValueError
            If the bytes are no head.
        """
        buffer = io.BytesIO(data)
        weights, importance, places, spread, faults, a, b, offset = (
            np.load(buffer, allow_pickle=False) for _ in range(8)
        )
        adapter = Adapter(a, b)
        head = cls(weights, importance, places, spread, faults, adapter, float(offset))
        if head.weights.shape != (WIDTH + 1,) or head.places.ndim != 2 or head.faults.ndim != 2:
            raise ValueError(f"a head of another shape: weights {head.weights.shape}")
        return head


def change_norm(before: Mapping[str, Head], after: Mapping[str, Head]) -> float:
    """Euclidean norm of the changes of gates, limits and places."""
    total = 0.0
    for point, old in before.items():
        new = after[point]
        total += float(((new.weights - old.weights) ** 2).sum()) + (new.offset - old.offset) ** 2
        if not (new.adapter.is_none and old.adapter.is_none):
            total += new.adapter.distance(old.adapter) ** 2
        old_places = {place.tobytes() for place in old.places}
        for place in new.places:
            if place.tobytes() not in old_places:
                total += float((place.astype(np.float32) ** 2).sum())
    return float(np.sqrt(total))


def _squared_distances(a: Float32, b: Float32) -> Float32:
    """Squared distance of each row of a (n, m) from each row of b (k, m), shape (n, k)."""
    squares = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * (a @ b.T)
    return np.asarray(np.maximum(squares, 0.0), np.float32)


def _groups(energy: Float32) -> NDArray[np.intp]:
    """First coordinate of each group."""
    return np.linspace(0, energy.shape[1], GROUPS, endpoint=False).astype(np.intp)
