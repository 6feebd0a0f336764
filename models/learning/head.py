"""The head: what was learned from labels about a point, as a correction of its score.

A false alarm adds a place where the machine is healthy outside its baseline: a new speed, a new
load, another season. A place is an operating state: the location of its windows' z-scores takes the
part of the state's location, and the net scores a window again from there. A fault in the new
condition still lies far from it. A place covers only its own windows: those up to its reach
beyond its own ones. Within the reach a trained logistic unit, the gate of the head, decides how far
a place applies to a window; confirmed faults are its counterexamples.

A reported fault, that nothing detected, does the opposite: windows along its direction score higher
(`Directions`).

    u' = u − min(r, 1, 2p) · max(0, u − u_place) − offset

u is the natural logarithm of the score, u_place that from the nearest known-normal place, r falls
from 1 to 0 beyond the reach, p is the trained unit's probability that the place applies (fully from
p = 0.5) and offset a raised limit. So a place never raises a score, the score never falls below the
place's less the offset, and without labels it is u, bit for bit.

Where only a position in whitened coordinates is known (a delta, a checkpoint of versions before
0.3), the distance from it takes the part of the score.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from auscult.models.baseline.machine_model import Rescore
from auscult.models.learning.adapter import Adapter
from auscult.models.learning.directions import Directions
from auscult.models.learning.settings import SETTINGS
from auscult.models.network.architecture import Architecture

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

WIDTH = Architecture().head_width
GROUPS = WIDTH - 4
"""Groups of neighbouring coordinates: the gate gets the departure of each from the place."""
AT_PLACE, AT_FAULT = GROUPS, GROUPS + 1
"""Features: log score from the place beyond that of its own windows; how much nearer a confirmed
fault is than the place."""

START_AT_PLACE, START_AT_FAULT = -4.0, -2.0
START_BIAS = -START_AT_PLACE * SETTINGS.reach
"""Before any training a place applies up to its reach, and half as far next to a confirmed
fault."""
LARGEST_LOG = 20.0
"""Limit of a log score before its exponential."""


class AtPlace(NamedTuple):
    """Scores of n windows from the nearest place.

    Attributes
    ----------
    position : np.ndarray [shape=(n, m)]
        Whitened coordinates relative to the place.
    log_score : np.ndarray [shape=(n,)]
        Natural logarithm of the score from there.
    beyond : np.ndarray [shape=(n,)]
        Its excess over the median of the place's own windows.
    """

    position: Float32
    log_score: Float64
    beyond: Float64


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
    centres : np.ndarray [shape=(k, w), dtype=float16]
        Median z-scores at each place; NaN where only the position is known.
    own_scores : np.ndarray [shape=(k,), dtype=float32]
        Median log score of each place's own windows from there, ≥ 0.
    directions : Directions
        Of reported faults; they raise scores.
    offset : float
        Raise of the limit in the logarithm of the score, ≥ 0.
    """

    weights: Float32
    importance: Float32
    places: NDArray[np.float16]
    spread: Float32
    faults: NDArray[np.float16]
    adapter: Adapter
    centres: NDArray[np.float16]
    own_scores: Float32
    offset: float = 0.0
    directions: Directions = field(default_factory=Directions.none)

    @classmethod
    def start(cls, coordinates: int) -> Head:
        """Return the head that changes nothing, for windows of so many whitened coordinates."""
        weights = np.zeros(WIDTH + 1, np.float32)
        weights[[AT_PLACE, AT_FAULT, -1]] = START_AT_PLACE, START_AT_FAULT, START_BIAS
        none = np.zeros((0, coordinates), np.float16)
        no_rows = np.zeros(0, np.float32)
        return cls(
            weights, np.zeros_like(weights), none, no_rows, none, Adapter.none(), none[:, :0],
            no_rows,
        )  # fmt: skip

    @property
    def is_start(self) -> bool:
        """True if the head changes no score."""
        lowers = len(self.places) > 0 or self.offset > 0.0 or not self.adapter.is_none
        return not lowers and self.directions.is_none

    def adjust(
        self,
        positions: Float32,
        hidden: Float32,
        log_scores: Float64,
        z: Float32 | None = None,
        rescore: Rescore | None = None,
        seen: NDArray[np.bool_] | None = None,
    ) -> Float64:
        """Correct log scores.

        Parameters
        ----------
        positions : np.ndarray [shape=(b, m), dtype=float32]
            Windows in whitened coordinates: ``(v − centre) @ whiten`` of `ShrunkDistance`.
        hidden : np.ndarray [shape=(b, h), dtype=float32]
            Their last hidden layer, the adapter's input.
        log_scores : np.ndarray [shape=(b,), dtype=float64]
            Natural logarithm of their scores.
        z : np.ndarray [shape=(b, w), dtype=float32], optional
            Their z-scores, NaN where unknown.
        rescore : callable, optional
            Scores z-scores; without it places are positions.
        seen : np.ndarray [shape=(b,), dtype=bool], optional
            Whether the baseline holds the window's state; by default all. Only there directions
            raise scores.

        Returns
        -------
        np.ndarray [shape=(b,)]
        """
        if self.is_start:
            return log_scores
        if not self.adapter.is_none:
            log_scores = log_scores + self.adapter.gain(positions, hidden)
        adjusted: Float64 = log_scores - self.offset
        if len(self.places) == 0:
            return self._raised(positions, adjusted, seen)
        positions = positions.copy()
        # Half of all healthy windows score below 1; no place makes them more normal.
        may = np.flatnonzero(log_scores > 0)
        if len(may):
            at = self.from_places(positions[may], z if z is None else z[may], rescore)
            logit = self.features(positions[may], at) @ self.weights[:-1] + self.weights[-1]
            within = (SETTINGS.reach + SETTINGS.reach_fade - at.beyond) / SETTINGS.reach_fade
            gate = np.minimum(np.clip(within, 0, 1), 1 + np.tanh(logit / 2))
            adjusted[may] -= gate * np.maximum(0, log_scores[may] - at.log_score)
            # A fault at a place departs from the place.
            positions[may] += gate[:, None].astype(np.float32) * (at.position - positions[may])
        return self._raised(positions, adjusted, seen)

    def _raised(
        self, positions: Float32, log_scores: Float64, seen: NDArray[np.bool_] | None
    ) -> Float64:
        raised = self.directions.raised(positions, log_scores)
        return raised if seen is None else np.where(seen, raised, log_scores)

    def from_places(
        self, positions: Float32, z: Float32 | None, rescore: Rescore | None
    ) -> AtPlace:
        """Score windows from the place that is nearest to each, as in `adjust`.

        A place within whose reach a window lies goes before a nearer one beyond its reach.
        """
        position, log_score, beyond = self.from_each_place(positions, z, rescore)
        reached = beyond < SETTINGS.reach + SETTINGS.reach_fade
        nearest = np.where(reached, log_score, log_score + LARGEST_LOG).argmin(0)
        each = np.arange(len(positions))
        return AtPlace(position[nearest, each], log_score[nearest, each], beyond[nearest, each])

    def from_each_place(
        self, positions: Float32, z: Float32 | None, rescore: Rescore | None
    ) -> AtPlace:
        """Score n windows from each of the k places: arrays with k rows of those of `AtPlace`."""
        places, root = self.places.astype(np.float32), np.sqrt(self.spread)
        position = np.asarray((positions - places[:, None]) / root[:, None, None], np.float32)
        log_score = np.log(np.maximum(np.einsum("kij,kij->ki", position, position), 1e-6))
        log_score = log_score.astype(np.float64)
        own_scores = np.zeros(log_score.shape)
        if z is not None and rescore is not None and self.centres.shape[1]:
            centres = self.centres.astype(np.float32)
            known = np.isfinite(centres.sum(1))[:, None] & np.isfinite(z.sum(1))
            k, i = np.nonzero(known)
            if len(k):
                at = (z[i] - centres[k]) / root[k, None]
                again = rescore(np.asarray(at, np.float32))
                position[k, i], log_score[k, i] = again.position, again.log_score
                own_scores[k, i] = self.own_scores[k]
        return AtPlace(position, log_score, log_score - own_scores)

    def features(self, positions: Float32, at: AtPlace) -> Float32:
        """Return the gate's inputs [shape=(b, 64)] for windows at these positions."""
        energy = at.position**2
        features = np.zeros((len(positions), WIDTH), np.float32)
        features[:, :GROUPS] = np.log1p(GROUPS * np.add.reduceat(energy, _groups(energy), axis=1))
        features[:, AT_PLACE] = np.clip(at.beyond, -3, 6)
        if len(self.faults):
            faults = self.faults.astype(np.float32)
            # A fault where it was observed, or moved to the place.
            seen = _squared_distances(positions, faults).min(1)
            moved = _squared_distances(at.position, faults).min(1)
            from_fault = np.log(np.maximum(np.minimum(seen, moved), 1e-6))
            distance = np.minimum(at.log_score, LARGEST_LOG)
            features[:, AT_FAULT] = np.clip(distance - from_fault, 0, 4)
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
            self.adapter.a, self.adapter.b, np.asarray(self.offset), self.centres, self.own_scores,
            self.directions.units, self.directions.tails, self.directions.log_scores,
        ):  # fmt: skip
            np.save(buffer, array, allow_pickle=False)
        return zlib.compress(buffer.getvalue(), 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> Head:
        """Read the bytes of `to_bytes`; older ones are not compressed, before 0.3 without centres.

        Raises
        ------
        ValueError
            If the bytes are no head.
        """
        if not data.startswith(MAGIC_PREFIX):
            try:
                data = zlib.decompress(data)
            except zlib.error as error:
                raise ValueError(f"no head: {error}") from error
        buffer = io.BytesIO(data)
        weights, importance, places, spread, faults, a, b, offset = (
            np.load(buffer, allow_pickle=False) for _ in range(8)
        )
        centres = np.zeros((len(places), 0), np.float16)
        own_scores = np.zeros(len(places), np.float32)
        directions = Directions.none(places.shape[1])
        if buffer.tell() < len(data):
            centres, own_scores, units, tails, log_scores = (
                np.load(buffer, allow_pickle=False) for _ in range(5)
            )
            directions = Directions(units, tails, log_scores)
        head = cls(
            weights, importance, places, spread, faults, Adapter(a, b), centres, own_scores,
            float(offset), directions,
        )  # fmt: skip
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
        known = {unit.tobytes() for unit in old.directions.units}
        total += sum(unit.tobytes() not in known for unit in new.directions.units)
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
