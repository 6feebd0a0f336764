"""A run bit is a state of the machine: it has no baseline, decides nothing, and is no cause.

A measurement that states whether the machine runs has a baseline.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from auscult.contract.records import Condition, OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation

MINUTE_NS = 60 * 10**9
RUNS, RESTS, NOT_KNOWN = (
    OperatingState(tags={"running": "yes"}),
    OperatingState(tags={"running": "no"}),
    None,
)
RUN = FeatureSpec.value("other", "bit", 60, states_run=True)
VALUES = {
    "t": FeatureSpec.value("temperature", "°C", 60),
    "v": FeatureSpec.value("velocity_rms", "mm/s", 60),
}


class Feed:
    """Passes minutes of a machine's values to a detector."""

    def __init__(self, detector: MachineDetector, seed: int = 0) -> None:
        self.detector = detector
        self.minute = 0
        self._rng = np.random.default_rng(seed)

    def pass_on(self, minutes: int, state: OperatingState | None = RUNS, bit: float = 1.0, **more):
        """Pass so many minutes; `more` replaces a value, None leaves it out."""
        decided = None
        for _ in range(minutes):
            usual = {
                "t": 60 + self._rng.standard_normal(),
                "v": 1.5 * np.exp(0.05 * self._rng.standard_normal()),
                "run": bit,
            }
            for offset, (point, value) in enumerate((usual | more).items()):
                if value is not None and point in self.detector.specs:
                    t_ns = self.minute * MINUTE_NS + offset * 10**9
                    features = np.array([value], np.float32)
                    decided = self.detector.observe([Observation(point, t_ns, features, state)])
            self.minute += 1
        return decided


def fed(**specs: FeatureSpec) -> Feed:
    return Feed(MachineDetector(NamePlate("pump"), VALUES | specs))


def learn(feed: Feed) -> None:
    job = feed.detector.fit_due()
    assert job is not None, feed.detector.coverage.missing
    feed.detector.adopt(job.run())


def test_the_baseline_is_of_the_values_and_takes_none_before_the_first_run_state():
    feed = fed(run=RUN)
    feed.pass_on(30, NOT_KNOWN, t=20.0, v=0.02)
    assert feed.detector.coverage.windows == 0
    feed.pass_on(200)
    learn(feed)
    assert set(feed.detector.model.points) == {"t", "v"}
    assert feed.detector.model.states.states == (RUNS,)
    assert feed.pass_on(50).machine.condition is Condition.NORMAL
    hot = feed.pass_on(30, t=75.0)
    assert hot.machine.condition is Condition.ALARM
    assert feed.pass_on(1, t=75.0, bit=40.0).points["run"].condition is Condition.NORMAL
    assert {reason.point for reason in hot.machine.reasons} == {"t"}


@pytest.mark.parametrize("count", [60, 200])
def test_one_value_in_another_state_stops_no_training(count):
    """The temperature alone has another state, in the round of a value of the running machine."""
    feed = fed()
    feed.pass_on(1, RESTS, t=20.0, v=None)
    feed.pass_on(1, t=None)
    feed.pass_on(count)
    feed.detector.adopt(feed.detector.fit_now().run())
    assert feed.pass_on(50).machine.condition is Condition.NORMAL


@pytest.mark.parametrize("since", [0, 150], ids=["long ago", "continues"])
def test_no_state_of_values_alone_is_waited_for(since):
    feed = fed()
    feed.pass_on(since)
    feed.pass_on(4, RESTS, t=20.0, v=0.02)
    feed.pass_on(196 - since)
    assert feed.detector.coverage.lacks == ()
    learn(feed)
    rare = [lack for lack in feed.detector.coverage.lacks if lack.code == "rare_state"]
    assert [lack.values["tags"] for lack in rare] == [("running no",)]
    assert feed.detector.model.states.states == (RUNS,)
    assert feed.pass_on(50).machine.condition is Condition.NORMAL


def test_a_baseline_of_an_older_version_continues_without_its_run_bit():
    older = fed(run=replace(RUN, states_run=False))
    older.pass_on(200)
    learn(older)
    assert "run" in older.detector.model.points
    assert older.pass_on(30, bit=0.0).machine.condition is Condition.ALARM

    newer = fed(run=RUN)
    newer.detector.restore(older.detector.state())
    newer.minute = older.minute
    assert newer.pass_on(50, bit=0.0).machine.condition is Condition.NORMAL
    hot = newer.pass_on(30, t=75.0)
    assert {reason.point for reason in hot.machine.reasons} == {"t"}


def test_values_of_an_older_version_without_a_run_state_are_left_out():
    older = fed(run=replace(RUN, states_run=False))
    older.pass_on(30, NOT_KNOWN, t=20.0, v=0.02)
    older.pass_on(100)
    newer = fed(run=RUN)
    newer.detector.restore(older.detector.state())
    assert newer.detector.coverage.windows == 100


def test_a_velocity_that_says_whether_the_machine_runs_has_a_baseline():
    feed = fed(v=replace(VALUES["v"], states_run=True))
    feed.pass_on(1, NOT_KNOWN)
    feed.pass_on(200)
    learn(feed)
    assert set(feed.detector.model.points) == {"t", "v"}
    loud = feed.pass_on(30, v=4.0)
    assert {reason.point for reason in loud.machine.reasons} == {"v"}
