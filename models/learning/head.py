"""The head: what was learned from labels about a point, as a correction of its score.

A false alarm adds a place for each of its states, where the machine is healthy outside its
baseline: a new speed, a new load, another season. A place is an operating state: the location of
its windows' z-scores takes the part of the state's location, and the net scores a window again from
there. A fault in the new condition still lies far from it. A place covers only its own windows:
those up to its reach beyond its own ones. Within the reach a trained logistic unit, the gate of the
head, decides how far a place applies to a window; confirmed faults are its counterexamples.

A confirmed fault does the opposite: windows along its direction score higher (`Directions`).

    u' = u − min(r, 1, 2p) · max(0, u − u_place) − offset

u is the natural logarithm of the score, u_place that from the nearest known-normal place, less half
of the median of the place's own windows (few windows tell half of a state's width), r falls from 1
to 0 beyond the reach, p is the trained unit's probability that the place applies (fully from
p = 0.5) and offset a raised limit. So a place never raises a score, the score never falls below the
place's less the offset, and without labels it is u, bit for bit.

Where only a position in whitened coordinates is known (a delta, a checkpoint of versions before
0.3), the distance from it takes the part of the score.
"""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.kind_model import Rescore, Rescored
from auscult.models.learning.directions import Directions
from auscult.models.learning.replay import BLOCK, ReplayRows
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.network.architecture import Architecture

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

ARCH = Architecture()
WIDTH = ARCH.head_width
GROUPS = WIDTH - 4
"""Groups of neighbouring coordinates: the gate gets the departure of each from the place."""
AT_PLACE, AT_FAULT = GROUPS, GROUPS + 1
"""Features: log score from the place beyond that of its own windows; how much nearer a confirmed
fault is than the place."""

START_AT_PLACE, START_AT_FAULT = -4.0, -2.0
"""Before any training a place applies up to its reach, and half as far next to a confirmed
fault."""
NO_ADAPTER = np.zeros((ARCH.hidden, 0), np.float16), np.zeros((0, ARCH.width), np.float16)
"""Of a stored head: versions before 0.3 read a low-rank adapter of the net there."""
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


