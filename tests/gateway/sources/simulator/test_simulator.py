"""The simulated machine as a source, and `auscult sensors` on it."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.gateway.records import PointValue
from auscult.gateway.settings.gateway import MachineSettings, PointSettings
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.simulator import KIND
from auscult.gateway.sources.simulator.settings import SimulatorSource
from auscult.gateway.sources.simulator.source import BEARING, HOT_K
from auscult.link.broker import BrokerSettings

FS_HZ = 8000


def played(**more: object) -> dict[str, np.ndarray]:
    settings = SimulatorSource.model_validate(
        {
            "type": "simulator", "machine": "pump", "pace": 0, "length_s": 8,
            "points": [{"point": "DE"}, {"point": "MIC"}, {"point": "V", "direction": "vertical"}],
            **more,
        }
    )  # fmt: skip
    points = [
        PointSettings(id="DE", kind="vibration", unit="m/s2", fs_hz=FS_HZ),
        PointSettings(id="MIC", kind="sound", unit="Pa", fs_hz=FS_HZ),
        PointSettings(id="V", kind="vibration", unit="g", fs_hz=FS_HZ),
    ]
    machines = {"pump": MachineSettings(id="pump", points=points)}
    source = KIND.open(settings, SourceContext(machines, BrokerSettings(), "t", Path("unused")))
    inlet = Inlet(1 << 40)
    source.run(inlet, threading.Event())
    assert source.status.code == "source_ended"
    found: dict[str, list[np.ndarray]] = {}
    while items := inlet.take(0):
        for block in items:
            found.setdefault(block.point.point, []).append(block.samples)
            assert block.state.speed_rpm == 1480
    return {name: np.concatenate(parts) for name, parts in found.items()}


def level(x: np.ndarray, hz: float) -> float:
    """Amplitude of the line next to a frequency."""
    spectrum = np.abs(np.fft.rfft(x * np.hanning(x.size))) * 4 / x.size
    at = round(hz * x.size / FS_HZ)
    return float(spectrum[at - 3 : at + 4].max())


def test_the_machine_is_seeded_and_its_tones_go_through_the_seams():
    first, again, other = played(), played(), played(seed=1)
    assert {name: x.size for name, x in first.items()} == dict.fromkeys(("DE", "MIC", "V"), 64_000)
    for name, samples in first.items():
        np.testing.assert_array_equal(samples, again[name])
        assert not np.array_equal(samples, other[name])
    x = first["DE"] / 9.80665
    whole, part = level(x, 1480 / 60), level(x[:16_000], 1480 / 60)
    assert whole == pytest.approx(part, rel=0.05), "the shaft's tone keeps its phase"


def test_a_fault_grows_after_the_healthy_time_and_a_sensor_can_lie():
    x = played(fault="outer", healthy_s=4, growth_s=4)["V"]
    envelope = np.abs(x - x.mean())
    bpfo_hz = BEARING.bpfo * 1480 / 60
    healthy, faulty = (level(part - part.mean(), bpfo_hz) for part in np.split(envelope, 2))
    assert faulty > 4 * healthy
    lying = played(healthy_s=4, points=[{"point": "V", "sensor_fault": "stuck"}])["V"]
    assert np.std(lying[:32_000]) > 0
    assert np.ptp(lying[32_500:48_000]) == 0


def test_a_fault_ends_when_it_is_repaired():
    x = played(fault="imbalance", healthy_s=2, growth_s=1, repaired_s=4)["V"]
    healthy, faulty, repaired = (
        level(part, 1480 / 60) for part in (x[:16_000], x[32_000:48_000], x[48_000:])
    )
    assert faulty > 4 * healthy
    assert repaired == pytest.approx(healthy, rel=0.1)


def values_of(**more: object) -> dict[str, list[PointValue]]:
    settings = SimulatorSource.model_validate(
        {
            "type": "simulator", "machine": "blower", "pace": 0, "length_s": 200,
            "points": [{"point": "load"}, {"point": "temperature"}], **more,
        }
    )  # fmt: skip
    points = [
        PointSettings(id="load", kind="value", quantity="other", unit="%", interval_s=1),
        PointSettings(
            id="temperature", kind="value", quantity="temperature", unit="°C", interval_s=2
        ),
    ]
    machines = {"blower": MachineSettings(id="blower", points=points)}
    source = KIND.open(settings, SourceContext(machines, BrokerSettings(), "t", Path("unused")))
    inlet = Inlet(1 << 40)
    source.run(inlet, threading.Event())
    found: dict[str, list[PointValue]] = {}
    while items := inlet.take(0):
        for item in items:
            found.setdefault(item.point.point, []).append(item)
    return found


def test_a_bearing_is_as_warm_as_the_load_explains_until_it_runs_dry():
    found = values_of(fault="lubrication", healthy_s=100, growth_s=1)
    load, temperature = found["load"], found["temperature"]
    assert [len(load), len(temperature)] == [200, 100], "one value an interval, none doubled"
    assert set(np.diff([one.t_ns for one in load])) == {1_000_000_000}
    assert [one.t_ns for one in temperature] == [one.t_ns for one in load[::2]]
    x = np.array([one.value for one in load[::2]])
    y = np.array([one.value for one in temperature])
    slope, offset = np.polyfit(x[:50], y[:50], 1)
    rest = y - (slope * x + offset)
    assert np.std(rest[:50]) < 0.1 * np.std(y[:50])
    assert np.median(rest[52:]) == pytest.approx(HOT_K, abs=1)


CONFIG = """
[[machines]]
id = "pump"
speed_rpm = 1480
[[machines.points]]
id = "DE"
kind = "vibration"
unit = "g"
fs_hz = {fs_hz}
[[machines.points]]
id = "NDE"
kind = "vibration"
unit = "g"
fs_hz = 8000
[[sources]]
type = "simulator"
machine = "pump"
points = [{{ point = "DE" }}{more}]
"""


def test_sensors_shows_what_arrives_and_what_does_not(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    config = tmp_path / "auscult.toml"
    config.write_text(CONFIG.format(fs_hz=8000, more=', { point = "NDE", bearing = 4 }'))
    shown = CliRunner().invoke(cli, ["sensors", "--config", str(config), "--seconds", "1.5"])
    assert shown.exit_code == 0, shown.output
    assert shown.output.count("8000") == 2
    assert "█" in shown.output
    assert "simulator:pump: ok" in shown.stderr
    config.write_text(CONFIG.format(fs_hz=8000, more=""))
    shown = CliRunner().invoke(cli, ["sensors", "--config", str(config), "--seconds", "1"])
    assert shown.exit_code == 1
    assert "nothing arrived" in shown.output
    tone = CliRunner().invoke(
        cli, ["sensors", "-c", str(config), "--seconds", "1.5", "--calibrate", "pump/DE"]
    )
    assert "90% are needed" in str(tone.exception)


def test_sensors_without_any_lists_each_kind_that_can_not_search():
    shown = CliRunner().invoke(cli, ["sensors"])
    assert shown.exit_code == 0, shown.output
    assert (
        "mcc172: the package daqhats is not installed: pip install 'auscult[mcc]'" in shown.stderr
    )
