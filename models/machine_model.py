"""What a baseline leaves behind: everything that turns a window into a p-value. It never changes.

Points of one kind share an autoencoder and are judged in one pass over arrays with a row a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from models.autoencoder import Autoencoder, soft_clip
from models.calibration import Calibration, CalibrationStack, Persistence
from models.fusion import Fusion
from models.records import Coverage, OperatingState
from models.scaling import StateScaling
from models.score import ShrunkDistance, stretched
from models.slots import Slots
from models.states import StateMap

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


FUSED_WINDOWS = 50.0
"""Baseline windows at which the fused statistic's own calibration counts as much as theory."""


class Head(Protocol):
    """What labels have taught about a point: it may lower the log score of known windows."""

    @property
    def is_start(self) -> bool:
        """True if the head changes no score."""

    def adjust(
        self, positions: Float32, hidden: Float32, log_scores: Float64
    ) -> NDArray[np.floating]:
        """Correct log scores [shape=(n,)] of windows at these whitened positions [shape=(n, m)].

        ``hidden`` [shape=(n, h)] is their last hidden layer.
        """


@dataclass(frozen=True, slots=True)
class PointModel:
    """The part of the model that belongs to one point."""

    scaling: StateScaling
    distance: ShrunkDistance
    seen: Calibration
    """For windows of an operating state that the baseline holds."""
    unseen: Calibration | None
    """For windows of any other state, from leaving each state out in turn; None with one state."""
    persistence: Persistence
    windows: int
    """Baseline windows."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One pass over n rows. All arrays have n rows.

    ``z`` [shape=(n, width)] robust z-scores against the row's state (where it was never seen: the
    nearest one, or the blend of the nearest two), ``position`` [shape=(n, m)] residual and latent
    in whitened coordinates, ``hidden`` [shape=(n, h)] the last hidden layer, ``log_score`` the
    logarithm of the score before any head, ``ln_p`` the logarithm of the p-value, ``seen`` whether
    the baseline holds the state, ``state`` its index.
    """

    z: Float32
    position: Float32
    hidden: Float32
    log_score: Float64
    ln_p: Float64
    seen: NDArray[np.bool_]
    state: NDArray[np.intp]


@dataclass(frozen=True)
class KindModel:
    """Points of one kind (vibration or sound) with their shared autoencoder."""

    kind: Literal["vibration", "sound"]
    slots: Slots
    autoencoder: Autoencoder
    points: tuple[PointModel, ...]
    states: StateMap
    row: dict[str, int] = field(init=False)
    location: Float32 = field(init=False)
    spread: Float32 = field(init=False)
    centre: Float32 = field(init=False)
    whiten: Float32 = field(init=False)
    seen: CalibrationStack = field(init=False)
    unseen: CalibrationStack = field(init=False)
    _all: NDArray[np.intp] = field(init=False)
    _used: NDArray[np.intp] = field(init=False)
    _whiten_used: Float32 = field(init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "row", {point: row for row, point in enumerate(self.slots.points)})
        put(self, "location", np.stack([p.scaling.location for p in self.points]))
        put(self, "spread", np.stack([p.scaling.spread for p in self.points]))
        put(self, "centre", np.stack([p.distance.centre for p in self.points]))
        put(self, "whiten", np.stack([p.distance.whiten for p in self.points]))
        put(self, "_all", np.arange(len(self.points)))
        used = np.r_[: len(self.slots.names), self.slots.mask.shape[1] : self.centre.shape[1]]
        put(self, "_used", used)
        put(self, "_whiten_used", np.ascontiguousarray(self.whiten[:, used[:, None], used]))
        put(self, "seen", CalibrationStack.of([p.seen for p in self.points]))
        put(self, "unseen", CalibrationStack.of([p.unseen or p.seen for p in self.points]))

    def judge(
        self,
        rows: NDArray[np.intp],
        x: Float32,
        states: Sequence[OperatingState | None],
        drift: Float32 | None = None,
        heads: Sequence[Head | None] = (),
    ) -> Judgement:
        """Score windows of these points.

        Parameters
        ----------
        rows : np.ndarray [shape=(n,)]
            Point of each window, as in `slots`.
        x : np.ndarray [shape=(n, width)]
            Features in model units.
        states : sequence of n operating states
        drift : np.ndarray [shape=(points, width)], optional
            How far the followed baseline has moved, in model units.
        heads : sequence of Head or None, optional
            What labels have taught about each point.
        """
        matched = _match(self.states, states)
        if drift is not None:
            x = x - drift[rows]
        seen = matched >= 0
        state = np.where(seen, matched, 0)
        z = (x - self.location[rows, state]) / self.spread[rows, state]
        z *= self.slots.mask[rows]
        position, hidden, log_score = self._distance(rows, z)
        for i in np.flatnonzero(~seen):
            state[i], z[i], position[i], hidden[i], log_score[i] = self._closest(
                int(rows[i]), x[i], states[int(i)], self.states
            )
        corrected = log_score.copy()
        for row, head in enumerate(heads):
            mine = rows == row
            if head is not None and not head.is_start and mine.any():
                corrected[mine] = head.adjust(position[mine], hidden[mine], corrected[mine])
        ln_p = self.seen.ln_p(rows, corrected)
        if not seen.all():
            ln_p[~seen] = self.unseen.ln_p(rows[~seen], corrected[~seen])
        return Judgement(z, position, hidden, log_score, ln_p, seen, state)

    def _distance(self, rows: NDArray[np.intp], z: Float32) -> tuple[Float32, Float32, Float64]:
        """Whitened positions, hidden layers and log scores of z-scores, a row a window."""
        everyone = len(rows) == len(self.points) and bool((rows == self._all).all())
        mask = self.slots.mask if everyone else self.slots.mask[rows]
        inference = self.autoencoder.infer(soft_clip(z), mask)
        v = np.concatenate([inference.residual, inference.latent], axis=1)
        if everyone:
            v -= self.centre
            w = self._whitened(v, self._whiten_used)
        else:
            v -= self.centre[rows]
            same = len(rows) > 0 and bool((rows == rows[0]).all())
            w = v @ self.whiten[rows[0]] if same else self._whitened(v, self._whiten_used[rows])
        return w, inference.hidden, stretched(np.einsum("ij,ij->i", w, w), z)

    def _whitened(self, v: Float32, whiten: Float32) -> Float32:
        """Positions, by the coordinates in use only: unused slots are 0 in both."""
        w = np.zeros_like(v)
        w[:, self._used] = np.matmul(v[:, None, self._used], whiten)[:, 0]
        return w

    def _closest(
        self, row: int, x: Float32, state: OperatingState | None, states: StateMap
    ) -> tuple[int, Float32, Float32, Float32, float]:
        """Least distance over all states of the map and the blend of the nearest two."""
        index = np.array([self.states.states.index(s) for s in states.states], np.intp)
        location, spread = self.location[row, index], self.spread[row, index]
        blend = states.blend(state)
        if blend is not None:
            low, high, w = blend.low, blend.high, np.float32(blend.weight)
            location = np.vstack([location, (1 - w) * location[low] + w * location[high]])
            spread = np.vstack([spread, np.maximum(spread[low], spread[high])])
        z = (x - location) / spread * self.slots.mask[row]
        position, hidden, log_score = self._distance(np.full(len(z), row, np.intp), z)
        best = int(log_score.argmin())
        nearest = best if best < len(index) else states.nearest(state)[0]
        return int(index[nearest]), z[best], position[best], hidden[best], float(log_score[best])

    def score_left_out(self, row: int, x: Float32, left_out: int) -> Float64:
        """Log scores that rows x of one state would have had, had the baseline not held it."""
        states = self.states.without(left_out)
        state = self.states.states[left_out]
        return np.array([self._closest(row, one, state, states)[4] for one in x])


