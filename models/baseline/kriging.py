"""Location and spread of the features in an operating state that the baseline does not hold.

Kriging (Gaussian-process regression; Rasmussen & Williams 2006, chapter 2 and section 2.7) over
the logarithm of the speed and the load as a share of the largest: a constant mean, a linear trend
and a smooth part. Its variance grows with the distance from the known states, so a state far
outside them has a wide spread and says little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import OperatingState
from auscult.models.baseline.states import UNKNOWN_STATE, StateMap, alike, state_key

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

MIN_STATES = 3
"""Fewest known states: each is predicted from the others, and one other shows no trend."""
LENGTH = 0.3
"""Range of the smooth part: 35 % of speed, or 30 % of the largest load."""
TREND = 10.0
"""Variance of the slope, where the variance of the smooth part is 1: most features follow speed or
load, by up to about three of its standard deviations over a factor e of speed."""
NUGGET = 0.1
"""Variance that no neighbour explains: a machine never returns to quite the same state."""
MEAN = 1e3
"""Prior variance of the mean, in effect unlimited."""
FEW_STATES = 8.0
"""Known states at which a feature's own variance between states counts as much as the features'
common one."""
REACH_GROWTH = 3.0
"""Growth of the logarithm of the predicted variance for each multiple of the largest variance that
leaving out known states has tested: beyond it nothing shows that the prediction holds. With 3, no
simulated machine is abnormal at three times its highest known speed (docs/decisions/0021)."""
LARGEST_GROWTH = 20.0
"""Limit of that logarithm: the spread is then 22,000 times as wide, and nothing is a departure."""
SMALLEST_RATIO = 1e-2
"""Smallest ratio of the variances between and within states, before its logarithm is averaged."""
PREDICTED_STATES = 64
"""Operating states whose prediction is cached: a converter may never repeat a speed."""


class Prediction(NamedTuple):
    """Location and spread of each point's features [shape=(points, d), dtype=float32] in a state.

    ``nearest`` is the index of the nearest known state.
    """

    nearest: int
    location: Float32
    spread: Float32


@dataclass(frozen=True)
class StateKriging:
    """Predicts a new state from the known ones by their position.

    Examples
    --------
    Halfway between known speeds the prediction is sharper than far outside them:

    >>> given = [OperatingState(speed) for speed in (800, 1000, 1400)]
    >>> kriging = StateKriging.from_states(StateMap.group(given)[0], range(3))
    >>> weights, variance = kriging.weights(OperatingState(1200))
    >>> round(float(weights.sum()), 2), variance < kriging.weights(OperatingState(3000))[1] / 10
    (1.0, True)
    """

    states: tuple[OperatingState, ...]
    max_load: float
    _origin: Float64
    _positions: Float64
    _inverse: Float64

    @classmethod
    def from_states(cls, states: StateMap, known: Sequence[int]) -> StateKriging:
        """Prepare the prediction from these states of a map."""
        some = tuple(states.states[k] for k in known)
        positions = np.stack([_position(state, states.max_load) for state in some])
        origin = positions.mean(0)
        kernel = _kernel(positions - origin, positions - origin)
        inverse = np.linalg.inv(kernel + NUGGET * np.eye(len(some))).astype(np.float64)
        return cls(some, states.max_load, origin, positions, inverse)

    def weights(self, state: OperatingState) -> tuple[Float64, float]:
        """Return the weight of each known state [shape=(k,)], and the variance of the prediction.

        The variance is in units of the variance between states. A state with other tags or other
        quantities than the known ones has no position: it counts as beyond the farthest of them.
        """
        known = self._positions - self._origin
        if alike(state, self.states[0]):
            at = (_position(state, self.max_load) - self._origin)[None]
            k = _kernel(known, at)[:, 0]
            own = float(_kernel(at, at)[0, 0])
        else:
            k = np.full(len(known), MEAN)
            own = float(np.diag(_kernel(known, known)).max())
        weights = self._inverse @ k
        return weights, max(own + NUGGET - float(k @ weights), NUGGET)


def _position(state: OperatingState, max_load: float) -> Float64:
    speed = np.log(state.speed_rpm) if state.speed_rpm else 0.0
    load = state.load / max_load if state.load is not None and max_load else 0.0
    return np.array([speed, load])


def _kernel(a: Float64, b: Float64) -> Float64:
    """Covariance of positions a [shape=(n, 2)] and b [shape=(m, 2)], relative to the mean."""
    squared = ((a[:, None] - b) ** 2).sum(-1)
    kernel: Float64 = MEAN + np.exp(-squared / (2 * LENGTH**2)) + TREND * (a @ b.T)
    return kernel


def can_predict(states: StateMap) -> bool:
    """Return whether new states can be predicted: enough known ones, all with the same quantities.

    Tags such as a recipe have no position, so states that differ in them are not predicted from
    one another.

    >>> can_predict(StateMap.group([OperatingState(speed) for speed in (800, 1000, 1400)])[0])
    True
    >>> can_predict(StateMap.group([OperatingState(speed) for speed in (800, 1000)])[0])
    False
    """
    first = states.states[0]
    return (
        not states.inferred
        and len(states) >= MIN_STATES
        and (first.speed_rpm is not None or first.load is not None)
        and all(alike(first, state) for state in states.states)
    )


def between_states(
    states: StateMap, known: Sequence[int], location: Float32, spread: Float32
) -> Float32:
    """Variance of each feature between states [shape=(d,)], beyond what the position explains.

    Each known state is predicted from the others. The squared errors, over the variance of the
    prediction, are drawn towards their mean ratio to the variance within states.

    Parameters
    ----------
    states : StateMap
    known : sequence of int
        At least two states of the map.
    location, spread : np.ndarray [shape=(states, d)]
        Of all states of the map.
    """
    errors = []
    for k in known:
        others = [j for j in known if j != k]
        weights, variance = StateKriging.from_states(states, others).weights(states.states[k])
        errors.append((location[k] - weights @ location[others]) / np.sqrt(variance))
    own = np.mean(np.square(errors), axis=0)
    within = _within(spread[list(known)]) ** 2
    varies = own > 0
    ratio = 0.0
    if varies.any():
        ratio = float(np.exp(np.log((own / within)[varies] + SMALLEST_RATIO).mean()))
    between = (len(errors) * own + FEW_STATES * ratio * within) / (len(errors) + FEW_STATES)
    return np.asarray(between, np.float32)


def reach_of(states: StateMap, known: Sequence[int]) -> float:
    """Return the largest variance with which one of these states is predicted from the others."""
    return max(
        StateKriging.from_states(states, [j for j in known if j != k]).weights(states.states[k])[1]
        for k in known
    )


def _within(spread: Float32) -> Float64:
    """Spread within states [shape=(…, d)] from that of each [shape=(…, states, d)]."""
    within: Float64 = np.exp(np.log(spread.astype(np.float64)).mean(-2))
    return within


@dataclass(frozen=True)
class PredictedStates:
    """Predictions of all points of a kind, for windows of states that the baseline does not hold.

    Parameters
    ----------
    states : StateMap
    known : sequence of int
        States of the map to predict from.
    location, spread : np.ndarray [shape=(points, states, d), dtype=float32]
        Of all states of the map.
    between : np.ndarray [shape=(points, d), dtype=float32]
        Variance between states (`between_states`).
    reach : float
        Variance of a prediction up to which it was tested (`reach_of`).
    """

    states: StateMap
    known: Sequence[int]
    location: Float32
    spread: Float32
    between: Float32
    reach: float
    _kriging: StateKriging = field(init=False)
    _within: Float64 = field(init=False)
    _cache: dict[tuple[object, ...], Prediction] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "_kriging", StateKriging.from_states(self.states, self.known))
        put(self, "_within", _within(self.spread[:, list(self.known)]))

    def at(self, state: OperatingState | None) -> Prediction:
        """Predict a state; the last `PREDICTED_STATES` predictions are kept."""
        state = state or UNKNOWN_STATE
        key = state_key(state)
        if key not in self._cache:
            if len(self._cache) >= PREDICTED_STATES:
                self._cache.pop(next(iter(self._cache)))
            weights, variance = self._kriging.weights(state)
            location = np.einsum("k,pkd->pd", weights, self.location[:, list(self.known)])
            spread = np.sqrt(self._within**2 + variance * self.between)
            beyond = max(0.0, variance / self.reach - 1)
            spread *= np.exp(min(REACH_GROWTH * beyond, LARGEST_GROWTH) / 2)
            nearest = next(k for k in self.states.nearest(state) if k in self.known)
            self._cache[key] = Prediction(
                nearest, location.astype(np.float32), spread.astype(np.float32)
            )
        return self._cache[key]
