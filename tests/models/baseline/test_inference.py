"""Operating states are inferred where a gap separates them, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.contract.records import OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.collection import PointWindows
from auscult.models.baseline.fit import fit_baseline
from auscult.models.baseline.state_inference import infer_states
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import SHIPPED

SPEC = FeatureSpec.vibration(5120, 2560, "g")


@given(st.integers(20, 300), st.integers(1, 40), st.integers(0, 99))
def test_noise_is_one_state(n, d, seed) -> None:
    x = np.random.default_rng(seed).standard_normal((n, d))
    assert not infer_states(x, 10).any()


@pytest.mark.parametrize("slope", [0.01, 0.1, 1.0])
def test_drift_is_one_state(slope) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((300, 20)) + slope * np.arange(300)[:, None]
    assert not infer_states(x, 10).any()


def test_a_slow_wander_is_one_state() -> None:
    rng = np.random.default_rng(2)
    walk = np.cumsum(rng.standard_normal((500, 1)) * 0.3, axis=0)
    assert not infer_states(rng.standard_normal((500, 20)) + walk, 10).any()


def test_returning_states_are_recognised_and_many_are_distinguished() -> None:
    rng = np.random.default_rng(3)
    true = np.repeat([0, 1, 2, 1, 3, 0, 2], 25)
    centres = 12 * rng.standard_normal((4, 30)) / np.sqrt(30)
    x = rng.standard_normal((len(true), 30)) * 0.3 + centres[true]
    np.testing.assert_array_equal(infer_states(x, 10), true)


def test_a_short_transient_is_not_a_state() -> None:
    x = np.random.default_rng(4).standard_normal((100, 10))
    x[40:46] += 30
    assert not infer_states(x, 10).any()


def _windows(rng, state: int, n: int) -> np.ndarray:
    level = np.where(np.arange(len(SPEC)) % 2, 0.8, -0.8) * state
    return np.exp(level + 0.05 * rng.standard_normal((n, len(SPEC)))).astype(np.float32)


def test_inferred_states_keep_a_machine_normal_in_each_of_them() -> None:
    rng = np.random.default_rng(5)
    features = np.concatenate([_windows(rng, k, 60) for k in (0, 1, 0, 1)])
    t_ns = np.arange(len(features)) * 10**9
    windows = {"de": PointWindows(features, t_ns, (None,) * len(features))}
    model = fit_baseline({"de": SPEC}, windows, SHIPPED)
    assert model.states.inferred
    assert len(model.states) == 2
    given = fit_baseline(
        {"de": SPEC},
        {"de": PointWindows(features, t_ns, (OperatingState(1500),) * len(features))},
        SHIPPED,
    )
    assert len(given.states) == 1, "a given state is used"

    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    detector.adopt(model)
    assert detector.coverage.states == ("inferred state 1", "inferred state 2")
    resumed = MachineDetector(NamePlate("pump"), {"de": SPEC})
    resumed.restore(detector.state())

    def conditions(which: MachineDetector, windows: np.ndarray) -> list[str]:
        which.reset_evidence()
        hops = [[Observation("de", i * 10**9, x)] for i, x in enumerate(windows)]
        return [which.observe(hop).machine.condition.value for hop in hops]

    for one in (detector, resumed):
        for state in (0, 1):
            assert set(conditions(one, _windows(rng, state, 60))) == {"normal"}
        between = np.sqrt(_windows(rng, 0, 60) * _windows(rng, 1, 60))
        assert conditions(one, between)[-1] == "alarm", "half way is neither"
