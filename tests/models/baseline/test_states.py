"""Operating states are separated by tolerance, and unseen states are detected."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.models.baseline.fusion import Fusion
from auscult.models.baseline.scaling import StateScaling
from auscult.models.baseline.states import MAX_STATES, StateMap


def test_states_differ_by_speed_load_and_tags() -> None:
    given = [
        OperatingState(1500, 0), OperatingState(1505, 1), OperatingState(1500, 50),
        OperatingState(1500, 50, {"recipe": "B"}), None, OperatingState(900, 0),
    ]  # fmt: skip
    states, index = StateMap.group(given)
    assert index.tolist() == [0, 0, 1, 2, 3, 4]
    assert states.match(OperatingState(1500, 25)) is None
    assert states.match(OperatingState(1480, 49)) == 1


def test_a_state_between_two_is_interpolated_and_one_beyond_is_not() -> None:
    states, _ = StateMap.group([OperatingState(1500, load) for load in (0, 20, 60)])
    blend = states.interpolate(OperatingState(1500, 30))
    assert blend is not None
    assert {blend.low, blend.high} == {1, 2}
    assert blend.weight == pytest.approx(0.25)
    assert states.interpolate(OperatingState(1500, 90)) is None
    assert states.interpolate(OperatingState(1500, 30, {"recipe": "B"})) is None
    middle = states.without(1).interpolate(OperatingState(1500, 15))
    assert middle is not None
    assert middle.weight == pytest.approx(0.25)


def test_a_machine_with_any_speed_keeps_a_bounded_number_of_states() -> None:
    given = [OperatingState(float(speed)) for speed in np.geomspace(100, 10_000, 400)]
    states, index = StateMap.group(given)
    assert len(states) == MAX_STATES
    assert index.max() == MAX_STATES - 1


def test_a_state_with_few_windows_borrows_the_pooled_spread() -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(0, 1.0, (500, 1))
    few = rng.normal(5, 0.01, (4, 1))
    x = np.concatenate([wide, few]).astype(np.float32)
    scaling = StateScaling.fit(x, np.repeat([0, 1], [500, 4]), 2)
    assert scaling.spread[0, 0] == pytest.approx(1.0, rel=0.15)
    assert scaling.spread[1, 0] > 0.3
    assert scaling.location[1, 0] == pytest.approx(5.0, abs=0.05)


def test_more_points_do_not_mean_more_false_alarms() -> None:
    rng = np.random.default_rng(1)
    for correlation in (0.0, 0.8):
        common = rng.standard_normal((4000, 1))
        own = rng.standard_normal((4000, 8))
        s = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
        from scipy.stats import norm

        ln_p = norm.logsf(s)
        fusion = Fusion.fit(ln_p[:2000])
        fused = np.array([fusion.ln_p(row, np.arange(8)) for row in ln_p[2000:]])
        assert (fused < np.log(0.01)).mean() < 0.025


def test_one_strong_point_or_several_weak_ones_carry_the_machine() -> None:
    fusion = Fusion(np.diag(np.full(4, 4.0)))
    rows = np.arange(4)
    assert fusion.ln_p(np.log([1e-8, 0.5, 0.5, 0.5]), rows) < np.log(1e-4)
    assert fusion.ln_p(np.log([0.03] * 4), rows) < np.log(2e-3)
    assert fusion.ln_p(np.full(4, -300.0), rows) < -900
