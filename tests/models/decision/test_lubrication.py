"""Stages of ultrasound over the healthy level."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.simulation.source import band_noise
from auscult.dsp.spec import FeatureSpec
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation

ULTRASOUND = FeatureSpec.value("other", "dBµV", 60.0)
SOUND = FeatureSpec.sound(96_000, 9600)


def reasons_after(spec, healthy, changed):
    """Prescriptions of the decisions on changed windows after a baseline of healthy ones."""
    detector = MachineDetector(NamePlate("pump"), {"u": spec})
    step_ns = 60 * 10**9
    for i, one in enumerate(healthy):
        detector.observe([Observation("u", i * step_ns, one)])
    detector.adopt(detector.fit_now().run())
    found = []
    for i, one in enumerate(changed, len(healthy)):
        decided = detector.observe([Observation("u", i * step_ns, one)])
        found.append({r.prescription for r in decided.points["u"].reasons} - {None})
    return found[-1]


def values(rng, mean, count):
    """Overall values with a scatter of 0.7."""
    return [np.array([mean + 0.7 * rng.standard_normal()], np.float32) for _ in range(count)]


@pytest.mark.parametrize(
    ("rise_db", "key"),
    [
        (5, set()),
        (10, {"lubrication.stage1"}),
        (14, {"bearing.ultrasound.stage2"}),
        (20, {"bearing.ultrasound.stage3"}),
        (38, {"bearing.ultrasound.stage4"}),
    ],
)
def test_an_overall_value_in_decibels_gives_the_stage(rise_db, key):
    rng = np.random.default_rng(rise_db)
    healthy, risen = values(rng, 22, 80), values(rng, 22 + rise_db, 30)
    assert reasons_after(ULTRASOUND, healthy, risen) == key


@pytest.mark.nightly
def test_a_microphone_that_reaches_20_khz_gives_the_stage():
    rng = np.random.default_rng(0)
    pipeline = FeaturePipeline(SOUND)

    def windows(n, rise_db):
        noise = [
            0.001 * rng.standard_normal(SOUND.n_samples)
            + 0.01 * 10 ** (rise_db / 20)
            * band_noise(rng, SOUND.n_samples, SOUND.fs_hz, (18_000.0, 45_000.0))
            for _ in range(n)
        ]  # fmt: skip
        return list(pipeline.extract(np.array(noise, np.float32)).values.copy())

    assert reasons_after(SOUND, windows(220, 0), windows(15, 10)) == {"lubrication.stage1"}


def test_sound_below_20_khz_and_other_units_say_nothing_of_lubrication():
    rng = np.random.default_rng(1)
    other = FeatureSpec.value("other", "mV", 60.0)
    assert reasons_after(other, values(rng, 22, 80), values(rng, 60, 30)) == set()
