"""A machine of overall values that runs now and then: what is learned and decided, and what not."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from auscult.contract.label import Verdict
from auscult.contract.records import Condition, OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.windows.pipeline import Hop
from auscult.models.decision.limits import Limit
from auscult.models.detector import MachineDetector
from auscult.models.learning.repair import WINDOWS
from auscult.models.name_plate import NamePlate
from auscult.models.records import RUNNING, Observation
from auscult.models.settings import DetectorSettings
from tests.gateway.machines.settings import settings_of

MINUTE_NS = 60 * 10**9
SPECS = {
    "v": FeatureSpec.value("velocity_rms", "mm/s", 60),
    "t": FeatureSpec.value("temperature", "°C", 60),
}
BIT = {"run": FeatureSpec.value("other", "bit", 60, states_run=True)}
LEARNING = SimpleNamespace(
    begin=lambda _: SimpleNamespace(heads={}, checkpoint_id=""), offer=lambda *_: None,
    recognise=lambda decision, *_: decision, follow_repair=lambda *_: None, ask=lambda *_: None,
)  # fmt: skip
RUN, CYCLE = 20, 100
"""Minutes."""


class Plant:
    """A machine that runs for 20 of 100 minutes, and the gateway's watch on it."""

    def __init__(self, specs=SPECS, *, in_rows: bool = False, **settings) -> None:
        self.in_rows = in_rows
        self.detector = MachineDetector(
            NamePlate("m"), specs, DetectorSettings(baseline_windows=60)
        )
        self.machine = MonitoredMachine(
            settings_of("m", **settings), self.detector, LEARNING, None,
            dict.fromkeys(specs, 60.0), 60 * 10**9,
        )  # fmt: skip
        self.minute = 0
        self.rng = np.random.default_rng(2)

    def minutes(self, count: int, bit=lambda runs: None, level: float = 1.5) -> list[str]:
        """Live; return the code of the machine's first reason after each "v", "" for none."""
        codes = []
        for _ in range(count):
            runs = self.minute % CYCLE < RUN
            stated = bit(runs)
            state = None if stated is None else OperatingState(tags={RUNNING: stated})
            v, t = (level, 60.0) if runs else (0.05, 25.0)
            values = {"v": v * np.exp(0.05 * self.rng.standard_normal()),
                      "t": t + self.rng.standard_normal()}  # fmt: skip
            row = tuple(
                Observation(point, self.minute * MINUTE_NS, np.array([value], np.float32), state)
                for point, value in values.items()
            )
            for hop in [row] if self.in_rows else [(one,) for one in row]:
                self.machine.process(Hop("m", hop))
                if hop[0].point == "v":
                    reasons = self.machine.decision.reasons
                    codes.append(reasons[0].said.code if reasons else "")
            self.minute += 1
        return codes

    def learned(self, point: str) -> np.ndarray:
        windows = self.detector.fit_now().windows[point]
        self.detector.fit_failed(ValueError("not asked for"))
        return windows.features[:, 0]


def test_rest_is_found_and_not_learned_and_the_page_names_its_limit():
    plant = Plant()
    plant.minutes(300)
    codes = plant.minutes(100)
    assert codes.count("rests_below") == CYCLE - RUN
    assert codes[:2] == ["starting", ""], "the first value of a run is mixed"
    said = plant.machine.decision.reasons[0].said
    assert said.values["point"] == "v"
    assert 0.06 < said.values["limit"] < 1.2
    assert "v is below" in said.text
    assert plant.machine.decision.condition is Condition.UNKNOWN
    assert plant.learned("v").min() > 1.0
    assert plant.learned("t").min() > 50.0


