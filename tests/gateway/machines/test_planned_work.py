"""Planned work on a machine: nothing is decided or learned until it is finished, then compared."""

from __future__ import annotations

import time

import numpy as np
import pytest

from auscult.contract.parts import SuppressionPart
from auscult.contract.records import Condition
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.windows.pipeline import Hop
from auscult.models.baseline.fit import fit_baseline
from auscult.models.decision.limits import Limit
from auscult.models.detector import MachineDetector
from auscult.models.learning.repair import WINDOWS
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import DetectorSettings
from tests.gateway.machines.settings import settings_of

SPEC = FeatureSpec.vibration(1000, 500, "g")
HOUR_MS = 3_600_000


class Bench:
    """A machine whose windows are made one by one, and what it reported."""

    def __init__(self, folder):
        self.rng = np.random.default_rng(4)
        self.number = 0
        name_plate = NamePlate("m")
        self.detector = MachineDetector(
            name_plate, {"de": SPEC}, DetectorSettings(baseline_windows=60)
        )
        for _ in range(80):
            self.detector.observe(self.hop().observations)
        job = self.detector.fit_now()
        model = fit_baseline(job.specs, job.windows, job.settings, train=False)
        self.detector.adopt(model)
        self.machine = MonitoredMachine(
            settings_of("m"),
            self.detector,
            MachineLearning(folder, "m"),
            None,
            {"de": 1.0},
            60 * 10**9,
        )
        self.events, self.alarms = [], []

    def hop(self, level=1.0):
        self.number += 1
        scatter = np.exp(0.05 * self.rng.standard_normal(len(SPEC)))
        features = scatter.astype(np.float32)
        features[::3] *= level  # some, or it would be a sensor's
        return Hop("m", (Observation("de", self.number * 10**9, features, None, 0),))

    def run(self, windows, level=1.0):
        for _ in range(windows):
            result = self.machine.process(self.hop(level))
            self.events += [result.event] if result.event else []
            self.alarms += result.alarms
        return result

    def codes(self):
        return [reason.said.code for reason in self.machine.decision.reasons]

    def begin(self, hours=None):
        now_ms = time.time_ns() // 10**6
        until_ms = None if hours is None else now_ms + hours * HOUR_MS
        return self.machine.begin_work(
            SuppressionPart(
                kind="planned_work", reason="", actor="tom", since_ms=now_ms, until_ms=until_ms,
                event_id=self.machine.open_event.event_id,
            )
        )  # fmt: skip


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path)
    bench.run(40)
    bench.run(40, level=2.0)
    assert bench.machine.decision.condition is Condition.ALARM
    assert len(bench.events) >= 1
    bench.events.clear()
    bench.alarms.clear()
    return bench


def test_nothing_alarms_or_is_learned_during_planned_work(bench):
    assert [alarm.state for alarm in bench.begin()] == ["planned_work"]
    bench.detector.set_limits("de", [Limit("rms", warning=0.1, alarm=0.2)])
    memory = bench.machine.head_updater
    before = memory.centres_of(bench.machine.open_event.event_id)
    evidence = bench.detector.snapshot().to_bytes()
    for level in (1.0, 30.0, 0.5, 2.0):
        result = bench.run(30, level)
        assert bench.machine.decision.condition is Condition.UNKNOWN
        assert bench.codes() == ["worked_on"]
        assert result.points["de"].condition is Condition.UNKNOWN
        assert result.observations["de"].features.any(), "its values stay on the page"
        assert not result.idle
    assert (bench.events, bench.alarms) == ([], []), "one event, which waits"
    after = memory.centres_of(bench.machine.open_event.event_id)
    assert {s: list(c) for s, c in before.items()} == {s: list(c) for s, c in after.items()}
    assert bench.detector.snapshot().to_bytes() == evidence


def test_after_good_work_the_event_ends_by_measurement(bench):
    bench.begin()
    bench.run(50, level=20.0)
    (alarm,) = bench.machine.finish_work("tom", "", 7)
    assert alarm.state == "acknowledged"
    bench.run(WINDOWS + 5)
    assert bench.machine.learning.repair.result == "gone"
    assert bench.machine.open_event is None
    assert [event.phase for event in bench.events if event.phase != "update"] == ["end"]
    assert bench.alarms[-1].state == "normal"


def test_a_fault_that_is_still_there_alarms_again_once(bench):
    opened = bench.machine.open_event.event_id
    bench.begin()
    bench.run(50)
    bench.machine.finish_work("tom", "", 7)
    bench.run(WINDOWS + 5, level=2.0)
    assert bench.machine.learning.repair.result == "unchanged"
    assert bench.machine.open_event.event_id == opened, "the same event, not one each few seconds"
    assert bench.machine.alarms.shown.state == "unacknowledged"
    assert len({a.changes for a in bench.alarms if a.state == "unacknowledged"}) == 1


def test_work_with_a_stated_end_is_checked_from_then_on(bench):
    bench.begin(hours=2)
    now_ms = time.time_ns() // 10**6
    bench.run(20)
    assert bench.machine.check({}, now_ms + HOUR_MS).expired is None
    result = bench.machine.check({}, now_ms + 2 * HOUR_MS + 1000)
    assert result.expired == "planned_work"
    assert [alarm.state for alarm in result.alarms] == ["acknowledged"]
    assert bench.machine.learning.repair.result is None
    bench.run(WINDOWS + 5)
    assert bench.machine.learning.repair.result == "gone"
