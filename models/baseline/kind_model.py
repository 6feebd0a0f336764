"""The fitted model of points of one kind: it turns a window into a p-value, and never changes.

They share an autoencoder; one pass over arrays with a row a point scores them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import OperatingState
from auscult.dsp.units import PointKind
from auscult.models.baseline.calibration import Calibration, CalibrationStack, Persistence
from auscult.models.baseline.knots import KnotShifts
from auscult.models.baseline.kriging import PredictedStates, between_states, reach_of
from auscult.models.baseline.scaling import StateScaling
from auscult.models.baseline.score import DistanceStack, unclipped_log_score
from auscult.models.baseline.state_inference import nearest_state
from auscult.models.baseline.states import StateMap, state_name
from auscult.models.network.autoencoder import soft_clip
from auscult.models.network.input_slots import Slots
from auscult.models.network.passthrough import Network
from auscult.models.records import Observation

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

RESCORED_ROWS = 64
"""Rows that go through the net at once: more fall out of the cache and take ten times as long."""


class Rescored(NamedTuple):
    """Whitened positions [shape=(n, m)] and log scores [shape=(n,)].

    They belong to z-scores from another location and spread than their state's.
    """

    position: Float32
    log_score: Float64


Rescore = Callable[[Float32], Rescored]
"""Scores windows of one point from z-scores of its used slots [shape=(n, w)]."""


Widen = Callable[[NDArray[np.intp], Float32, Float32], Float32]
"""Takes slow change off the squared distances [shape=(n,)] of positions [shape=(n, m)] of rows."""


class HeadCorrection(Protocol):
    """A correction of a point's log scores, learned from labels."""

    @property
    def is_start(self) -> bool:
        """Return true if the head changes no score."""

    def to_bytes(self) -> bytes:
        """Serialise, the same bytes for the same head."""

    def adjust(
        self,
        positions: Float32,
        log_scores: Float64,
        z: Float32 | None = None,
        rescore: Rescore | None = None,
        seen: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.floating]:
        """Correct log scores [shape=(n,)] of windows at these whitened positions [shape=(n, m)].

        ``z`` [shape=(n, w)] are their z-scores, which ``rescore`` can score again, ``seen`` says
        whether the baseline holds their state.
        """


@dataclass(frozen=True, slots=True)
class PointModel:
    """The model of one point."""

    scaling: StateScaling
    seen: Calibration
    """For windows of an operating state that the baseline holds."""
    unseen: Calibration | None
    """For windows of other states, from leaving out each state in turn; None with one state."""
    persistence: Persistence
    windows: int
    """Number of baseline windows."""
    between: Float32 | None = None
    """Variance of each feature between states [shape=(d,)], to predict unseen ones; None where
    unseen states are compared with the nearest."""
    known: tuple[int, ...] | None = None
    """States that unseen ones are predicted from; None = all (states before 0.5)."""
    hop_s: float | None = None
    """Median time between its windows; None = that of the machine (states before 0.4)."""
    mean_hop_s: float | None = None
    """Mean time between its windows."""


class KindScores(NamedTuple):
    """Scores of n windows of one kind, from one pass. All arrays have n rows.

    Attributes
    ----------
    kind : KindModel
    observations : sequence of n Observation
    rows : np.ndarray [shape=(n,)]
        Row of each window's point in the arrays of the kind.
    z : np.ndarray [shape=(n, width)]
        Robust z-scores against the window's state. For an unseen state: against its prediction
        (`PredictedStates`); without one, against the nearest seen state or the interpolation
        between the nearest two.
    position : np.ndarray [shape=(n, m)]
        Residual and latent in whitened coordinates.
    log_score : np.ndarray [shape=(n,)]
        Natural logarithm of the score, before any head.
    ln_p : np.ndarray [shape=(n,)]
        Natural logarithm of the p-value.
    seen : np.ndarray [shape=(n,), dtype=bool]
        Whether the baseline holds the window's state.
    state : np.ndarray [shape=(n,)]
        Index of the state.
    all_seen : bool
        Whether `seen` is true for all windows.
    """

    kind: KindModel
    observations: Sequence[Observation]
    rows: NDArray[np.intp]
    z: Float32
    position: Float32
    log_score: Float64
    ln_p: Float64
    seen: NDArray[np.bool_]
    state: NDArray[np.intp]
    all_seen: bool


