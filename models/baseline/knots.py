"""Operating states of a machine whose speed or load never repeats: knots of a smooth function.

States of 2 % of speed then hold a few windows each, and there are more of them than a baseline can
hold. A grid of wider states takes their place. Between its knots, the location of each feature is
a smooth function of speed and load (`auscult.models.baseline.kriging`): a window is brought to its
knot by the difference of that function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, log, log1p
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import SAME_STATE_LOAD, SAME_STATE_SPEED, OperatingState
from auscult.models.baseline.kriging import MIN_STATES, StateKriging
from auscult.models.baseline.states import (
    MAX_STATES,
    UNKNOWN_STATE,
    StateMap,
    alike,
    state_key,
)

Float32 = NDArray[np.float32]

FEW_SHARE: Final = 0.25
"""Share of the windows in states of too few windows from which the states do not repeat."""
KNOT_FEW_SHARE: Final = 0.1
"""The same among knots: those at the ends of the range hold few."""
WIDTHS: Final = tuple(2.0 ** (i / 2) for i in range(1, 9))
"""Widths of cells that are tried, in tolerances of a state. The widest, 16, are about as wide as
the smooth part of the location reaches (`kriging.LENGTH`)."""
CACHED: Final = 256
"""Operating states whose shift is cached."""


def states_of(
    given: Sequence[OperatingState | None], least: int, enough: int
) -> tuple[StateMap, NDArray[np.intp]]:
    """Group windows by their operating state, by knots where the states do not repeat.

    Parameters
    ----------
    given : sequence of OperatingState
        Of each window.
    least : int
        Windows that a state needs.
    enough : int
        Windows of a baseline; with fewer nothing shows that states do not repeat.

    Returns
    -------
    StateMap
    np.ndarray [shape=(n,)]
        State of each window.

    Examples
    --------
    >>> speeds = np.random.default_rng(0).uniform(800, 1600, 200)
    >>> states, index = states_of([OperatingState(speed) for speed in speeds], 10, 200)
    >>> states.are_knots, len(states) < 20, int(np.bincount(index).min()) > 5
    (True, True, True)
    """
    states, index = StateMap.group(given)
    if len(given) < enough or states.states == (UNKNOWN_STATE,):
        return states, index
    few = _share_in_few(index, least) >= FEW_SHARE or len(states) == MAX_STATES
    for width in WIDTHS if few else ():
        grid, on_grid = _grid(given, states.max_load, width)
        if len(grid) <= MAX_STATES and _share_in_few(on_grid, least) <= KNOT_FEW_SHARE:
            return grid, on_grid
    return states, index


def _share_in_few(index: NDArray[np.intp], least: int) -> float:
    """Share of the windows in states of fewer than ``least``."""
    counts = np.bincount(index)
    return float(counts[counts < least].sum() / len(index))


def _grid(
    given: Sequence[OperatingState | None], max_load: float, width: float
) -> tuple[StateMap, NDArray[np.intp]]:
    """Return the cells of equal width for each group of windows with equal tags and quantities."""
    each = [state or UNKNOWN_STATE for state in given]
    cells = [
        cell
        for group in _groups({state_key(state): state for state in each}.values())
        for cell in _cells(group, max_load, width)
    ]
    knot = {state_key(state): k for k, cell in enumerate(cells) for state in cell}
    index = np.array([knot[state_key(state)] for state in each], np.intp)
    lowest, middle, highest = (
        tuple(_of_each(cell, choose) for cell in cells) for choose in (min, median, max)
    )
    return StateMap(middle, max_load, lowest=lowest, highest=highest), index


def _groups(states: Iterable[OperatingState]) -> list[list[OperatingState]]:
    """Return the states with equal tags and quantities, in the order of the first of each."""
    groups: list[list[OperatingState]] = []
    for state in states:
        own = next((group for group in groups if alike(group[0], state)), None)
        if own is None:
            groups.append([state])
        else:
            own.append(state)
    return groups


def _cells(
    group: Sequence[OperatingState], max_load: float, width: float
) -> list[list[OperatingState]]:
    """Divide the states of a group by cell of speed and load, in the order of the first of each."""
    speeds = [log(s.speed_rpm) for s in group if s.speed_rpm]
    loads = [s.load for s in group if s.load is not None]
    cells: dict[tuple[int, int], list[OperatingState]] = {}
    for state in group:
        speed = load = 0
        if state.speed_rpm:
            speed = _cell(speeds, log(state.speed_rpm), width * log1p(SAME_STATE_SPEED))
        if state.load is not None and max_load:
            load = _cell(loads, state.load, width * SAME_STATE_LOAD * max_load)
        cells.setdefault((speed, load), []).append(state)
    return list(cells.values())


def _of_each(
    states: Sequence[OperatingState], choose: Callable[[list[float]], float]
) -> OperatingState:
    """Return the state with the chosen speed and load of some with equal tags and quantities."""
    first = states[0]
    speed = None if first.speed_rpm is None else choose([s.speed_rpm or 0.0 for s in states])
    load = None if first.load is None else choose([s.load or 0.0 for s in states])
    return OperatingState(speed, load, first.tags)


def _cell(values: Sequence[float], value: float, width: float) -> int:
    """Return the number of a value's cell; even cells, at most so wide, cover the values."""
    low, span = min(values), max(values) - min(values)
    cells = max(1, ceil(span / width))
    return min(int((value - low) / span * cells), cells - 1) if span else 0


@dataclass(frozen=True)
class KnotShifts:
    """How features at a window's own speed and load differ from those at its knot.

    Parameters
    ----------
    states : StateMap
        The knots.
    """

    states: StateMap
    _kriging: dict[int, tuple[NDArray[np.intp], StateKriging, NDArray[np.float64]]] = field(
        init=False, default_factory=dict
    )
    _cache: dict[tuple[object, ...], Float32] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        every = self.states.states
        for k, knot in enumerate(every):
            like = np.flatnonzero([alike(knot, other) for other in every])
            if len(like) >= MIN_STATES:
                first = int(like[0])
                kriging = self._kriging[first][1] if first in self._kriging else None
                kriging = kriging or StateKriging.from_states(self.states, like.tolist())
                self._kriging[k] = like, kriging, kriging.weights(knot)[0]

    def weights(self, state: OperatingState | None, knot: int) -> Float32:
        """Weight of the location of each knot [shape=(knots,)] in the shift of a window."""
        state = state or UNKNOWN_STATE
        key = state_key(state)
        if key not in self._cache:
            if len(self._cache) >= CACHED:
                self._cache.clear()
            weights = np.zeros(len(self.states), np.float32)
            if knot in self._kriging:
                like, kriging, at_knot = self._kriging[knot]
                weights[like] = kriging.weights(state)[0] - at_knot
            self._cache[key] = weights
        return self._cache[key]

    def all(self, given: Sequence[OperatingState | None], index: NDArray[np.intp]) -> Float32:
        """Return the weights of windows with these states and knots [shape=(n, knots)]."""
        return np.stack([self.weights(s, int(k)) for s, k in zip(given, index, strict=True)])