@pytest.mark.parametrize("bit", [lambda _: None, lambda runs: "yes" if runs else "no"])
def test_values_of_one_time_are_learned_and_decided_as_one_by_one(bit):
    single, rows = Plant(), Plant(in_rows=True)
    for plant in (single, rows):
        plant.minutes(5 * CYCLE, bit)
    for point in SPECS:
        np.testing.assert_array_equal(single.learned(point), rows.learned(point))
    for plant in (single, rows):
        plant.machine.adopt(plant.detector.fit_now().run(lambda _: None))
    assert single.minutes(5 * CYCLE, bit) == rows.minutes(5 * CYCLE, bit)
    assert single.machine.open_event is rows.machine.open_event is None
    for plant in (single, rows):
        plant.minutes(RUN - 1, bit, level=12.0)
    one, two = single.machine.open_event, rows.machine.open_event
    assert one is not None
    assert one.started_ms - two.started_ms in (0, 60_000), "a row decides on all its values"
    assert [r.point for r in one.reasons] == [r.point for r in two.reasons]
    for plant in (single, rows):
        assert set(plant.minutes(CYCLE - RUN, bit)[2:]) == {"rests_below"}


def test_a_run_bit_between_the_values_of_its_time_counts_for_those_after_it():
    plant = Plant(SPECS | BIT)
    runs, rests = (OperatingState(tags={RUNNING: word}) for word in ("yes", "no"))

    def row(minute: int, *states: OperatingState) -> Hop:
        points = zip(("v", "run", "t"), (1.5, 1.0, 60.0), states, strict=True)
        return Hop("m", tuple(
            Observation(p, minute * MINUTE_NS, np.array([x], np.float32), s) for p, x, s in points
        ))  # fmt: skip

    for minute in range(30):
        plant.machine.process(row(minute, runs, runs, runs))
    result = plant.machine.process(row(30, runs, rests, rests))
    assert result.idle == {"run", "t"}
    assert plant.machine.decision.reasons[0].said.code == "not_running"
    result = plant.machine.process(row(31, rests, runs, runs))
    assert result.idle >= {"v"}
    assert plant.machine.decision.reasons == ()


def test_what_was_learned_at_rest_is_discarded_when_the_rest_is_found():
    plant = Plant()
    plant.minute = RUN
    plant.minutes(CYCLE - RUN)
    job = plant.detector.fit_now()
    plant.machine.adopt(job.run(lambda _: None))
    assert plant.detector.model is not None
    plant.minutes(3 * CYCLE)
    assert plant.detector.model is None
    assert plant.detector.coverage.because.code == "rest_found"
    assert plant.machine.open_event is None
    assert plant.learned("v").min() > 1.0


def test_a_mixed_last_value_of_a_run_is_not_learned():
    plant = Plant()
    plant.minutes(3 * CYCLE)
    plant.minutes(RUN - 1)
    level, plant.rng = 0.9, np.random.default_rng(3)
    assert plant.minutes(1, level=level) == [""], "by more than half of the value before"
    plant.minutes(10)
    assert not (np.abs(plant.learned("v") - level) < 0.15).any()


def test_a_value_that_fell_by_half_waits_for_the_next_one():
    plant = Plant()
    plant.minutes(3 * CYCLE)
    plant.minutes(RUN - 5)
    assert plant.minutes(3, level=0.6) == ["coasting", "", ""]


@pytest.mark.parametrize("bit", [lambda _: "yes", lambda _: "no"], ids=["stuck on", "stuck off"])
def test_a_run_bit_that_is_stuck_is_reported_and_the_levels_count(bit):
    plant = Plant(SPECS | BIT)
    plant.minutes(7 * CYCLE, bit)
    assert "run_bit_stuck" in {r.said.code for r in plant.machine.decision.reasons}
    codes = plant.minutes(CYCLE, bit)
    assert codes.count("rests_below") == CYCLE - RUN


def test_a_late_run_bit_makes_no_rest_a_run():
    plant = Plant(SPECS | BIT)
    late = [False] * 5

    def bit(runs: bool) -> str:
        late.append(runs)
        return "yes" if late.pop(0) else "no"

    plant.minutes(6 * CYCLE, bit)
    codes = plant.minutes(CYCLE, bit)
    assert codes.count("rests_below") == CYCLE - RUN + 5, "five minutes after each start"
    assert "run_bit_stuck" not in codes
    assert plant.learned("v").min() > 1.0


