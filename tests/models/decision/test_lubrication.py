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
    value = lambda db: np.array([db + 0.7 * rng.standard_normal()], np.float32)  # noqa: E731
    healthy = [value(22) for _ in range(80)]
    assert reasons_after(ULTRASOUND, healthy, [value(22 + rise_db) for _ in range(30)]) == key


@pytest.mark.long
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
    value = lambda at: np.array([at + 0.7 * rng.standard_normal()], np.float32)  # noqa: E731
    healthy = [value(22) for _ in range(80)]
    assert reasons_after(other, healthy, [value(60) for _ in range(30)]) == set()
