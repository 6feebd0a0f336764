"""The joint search for speed and fault, on signals whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.bearing import Bearing
from auscult.dsp.diagnosis import _swing_db, diagnose_bearing
from auscult.dsp.envelope_lines import EnvelopeLines, envelope_lines
from auscult.dsp.simulation.bearings import BearingDefect
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.sensors import Sensor
from auscult.dsp.simulation.source import SensorPlace
from tests.dsp.signals import SKF_6205, faulty_bearing

FS, SHAFT = 25600, 29.5
RACES = [("bpfo", 0.0), ("bpfi", 1.0)]


def match(*channels, bearing=SKF_6205, rpm=60 * SHAFT):
    return lines(*channels, bearing=bearing, rpm=rpm).matches


def lines(*channels, bearing=SKF_6205, rpm=60 * SHAFT):
    return diagnose_bearing([(x, FS) for x in channels], bearing, rpm)


@pytest.mark.parametrize("error", [-0.06, -0.03, 0.0, 0.03, 0.06])
@pytest.mark.parametrize(("fault", "modulation"), RACES)
def test_fault_and_true_speed_are_found_from_a_wrong_name_plate(fault, modulation, error):
    true = SHAFT * (1 + error)
    order = SKF_6205.order(fault)
    x = faulty_bearing(FS * 4, FS, true, order, modulation=modulation, snr_db=0)
    best = match(x)[0]
    assert best.fault == fault
    assert best.evidence_db > 15
    assert best.order * SHAFT == pytest.approx(true * order, rel=0.005)


def test_an_outer_race_needs_no_sidebands_and_no_harmonic_beyond_the_rate():
    rng, fs, shaft = np.random.default_rng(0), 2000, 25.0
    train = np.zeros(15 * fs)
    train[(np.arange(0, 15, 1 / (SKF_6205.bpfo * shaft)) * fs).astype(int)] = 3.0
    ring = np.exp(-np.arange(60) / 8) * np.sin(2 * np.pi * 0.3 * np.arange(60))
    x = np.convolve(train, ring)[: train.size] + 0.2 * rng.standard_normal(train.size)
    best = diagnose_bearing([(x.astype(np.float32), fs)], SKF_6205, 60 * shaft).matches[0]
    assert best.fault == "bpfo"
    assert best.evidence_db > 15
    assert set(best.harmonics_db) == {1, 2}


def test_sidebands_show_the_load_zone():
    plain, zoned = (
        match(faulty_bearing(FS * 4, FS, SHAFT, SKF_6205.bpfi, modulation=m, snr_db=0))[0]
        for m in (0.0, 1.0)
    )
    assert zoned.sidebands_db > plain.sidebands_db + 3


@pytest.mark.parametrize("seed", range(5))
def test_noise_has_no_fault(seed):
    noise = np.random.default_rng(seed).standard_normal(FS * 5).astype(np.float32)
    matches = match(noise)
    assert {m.fault for m in matches} == {"bpfo", "bpfi", "bsf"}
    assert matches[0].evidence_db < 15


def test_harmonics_of_the_shaft_are_no_fault():
    """A shaft that modulates at 1× to 12× explains a line at 3 × shaft, near BPFO = 3.05."""
    rng, t = np.random.default_rng(1), np.arange(FS * 5) / FS
    envelope = 1 + sum(np.cos(2 * np.pi * SHAFT * k * t + k) for k in range(1, 13)) / 12
    x = (envelope * rng.standard_normal(t.size)).astype(np.float32)
    bearing = Bearing("UC204", bpfo=3.05, bpfi=4.95, bsf=2.0, ftf=0.38)
    assert match(x, bearing=bearing)[0].evidence_db < 15


def test_two_sensors_add_up_and_the_clearer_one_is_named():
    quiet, clear = (
        faulty_bearing(FS * 4, FS, SHAFT, SKF_6205.bpfo, snr_db=snr, seed=s)
        for s, snr in ((0, -20), (1, -8))
    )
    both = match(quiet, clear)[0]
    assert both.fault == "bpfo"
    assert both.channel == 1
    assert match(clear, quiet)[0].channel == 0


def test_sensors_of_different_rates_share_the_orders():
    x = faulty_bearing(FS * 4, FS, SHAFT, SKF_6205.bpfo, seed=3)
    slow = faulty_bearing(FS * 2, FS // 2, SHAFT, SKF_6205.bpfo, seed=4)
    found = diagnose_bearing([(x, FS), (slow, FS // 2)], SKF_6205, 60 * SHAFT)
    assert found.matches[0].fault == "bpfo"


def test_bursts_can_be_searched():
    x = faulty_bearing(FS * 4, FS, SHAFT, SKF_6205.bpfo, snr_db=0).reshape(8, -1)
    best = match(x)[0]
    assert best.fault == "bpfo"
    assert best.evidence_db > 15


def test_unknown_orders_are_left_out():
    x = faulty_bearing(FS * 2, FS, SHAFT, 3.6)
    assert [m.fault for m in match(x, bearing=Bearing("b", bpfo=3.6))] == ["bpfo"]
    assert match(x, bearing=Bearing("b")) == ()


@pytest.mark.parametrize("x", [np.zeros(FS, np.float32), np.ones(FS, np.float32)])
def test_silence_has_no_fault_and_raises_nothing(x):
    assert all(m.evidence_db <= 0 for m in match(x))


def test_a_recording_that_can_t_carry_the_orders_matches_nothing():
    noise = np.random.default_rng(0).standard_normal(FS).astype(np.float32)
    assert match(noise[:300]) == ()
    assert match(noise, rpm=60 * 4) == ()
    assert diagnose_bearing([(noise, 500.0)], SKF_6205, 60 * SHAFT).matches == ()


def test_a_line_of_modulation_has_its_depth():
    t = np.arange(FS * 4) / FS
    x = np.sqrt(1 + 0.8 * np.cos(2 * np.pi * 100 * t)) * np.sin(2 * np.pi * 4100 * t)
    found = envelope_lines([(x.astype(np.float32)[None], FS)], 25.0, 100, 16)
    assert found.per_order == pytest.approx(100)
    assert found.depth[400] == pytest.approx(0.8, rel=0.05)


def test_a_tone_stands_in_the_plain_spectrum_alone():
    rng, t = np.random.default_rng(0), np.arange(FS * 4) / FS
    x = 0.2 * np.sin(2 * np.pi * 100 * t) + rng.standard_normal(t.size)
    found = envelope_lines([(x.astype(np.float32)[None], FS)], 25.0, 100, 16)
    assert found.plain[0, 400] > 15
    assert found.decibel[0, 400] < 10


@pytest.mark.parametrize("fault", ["bpfo", "bpfi"])
def test_a_comb_is_found_without_any_bearing(fault):
    order = SKF_6205.order(fault)
    zone = 1.0 if fault == "bpfi" else 0.0
    x = faulty_bearing(FS * 4, FS, SHAFT, order, modulation=zone, snr_db=0)
    found = lines(x, bearing=Bearing(""))
    assert found.matches == ()
    assert found.comb.order == pytest.approx(order, rel=0.003)
    assert not found.comb.synchronous
    assert found.comb.depth > 0.6


def test_the_comb_of_a_shaft_is_synchronous():
    rng, t = np.random.default_rng(2), np.arange(FS * 4) / FS
    envelope = 1 + 0.8 * np.cos(2 * np.pi * 7 * SHAFT * t)
    x = (envelope * rng.standard_normal(t.size)).astype(np.float32)
    comb = lines(x).comb
    assert comb is None or comb.synchronous


def test_impacts_of_a_slow_shaft_are_named_by_their_held_peaks(monkeypatch):
    rng, fs, rpm = np.random.default_rng(0), 5000, 30
    bearing = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
    strikes = np.zeros(80 * fs, np.float32)
    strikes[:: round(fs / (rpm / 60 * bearing.bpfo))] = 1.0
    ring = np.exp(-np.arange(40) / 6) * np.sin(2 * np.pi * 0.25 * np.arange(40))
    x = np.convolve(strikes, ring, "same") + 0.09 * rng.standard_normal(strikes.size)
    channels = [(x.astype(np.float32), float(fs))]
    held = diagnose_bearing(channels, bearing, rpm).matches[0]
    monkeypatch.setattr("auscult.dsp.envelope_lines.SLOW_HZ", 0.0)
    mean = next(m for m in diagnose_bearing(channels, bearing, rpm).matches if m.fault == "bpfo")
    assert held.fault == "bpfo"
    assert held.depth > 0.5 > mean.depth


def test_the_swing_is_the_mean_height_of_both_sidebands_over_their_carriers():
    heights_db = {2.5: 4.0, 3.5: 20.0, 4.5: 8.0, 6.0: 1.0, 7.0: 12.0, 8.0: 3.0}
    decibel = np.zeros((1, 1000), np.float32)
    for order, height_db in heights_db.items():
        decibel[0, round(100 * order)] = height_db
    spectrum = EnvelopeLines.__new__(EnvelopeLines)
    for name, value in {"decibel": decibel, "depth": decibel[0], "per_order": 100.0}.items():
        object.__setattr__(spectrum, name, value)
    expected = ((4 + 8) / 2 - 20 + (1 + 3) / 2 - 12) / 2
    assert _swing_db(spectrum, [3.5, 7.0], 1.0) == pytest.approx(expected)


@pytest.mark.parametrize("amplitude_g", [0.1, 10.0])
@pytest.mark.parametrize("at", [1, 4])
def test_the_nearest_channel_is_that_of_the_damaged_bearing(amplitude_g, at):
    """All four show a strong fault clearly, and the quietest sensor is not at the damage."""
    sensors = [Sensor(SensorPlace(k, "vertical"), 0.001 * k) for k in (1, 2, 3, 4)]
    defect = BearingDefect(SKF_6205, "bpfo", amplitude_g, at=at, ring_hz=2500)
    machine = healthy_pump(sensors, seed=1, more=[defect])
    samples = machine.record(Rotation.steady(1500, fs_hz=12_800, seconds=5)).samples
    found = diagnose_bearing([(x, 12_800.0) for x in samples], SKF_6205, 1500)
    assert found.matches[0].channel == found.comb.channel == at - 1


def test_levels_of_different_units_are_not_compared():
    """Sound in mPa has greater numbers than acceleration in g, wherever the microphone is."""
    channels = [
        (factor * faulty_bearing(FS * 4, FS, SHAFT, SKF_6205.bpfo, snr_db=snr, seed=seed), FS)
        for seed, (factor, snr) in enumerate([(1000, -8), (1, 10), (2, 0)])
    ]
    bearing, rpm = SKF_6205, 60 * SHAFT
    found = diagnose_bearing(channels, bearing, rpm, units=("mPa", "g", "g"))
    assert found.matches[0].channel == 2
    assert diagnose_bearing(channels, bearing, rpm).matches[0].channel == 0
