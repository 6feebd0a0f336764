"""A damaged tooth against wear, on simulated gears."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.gear_average import gear_signs
from auscult.dsp.simulation.gears import GearPair
from auscult.dsp.simulation.machine import healthy_pump
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.simulation.sensors import Sensor
from auscult.models.decision.gear_diagnosis import gear_diagnosis

FS = 12_800


def signs(pair, seed=0, rpm=1500.0):
    """Of the driving gear, at a speed that wanders and is stated 1 % off."""
    machine = healthy_pump([Sensor(noise_g=0.01)], seed=seed, more=[pair])
    rotation = Rotation.wandering(rpm, FS, 6, share=0.003, seed=seed)
    return gear_signs(machine.record(rotation).samples[0], FS, 21, rpm / 60 * 1.01)


@pytest.mark.parametrize("seed", [0, 1])
def test_one_tooth_is_told_from_wear(seed):
    healthy = signs(GearPair(), seed)
    tooth = signs(GearPair(tooth=0.3), seed)
    assert gear_diagnosis(tooth, healthy, 21).prescription == "gear.tooth"
    for share in (0.5, 0.8):
        wear = signs(GearPair(wear=share), seed)
        assert gear_diagnosis(wear, healthy, 21).prescription == "gear.wear"
    assert gear_diagnosis(signs(GearPair(), seed, 1480), healthy, 21).fault == "unclear"
    assert tooth.m4 > 10 * healthy.residual**4 > healthy.m4


def test_the_mesh_is_found_and_its_level_is_right():
    found = signs(GearPair(amplitude_g=0.2))
    assert found.mesh_hz == pytest.approx(21 * 25, rel=3e-3)
    assert found.turns > 120
    noise = np.random.default_rng(0).standard_normal(FS).astype(np.float32)
    assert gear_signs(noise[:2000], FS, 21, 25) is None  # four turns
    assert gear_signs(noise, FS, 21, 900) is None  # beyond half the rate
