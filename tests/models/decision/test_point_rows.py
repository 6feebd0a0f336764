"""Points may arrive in any order and number: the decision on each is the same."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import Condition, OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.hop_scorer import HopScores
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation

SPECS = {
    "de": FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500),
    "mic": FeatureSpec.sound(8000, 3200),
    "nde": FeatureSpec.vibration(4000, 1600, "g"),
}
STATE = OperatingState(1500.0)


def hop(rng, number, points=tuple(SPECS)):
    return [
        Observation(
            point,
            number * 10**9,
            np.exp(0.1 * rng.normal(size=len(SPECS[point]))).astype(np.float32),
            STATE,
        )
        for point in points
    ]


@pytest.fixture(scope="module")
def detector():
    rng = np.random.default_rng(0)
    detector = MachineDetector(NamePlate("pump"), SPECS)
    for number in range(60):
        detector.observe(hop(rng, number))
    detector.adopt(detector.fit_now().run())
    return detector


@pytest.mark.parametrize("order", [("nde", "de", "mic"), ("mic", "nde", "de"), ("mic", "nde")])
def test_the_order_of_points_changes_nothing(detector, order) -> None:
    windows = {one.point: one for one in hop(np.random.default_rng(1), 100)}
    state = detector.state()
    usual = detector.observe([windows[point] for point in SPECS if point in order])
    detector.restore(state)  # the baseline has followed the windows a little
    other = detector.observe([windows[point] for point in order])
    assert tuple(other.points) == order
    assert other.machine.p_value == pytest.approx(usual.machine.p_value, rel=1e-6)
    assert len({d.p_value for d in other.points.values()}) == len(order)
    for point, decision in other.points.items():
        assert decision.p_value == pytest.approx(usual.points[point].p_value, rel=1e-6)
        assert decision.evidence == pytest.approx(usual.points[point].evidence, rel=1e-6)
    assert {w.point for w in detector.scored_windows()} == set(order)


def test_points_may_arrive_in_more_combinations_than_are_cached(detector) -> None:
    rng = np.random.default_rng(2)
    points = tuple(SPECS)
    for number in range(40):
        some = rng.permutation(points)[: 1 + number % 3]
        decision = detector.observe(hop(rng, 200 + number, tuple(some)))
        assert decision.machine.condition is Condition.NORMAL


def test_a_machine_with_both_kinds_of_sensors_resumes(detector) -> None:
    resumed = MachineDetector(detector.name_plate, SPECS)
    resumed.restore(detector.state())
    windows = hop(np.random.default_rng(3), 300)
    ours, theirs = detector.observe(windows), resumed.observe(windows)
    assert ours.machine.p_value == theirs.machine.p_value
    assert [d.evidence for d in ours.points.values()] == [
        d.evidence for d in theirs.points.values()
    ]


def test_a_quiet_hop_is_decided_as_any_other(detector, monkeypatch) -> None:
    state, rng = detector.state(), np.random.default_rng(4)
    hops = [hop(rng, 400 + number) for number in range(20)]
    detector.restore(state)
    quick = [detector.observe(windows) for windows in hops]
    assert any(d.points["de"].evidence > 0 for d in quick)
    detector.restore(state)
    monkeypatch.setattr(HopScores, "all_normal", lambda *_: False)
    assert [detector.observe(windows) for windows in hops] == quick
