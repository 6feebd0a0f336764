"""Run-ups: known critical speeds are found, and bad input makes none up."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import find_peaks

import auscult
from auscult.dsp.run_up import prominence, sweeps
from auscult.dsp.simulation.housing import Housing
from auscult.dsp.simulation.machine import SimulatedMachine
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.rotor import CriticalMode, FlexibleRotor
from auscult.dsp.simulation.sensors import Sensor

FS_HZ = 1280.0
ROTOR = FlexibleRotor([CriticalMode(1000, 0.05), CriticalMode(2400, 0.03)])


def recorded(rotation, *sources):
    machine = SimulatedMachine(sources, [Sensor(noise_g=0.005)], housing=Housing())
    return machine.record(rotation).samples[0]


@pytest.fixture(scope="module")
def run():
    rotation = Rotation.ramp(300, 3300, FS_HZ, 120)
    return rotation, recorded(rotation, ROTOR)


def test_two_critical_speeds_are_found_with_their_damping_and_turn(run):
    rotation, samples = run
    (up,) = auscult.run_ups(samples, FS_HZ, marks_s=rotation.tacho_s())
    assert up.rising
    assert [one.rpm for one in up.critical_speeds] == pytest.approx([1000, 2400], rel=0.02)
    assert [one.amplification for one in up.critical_speeds] == pytest.approx([10, 16.7], rel=0.25)
    assert [one.turn_deg for one in up.critical_speeds] == pytest.approx([90, 90], abs=25)
    assert up.phase_deg is not None
    assert up.phase_deg[0] - up.phase_deg[-1] > 180, "the response falls behind"


def test_without_marks_the_amplitude_alone_is_read(run):
    rotation, samples = run
    (up,) = auscult.run_ups(samples, FS_HZ, speed_rpm=60 * rotation.hz)
    assert [one.rpm for one in up.critical_speeds] == pytest.approx([1000, 2400], rel=0.03)
    assert (up.phase_deg, up.critical_speeds[0].turn_deg) == (None, None)


def test_a_stiff_rotor_has_none():
    rotation = Rotation.ramp(3300, 300, FS_HZ, 60)
    stiff = FlexibleRotor([CriticalMode(9000, 0.05)])
    (down,) = auscult.run_ups(recorded(rotation, stiff), FS_HZ, marks_s=rotation.tacho_s())
    assert not down.rising
    assert down.critical_speeds == ()


def test_missing_and_doubled_marks_change_nothing(run):
    rotation, samples = run
    marks = rotation.tacho_s()
    chance = np.random.default_rng(0)
    kept = np.sort(chance.choice(marks, round(0.97 * marks.size), replace=False))
    bad = np.sort(np.concatenate([kept, chance.choice(kept, 40, replace=False) + 0.004]))
    (up,) = auscult.run_ups(samples, FS_HZ, marks_s=bad)
    assert [one.rpm for one in up.critical_speeds] == pytest.approx([1000, 2400], rel=0.02)


def test_a_run_up_that_stops_half_way_shows_what_it_passed(run):
    rotation, samples = run
    half = samples.size // 2
    (up,) = auscult.run_ups(samples[:half], FS_HZ, speed_rpm=60 * rotation.hz[:half])
    assert [one.rpm for one in up.critical_speeds] == pytest.approx([1000], rel=0.03)


def test_sweeps_end_at_jumps_and_reversals():
    up = np.linspace(500, 3000, 60)
    assert sweeps(np.concatenate([up, up])) == [(0, 60), (60, 120)], "a jump between two run-ups"
    assert len(sweeps(np.concatenate([up, up[::-1]]))) == 2
    assert sweeps(np.where(np.arange(60) % 7 == 2, np.nan, up)) == [(0, 60)], "unknown now and then"
    assert sweeps(np.full(50, 1500.0)) == []
    assert sweeps(1500 + 60 * np.sin(np.arange(300))) == [], "load that wanders"
    assert sweeps(np.where(np.arange(60) < 30, 500.0, 3000.0)) == [], "a step is no sweep"
    assert sweeps(np.array([])) == sweeps(np.full(9, np.nan)) == []


def test_the_prominence_is_that_of_scipy():
    values = np.cumsum(np.random.default_rng(0).normal(size=200))
    peaks, found = find_peaks(values, prominence=0)
    assert [prominence(values, at) for at in peaks] == pytest.approx(found["prominences"])


def test_input_that_does_not_fit_is_rejected(run):
    _, samples = run
    for wrong in ({}, {"marks_s": [1.0], "speed_rpm": [1.0]}, {"speed_rpm": [1.0]},
                  {"marks_s": [2.0, 1.0]}):  # fmt: skip
        with pytest.raises(auscult.InputError):
            auscult.run_ups(samples, FS_HZ, **wrong)
    assert auscult.run_ups(samples, FS_HZ, marks_s=[1.0]) == []
