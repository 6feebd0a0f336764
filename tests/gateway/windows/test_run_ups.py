"""Run-ups in the gateway: recognised while windows pass, whatever is missing."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.dsp.simulation.housing import Housing
from auscult.dsp.simulation.machine import SimulatedMachine
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.rotor import CriticalMode, FlexibleRotor
from auscult.dsp.simulation.sensors import Sensor
from auscult.dsp.tracking import angle_from_speed
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import plan_points
from auscult.gateway.windows.run_ups import LINES, MOST_SPECTRA, ORDER_STEP
from auscult.gateway.windows.tachos import Tachos

FS_HZ = 1280.0
NS = 1_000_000_000
T0_NS = 1_700_000_000 * NS
BLOCK = 640
POINT, TACHO = PointId("pump", "de"), PointId("pump", "t")


@pytest.fixture(scope="module")
def played():
    """A run-up and the coast-down after it, each with a steady time, at two critical speeds."""
    n = round(FS_HZ)
    course = [np.linspace(300, 3300, 60 * n), np.full(25 * n, 3300.0),
              np.linspace(3300, 300, 60 * n), np.full(25 * n, 300.0)]  # fmt: skip
    rpm = np.concatenate(course)
    rotation = Rotation(FS_HZ, rpm / 60, angle_from_speed(rpm, FS_HZ))
    rotor = FlexibleRotor([CriticalMode(1000, 0.05), CriticalMode(2400, 0.03)])
    machine = SimulatedMachine([rotor], [Sensor(noise_g=0.005)], housing=Housing())
    return rotation, machine.record(rotation).samples[0].astype(np.float32)


def pipeline(*, tacho: bool) -> Pipeline:
    point = {"id": "de", "kind": "vibration", "unit": "g", "fs_hz": FS_HZ}
    machine = {"id": "pump", "points": [point]}
    if tacho:
        machine["tacho"] = {"id": "t", "fs_hz": FS_HZ, "level": 0.0}
    settings = GatewaySettings.model_validate({"machines": [machine]})
    return Pipeline(plan_points(settings, {}), tachos=Tachos(settings.machines))


def blocks(played, *, marks=None, speed_rpm=None, begin=0, end=None):
    """Blocks of the point, with a tachometer's beside them or the stated speed."""
    _, samples = played
    for number in range(begin, (end or samples.size) // BLOCK):
        own = slice(number * BLOCK, (number + 1) * BLOCK)
        t0_ns = T0_NS + round(own.start / FS_HZ * NS)
        items = []
        if marks is not None:
            items.append(SampleBlock(TACHO, FS_HZ, t0_ns, number, marks[own], "V"))
        state = None if speed_rpm is None else OperatingState(speed_rpm=float(speed_rpm[own][-1]))
        yield [*items, SampleBlock(POINT, FS_HZ, t0_ns, number, samples[own], "g", state=state)]


def run_ups(pipeline: Pipeline, played, **given):
    for items in blocks(played, **given):
        assert list(pipeline.process(items)) is not None
    pipeline.run_ups.finish()
    return list(pipeline.run_ups.done)


def signal(rotation: Rotation) -> np.ndarray:
    return np.cos(2 * np.pi * rotation.angle).astype(np.float32)


def found_rpm(one) -> list[float]:
    return [speed.rpm for speed in one.passed.critical_speeds]


def test_with_a_mark_both_critical_speeds_and_their_turn_are_found(played):
    rotation, _ = played
    up, down = run_ups(pipeline(tacho=True), played, marks=signal(rotation))
    assert (up.passed.rising, down.passed.rising) == (True, False)
    for one in (up, down):
        assert found_rpm(one) == pytest.approx([1000, 2400], rel=0.03)
        turns = [speed.turn_deg for speed in one.passed.critical_speeds]
        assert turns == pytest.approx([90, 90], abs=30)
    assert (up.start_ns - T0_NS) / NS == pytest.approx(0, abs=3)
    assert (down.end_ns - T0_NS) / NS == pytest.approx(145, abs=3)


def test_with_the_stated_speed_the_amplitude_alone_is_known(played):
    rotation, _ = played
    up, down = run_ups(pipeline(tacho=False), played, speed_rpm=60 * rotation.hz)
    assert found_rpm(up) == pytest.approx([1000, 2400], rel=0.04)
    assert found_rpm(down) == pytest.approx([1000, 2400], rel=0.04)
    assert up.passed.phase_deg is None


def test_the_cascade_is_small_and_shows_the_first_order(played):
    rotation, _ = played
    up, _ = run_ups(pipeline(tacho=True), played, marks=signal(rotation))
    assert up.cascade.shape[1] == LINES
    assert len(up.cascade) <= MOST_SPECTRA
    assert (np.diff(up.cascade_rpm) > 0).all()
    at = np.abs(up.cascade_rpm - 2400).argmin()
    assert up.cascade[at].argmax() * ORDER_STEP == pytest.approx(1, abs=0.06)


def test_a_long_one_is_averaged_to_stay_small(played, monkeypatch):
    rotation, _ = played
    monkeypatch.setattr("auscult.gateway.windows.run_ups.MOST_SPECTRA", 32)
    monkeypatch.setattr("auscult.gateway.windows.run_ups.MOST_VALUES", 512)
    up, down = run_ups(pipeline(tacho=True), played, marks=signal(rotation))
    assert found_rpm(up) == pytest.approx([1000, 2400], rel=0.03)
    assert found_rpm(down) == pytest.approx([1000, 2400], rel=0.03)
    assert max(len(up.cascade), len(down.cascade)) <= 16


def test_missing_marks_a_lost_second_and_samples_that_are_no_numbers_change_little(played):
    rotation, samples = played
    marks = signal(rotation)
    chance = np.random.default_rng(0)
    for turn in chance.integers(20, 4000, 60):
        marks[np.floor(rotation.angle) == turn] = -1
    bad = samples.copy()
    bad[20 * BLOCK : 20 * BLOCK + 9] = np.nan
    made = pipeline(tacho=True)
    for number, items in enumerate(blocks((rotation, bad), marks=marks)):
        if number not in (40, 41):
            assert list(made.process(items)) is not None
    made.run_ups.finish()
    assert found_rpm(made.run_ups.done[0]) == pytest.approx([1000, 2400], rel=0.03)


def test_a_stop_half_way_and_a_restart_of_the_gateway_leave_what_was_passed(played):
    rotation, _ = played
    half = round(35 * FS_HZ)
    (first,) = run_ups(pipeline(tacho=True), played, marks=signal(rotation), end=half)
    assert found_rpm(first) == pytest.approx([1000], rel=0.03)
    second, _ = run_ups(pipeline(tacho=True), played, marks=signal(rotation), begin=half // BLOCK)
    assert found_rpm(second) == pytest.approx([2400], rel=0.03)


def test_a_steady_a_wandering_and_a_jumping_speed_are_none(played):
    t = np.arange(played[1].size) / FS_HZ
    for speed_rpm in (
        np.full(t.size, 1500.0),
        1500 * (1 + 0.1 * np.sin(t)),
        np.where(t % 40 < 20, 500.0, 3000.0),
        np.where(t < 60, 0.0, 1500.0),
    ):
        assert run_ups(pipeline(tacho=False), played, speed_rpm=speed_rpm) == []
