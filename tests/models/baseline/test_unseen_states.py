"""Windows in unseen operating states, on a simulated machine and on a real one."""

from pathlib import Path

import numpy as np
import pytest

from auscult.contract.records import DEPARTED, OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.detection import (
    Split,
    condition_of,
    fitted_detector,
    held_out_splits,
    score_recordings,
)
from auscult.gateway.evaluate.features import machine_data
from auscult.models.baseline.model_state import model_from_arrays, model_to_arrays
from auscult.models.decision.hop_scorer import HopScorer
from auscult.models.detector import MachineDetector, NamePlate
from auscult.models.learning.machine_replay import contexts_of
from auscult.models.records import Observation
from auscult.models.settings import SHIPPED

DEMO = Path(__file__).parents[3] / "app" / "demo"
SPEC = FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500)
KNOWN, NEW = (800.0, 1000.0, 1400.0), 1200.0


def windows(speeds, n, shift=0.0, seed=0):
    """Hops of a machine whose features follow the speed, each by its own slope and resonance."""
    own = np.random.default_rng(7)
    level, slope = own.uniform(-3, 0, len(SPEC)), own.normal(1.5, 1.0, len(SPEC))
    phase = own.uniform(0, 2 * np.pi, len(SPEC))
    rng = np.random.default_rng(seed)
    for i, speed in enumerate(np.repeat(speeds, n)):
        u = np.log(speed / 1000)
        x = level + slope * u + 0.1 * np.sin(8 * u + phase) + shift
        x += 0.1 * rng.standard_normal(len(SPEC))
        state = OperatingState(float(speed))
        yield [Observation("de", 10**18 + i * 10**9, np.exp(x).astype(np.float32), state)]


def fitted(speeds, n=60):
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    for hop in windows(speeds, n):
        detector.observe(hop)
    model = detector.fit_now().run()
    detector.adopt(model)
    return detector, model


def ln_p(detector, speed, shift=0.0):
    decisions = [detector.observe(hop) for hop in windows([speed], 40, shift, seed=3)]
    return np.log([decision.machine.p_value for decision in decisions])


@pytest.fixture(scope="module")
def pump():
    return fitted(KNOWN)


def test_a_fault_is_beyond_the_limit_at_a_new_speed_and_a_healthy_window_is_not(pump):
    detector, _ = pump
    limit = np.log(SHIPPED.p_limit)
    assert (ln_p(detector, NEW) > limit).all()
    assert (ln_p(detector, NEW, shift=0.5) < limit).all()


@pytest.mark.parametrize("speed", [250.0, 3000.0, 6000.0])
def test_far_outside_the_known_speeds_nothing_is_beyond_the_limit(pump, speed):
    detector, _ = pump
    assert (ln_p(detector, speed) > np.log(SHIPPED.p_limit)).all()


def test_predictions_are_stored_with_the_model(pump):
    _, model = pump
    meta, arrays = model_to_arrays(model)
    again = model_from_arrays(meta, arrays, {"de": SPEC})
    assert again.predicts_states
    hop = next(windows([NEW], 1))
    scores = [_scored(one, hop).kinds[0] for one in (model, again)]
    np.testing.assert_array_equal(scores[0].ln_p, scores[1].ln_p)


def test_a_model_stored_without_predictions_compares_with_the_nearest_states(pump):
    _, model = pump
    meta, arrays = model_to_arrays(model)
    earlier = {name: a for name, a in arrays.items() if not name.startswith("between/")}
    old = model_from_arrays(meta, earlier, {"de": SPEC})
    assert not old.predicts_states
    assert not contexts_of(old)["de"].predicted
    hop = next(windows([NEW], 1))
    scores = _scored(old, hop).kinds[0]
    kind = old.kinds[0]
    x = kind.slots.model_units_of(hop[0].features[None], 0)[0]
    nearest = kind._closest(0, x, hop[0].state, old.states)
    assert scores.log_score[0] == nearest[3]
    np.testing.assert_array_equal(scores.z[0], nearest[1])


def _scored(model, hop):
    return HopScorer(model, {"de": SPEC}, SHIPPED).score(hop, hop[0].features, follow_drift=False)


@pytest.mark.parametrize(("speeds", "n"), [(KNOWN[:2], 30), (KNOWN, 9)])
def test_few_states_or_windows_predict_no_other_state(speeds, n):
    _, model = fitted(speeds, n)
    assert not model.predicts_states
    assert contexts_of(model)["de"].predicted is False


def test_a_thin_state_does_not_stop_the_prediction_from_the_others():
    """A frequency converter that never repeats a speed leaves states of few windows."""
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    for hop in (*windows(KNOWN, 60), *windows([KNOWN[0] * 1.05], 3)):
        detector.observe(hop)
    model = detector.fit_now().run()
    detector.adopt(model)
    assert model.predicts_states
    meta, arrays = model_to_arrays(model)
    for one in (model, model_from_arrays(meta, arrays, {"de": SPEC})):
        known = [one.states.states[k].speed_rpm for k in one.kinds[0].predicted.known]
        assert sorted(known) == sorted(KNOWN)
    limit = np.log(SHIPPED.p_limit)
    assert (ln_p(detector, NEW) > limit).all()
    assert (ln_p(detector, 3000.0) > limit).all(), "far outside nothing is beyond the limit"
    assert (ln_p(detector, NEW, shift=0.5) < limit).all()


@pytest.mark.parametrize("held_out", [1650.0, 1850.0])
def test_a_damaged_propeller_is_found_at_a_speed_that_the_baseline_lacks(motor, held_out):
    """Without predictions, no window is beyond the limit and no event opens.

    The recording lasts 8 s. A baseline of few windows a state takes up to 9 s, so it plays twice.
    """
    split = dict(held_out_splits(motor, "speed_rpm"))[held_out]
    new = [(s, n) for s, n in split.evaluated if condition_of(s, "speed_rpm") == held_out]
    detector = fitted_detector(motor, Split(split.baseline, tuple(new)))
    scores, events = score_recordings(detector, motor, new)
    figures = scores.detection(None, 0)
    assert figures.auc >= 0.99
    assert figures.fpr <= 0.02
    assert figures.tpr >= 0.9
    assert (events.healthy, events.false_events) == (1, 0)
    faulty = next(s for s, _ in new if s.recording.label is RecordingLabel.FAULTY)
    detector.reset_evidence()
    lasts_ns = int(faulty.t_ns[-1] + faulty.t_ns[1] - 2 * faulty.t_ns[0])
    conditions = {
        detector.observe([o._replace(t_ns=o.t_ns + turn * lasts_ns) for o in hop]).machine.condition
        for turn in range(2)
        for hop in faulty.hops()
    }
    assert conditions & set(DEPARTED)


@pytest.fixture(scope="module")
def motor():
    return machine_data(read_manifest(DEMO / "motor"), "motor", 0.4, lambda: None)
