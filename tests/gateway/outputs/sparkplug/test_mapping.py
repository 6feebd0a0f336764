"""From messages to metrics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auscult.contract.host_actions import HostAction
from auscult.contract.payloads import MESSAGES
from auscult.contract.requests import Commands, SpectrumArgs
from auscult.gateway.outputs.sparkplug.reporting import CurrentValues
from auscult.gateway.tags.inventory import TagOptions, inventory_of
from auscult.gateway.tags.levels import KnownLevels
from auscult.gateway.tags.mapping import (
    AlarmWord,
    alarm_word,
    event_readings,
    machine_readings,
    point_levels,
    point_readings,
    spectrum_reading,
    status_readings,
)
from auscult.gateway.tags.metrics import Quality
from tests.gateway.outputs.sparkplug.plant import (
    BEARING,
    INVENTORY,
    SILENT,
    ZONE,
    event,
    machine_state,
    point_state,
    spectrum,
    status,
)
from tests.reasons import reason

OPTIONS = TagOptions(commands=("acknowledge", "start_baseline", "request_spectrum"))


@pytest.fixture
def inventory(tmp_path):
    levels = KnownLevels(tmp_path / "levels.json")
    for machine in INVENTORY.machines:
        for point in machine.points:
            levels.learn(machine.id, point.id, {"velocity_rms": "mm/s", "crest_factor": "1"})
    return inventory_of(INVENTORY, OPTIONS, levels, "1.2.3")


def test_every_reading_has_its_metric_and_fits_it(inventory):
    published = {
        "pump-3": [
            point_readings(point_state(reasons=(BEARING, ZONE), condition="alarm")),
            machine_readings(machine_state(event_id="01J")),
            event_readings(event()),
            event_readings(event(phase="end")),
            spectrum_reading(spectrum()),
            spectrum_reading(spectrum(kind="envelope")),
        ],
        None: [status_readings(status())],
    }
    for unit, all_readings in published.items():
        metrics = inventory.unit(unit).metrics
        for readings in all_readings:
            for name, reading in readings.items():
                metrics[name].check(reading.value)


def test_units_and_ranges_are_given(inventory):
    metrics = inventory.unit("pump-3").metrics
    assert metrics["Points/DE/Levels/velocity_rms"].unit == "mm/s"
    assert metrics["Points/DE/Speed"].unit == "r/min"
    progress = metrics["Baseline/Progress"]
    assert (progress.unit, progress.low, progress.high) == ("%", 0, 100)


def test_the_alarm_word_has_a_bit_for_each_kind_of_reason():
    learning = reason(kind="iso_zone", condition="normal", text="zone A")
    assert alarm_word("normal", (learning,)) == 0
    assert alarm_word("alarm", (BEARING, ZONE)) == (
        AlarmWord.ALARM | AlarmWord.LEARNED | AlarmWord.ISO_ZONE
    )
    assert alarm_word("unknown", ()) == AlarmWord.UNKNOWN


def test_a_sensor_fault_is_published_with_good_quality():
    readings = point_readings(
        point_state(condition="unknown", quality="bad", sensor=("cable broken",))
    )
    assert readings["Points/DE/Levels/velocity_rms"].quality is Quality.BAD
    faults = readings["Points/DE/Sensor/Faults"]
    assert (faults.value, faults.quality) == ("cable broken", Quality.GOOD)
    assert readings["Points/DE/Sensor/Healthy"].value is False


def test_a_point_without_a_window_has_the_time_of_its_message_and_no_word_of_its_sensor():
    silent = point_state(condition="unknown", quality="bad", reasons=(SILENT,))
    waiting = silent.model_copy(update={"window_ms": 0, "levels": {}, "speed_rpm": None})
    readings = point_readings(waiting)
    assert {reading.t_ms for reading in readings.values()} == {waiting.ts}
    assert readings["Points/DE/Condition"].value == "unknown"
    for name in ("Sensor/Healthy", "Sensor/Faults"):
        assert readings[f"Points/DE/{name}"].value is None


def test_a_silent_sensor_is_not_healthy():
    readings = point_readings(point_state(condition="unknown", quality="bad", reasons=(SILENT,)))
    assert readings["Points/DE/Sensor/Healthy"].value is False
    assert readings["Points/DE/Sensor/Faults"].value == SILENT.text


def test_the_first_window_counts_though_it_began_before_the_silence_was_reported(inventory):
    metric = inventory.unit("pump-3").metrics["Points/DE/Condition"]
    waiting = point_state(condition="unknown", quality="bad", reasons=(SILENT,))
    waiting = waiting.model_copy(update={"window_ms": 0})
    first = point_state(condition="learning", t_ms=waiting.ts - 4000)
    values = CurrentValues()
    for state in (waiting, first):
        assert values.offer("pump-3", metric, point_readings(state)[metric.name]) is not None
    current = values.current("pump-3", metric.name)
    assert current is not None
    assert (current.value, current.t_ms) == ("learning", first.window_ms)


def test_the_named_fault_is_the_surest():
    unsure = replace(BEARING, fault="gear", confidence=0.2)
    readings = point_readings(point_state(reasons=(unsure, BEARING), condition="alarm"))
    assert readings["Points/DE/Fault"].value == "outer"
    assert readings["Points/DE/Fault Confidence"].value == pytest.approx(80)


def test_dead_bands_keep_noise_back(inventory):
    metric = inventory.unit("pump-3").metrics["Points/DE/Levels/velocity_rms"]
    values = CurrentValues()

    def published(velocity: float, **how) -> bool:
        reading = point_readings(point_state(velocity=velocity, **how))[metric.name]
        return values.offer("pump-3", metric, reading) is not None

    assert published(2.0)
    assert not published(2.03), "within 2 %"
    assert published(2.05), "beyond 2 % of the last published value"
    assert published(2.05, quality="bad"), "the quality changed"
    assert not published(9.0, t_ms=1), "older than the current one"
    assert published(9.0, t_ms=4_070_908_800_000)
    assert published(2.0, t_ms=1), "the clock was ahead, and is corrected"


def test_a_value_that_is_no_longer_known_keeps_the_last_with_bad_quality(inventory):
    metric = inventory.unit("pump-3").metrics["Points/DE/Speed"]
    values = CurrentValues()
    with_speed = point_readings(point_state())[metric.name]
    without = point_readings(point_state().model_copy(update={"speed_rpm": None}))[metric.name]
    assert values.offer("pump-3", metric, without) is None, "nothing was ever known"
    assert values.offer("pump-3", metric, with_speed) is not None
    report = values.offer("pump-3", metric, without)
    assert report is not None
    assert (report.reading.value, report.reading.quality) == (1480.0, Quality.BAD)


def test_levels_bring_their_own_metrics():
    (velocity, crest) = point_levels(point_state(), OPTIONS)
    assert (velocity.name, velocity.unit) == ("Points/DE/Levels/velocity_rms", "mm/s")
    assert velocity.dead_band.percent == 2
    assert crest.unit == "1"


def test_messages_without_metrics_are_passed_over(bench):
    wire = bench.wire(bench.broker())
    feed = bench.feed(wire)
    published = {
        "PointStateMessage", "MachineStateMessage", "EventMessage", "SpectrumMessage", "Status",
        "Acknowledgement",
    }  # fmt: skip
    for kind in MESSAGES:
        if kind.__name__ not in published:
            feed.publish(kind.model_construct(ts=1))
    assert feed.node.history_pending == 0


def test_known_levels_outlive_damage(tmp_path):
    file = tmp_path / "levels.json"
    levels = KnownLevels(file)
    assert levels.learn("m", "p", {"v": "mm/s"})
    assert not levels.learn("m", "p", {"v": "mm/s"})
    assert levels.learn("m", "p", {"v": "in/s"})
    assert KnownLevels(file).levels_of("m", "p") == {"v": "in/s"}
    for content in ("", "[]", "{", '{"m": 1}', '{"m": {"p": []}}'):
        file.write_text(content)
        assert KnownLevels(file).levels_of("m", "p") == {}


def test_what_a_host_asks_for_becomes_the_gateways_own_command():
    args = SpectrumArgs(machine="pump-3", point="DE", kind="envelope")
    action = HostAction(Commands.REQUEST_SPECTRUM, args, 1_700_000_000_000, "scada")
    command = action.command
    assert action.spec.args.model_validate(command.args) == args
    assert (command.id, command.actor) == (action.id, "scada")
    assert replace(action).command == command, "the same request has the same id"
    for other in (
        replace(action, t_ms=1),
        replace(action, actor="anna"),
        replace(action, args=args.model_copy(update={"point": "NDE"})),
    ):
        assert other.id != action.id


def test_baseline_progress_is_published_in_steps(bench):
    feed = bench.feed(bench.wire(bench.broker()))
    start = machine_state()

    def state(windows: int, phase: str = "collecting"):
        coverage = replace(start.coverage, windows=windows, phase=phase)
        return start.model_copy(update={"coverage": coverage})

    # 200 windows are needed, a step is 5 % of them.
    published = [windows for windows in range(25) if feed._baseline_moved(state(windows))]
    assert published == [0, 10, 20]
    assert feed._baseline_moved(state(20, "training"))
    assert not feed._baseline_moved(state(20, "training"))