class _Nearest(NamedTuple):
    """The nearest place of each of n windows, the log score from there, and its excess."""

    place: NDArray[np.intp]
    log_score: Float64
    beyond: Float64

    @property
    def believed(self) -> Float64:
        """Return the log score less half of the median of the place's own windows."""
        return (self.log_score + self.beyond) / 2


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
    centres : np.ndarray [shape=(k, w), dtype=float16]
        Median z-scores at each place; NaN where only the position is known.
    own_scores : np.ndarray [shape=(k,), dtype=float32]
        Median log score of each place's own windows from there, ≥ 0.
    directions : Directions
        Of confirmed faults; they raise scores.
    offset : float
        Raise of the limit in the logarithm of the score, ≥ 0.
    reach, reach_fade : float
        Of its places (`LearningSettings`).
    """

    weights: Float32
    importance: Float32
    places: NDArray[np.float16]
    spread: Float32
    faults: NDArray[np.float16]
    centres: NDArray[np.float16]
    own_scores: Float32
    offset: float = 0.0
    directions: Directions = field(default_factory=Directions.none)
    reach: float = SETTINGS.reach
    reach_fade: float = SETTINGS.reach_fade

    @classmethod
    def start(cls, coordinates: int, settings: LearningSettings = SETTINGS) -> Head:
        """Return the head that changes nothing, for windows of so many whitened coordinates."""
        return cls._start(coordinates, settings.reach, settings.reach_fade)

    @classmethod
    def _start(cls, coordinates: int, reach: float, reach_fade: float) -> Head:
        weights = np.zeros(WIDTH + 1, np.float32)
        weights[[AT_PLACE, AT_FAULT, -1]] = START_AT_PLACE, START_AT_FAULT, -START_AT_PLACE * reach
        none = np.zeros((0, coordinates), np.float16)
        no_rows = np.zeros(0, np.float32)
        return cls(
            weights, np.zeros_like(weights), none, no_rows, none, none[:, :0],
            no_rows, reach=reach, reach_fade=reach_fade,
        )  # fmt: skip

    @property
    def bare(self) -> Head:
        """Return the head that changes nothing, of the same reach."""
        return self._start(self.places.shape[1], self.reach, self.reach_fade)

    @property
    def is_start(self) -> bool:
        """Return true if the head changes no score."""
        return len(self.places) == 0 and self.offset == 0.0 and self.directions.is_none

    def adjust(
        self,
        positions: Float32,
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
        adjusted: Float64 = log_scores - self.offset
        if len(self.places) == 0:
            return self._raised(positions, adjusted, seen)
        # Half of all healthy windows score below 1; no place makes them more normal.
        may = np.flatnonzero(log_scores > 0)
        if len(may):
            some, z = positions[may], z if z is None else z[may]
            at = self._nearest(some, z, rescore)
            applies = at.beyond < self.reach + self.reach_fade
            if self.directions.is_none:
                applies &= log_scores[may] > at.believed
            # The gate, half of the work, is asked only where it makes a difference.
            of = np.flatnonzero(applies)
            may, some = may[of], some[of]
            at = _Nearest(at.place[of], at.log_score[of], at.beyond[of])
        if len(may):
            place = self._at(at, some, z if z is None else z[of], rescore)
            logit = self.features(some, place) @ self.weights[:-1] + self.weights[-1]
            within = (self.reach + self.reach_fade - at.beyond) / self.reach_fade
            gate = np.minimum(np.clip(within, 0, 1), 1 + np.tanh(logit / 2))
            adjusted[may] -= gate * np.maximum(0, log_scores[may] - at.believed)
            if not self.directions.is_none:
                # A fault at a place departs from the place.
                positions = positions.copy()
                positions[may] += gate[:, None].astype(np.float32) * (place.position - some)
        return self._raised(positions, adjusted, seen)

    def adjusted(self, rows: ReplayRows, rescore: Rescore | None) -> Float64:
        """Correct the log scores of windows of a replay, a block at a time; returns as `adjust`."""
        adjusted = rows.log_scores
        if self.is_start:
            return adjusted
        of = np.arange(len(rows))
        if self.directions.is_none:
            of = np.flatnonzero(adjusted > 0)  # no place makes the others more normal
            adjusted -= self.offset
        for start in range(0, len(of), BLOCK):
            block = of[start : start + BLOCK]
            some = rows.where(block)
            adjusted[block] = self.adjust(
                some.positions,
                some.log_scores,
                None if rescore is None else some.z,
                rescore,
                some.info["seen"] == 1,
            )
        return adjusted

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
        return self._at(self._nearest(positions, z, rescore), positions, z, rescore)

    def _nearest(self, positions: Float32, z: Float32 | None, rescore: Rescore | None) -> _Nearest:
        log_score, own_score = self.log_scores_from(positions, z, rescore)
        beyond = log_score - own_score
        reached = beyond < self.reach + self.reach_fade
        place = np.where(reached, log_score, log_score + LARGEST_LOG).argmin(0)
        each = np.arange(len(positions))
        return _Nearest(place, log_score[place, each], beyond[place, each])

    def _at(
        self, nearest: _Nearest, positions: Float32, z: Float32 | None, rescore: Rescore | None
    ) -> AtPlace:
        position = self.positions_from(nearest.place, positions, z, rescore)
        return AtPlace(position, nearest.log_score, nearest.beyond)

    def log_scores_from(
        self, positions: Float32, z: Float32 | None, rescore: Rescore | None
    ) -> tuple[Float64, Float64]:
        """Log scores of n windows from each of k places, and those of each place's own windows.

        Both are [shape=(k, n)].
        """
        places = self.places.astype(np.float32)
        squares = _squared_distances(places, positions) / self.spread[:, None]
        log_score = np.log(np.maximum(squares, 1e-6)).astype(np.float64)
        own_score = np.zeros(log_score.shape)
        if z is None or rescore is None:
            return log_score, own_score
        known = self._with_state(z)
        for k in np.flatnonzero(known.any(1)).tolist():
            i = np.flatnonzero(known[k])
            log_score[k, i] = self._again(z, rescore, k, i).log_score
            own_score[k, i] = self.own_scores[k]
        return log_score, own_score

    def positions_from(
        self,
        nearest: NDArray[np.intp],
        positions: Float32,
        z: Float32 | None,
        rescore: Rescore | None,
    ) -> Float32:
        """Whitened positions [shape=(n, m)] of windows relative to one place each [shape=(n,)]."""
        position = self.places[nearest].astype(np.float32)
        np.subtract(positions, position, out=position)
        position /= np.sqrt(self.spread[nearest])[:, None]
        if z is None or rescore is None:
            return position
        known = self._with_state(z)[nearest, np.arange(len(positions))]
        for k in set(nearest[known].tolist()):
            i = np.flatnonzero(known & (nearest == k))
            position[i] = self._again(z, rescore, k, i).position
        return position

    def _with_state(self, z: Float32) -> NDArray[np.bool_]:
        """Whether place and window have z-scores, for the net to score again [shape=(k, n)]."""
        if self.centres.shape[1] == 0:
            return np.zeros((len(self.places), len(z)), bool)
        has_centre = np.isfinite(self.centres.astype(np.float32).sum(1))
        known: NDArray[np.bool_] = has_centre[:, None] & np.isfinite(z.sum(1))
        return known

    def _again(self, z: Float32, rescore: Rescore, k: int, i: NDArray[np.intp]) -> Rescored:
        """Score windows i again from place k."""
        at = (z[i] - self.centres[k].astype(np.float32)) / np.sqrt(self.spread[k])
        return rescore(at)

    def features(self, positions: Float32, at: AtPlace) -> Float32:
        """Return the gate's inputs [shape=(b, 64)] for windows at these positions."""
        energy = at.position**2
        features = np.zeros((len(positions), WIDTH), np.float32)
        features[:, :GROUPS] = np.log1p(GROUPS * (energy @ _groups(energy.shape[1])))
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

    def to_bytes(self) -> bytes:
        """Serialise, the same bytes for the same head; `stored_head` reads them."""
        buffer = io.BytesIO()
        for array in (
            self.weights, self.importance, self.places, self.spread, self.faults,
            *NO_ADAPTER,
            np.array([self.offset, self.reach, self.reach_fade]), self.centres, self.own_scores,
            self.directions.units, self.directions.tails, self.directions.log_scores,
        ):  # fmt: skip
            np.save(buffer, array, allow_pickle=False)
        # A window of 4 kB, for as many bytes: the usual one takes 256 kB of memory.
        packer = zlib.compressobj(9, wbits=12, memLevel=6)
        return packer.compress(buffer.getbuffer()) + packer.flush()

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


def _squared_distances(a: Float32, b: Float32) -> Float32:
    """Squared distance of each row of a (n, m) from each row of b (k, m), shape (n, k)."""
    squares: Float32 = -2 * (a @ b.T)
    squares += np.einsum("ij,ij->i", a, a)[:, None]
    squares += np.einsum("ij,ij->i", b, b)
    np.maximum(squares, 0.0, out=squares)
    return squares


@cache
def _groups(coordinates: int) -> Float32:
    """Return what sums neighbouring coordinates to groups [shape=(m, groups)]: ones and zeros."""
    first = np.linspace(0, coordinates, GROUPS, endpoint=False).astype(np.intp)
    group = np.searchsorted(first, np.arange(coordinates), side="right") - 1
    sums: Float32 = (group[:, None] == np.arange(GROUPS)).astype(np.float32)
    return sums
