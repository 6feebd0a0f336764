"""The speed without a tachometer: exact where it is known, and silent about other combs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from auscult.dsp.bearing import Bearing
from auscult.dsp.shaft_speed import KNOWN, SPACINGS, _excess, _maxima, shaft_speed
from auscult.dsp.simulation.bearings import BearingDefect
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import Looseness

FS = 8000.0
BEARING = Bearing("6203", bpfo=3.05, bpfi=4.95, bsf=1.99, ftf=0.382)


def signal(machine, rpm, seconds=4.0, seed=0):
    rotation = Rotation.wandering(rpm, FS, seconds, share=0.0005, seed=seed)
    record = machine.record(rotation)
    return [(row, FS) for row in record.samples], rotation.speed_rpm


@pytest.mark.parametrize("off", [-0.085, -0.06, 0.0, 0.045])
def test_it_is_exact_where_the_name_plate_is_not(off):
    machine = healthy_pump(seed=7).with_faults(Looseness(0.05, half_orders=False))
    channels, true_rpm = signal(machine, 1480.0)
    found = shaft_speed(channels, true_rpm * (1 + off) / 60)
    assert found is not None
    assert abs(found.hz * 60 / true_rpm - 1) <= min(KNOWN, found.error + 2e-4)


@pytest.mark.parametrize("bpfo", [3.05, 3.58])
def test_a_comb_of_an_outer_race_is_no_shaft(bpfo):
    """It would pass for 3×, 6× … of a shaft that turns 1.7 % faster, or 7× of one 2.3 % faster."""
    bearing = replace(BEARING, bpfo=bpfo)
    machine = healthy_pump(seed=8).with_faults(BearingDefect(bearing, "bpfo", 2.0, slip=0.001))
    channels, true_rpm = signal(machine, 1480.0)
    found = shaft_speed(channels, true_rpm * 1.01 / 60)
    assert found is None or abs(found.hz * 60 / true_rpm - 1) <= KNOWN


def test_the_distance_of_sidebands_counts_more_than_harmonics_of_a_drive():
    """As on a real rig: the drive's 10 Hz and its multiples at 20 Hz, the shaft 0.5 % behind it."""
    rng = np.random.default_rng(1)
    t, shaft_hz = np.arange(int(4 * FS)) / FS, 19.9
    drive = sum(np.sin(2 * np.pi * 10 * k * t + k) for k in range(1, 13))
    strikes = np.zeros(t.size)
    strikes[np.rint(np.arange(0, 4, 1 / (5.39 * shaft_hz)) * FS).astype(int)] = 1
    ring = np.exp(-np.arange(60) / 12) * np.sin(2 * np.pi * 0.3 * np.arange(60))
    race = np.convolve(strikes * (1 + 0.8 * np.cos(2 * np.pi * shaft_hz * t)), ring)[: t.size]
    x = 0.02 * drive + 3 * race + 0.3 * rng.standard_normal(t.size)
    found = shaft_speed([(x.astype(np.float32), FS)], 20.0)
    assert found is not None
    assert abs(found.hz / shaft_hz - 1) <= KNOWN


@pytest.mark.parametrize(("first", "known"), [(1.0, True), (None, False), (1.03, False)])
def test_few_harmonics_need_the_first_one_as_a_witness(first, known):
    rng, t, shaft_hz = np.random.default_rng(0), np.arange(int(4 * FS)) / FS, 24.37
    x = 0.4 * sum(np.sin(2 * np.pi * shaft_hz * k * t + k) for k in range(2, 7))
    x += rng.standard_normal(t.size)
    if first is not None:
        x += 3 * np.sin(2 * np.pi * first * shaft_hz * t)
    found = shaft_speed([(x.astype(np.float32), FS)], 25.0)
    assert (found is not None) is known
    if found is not None:
        assert found.witnessed
        assert abs(found.hz / shaft_hz - 1) <= KNOWN


def test_noise_and_single_lines_have_no_speed():
    rng = np.random.default_rng(3)
    noise = rng.standard_normal(32_000)
    line = 5 * np.sin(2 * np.pi * 25 * np.arange(32_000) / FS)
    for x in (noise, noise + line):
        assert shaft_speed([(x.astype(np.float32), FS)], 25.2) is None


@pytest.mark.parametrize("place", [4.6, 5.0, 5.4])
def test_a_line_lies_at_the_top_of_its_parabola_and_below_6_db_is_noise(place):
    lines = np.arange(12)
    for top, found in ((6.6, 1), (5.9, 0)):
        places, heights = _maxima(np.maximum(top - 2 * (lines - place) ** 2, 0.0))
        assert len(places) == len(heights) == found
        assert places == pytest.approx([place] * found)
        assert heights == pytest.approx([top - 2 * (round(place) - place) ** 2] * found)


def test_pairs_count_up_to_the_fastest_speed():
    """Two lines 8 turns of the fastest speed apart speak for it."""
    per_order, speeds = 100.0, np.linspace(0.9, 1.1, 41)
    apart = SPACINGS * speeds[-1] * per_order
    found = _excess(np.array([50.0, 50.0 + apart]), np.array([20.0, 20.0]), per_order, speeds)
    assert found.shape == (SPACINGS, speeds.size)
    assert found[-1].argmax() == speeds.size - 1
    assert found[-1, -1] > 0
