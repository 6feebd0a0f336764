"""Pulses of a tachometer against the known angle of a simulated shaft."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.tacho import PulseFinder, angle_at, turns_of

FS_HZ = 5000.0
RNG = np.random.default_rng(5)


def signal(rotation: Rotation, marks: int = 1, noise: float = 0.05) -> np.ndarray:
    volts = 5.0 * (rotation.angle * marks % 1 < 0.1)
    return (volts + noise * RNG.standard_normal(volts.size)).astype(np.float32)


def found(samples: np.ndarray, blocks: int = 37) -> np.ndarray:
    finder = PulseFinder()
    return np.concatenate([finder.add(x) for x in np.array_split(samples, blocks)]) / FS_HZ


@pytest.mark.parametrize("marks", [1, 6])
def test_speed_and_angle_of_a_start_follow_the_shaft(marks):
    rotation = Rotation.ramp(300, 1500, FS_HZ, 10)
    pulses = found(signal(rotation, marks))
    expected = rotation.tacho_s(marks)[1:]
    assert np.abs(pulses - expected[-pulses.size :]).max() <= 1 / FS_HZ
    turn_s = turns_of(pulses, marks)[marks:]
    middle = (pulses[marks:] + pulses[:-marks]) / 2
    true_s = 1 / np.interp(middle, rotation.times_s, rotation.hz)
    assert np.nanmax(np.abs(turn_s / true_s - 1)) < 0.01
    times = np.linspace(pulses[5], pulses[-5], 50)
    turned = angle_at(times, pulses, marks)
    true = np.interp(times, rotation.times_s, rotation.angle)
    true -= np.interp(pulses[0], rotation.times_s, rotation.angle)
    assert np.abs(turned - true).max() < 0.02


def test_a_shaft_at_rest_gives_no_pulse_and_noise_gives_no_speed():
    running = signal(Rotation.steady(1500, FS_HZ, 4))
    still = (0.05 * RNG.standard_normal(20_000)).astype(np.float32)
    pulses = found(np.concatenate([running, still, running]))
    assert not ((pulses > 4.01) & (pulses < 7.99)).any()
    noise_only = turns_of(found(still), 1)
    assert np.isnan(noise_only).mean() > 0.5


def test_a_missed_and_a_doubled_pulse_give_no_wrong_speed():
    pulses = np.arange(100) * 0.04
    for broken in (np.delete(pulses, 50), np.insert(pulses, 50, 49.4 * 0.04)):
        turn_s = turns_of(broken, 1)
        np.testing.assert_allclose(turn_s[np.isfinite(turn_s)], 0.04)
        assert np.isfinite(turn_s).sum() >= 95
