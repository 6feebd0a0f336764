"""A machine on a frequency converter that never repeats a speed."""

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.collection import Baseline
from auscult.models.baseline.knots import KnotShifts, states_of
from auscult.models.baseline.scaling import StateScaling
from auscult.models.baseline.states import StateMap
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import SHIPPED

PRESSURE = FeatureSpec.value("pressure", "bar", 1.0)
LEAST, ENOUGH = SHIPPED.state_windows, SHIPPED.baseline_windows


def swept(n, seed=0, low=800.0, high=2400.0):
    return np.exp(np.random.default_rng(seed).uniform(np.log(low), np.log(high), n))


def windows(speeds, factor=1.0, seed=1):
    """Pressure of a pump: it follows the square of the speed, with 1 % of scatter."""
    rng = np.random.default_rng(seed)
    for i, speed in enumerate(speeds):
        bar = factor * 2e-6 * speed**2 * np.exp(0.01 * rng.standard_normal())
        state = OperatingState(float(speed))
        yield [Observation("p", 10**18 + i * 10**9, np.array([bar], np.float32), state)]


@pytest.fixture(scope="module")
def pump():
    detector = MachineDetector(NamePlate("pump"), {"p": PRESSURE})
    job = None
    for hop in windows(swept(2 * ENOUGH)):
        detector.observe(hop)
        job = job or detector.fit_due()
    assert job is not None, "where states stay thin, a fit waits for four times the windows"
    detector.adopt(job.run())
    return detector


def share_beyond(detector, speeds, factor=1.0):
    decisions = [detector.observe(hop) for hop in windows(speeds, factor, seed=2)]
    return np.mean([d.machine.p_value < SHIPPED.p_limit for d in decisions])


def test_its_baseline_ends_and_separates_a_fault_at_speeds_that_it_never_had(pump):
    speeds = swept(200, seed=5, low=850, high=2300)
    assert share_beyond(pump, speeds) <= 0.02
    assert share_beyond(pump, speeds, factor=0.6) >= 0.9


def test_far_outside_its_speeds_nothing_is_beyond_the_limit(pump):
    assert share_beyond(pump, np.linspace(8000, 9000, 40), factor=0.5) == 0


def test_a_stored_model_has_the_same_knots(pump):
    again = MachineDetector(NamePlate("pump"), {"p": PRESSURE})
    again.restore(pump.state())
    for hop in windows(swept(20, seed=6)):
        assert again.observe(hop).machine.p_value == pump.observe(hop).machine.p_value


@pytest.mark.parametrize("per_state", [3, 9, 60])
def test_states_that_repeat_stay_as_they_are(per_state):
    """Few windows a state say nothing of a continuum before the baseline has enough windows."""
    rng = np.random.default_rng(0)
    speeds = np.repeat([800, 1000, 1200, 1400], per_state)
    speeds = speeds * rng.uniform(0.995, 1.005, len(speeds))
    given = [OperatingState(float(speed)) for speed in speeds]
    states, index = states_of(given, LEAST, ENOUGH)
    plain, of_plain = StateMap.group(given)
    assert states == plain
    assert index.tolist() == of_plain.tolist()


def test_tags_and_loads_have_knots_of_their_own():
    rng = np.random.default_rng(0)
    given = [
        OperatingState(float(speed), float(load), {"recipe": recipe})
        for recipe in "AB"
        for speed, load in zip(swept(200), rng.uniform(40, 60, 200), strict=True)
    ]
    states, index = states_of(given, LEAST, ENOUGH)
    assert states.are_knots
    for state, k in zip(given, index, strict=True):
        assert states.states[k].tags == state.tags
        assert states.match(state) is not None
    assert states.match(OperatingState(1600.0, 50.0, {"recipe": "C"})) is None
    assert states.match(OperatingState(4000.0, 50.0, {"recipe": "A"})) is None


def test_the_tolerance_bridges_gaps_between_cells_but_not_the_end_of_the_known_speeds():
    speeds = np.concatenate([swept(80, low=800, high=1200), swept(120, 1, low=1500, high=2400)])
    given = [OperatingState(float(speed)) for speed in speeds]
    states, _ = states_of(given, LEAST, ENOUGH)
    assert states.are_knots
    low, high = np.log(800 + 5), np.log(1200 - 5)
    for speed in np.exp(np.linspace(low, high, 500)):
        assert states.match(OperatingState(float(speed))) is not None, "gaps between cells"
    last, first = max(s for s in speeds if s < 1300), min(s for s in speeds if s > 1300)
    for outside in (1.005 * last, 0.995 * first, 0.995 * min(speeds), 1.005 * max(speeds)):
        assert states.match(OperatingState(float(outside))) is None
    for at_the_end in (last, first, min(speeds), max(speeds)):
        assert states.match(OperatingState(float(at_the_end))) is not None


def test_a_window_is_brought_to_its_knot_along_the_speed():
    given = [OperatingState(float(speed)) for speed in swept(300)]
    states, index = states_of(given, LEAST, ENOUGH)
    u = np.log([state.speed_rpm / 1400 for state in given])
    noise = 0.01 * np.random.default_rng(3).standard_normal((300, 2))
    x = (np.stack([2 * u, 0.3 * np.sin(3 * u)], axis=1) + noise).astype(np.float32)
    shift = KnotShifts(states).all(given, index)
    smooth = StateScaling.fit(x, index, len(states), shift=shift)
    stepped = StateScaling.fit(x, index, len(states))
    assert (smooth.spread.mean(0) < [0.015, 0.015]).all()
    assert stepped.spread.mean(0)[0] > 3 * smooth.spread.mean(0)[0]


def test_the_meter_of_a_machine_that_never_repeats_a_speed_fills():
    baseline = Baseline({"p": PRESSURE}, SHIPPED)
    for hop in windows(swept(ENOUGH)):
        for one in hop:
            baseline.add(one.point, one.t_ns, one.features, one.state)
    assert baseline.coverage().lacks == ()
    assert baseline.complete()
