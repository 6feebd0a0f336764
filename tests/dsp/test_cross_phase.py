"""Cross-phase and orbit against a rotation whose phases are known."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.cross_phase import CrossSpectrum, orbit
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.shaft import Imbalance
from auscult.dsp.simulation.source import SensorPlace, radial_turn_deg

FS_HZ = 5_120.0
SHAFT_HZ = 24.6


def turning(phase_deg, amplitude=1.0, order=1, apart_s=0.0, seconds=5.0, noise=0.0, seed=0):
    """A rotating vector seen by a sensor, sampled `apart_s` late."""
    t = np.arange(round(seconds * FS_HZ)) / FS_HZ + apart_s
    wave = amplitude * np.cos(2 * np.pi * order * SHAFT_HZ * t + np.radians(phase_deg))
    return wave + noise * np.random.default_rng(seed).standard_normal(t.size)


@pytest.mark.parametrize("phase_deg", [-170.0, -90.0, 0.0, 37.5, 90.0, 179.0])
def test_the_phase_is_that_of_the_rotation(phase_deg):
    x, y = turning(20, noise=0.3), turning(20 + phase_deg, amplitude=0.4, noise=0.3, seed=1)
    spectrum = CrossSpectrum(x, y, FS_HZ, resolution_hz=2.5)
    found = spectrum.line(spectrum.strongest(25.0))
    assert abs(found.hz - SHAFT_HZ) <= spectrum.df_hz
    off = (found.phase_deg - phase_deg + 180) % 360 - 180
    assert abs(off) < 4 * found.phase_error_deg + 0.1 < 5
    assert found.coherence > 0.9
    # a line between two bins loses up to 15 % (Hann)
    assert found.x_amplitude == pytest.approx(1, rel=0.16)
    assert found.y_amplitude / found.x_amplitude == pytest.approx(0.4, rel=0.02)


def test_the_stated_error_is_the_scatter_of_repeated_measurements():
    """Segments overlap by half, so they count for a little less than their number."""
    found = [
        CrossSpectrum(
            turning(0, noise=6.0, seed=2 * i), turning(40, noise=6.0, seed=2 * i + 1), FS_HZ, 2.5
        ).line(SHAFT_HZ)
        for i in range(100)
    ]
    scatter_deg = np.std([one.phase_deg for one in found])
    stated_deg = np.sqrt(np.mean([one.phase_error_deg**2 for one in found]))
    assert stated_deg == pytest.approx(scatter_deg, rel=0.25)


def test_samples_taken_apart_within_one_sample_are_made_up_for():
    apart_s = 0.8 / FS_HZ
    x, y = turning(0, order=40), turning(30, order=40, apart_s=apart_s)
    at = 40 * SHAFT_HZ
    assert CrossSpectrum(x, y, FS_HZ, 2.5, apart_s).line(at).phase_deg == pytest.approx(30, abs=0.1)
    assert CrossSpectrum(x, y, FS_HZ, 2.5).line(at).phase_deg > 80


def test_two_machines_are_not_coherent():
    # the same speed to the eye, 0.4 Hz apart: the phase runs, and the coherence says so
    x, noise = turning(0), np.random.default_rng(2).standard_normal(round(5 * FS_HZ))
    t = np.arange(x.size) / FS_HZ
    other = np.cos(2 * np.pi * (SHAFT_HZ + 0.4) * t)
    assert CrossSpectrum(x, other, FS_HZ, 2.5).line(SHAFT_HZ).coherence < 0.3
    found = CrossSpectrum(x, noise, FS_HZ, 2.5).line(SHAFT_HZ)
    assert found.coherence < 0.5
    assert found.phase_error_deg > 15


def test_a_clip_that_is_too_short_is_rejected():
    with pytest.raises(ValueError, match="segments"):
        CrossSpectrum(turning(0, seconds=1), turning(0, seconds=1), FS_HZ, 2.5)


@pytest.mark.parametrize("order", [1, 2])
def test_an_orbit_is_the_displacement_of_one_order(order):
    """x = a cos, y = b sin: an ellipse with those half axes, whatever else there is."""
    a, b = 2.0, 0.5
    omega = 2 * np.pi * order * SHAFT_HZ
    other = turning(50, amplitude=3, order=3 - order) + turning(0, amplitude=1, order=7)
    x = orbit(turning(0, a, order) + other, FS_HZ, SHAFT_HZ, order, "m/s2")
    y = orbit(turning(-90, b, order) + other, FS_HZ, SHAFT_HZ, order, "m/s2")
    scale = 1e6 / omega**2
    radius = (x / (a * scale)) ** 2 + (y / (b * scale)) ** 2
    assert radius == pytest.approx(1, abs=0.06)


def test_an_orbit_makes_up_for_samples_taken_apart():
    apart_s = 0.9 / FS_HZ
    x = orbit(turning(0), FS_HZ, SHAFT_HZ, 1, "V")
    y = orbit(turning(0, apart_s=apart_s), FS_HZ, SHAFT_HZ, 1, "V", apart_s)
    assert y == pytest.approx(x, abs=0.01)


def test_an_imbalance_turns_perpendicular_points_by_a_quarter():
    rotation = Rotation.steady(SHAFT_HZ * 60, FS_HZ, 5)
    places = [SensorPlace(2, "horizontal"), SensorPlace(2, "vertical")]
    x, y = Imbalance(0.2, SHAFT_HZ * 60).vibration(rotation, places, np.random.default_rng(0))
    spectrum = CrossSpectrum(x, y, FS_HZ, 2.5)
    found = spectrum.line(spectrum.strongest(SHAFT_HZ))
    turn = radial_turn_deg("vertical") - radial_turn_deg("horizontal")
    assert found.phase_deg == pytest.approx(turn, abs=0.2)
    assert found.coherence == pytest.approx(1)