@dataclass(frozen=True)
class MachineModel:
    """A machine's baseline, ready to judge."""

    kinds: tuple[KindModel, ...]
    states: StateMap
    fusion: Fusion
    seen: Calibration | None
    """Of the fused statistic; None where the machine has one point."""
    unseen: Calibration | None
    persistence: Persistence
    windows: int
    outliers: int
    hop_s: float
    """Median time between windows in the baseline …"""
    mean_hop_s: float
    """… and the mean, pauses included: what a year holds."""
    baseline_id: str
    model_id: str
    coverage: Coverage | None = None
    """How complete the baseline was."""

    @cached_property
    def row(self) -> dict[str, int]:
        """Row of each point in the machine's arrays."""
        return {point: row for row, point in enumerate(self.points)}

    def baseline_value(self, point: str, feature: str) -> float | None:
        """Baseline of a feature in its unit: the largest of its operating states' medians."""
        for kind in self.kinds:
            if point in kind.row and feature in kind.slots.names:
                slot = kind.slots.names.index(feature)
                location = float(kind.location[kind.row[point], :, slot].max())
                return float(np.exp(location)) if kind.slots.level[slot] else location
        return None

    @property
    def points(self) -> tuple[str, ...]:
        """All points, kind by kind: the order of rows in the machine's arrays."""
        return tuple(point for kind in self.kinds for point in kind.slots.points)

    def fuse(self, ln_p: Float64, rows: NDArray[np.intp], seen: bool) -> float:
        """Calibrated logarithm of the machine's p-value from its points' ln p."""
        fused = self.fusion.ln_p(ln_p, rows)
        calibration = self.seen if seen else self.unseen
        if calibration is None or len(rows) == 1:
            return fused
        trust = calibration.n / (calibration.n + FUSED_WINDOWS)
        calibrated = calibration.ln_p_of_one(-fused)
        return trust * calibrated + (1 - trust) * fused


def _match(states: StateMap, told: Sequence[OperatingState | None]) -> NDArray[np.intp]:
    """State of each row, −1 where never seen; rows of a hop mostly share one object."""
    cache: dict[int, int] = {}
    index = np.empty(len(told), np.intp)
    for i, state in enumerate(told):
        key = id(state)
        if key not in cache:
            found = states.match(state)
            cache[key] = -1 if found is None else found
        index[i] = cache[key]
    return index