def test_a_missing_run_bit_leaves_the_levels():
    plant = Plant(SPECS | BIT)
    plant.minutes(4 * CYCLE, lambda runs: "yes" if runs else "no")
    assert plant.minutes(CYCLE).count("rests_below") == CYCLE - RUN


def test_levels_say_nothing_where_the_signal_must_not():
    plant = Plant(running_from_signal=False)
    plant.minutes(5 * CYCLE)
    assert plant.detector.run_levels.limits == {}


def test_the_levels_survive_a_restart():
    plant, again = Plant(), Plant()
    plant.minutes(3 * CYCLE)
    again.detector.restore(plant.detector.state())
    again.minute = plant.minute
    assert again.minutes(CYCLE).count("rests_below") == CYCLE - RUN


def test_a_speed_of_zero_is_rest_without_waveforms():
    plant = Plant()
    state = OperatingState(speed_rpm=0.0)
    for speed in (1500.0, 1500.0, 0.0):
        state = OperatingState(speed_rpm=speed)
        one = Observation("t", plant.minute * MINUTE_NS, np.array([40.0], np.float32), state)
        plant.machine.process(Hop("m", (one,)))
        plant.minute += 1
    assert plant.machine.decision.reasons[0].said.code == "not_running"


class Answered:
    """A machine that runs on at twice its velocity, which an answer called normal."""

    def __init__(self, folder: Path) -> None:
        specs = {
            "v": FeatureSpec.value("velocity_rms", "mm/s", 900),
            "t": FeatureSpec.value("temperature", "°C", 900),
        }
        detector = MachineDetector(NamePlate("m"), specs, DetectorSettings(baseline_windows=60))
        self.machine = MonitoredMachine(
            settings_of("m"), detector, MachineLearning(folder, "m"), None,
            dict.fromkeys(specs, 900.0), 60 * 10**9,
        )  # fmt: skip
        self.rng, self.quarters = np.random.default_rng(2), count()
        self.live(4 * 96, 1.5, 60.0)
        self.machine.adopt(detector.fit_now().run())
        self.live(60, 3.0, 60.0)
        self.machine.answer_level(self.machine.open_event.event_id, Verdict.FALSE_ALARM)
        self.live(3 * 96, 3.0, 60.0)
        assert self.machine.open_event is None

    def live(self, rows: int, v: float, t: float) -> None:
        for _ in range(rows):
            t_ns, rng = next(self.quarters) * 15 * MINUTE_NS, self.rng
            values = {"v": v * np.exp(0.05 * rng.standard_normal()), "t": t + rng.standard_normal()}
            hop = [Observation(p, t_ns, np.array([x], np.float32)) for p, x in values.items()]
            self.machine.process(Hop("m", tuple(hop)))


@pytest.mark.parametrize(
    ("after", "result"), [((3.0, 60.0), "gone"), ((12.0, 60.0), "unchanged"), ((3.0, 90.0), "new")]
)
def test_the_check_after_work_asks_the_reference_that_an_answer_moved(tmp_path, after, result):
    plant = Answered(tmp_path)
    machine = plant.machine
    plant.live(60, 12.0, 60.0)
    event_id = machine.open_event.event_id
    machine.learning.begin_repair_check(event_id, machine.stream_ns)
    plant.live(WINDOWS, *after)
    assert machine.learning.repair.result == result
    assert (machine.open_event is None) == (result == "gone")


@pytest.mark.parametrize(("v", "stays"), [(3.0, False), (12.0, True)])
def test_a_level_that_stays_departs_from_the_reference_that_an_answer_moved(tmp_path, v, stays):
    plant = Answered(tmp_path)
    plant.machine.set_limits("t", [Limit("temperature_c", None, 40.0)])
    plant.live(70, v, 60.0)
    assert plant.machine.decision.condition is Condition.ALARM
    codes = {reason.said.code for reason in plant.machine.decision.reasons}
    assert ("level_stays_value" in codes) == stays
    assert "level_stays" not in codes
