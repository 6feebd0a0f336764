"""The detector on a simulated machine: learning, normal, fault and unknown."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import Condition, OperatingState, ReasonKind
from auscult.contract.said import Said
from auscult.models.decision.limits import Limit
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from tests.models.simulated_machine import FAST, HOP_NS, POINTS, SLOW, SPEC, SimulatedMachine


@pytest.fixture(scope="module")
def trained():
    machine = SimulatedMachine()
    detector = MachineDetector(NamePlate("pump"), dict.fromkeys(POINTS, SPEC))
    phases = set()
    while (job := detector.fit_due()) is None:
        state = SLOW if machine.t_ns // HOP_NS % 40 < 20 else FAST
        decision = detector.observe(machine.hop(state))
        phases.add(decision.machine.condition)
        assert machine.t_ns < 10**18 + 1000 * HOP_NS
    assert phases == {Condition.LEARNING}
    shares = []
    detector.adopt(job.run(shares.append))
    assert shares[-1] == 1.0
    return machine, detector


@pytest.fixture
def pump(trained):
    machine, detector = trained
    detector.reset_evidence()
    return machine, detector


def test_a_healthy_period_ends_with_enough_windows(trained) -> None:
    _, detector = trained
    coverage = detector.coverage
    assert coverage.phase == "ready"
    assert coverage.windows >= 200
    assert coverage.states == ("1000 r/min", "1500 r/min")
    assert coverage.missing == ()


def test_healthy_windows_stay_normal(pump) -> None:
    machine, detector = pump
    decisions = [detector.observe(machine.hop()).machine for _ in range(300)]
    assert {d.condition for d in decisions} == {Condition.NORMAL}
    p = np.array([d.p_value for d in decisions])
    assert 0.3 < np.median(p) < 0.8


def test_wider_limits_keep_the_evidence_and_need_more(pump) -> None:
    machine, detector = pump

    def hops_until_a_warning() -> int:
        detector.reset_evidence()
        hops = 1
        while detector.observe(machine.hop(shift=0.25)).machine.condition is Condition.NORMAL:
            hops += 1
        return hops

    narrow = hops_until_a_warning()
    detector.reset_evidence()
    detector.observe(machine.hop(shift=0.25))
    share = detector.snapshot().arrays["evidence/share"]
    assert (share > 0).any()
    detector.widen(3.0)
    np.testing.assert_array_equal(detector.snapshot().arrays["evidence/share"], share)
    wide = hops_until_a_warning()
    detector.widen(1.0)
    assert wide > max(narrow, hops_until_a_warning())


@pytest.mark.parametrize("shift", [0.5, -0.5])
def test_a_rise_and_a_fall_both_alarm_with_reasons(pump, shift) -> None:
    machine, detector = pump
    for _ in range(30):
        decision = detector.observe(machine.hop(shift=shift))
    assert decision.machine.condition is Condition.ALARM
    point = decision.points["de"]
    assert point.condition is Condition.ALARM
    assert point.evidence >= point.alarm_level
    reason, diagnosis = (r for r in point.reasons if r.kind is ReasonKind.LEARNED)
    assert diagnosis.fault is None, "what all features share is the pattern of no fault"
    assert "unclear" in diagnosis.text
    assert len(reason.contributions) == 5
    assert "departs from its baseline" in reason.text
    assert point.score is not None
    for _ in range(500):
        decision = detector.observe(machine.hop())
    assert decision.machine.condition is Condition.NORMAL


def test_a_single_spike_does_not_alarm(pump) -> None:
    machine, detector = pump
    for i in range(100):
        decision = detector.observe(machine.hop(shift=3.0 if i == 50 else 0.0))
        assert decision.machine.condition is Condition.NORMAL


def test_a_state_never_seen_is_unknown_with_its_reason(pump) -> None:
    machine, detector = pump
    for _ in range(20):
        decision = detector.observe(machine.hop(OperatingState(3000.0)))
    assert decision.points["de"].condition is Condition.UNKNOWN
    (reason, *_) = decision.points["de"].reasons
    assert reason.kind is ReasonKind.STATE
    assert "3000 r/min was never seen" in reason.text


def test_a_dead_sensor_is_unknown_and_its_neighbour_is_monitored(pump) -> None:
    machine, detector = pump
    for _ in range(5):
        de, nde = machine.hop()
        nan = np.full_like(de.features, np.nan)
        decision = detector.observe([Observation("de", de.t_ns, nan, de.state), nde])
    assert decision.points["de"].condition is Condition.UNKNOWN
    assert decision.points["de"].reasons[0].kind is ReasonKind.SENSOR
    assert decision.points["nde"].condition is Condition.NORMAL
    decision = detector.observe(machine.hop())
    assert decision.points["de"].condition is Condition.NORMAL


def test_points_may_arrive_in_separate_hops(pump) -> None:
    machine, detector = pump
    for _ in range(10):
        decision = detector.observe(machine.hop(points=("nde",)))
    assert set(decision.points) == {"nde"}
    assert decision.machine.condition is Condition.NORMAL


def test_a_detector_resumes_where_a_power_cut_left_it(trained) -> None:
    machine, detector = trained
    for _ in range(8):
        detector.observe(machine.hop(shift=0.3))
    resumed = MachineDetector(detector.name_plate, detector.specs)
    resumed.restore(detector.state())
    assert resumed.state() == detector.state()
    assert resumed.coverage == detector.coverage
    for _ in range(20):
        hop = machine.hop(shift=0.3)
        ours, theirs = detector.observe(hop), resumed.observe(hop)
        assert ours.machine.p_value == theirs.machine.p_value
        assert ours.machine.evidence == theirs.machine.evidence
        assert ours.machine.condition is theirs.machine.condition


def test_a_copy_of_any_hop_after_the_baseline_decides_alike(trained) -> None:
    """Early offsets move fast: healthy windows that wait to be counted belong to the state."""
    machine, detector = trained
    fresh = MachineDetector(detector.name_plate, detector.specs)
    fresh.adopt(detector.model)
    copies = []
    for number in range(40):
        hop = machine.hop(shift=0.0 if number < 30 else 0.3)
        decided = [one.observe(hop).machine for one in (fresh, *copies)]
        assert {d.evidence for d in decided} == {decided[0].evidence}, number
        if number < 12:
            copies.append(MachineDetector(detector.name_plate, detector.specs))
            copies[-1].restore(fresh.state())


def test_a_baseline_resumes_too() -> None:
    machine = SimulatedMachine(seed=3)
    detector = MachineDetector(NamePlate("pump"), dict.fromkeys(POINTS, SPEC))
    for _ in range(30):
        detector.observe(machine.hop())
    resumed = MachineDetector(detector.name_plate, detector.specs)
    resumed.restore(detector.state())
    assert resumed.coverage == detector.coverage
    assert resumed.coverage.windows == 30


def test_damaged_or_foreign_states_are_rejected(trained) -> None:
    _, detector = trained
    state = detector.state()
    other = MachineDetector(NamePlate("fan"), detector.specs)
    with pytest.raises(ValueError, match="belongs to machine pump"):
        other.restore(state)
    assert other.model is None
    for damaged in (state[:100], state[:-1], b"", state[:200] + b"!" + state[201:]):
        with pytest.raises(ValueError, match="state"):
            detector.restore(damaged)


def test_a_new_baseline_is_collected_beside_the_old_one(trained) -> None:
    machine, detector = trained
    detector.reset_evidence()
    detector.start_baseline(machine.t_ns, "bearing replaced")
    for _ in range(50):
        decision = detector.observe(machine.hop())
    assert decision.machine.condition is Condition.NORMAL
    assert detector.coverage.phase == "collecting"
    resumed = MachineDetector(detector.name_plate, detector.specs)
    resumed.restore(detector.state())
    assert resumed.model is not None
    assert resumed.coverage == detector.coverage


def test_why_a_machine_learns_again_is_kept_and_ends_with_the_baseline(trained) -> None:
    machine, detector = trained
    because = Said("state_of_other", {"machine": "pump", "points": ("top",)})
    detector.start_baseline(machine.t_ns, "the saved state can't be used", because)
    detector.observe(machine.hop())
    resumed = MachineDetector(detector.name_plate, detector.specs)
    resumed.restore(detector.state())
    assert resumed.coverage.because is not None
    assert resumed.coverage.because.text == because.text
    resumed.adopt(detector.model)
    assert resumed.coverage.because is None
    again = MachineDetector(detector.name_plate, detector.specs)
    again.restore(resumed.state())
    assert again.coverage.because is None


def test_an_exceeded_limit_stays_on_when_a_baseline_or_another_limit_begins(trained) -> None:
    machine, learned = trained
    beyond = {POINTS[0]: (Limit("rms", None, 1e-6),)}
    detector = MachineDetector(learned.name_plate, learned.specs, limits=beyond)
    for _ in range(20):
        decision = detector.observe(machine.hop())
    assert decision.machine.condition is Condition.ALARM
    detector.adopt(learned.model)
    assert detector.observe(machine.hop()).machine.condition is Condition.ALARM
    detector.set_limits(POINTS[1], [Limit("rms", None, 1e6)])
    assert detector.observe(machine.hop()).machine.condition is Condition.ALARM


def test_a_cancelled_fit_is_not_awaited(trained) -> None:
    machine, detector = trained
    model = detector.model
    detector.start_baseline(machine.t_ns, "bearing replaced")
    for _ in range(20):
        detector.observe(machine.hop())
    job = detector.fit_now()
    job.result = model
    assert detector.awaits(model)
    detector.cancel_baseline()
    assert not detector.awaits(model)
    assert detector.model is model
    assert detector.coverage.phase == "ready"
