"""Unseen operating states are predicted from the known ones, with their uncertainty."""

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.models.baseline.kriging import (
    PredictedStates,
    StateKriging,
    between_states,
    can_predict,
    reach_of,
)
from auscult.models.baseline.states import StateMap

SPEEDS = (800.0, 1000.0, 1200.0, 1400.0)


def predicted(slope: float = 2.0, noise: float = 0.02, states: StateMap | None = None):
    """Features that follow ln speed, seen at four speeds with a little error."""
    rng = np.random.default_rng(0)
    states = states or StateMap.group([OperatingState(speed) for speed in SPEEDS])[0]
    known = range(len(states))
    at = np.array([np.log(s.speed_rpm) for s in states.states])[:, None]
    location = (slope * at + noise * rng.standard_normal((len(at), 30))).astype(np.float32)
    spread = np.full_like(location, 0.1)
    between = between_states(states, known, location, spread)
    return PredictedStates(
        states, known, location[None], spread[None], between[None], reach_of(states, known)
    )


@pytest.mark.parametrize("speed", [900.0, 1100.0, 1300.0])
def test_a_state_between_known_ones_is_predicted_nearly_as_sharply(speed):
    nearest, location, spread = predicted().at(OperatingState(speed))
    assert abs(SPEEDS[nearest] - speed) <= 100
    assert np.abs(location - 2.0 * np.log(speed)).max() < 0.06
    assert spread.max() < 0.13


def test_the_spread_grows_with_the_distance_and_with_the_variance_between_states():
    smooth, rough = predicted(), predicted(noise=0.5)
    spreads = [
        float(smooth.at(OperatingState(speed)).spread.mean()) for speed in (1100, 2000, 9000)
    ]
    assert spreads == sorted(spreads)
    assert spreads[-1] > 1.5 * spreads[0]
    near = OperatingState(1100)
    assert rough.at(near).spread.mean() > 2 * smooth.at(near).spread.mean()


def test_a_state_without_a_position_is_uncertain():
    kriging = StateKriging.from_states(predicted().states, range(4))
    near = kriging.weights(OperatingState(1100))[1]
    for other in (OperatingState(), OperatingState(1100, tags={"recipe": "B"})):
        weights, variance = kriging.weights(other)
        assert variance > 4 * near
        assert weights.sum() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("given", "can"),
    [
        ([OperatingState(800), OperatingState(1000)], False),
        ([OperatingState(800), OperatingState(1000), OperatingState(1200)], True),
        ([OperatingState(load=0), OperatingState(load=50), OperatingState(load=100)], True),
        ([OperatingState(800), OperatingState(1000), OperatingState(1200, 5)], False),
        ([OperatingState(tags={"recipe": name}) for name in "ABC"], False),
    ],
)
def test_few_or_unlike_states_are_not_predicted(given, can):
    assert can_predict(StateMap.group(given)[0]) is can
    assert not can_predict(StateMap.inferred_states(5))


def test_a_converter_that_never_repeats_a_speed_needs_bounded_memory():
    states = predicted()
    for speed in np.linspace(700, 1500, 500):
        states.at(OperatingState(float(speed)))
    assert len(states._cache) <= 64
