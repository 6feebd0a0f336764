"""Operating states: groups the windows of a baseline, and detects unseen states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import SAME_STATE_LOAD, SAME_STATE_SPEED, OperatingState
from auscult.contract.said import SaidValue

FAR = 1e6
"""Distance of states with different quantities or tags."""
MATCHES = 256
"""States whose match is cached."""
MAX_STATES = 32
"""Most states; further ones are merged into the nearest, so that memory stays bounded."""

UNKNOWN_STATE = OperatingState()
INFERRED = "inferred state"
"""Tag of a state that was inferred from the signal."""
UNSTATED = "an unknown speed and load"
"""An operating state of which nothing is stated."""


@dataclass(frozen=True, slots=True)
class Interpolation:
    """Position of an unseen state between two seen ones: ``(1 − weight)·low + weight·high``."""

    low: int
    high: int
    weight: float


@dataclass(frozen=True)
class StateMap:
    """The operating states of a baseline, each represented by its first window.

    Examples
    --------
    >>> given = [OperatingState(1500), OperatingState(1512), OperatingState(1800)]
    >>> states, index = StateMap.group(given)
    >>> index.tolist(), states.match(OperatingState(1490)), states.match(OperatingState(1650))
    ([0, 0, 1], 0, None)
    """

    states: tuple[OperatingState, ...]
    max_load: float
    inferred: bool = False
    """Whether states are inferred from the features, because none were given."""
    lowest: tuple[OperatingState, ...] = ()
    """Lowest speed and load of each state, where the states are knots
    (`auscult.models.baseline.knots`); else empty."""
    highest: tuple[OperatingState, ...] = ()

    @classmethod
    def inferred_states(cls, count: int) -> StateMap:
        """Return the states that were found in the signal, numbered in order of appearance."""
        numbers = range(1, count + 1)
        return cls(tuple(OperatingState(tags={INFERRED: str(n)}) for n in numbers), 0.0, True)

    @classmethod
    def group(cls, given: Sequence[OperatingState | None]) -> tuple[StateMap, NDArray[np.intp]]:
        """Group the given states of windows; return the groups and the group of each window."""
        loads = [abs(state.load) for state in given if state and state.load is not None]
        grown = cls((), max(loads, default=0.0))
        index = np.empty(len(given), np.intp)
        cache: dict[tuple[object, ...], int] = {}
        for row, one in enumerate(given):
            state = one or UNKNOWN_STATE
            key = state_key(state)
            if key not in cache:
                found = grown.match(state)
                if found is None and len(grown.states) >= MAX_STATES:
                    found = grown.nearest(state)[0]
                if found is None:
                    grown = cls((*grown.states, state), grown.max_load)
                    found = len(grown.states) - 1
                cache[key] = found
            index[row] = cache[key]
        return grown, index

    def __len__(self) -> int:
        return len(self.states)

    @property
    def are_knots(self) -> bool:
        """Return whether a smooth function of speed and load joins the states."""
        return bool(self.lowest)

    def match(self, state: OperatingState | None) -> int | None:
        """Index of the seen state to which this one belongs, None for an unseen state."""
        state = state or UNKNOWN_STATE
        key = state_key(state)
        if key not in self._matched:
            if len(self._matched) >= MATCHES:
                self._matched.clear()
            distances = self._distances(state)
            least = min(distances, default=np.inf)
            nearest = distances.index(least) if least <= 1.0 else None
            if nearest is not None and self.are_knots and not self._between(state, nearest):
                nearest = None
            self._matched[key] = nearest
        return self._matched[key]

    def _between(self, state: OperatingState, nearest: int) -> bool:
        """Return whether a state is in the nearest cell, or in a gap between it and other cells.

        On each side where it leaves the nearest cell, another one must follow within the width of
        a cell: beyond the last known speed, and in a wider gap, the location is a prediction.
        """
        offsets, distances = self._offsets(state), self._distances(state)
        reach = self._widest - distances[nearest]
        near = [o for o, distance in zip(offsets, distances, strict=True) if distance <= reach]
        return all(
            beyond == 0.0 or any(beyond * other[side] <= 0.0 for other in near)
            for side, beyond in enumerate(offsets[nearest])
        )

    def nearest(self, state: OperatingState | None) -> list[int]:
        """Return all seen states, nearest first."""
        distances = self._distances(state or UNKNOWN_STATE)
        return [int(i) for i in np.argsort(distances, kind="stable")]

    def interpolate(self, state: OperatingState | None) -> Interpolation | None:
        """Interpolate between the nearest state and the nearest on the other side, if any."""
        order = self.nearest(state)
        if state is None or len(order) < 2:
            return None
        low = order[0]
        if self.states[low].tags != state.tags:
            return None
        a, x = self._positions[low], self._position(state)
        for high in order[1:]:
            if self.states[high].tags != state.tags:
                continue
            b = self._positions[high]
            span = sum((q - p) ** 2 for p, q in zip(a, b, strict=True))
            along = sum((v - p) * (q - p) for p, q, v in zip(a, b, x, strict=True))
            if 0.0 < along < span:
                return Interpolation(low, high, along / span)
        return None

    def without(self, index: int) -> StateMap:
        """Return the map without one state, for the leave-one-state-out calibration."""
        kept, lowest, highest = (
            tuple(state for i, state in enumerate(of) if i != index)
            for of in (self.states, self.lowest, self.highest)
        )
        return StateMap(kept, self.max_load, self.inferred, lowest, highest)

    @cached_property
    def _matched(self) -> dict[tuple[object, ...], int | None]:
        """Cache of `match`: mostly the same state comes window after window."""
        return {}

    @cached_property
    def _positions(self) -> tuple[tuple[float, float], ...]:
        return tuple(self._position(state) for state in self.states)

    @cached_property
    def _extents(self) -> tuple[tuple[tuple[float, float], tuple[float, float]], ...]:
        """Return the lowest and highest position of each state."""
        low, high = self.lowest or self.states, self.highest or self.states
        return tuple((self._position(a), self._position(b)) for a, b in zip(low, high, strict=True))

    @cached_property
    def _widest(self) -> float:
        """Return the extent of the widest cell, at least two tolerances."""
        cells = ((b[i] - a[i] for i in (0, 1)) for a, b in self._extents)
        return max(2.0, *(max(cell) for cell in cells))

    def _position(self, state: OperatingState) -> tuple[float, float]:
        """Return the coordinates in which 1 is the tolerance; a quantity that is not given is 0."""
        speed = log(state.speed_rpm) / log1p(SAME_STATE_SPEED) if state.speed_rpm else 0.0
        width = SAME_STATE_LOAD * self.max_load
        return speed, state.load / width if state.load is not None and width else 0.0

    def _offsets(self, state: OperatingState) -> list[tuple[float, float]]:
        """Return the speed and load beyond each seen state, with their sign; 0 within it."""
        speed, load = self._position(state)
        return [
            (speed - min(max(speed, low[0]), high[0]), load - min(max(load, low[1]), high[1]))
            for low, high in self._extents
        ]

    def _distances(self, state: OperatingState) -> list[float]:
        """Distance to each seen state, 1 at the tolerance; `FAR` if other quantities are given."""
        return [
            max(map(abs, offset)) if alike(state, seen) else FAR
            for seen, offset in zip(self.states, self._offsets(state), strict=True)
        ]


def alike(a: OperatingState, b: OperatingState) -> bool:
    """Return whether both have the same tags and give the same quantities."""
    return (
        a.tags == b.tags
        and (a.speed_rpm is None) == (b.speed_rpm is None)
        and (a.load is None) == (b.load is None)
    )


def state_name(state: OperatingState | None) -> str:
    """Return the name of a state, for people.

    >>> state_name(OperatingState(1500, 40.0, {"recipe": "B"}))
    '1500 r/min, load 40, recipe B'
    """
    if state is None:
        return UNSTATED
    parts = []
    if state.speed_rpm is not None:
        parts.append(f"{state.speed_rpm:.0f} r/min")
    if state.load is not None:
        parts.append(f"load {state.load:g}")
    parts += [f"{name} {value}" for name, value in sorted(state.tags.items())]
    return ", ".join(parts) or UNSTATED


def state_values(state: OperatingState | None, prefix: str = "") -> dict[str, SaidValue]:
    """Return the values of a state for a `Said`, as `state_name` has them.

    >>> state_values(OperatingState(1500, None, {"recipe": "B"}))
    {'speed_rpm': 1500, 'load': None, 'tags': ('recipe B',)}
    """
    state = state or UNKNOWN_STATE
    tags = tuple(f"{name} {value}" for name, value in sorted(state.tags.items()))
    return {
        f"{prefix}speed_rpm": state.speed_rpm,
        f"{prefix}load": state.load,
        f"{prefix}tags": tags,
    }


def state_to_json(state: OperatingState | None) -> dict[str, Any] | None:
    """Convert an operating state to JSON."""
    if state is None:
        return None
    return {"speed_rpm": state.speed_rpm, "load": state.load, "tags": dict(state.tags)}


def state_from_json(value: Mapping[str, Any] | None) -> OperatingState | None:
    """Read an operating state from `state_to_json`."""
    if value is None:
        return None
    return OperatingState(value["speed_rpm"], value["load"], value["tags"])


def state_key(state: OperatingState) -> tuple[object, ...]:
    """Return the key of a state for a cache."""
    return state.speed_rpm, state.load, tuple(sorted(state.tags.items()))
