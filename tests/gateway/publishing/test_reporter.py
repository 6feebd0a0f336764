"""The machine decides, the reporter publishes: real machine, real database, no broker."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from auscult.contract.event import Event, EventPhase
from auscult.contract.message import millis
from auscult.contract.records import Condition, OperatingState, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.contract.topics import Topics
from auscult.dsp.health import SensorHealth
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.restore import restored_machine
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.records import PointId, Window
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.observed import ObservedWindow
from auscult.gateway.windows.pipeline import Hop
from auscult.gateway.windows.points import plan_points
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation

POINT = PointId("pump", "de")
S = 10**9
AT_REST = OperatingState(tags={"running": "no"})


@pytest.fixture
def settings(tmp_path):
    return GatewaySettings.model_validate({
        "gateway": {"data_dir": tmp_path, "trend_interval_s": 5},
        "machines": [{
            "id": "pump",
            "points": [{"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 2000}],
        }],
    })  # fmt: skip


@pytest.fixture
def machine(settings, tmp_path):
    store = Store(tmp_path)
    plans = plan_points(settings, {})
    yield restored_machine(settings.machines[0], settings, plans, {POINT: 0.5}, store)
    store.close()


def hop(machine: MonitoredMachine, t_ns: int, state: OperatingState | None = None) -> Hop:
    width = len(machine.detector.specs["de"])
    return Hop("pump", (Observation("de", t_ns, np.ones(width, np.float32), state),))


def test_a_machine_finishes_its_trends_without_a_publisher(machine):
    results = [machine.process(hop(machine, t_s * S)) for t_s in range(1, 12)]
    done = [interval for result in results for interval in result.intervals]
    assert [(i.interval.start_ns, i.interval.end_ns) for i in done] == [(S, 5 * S), (5 * S, 10 * S)]
    (rest,) = machine.flush_trends()
    assert rest.interval.start_ns == 10 * S


def test_a_machine_at_rest_measures_no_trend(machine):
    machine.process(hop(machine, S, AT_REST))
    assert machine.flush_trends() == ()


@pytest.fixture
def condition_after(machine, settings):
    """Condition that a spectrum has after a hop of the machine."""
    plans = plan_points(settings, {})
    n = plans[POINT].window.n_samples
    window = Window(POINT, 2000.0, "g", 1, (np.ones(n, np.float32),), None)
    (observation,) = hop(machine, 1).observations
    pipeline = SimpleNamespace(latest=lambda _: ObservedWindow(window, observation))
    publisher = SimpleNamespace(state=lambda *_: None)
    reporter = Reporter(settings.gateway, Topics("plant", "g"), plans, publisher, pipeline)

    def after(one: Hop) -> str:
        reporter.report(machine, machine.process(one))
        return reporter.spectra.measure(POINT, "spectrum", None).message.condition

    return after


def test_a_spectrum_of_a_machine_at_rest_is_not_a_healthy_one(machine, condition_after):
    assert condition_after(hop(machine, S)) == "learning"
    assert condition_after(hop(machine, S, AT_REST)) == "unknown"


def test_a_spectrum_after_the_healthy_period_is_not_a_healthy_one(machine, condition_after):
    rng = np.random.default_rng(0)
    x = 1 + rng.normal(0, 0.01, (32, len(machine.detector.specs["de"]))).astype(np.float32)
    hops = [Hop("pump", (Observation("de", i * S, row, None),)) for i, row in enumerate(x, 1)]
    assert {condition_after(one) for one in hops[:-1]} == {"learning"}
    machine.detector.fit_now()
    assert condition_after(hops[-1]) == "unknown"


def test_an_open_alarm_is_not_masked_by_a_restart_rest_or_silence(machine):
    reason = Reason(ReasonKind.FIXED_LIMIT, Condition.ALARM, Said("departs"), "de")
    opened = Event(
        event_id="e1", machine="pump", phase=EventPhase.UPDATE, condition=Condition.ALARM,
        started_ms=0, updated_ms=millis(S), peak_condition=Condition.ALARM, peak_evidence=3.0,
        points=("de",), reasons=(reason,),
    )  # fmt: skip
    again = MonitoredMachine(
        machine.settings, machine.detector, machine.learning, opened, {"de": 0.5}, 5 * S
    )
    assert again.decision.condition == "alarm"  # nothing was received since the restart
    again.process(hop(again, S, AT_REST))
    assert again.decision.condition == "alarm"
    again.check({"de": Said("silent", {"after_s": 10.0})}, 0)
    assert again.decision.condition == "alarm"
    assert {"departs", "not_running"} <= {r.said.code for r in again.decision.reasons}


def test_a_machine_has_a_good_quality_while_all_its_points_deliver(machine):
    spec, silent = machine.detector.specs["de"], Said("silent", {"after_s": 10.0})
    detector = MachineDetector(NamePlate("pump"), {"de": spec, "nde": spec})
    two = MonitoredMachine(
        machine.settings, detector, machine.learning, None, {"de": 0.5, "nde": 0.5}, 5 * S
    )
    assert two.quality == "bad", "nothing was received yet"
    windows = hop(machine, S).observations
    two.process(Hop("pump", (*windows, windows[0]._replace(point="nde"))))
    assert two.quality == "good"
    two.check({"de": silent}, 0)
    assert two.quality == "uncertain", "one of two is left"
    two.check({"de": silent, "nde": silent}, 0)
    assert two.quality == "bad"
    two.process(hop(machine, 2 * S))
    assert two.quality == "uncertain"


def test_an_alarm_on_broken_sensors_has_a_bad_quality(machine):
    opened = Event(
        event_id="e1", machine="pump", phase=EventPhase.UPDATE, condition=Condition.ALARM,
        started_ms=0, updated_ms=millis(S), peak_condition=Condition.ALARM, peak_evidence=3.0,
        points=("de",), reasons=(),
    )  # fmt: skip
    (window,) = hop(machine, S).observations
    flat = Hop("pump", (window._replace(health=int(SensorHealth.FLAT_LINE)),))
    for _ in range(machine.detector.settings.sensor_windows):
        machine.process(flat)
    again = MonitoredMachine(
        machine.settings, machine.detector, machine.learning, opened, {"de": 0.5}, 5 * S
    )
    again.process(flat)
    assert (again.quality, again.decision.condition) == ("bad", "alarm")
