"""Rest: stated by a value, seen in the signal, and the seconds after a start."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from auscult.contract.records import Condition, OperatingState, ReasonKind
from auscult.dsp.health import SensorHealth
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.windows.pipeline import Hop
from auscult.models.baseline.fit import fit_baseline
from auscult.models.decision.limits import Limit
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import DetectorSettings
from tests.gateway.machines.settings import settings_of

SPEC = FeatureSpec.vibration(1000, 500, "g")
RNG = np.random.default_rng(4)


def hop(number: int, level: float = 1.0, running: str = "", health: int = 0) -> Hop:
    features = level * np.exp(0.05 * RNG.standard_normal(len(SPEC))).astype(np.float32)
    state = OperatingState(tags={"running": running}) if running else None
    return Hop("m", (Observation("de", number * 10**9, features, state, health),))


@pytest.fixture
def machine():
    detector = MachineDetector(NamePlate("m"), {"de": SPEC}, DetectorSettings(baseline_windows=60))
    for number in range(80):
        detector.observe(hop(number).observations)
    job = detector.fit_now()
    detector.adopt(fit_baseline(job.specs, job.windows, job.settings, train=False))
    learning = SimpleNamespace(
        begin=lambda _: SimpleNamespace(heads={}, checkpoint_id=""), offer=lambda *_: None,
        recognise=lambda decision, *_: decision, follow_repair=lambda *_: None, ask=lambda *_: None,
    )  # fmt: skip
    return MonitoredMachine(
        settings_of("m", start_s=5.0), detector, learning, None, {"de": 1.0}, 60 * 10**9
    )


def test_a_machine_that_stops_is_not_running_and_its_start_is_left_out(machine):
    for number in range(100, 110):
        machine.process(hop(number))
    assert machine.decision.condition is Condition.NORMAL
    for number in range(110, 116):
        result = machine.process(hop(number, level=0.01))
    assert result.idle == {"de"}
    assert [r.said.code for r in machine.decision.reasons] == ["not_running"]
    machine.process(hop(116))
    assert [r.said.code for r in machine.decision.reasons] == ["starting"]
    for number in range(117, 124):
        machine.process(hop(number))
    assert machine.decision.condition is Condition.NORMAL


def test_a_lower_vibration_of_a_running_machine_is_no_rest(machine):
    for number in range(100, 130):
        result = machine.process(hop(number, level=0.3))
    assert not result.idle
    assert machine.decision.condition is not Condition.NORMAL


def test_a_stated_state_takes_precedence(machine):
    for number in range(100, 110):
        result = machine.process(hop(number, level=0.01, running="yes"))
    assert not result.idle


def learning_machine() -> MonitoredMachine:
    detector = MachineDetector(NamePlate("m"), {"de": SPEC}, DetectorSettings(baseline_windows=60))
    learning = SimpleNamespace(
        begin=lambda _: SimpleNamespace(heads={}, checkpoint_id=""), offer=lambda *_: None,
        recognise=lambda decision, *_: decision, follow_repair=lambda *_: None, ask=lambda *_: None,
    )  # fmt: skip
    return MonitoredMachine(settings_of("m"), detector, learning, None, {"de": 1.0}, 60 * 10**9)


def test_a_stop_that_a_value_states_keeps_the_healthy_period():
    machine = learning_machine()
    for number in range(30):
        machine.process(hop(number, running="yes"))
    machine.process(hop(30, running="no"))
    assert machine.detector.coverage.windows == 30


def test_a_stop_after_the_clock_was_set_back_keeps_what_was_measured_before():
    machine = learning_machine()
    for number in [*range(1000, 1030), *range(30)]:
        machine.process(hop(number))
    for number in range(30, 40):
        machine.process(hop(number, level=0.001))
    assert machine.decision.reasons[0].said.code == "not_running"
    assert machine.detector.coverage.windows >= 58


@pytest.mark.parametrize("health", [SensorHealth.FLAT_LINE, SensorHealth.NOT_FINITE])
def test_the_only_sensor_without_a_signal_is_a_sensor_fault_and_no_rest(machine, health):
    for number in range(100, 110):
        machine.process(hop(number))
    for number in range(110, 120):
        machine.process(hop(number, level=0.0, health=int(health)))
    assert [r.said.code for r in machine.decision.reasons] == ["sensor_fault"]


def test_a_machine_at_rest_stays_so_when_its_sensor_becomes_silent(machine):
    for number in range(100, 110):
        machine.process(hop(number))
    for number in range(110, 116):
        machine.process(hop(number, level=0.01))
    machine.process(hop(116, level=0.0, health=int(SensorHealth.FLAT_LINE)))
    assert [r.said.code for r in machine.decision.reasons] == ["not_running"]


def test_a_machine_that_stops_has_no_time_to_a_limit(machine):
    def kinds() -> set[ReasonKind]:
        return {reason.kind for reason in machine.decision.reasons}

    machine.set_limits("de", [Limit("rms", None, 20.0)])
    for minute in range(2, 62):
        machine.process(hop(60 * minute, level=1 + 0.15 * minute, running="yes"))
    assert machine.open_event is not None
    assert ReasonKind.TREND in kinds()
    for minute in range(62, 66):
        machine.process(hop(60 * minute, level=0.01, running="no"))
    assert machine.open_event is not None
    assert machine.decision.condition is Condition.ALARM
    assert ReasonKind.TREND not in kinds()