@dataclass(frozen=True)
class KindModel:
    """Points of one kind with their shared network."""

    kind: PointKind
    slots: Slots
    autoencoder: Network
    points: tuple[PointModel, ...]
    distance: DistanceStack
    states: StateMap
    row: dict[str, int] = field(init=False)
    state_names: tuple[str, ...] = field(init=False)
    location: Float32 = field(init=False)
    spread: Float32 = field(init=False)
    seen: CalibrationStack = field(init=False)
    unseen: CalibrationStack = field(init=False)
    predicted: PredictedStates | None = field(init=False)
    """Predictions of unseen states; None where they are compared with the nearest."""
    _shifts: KnotShifts | None = field(init=False)
    """Of windows from their knots; None where the states are no knots."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "row", {point: row for row, point in enumerate(self.slots.points)})
        put(self, "state_names", tuple(state_name(state) for state in self.states.states))
        put(self, "location", np.stack([p.scaling.location for p in self.points]))
        put(self, "spread", np.stack([p.scaling.spread for p in self.points]))
        put(self, "seen", CalibrationStack.stack([p.seen for p in self.points]))
        put(self, "unseen", CalibrationStack.stack([p.unseen or p.seen for p in self.points]))
        between = [p.between for p in self.points if p.between is not None]
        predicted = None
        if len(between) == len(self.points):
            known = self.points[0].known or tuple(range(len(self.states)))
            predicted = PredictedStates(
                self.states,
                known,
                self.location,
                self.spread,
                np.stack(between),
                reach_of(self.states, known),
            )
        put(self, "predicted", predicted)
        put(self, "_shifts", KnotShifts(self.states) if self.states.are_knots else None)

    def score(
        self,
        rows: NDArray[np.intp],
        x: Float32,
        observations: Sequence[Observation],
        drift: Float32 | None = None,
        heads: Mapping[int, HeadCorrection] | None = None,
        widen: Widen | None = None,
    ) -> KindScores:
        """Score windows of these points.

        Parameters
        ----------
        rows : np.ndarray [shape=(n,)]
            Point of each window, as in `slots`.
        x : np.ndarray [shape=(n, width)]
            Features in model units.
        observations : sequence of n Observation
            The same windows, with their operating states.
        drift : np.ndarray [shape=(points, width)], optional
            Distance of the followed baseline from the first one, in model units.
        heads : mapping of row to Head, optional
            Corrections learned from labels.
        widen : callable, optional
            Gets rows, positions and squared distances; returns the latter less slow change.
        """
        states = [one.state for one in observations]
        if drift is not None:
            x = x - drift.take(rows, axis=0)
        if self.states.inferred:
            state = nearest_state(x, self.location[rows], self.spread[rows])
            all_seen = True
        else:
            state, all_seen = _match(self.states, states)
        seen = state >= 0
        if not all_seen:
            state = np.maximum(state, 0)
        if self._shifts is not None:
            x = self._at_knots(rows, x, states, state, seen)
        mask = self.slots.mask.take(rows, axis=0)
        # One index into the rows of all points and states, instead of a pair.
        flat = rows * len(self.states) + state
        z = x - self.location.reshape(-1, mask.shape[1]).take(flat, axis=0)
        z /= self.spread.reshape(-1, mask.shape[1]).take(flat, axis=0)
        if not all_seen and self.predicted is not None:
            for i in np.flatnonzero(~seen):
                state[i], location, spread = self.predicted.at(states[int(i)])
                z[i] = (x[i] - location[rows[i]]) / spread[rows[i]]
        position, log_score = self._distance(rows, z, mask, widen)
        if not all_seen and self.predicted is None:
            for i in np.flatnonzero(~seen):
                state[i], z[i], position[i], log_score[i] = self._closest(
                    int(rows[i]), x[i], states[int(i)], self.states
                )
        corrected = self._corrected(heads or {}, rows, z, position, log_score, seen, widen)
        ln_p = self.seen.ln_p(rows, corrected)
        if not all_seen:
            ln_p[~seen] = self.unseen.ln_p(rows[~seen], corrected[~seen])
        return KindScores(
            self, observations, rows, z, position, log_score, ln_p, seen, state, all_seen
        )

    def _at_knots(
        self,
        rows: NDArray[np.intp],
        x: Float32,
        given: Sequence[OperatingState | None],
        state: NDArray[np.intp],
        seen: NDArray[np.bool_],
    ) -> Float32:
        """Bring windows of seen states to their knots."""
        assert self._shifts is not None  # noqa: S101
        x = x.copy()
        for i in np.flatnonzero(seen).tolist():
            x[i] -= self._shifts.weights(given[i], int(state[i])) @ self.location[rows[i]]
        return x

    def used(self, z: Float32) -> Float32:
        """Select the slots that some point uses, of z-scores [shape=(…, width)]."""
        return z[..., : self.distance.slots]

    def rescore(self, row: int, z: Float32, widen: Widen | None = None) -> Rescored:
        """Score windows of a point from z-scores of the used slots [shape=(n, w)].

        For places where the machine is healthy in a state of its own: their location and spread
        take the part of the state's.
        """
        parts = []
        for start in range(0, len(z), RESCORED_ROWS):
            some = z[start : start + RESCORED_ROWS]
            rows = np.full(len(some), row, np.intp)
            mask = self.slots.mask.take(rows, axis=0)
            full = np.zeros_like(mask)
            full[:, : some.shape[1]] = some
            full *= mask
            parts.append(self._distance(rows, full, mask, widen))
        return Rescored(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _corrected(
        self,
        heads: Mapping[int, HeadCorrection],
        rows: NDArray[np.intp],
        z: Float32,
        position: Float32,
        log_score: Float64,
        seen: NDArray[np.bool_],
        widen: Widen | None,
    ) -> Float64:
        """Log scores after the heads of their points."""
        corrected = log_score.copy() if heads else log_score
        for row, head in heads.items():
            mine = rows == row
            if mine.any():
                corrected[mine] = head.adjust(
                    position[mine],
                    corrected[mine],
                    self.used(z[mine]),
                    partial(self.rescore, row, widen=widen),
                    seen[mine],
                )
        return corrected

    def _distance(
        self, rows: NDArray[np.intp], z: Float32, mask: Float32, widen: Widen | None = None
    ) -> tuple[Float32, Float64]:
        """Return the whitened positions and log scores of z-scores, a row a window."""
        clipped = soft_clip(z)
        inference = self.autoencoder.infer(clipped, mask)
        w = self.distance.positions(rows, inference.residual, inference.latent)
        squared = np.einsum("ij,ij->i", w, w)
        if widen is not None:
            squared = widen(rows, w, squared)
        return w, unclipped_log_score(squared, z, clipped)

    def _closest(
        self, row: int, x: Float32, state: OperatingState | None, states: StateMap
    ) -> tuple[int, Float32, Float32, float]:
        """Least distance over all states of the map and the interpolation of the nearest two."""
        index = np.array([self.states.states.index(s) for s in states.states], np.intp)
        location, spread = self.location[row, index], self.spread[row, index]
        between = states.interpolate(state)
        if between is not None:
            low, high, w = between.low, between.high, np.float32(between.weight)
            location = np.vstack([location, (1 - w) * location[low] + w * location[high]])
            spread = np.vstack([spread, np.maximum(spread[low], spread[high])])
        rows = np.full(len(location), row, np.intp)
        mask = self.slots.mask.take(rows, axis=0)
        z = (x - location) / spread * mask
        position, log_score = self._distance(rows, z, mask)
        best = int(log_score.argmin())
        nearest = best if best < len(index) else states.nearest(state)[0]
        return int(index[nearest]), z[best], position[best], float(log_score[best])

    def score_left_out(self, row: int, x: Float32, left_out: int) -> Float64:
        """Log scores of rows x of one state, as if the baseline did not hold this state."""
        if self.predicted is not None:
            return self._score_predicted(row, x, left_out)
        states = self.states.without(left_out)
        state = self.states.states[left_out]
        return np.array([self._closest(row, one, state, states)[3] for one in x])

    def _score_predicted(self, row: int, x: Float32, left_out: int) -> Float64:
        """Return `score_left_out` by a prediction from the other states."""
        assert self.predicted is not None  # noqa: S101
        others = [k for k in self.predicted.known if k != left_out]
        location, spread = self.location[row], self.spread[row]
        between = between_states(self.states, others, location, spread)
        predicted = PredictedStates(
            self.states, others, location[None], spread[None], between[None], reach=np.inf
        ).at(self.states.states[left_out])
        rows = np.full(len(x), row, np.intp)
        z = (x - predicted.location) / predicted.spread
        return self._distance(rows, z, self.slots.mask.take(rows, axis=0))[1]


def _match(
    states: StateMap, given: Sequence[OperatingState | None]
) -> tuple[NDArray[np.intp], bool]:
    """Return the state of each row, −1 where never seen, and whether all were seen.

    Mostly all rows have the same state.
    """
    alike = given.count(given[0]) == len(given)
    found = [states.match(state) for state in (given[:1] if alike else given)]
    index = [-1 if one is None else one for one in found]
    return np.array(index * len(given) if alike else index, np.intp), -1 not in index
