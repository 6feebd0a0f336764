"""A simulated machine that starts and stops: no coast-down is an anomaly, none is in a baseline."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from auscult.contract.machines import MachineSettings
from auscult.contract.records import Condition, OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.train_search import train_signals
from auscult.gateway.records import PointId
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.simulator import KIND
from auscult.gateway.sources.simulator.settings import SimulatorSource
from auscult.gateway.windows.assembler import WindowPlan
from auscult.gateway.windows.pipeline import Hop, Pipeline
from auscult.gateway.windows.points import PointPlan, name_plate_of
from auscult.gateway.windows.tachos import Tachos
from auscult.link.broker import BrokerSettings
from auscult.models.baseline.fit import fit_baseline
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import Train
from auscult.models.records import Observation
from auscult.models.settings import DetectorSettings

FS_HZ = 2000
DE = PointId("pump", "DE")
CYCLE = {"run_s": 26, "coast_s": 14, "rest_s": 10, "start_s": 4}
CYCLE_S = sum(CYCLE.values())
LEARNT_S = 2 * CYCLE_S
NS = 1_000_000_000


def hops(pulses: int = 0, **source_more: object):
    """Windows of a simulated machine, and its pipeline; `pulses` a turn of a tachometer."""
    plate = {"id": "DE", "kind": "vibration", "unit": "g", "fs_hz": FS_HZ}
    tacho = {"id": "T", "fs_hz": FS_HZ, "pulses_per_rev": pulses} if pulses else None
    settings = MachineSettings.model_validate(
        {"id": "pump", "speed_rpm": 1480, "points": [plate], "tacho": tacho}
    )
    source = SimulatorSource.model_validate(
        {
            "type": "simulator", "machine": "pump", "pace": 0, "points": [{"point": "DE"}],
            # A rough machine, far above the noise of its sensor.
            "fault": "imbalance", "healthy_s": 0, "growth_s": 1,
            "length_s": 3 * CYCLE_S, "tacho": "T" if pulses else None, **CYCLE, **source_more,
        }
    )  # fmt: skip
    context = SourceContext({"pump": settings}, BrokerSettings(), "t", Path("unused"))
    inlet = Inlet(1 << 40)
    KIND.open(source, context).run(inlet, threading.Event())
    window = WindowPlan(FS_HZ, 0.5, 0.0, "g")
    spec = FeatureSpec.vibration(FS_HZ, window.n_samples, "g", nominal_speed_rpm=1480)
    plan = PointPlan(settings.points[0], np.float32(1), window, spec)
    pipeline = Pipeline({DE: plan}, {DE: 10.0}, 1e7, tachos=Tachos([settings]))
    found = []
    while items := inlet.take(0):
        for first in range(0, len(items), 20):
            found += pipeline.process(items[first : first + 20])
    return settings, spec, found, pipeline


def monitored(settings: MachineSettings, spec: FeatureSpec) -> MonitoredMachine:
    detector = MachineDetector(
        name_plate_of(settings), {"DE": spec},
        DetectorSettings(baseline_windows=10_000, baseline_windows_kept=10_000),
    )  # fmt: skip
    learning = SimpleNamespace(
        begin=lambda _: SimpleNamespace(heads={}, checkpoint_id=""), offer=lambda *_: None,
        recognise=lambda decision, *_: decision, follow_repair=lambda *_: None, ask=lambda *_: None,
    )  # fmt: skip
    return MonitoredMachine(settings, detector, learning, None, {"DE": 0.5}, 60 * NS)


@pytest.mark.parametrize(
    "known_by", ["tachometer", pytest.param("value", marks=pytest.mark.nightly), "signal"]
)
def test_a_coast_down_is_no_anomaly_and_not_in_the_baseline(known_by):
    settings, spec, found, _ = hops(
        pulses=1 if known_by == "tachometer" else 0, speed_known=known_by == "value"
    )
    machine = monitored(settings, spec)
    start_ns = found[0].observations[0].t_ns
    codes: dict[float, str] = {}
    for hop in found:
        at_s = (hop.observations[0].t_ns - start_ns) / NS
        if at_s >= LEARNT_S and machine.detector.model is None:
            job = machine.detector.fit_now()
            in_cycle = (job.windows["DE"].t_ns - start_ns) / NS % CYCLE_S
            machine.adopt(fit_baseline(job.specs, job.windows, job.settings, train=False))
        result = machine.process(hop)
        condition = machine.decision.condition
        codes[at_s] = next((r.said.code for r in machine.decision.reasons), condition.value)
        assert result.event is None, (at_s, machine.decision)
    # Healthy windows: those of steady running, and no start or coast-down of more than a moment.
    # The level falls later than the speed.
    moment = 0.3 if known_by == "signal" else 0.1
    slow = (in_cycle > CYCLE["run_s"] + moment * CYCLE["coast_s"]) & (in_cycle < CYCLE_S - 1.0)
    assert not slow.any(), in_cycle[slow]
    assert in_cycle.size > 0.6 * 2 * CYCLE["run_s"] / 0.5
    last = {at_s - LEARNT_S: code for at_s, code in codes.items() if at_s >= LEARNT_S}
    running = [c for at_s, c in last.items() if 12 < at_s < CYCLE["run_s"] - 1]
    assert set(running) == {"normal"}
    rest_s = CYCLE["run_s"] + CYCLE["coast_s"]
    coasting = [c for at_s, c in last.items() if rest_s - 10 < at_s < rest_s - 4]
    assert set(coasting) <= {"coasting", "not_running"}
    assert {c for at_s, c in last.items() if rest_s + 4 < at_s < rest_s + 9} == {"not_running"}
    assert last[max(at for at in last if at < CYCLE_S - 2)] == "starting"


@pytest.fixture
def steady():
    """A machine with a baseline of steady running, and its hops once more, a minute later."""
    settings, spec, found, _ = hops(pulses=1, run_s=None, length_s=40)
    machine = monitored(settings, spec)
    for hop in found:
        machine.process(hop)
    job = machine.detector.fit_now()
    machine.adopt(fit_baseline(job.specs, job.windows, job.settings, train=False))
    later = [hop.observations[0] for hop in found]
    return machine, [one._replace(t_ns=one.t_ns + 60 * NS) for one in later]


def processed(machine: MonitoredMachine, one: Observation) -> list[str]:
    machine.process(Hop("pump", (one,)))
    return [reason.said.code for reason in machine.decision.reasons]


def test_a_lower_vibration_delays_decisions_for_twenty_seconds_only(steady):
    machine, later = steady
    codes = [processed(machine, later[0]._replace(state=None))]
    codes += [processed(machine, o._replace(features=0.4 * o.features, state=None)) for o in later]
    assert ["coasting"] in codes[:5]
    assert not {"coasting", "not_running"} & {code for one in codes[45:] for code in one}
    assert machine.decision.condition is not Condition.NORMAL


def test_a_silent_tachometer_does_not_hide_a_running_machine(steady):
    machine, later = steady
    for one in later[:10]:
        codes = processed(machine, one._replace(state=OperatingState(0.0)))
    assert "speed_contradicts" in codes
    assert "not_running" not in codes


def test_phases_refer_to_the_mark_of_the_tachometer():
    """The same imbalance has the same phase in two recordings; without the mark it has none."""
    found = []
    for length_s in (20, 23.31):
        *_, pipeline = hops(pulses=1, run_s=None, length_s=length_s)
        windows = {"DE": ([one.window for one in pipeline.recent(DE)], pipeline.plan(DE).window)}
        marks = pipeline.tachos.marks([DE])
        with_mark = train_signals(windows, 1480, Train(), marks).measured().lines
        without = train_signals(windows, 1480, Train()).measured().lines
        assert with_mark.referenced
        assert with_mark.shaft_hz == pytest.approx(1480 / 60, rel=1e-4)
        found.append((with_mark.lines[0, 1], without.lines[0, 1]))
    (first, other), (again, unlike) = found
    assert abs(np.degrees(np.angle(first / again))) < 3
    assert abs(np.degrees(np.angle(other / unlike))) > 10
