"""Sensor faults are detected; machine faults are no sensor faults."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.health import DOUBTS, SensorHealth, _at_rail, _is_held, _is_spiky
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from tests.dsp.signals import machine, tone

FS, N = 25600, 10240
KNOWN = FeaturePipeline(FeatureSpec.vibration(FS, N, "g", full_scale=5.0))
UNKNOWN = FeaturePipeline(FeatureSpec.vibration(FS, N, "g"))
RNG = np.random.default_rng(0)
NOISE = (0.5 * RNG.standard_normal(N)).astype(np.float32)


def health(x, pipeline=KNOWN):
    found = pipeline.extract(np.asarray(x, np.float32)[None])
    assert np.isfinite(found.values).all()
    return SensorHealth(int(found.health[0]))


@pytest.mark.parametrize("pipeline", [KNOWN, UNKNOWN])
@pytest.mark.parametrize(
    "x",
    [
        NOISE,
        tone(FS, N, 2.5, 4.9),  # a round top is no rail
        np.round(tone(FS, N, 50.0) * 100) / 100,  # coarse steps
        machine(5, N, FS)[4],
        np.round(NOISE * 20) / 20,
    ],
)
def test_healthy_sensors(x, pipeline):
    assert not health(x, pipeline) & DOUBTS  # a tone at 50 Hz is no doubt


def test_impacts_of_a_bad_bearing_are_no_electrical_spikes():
    t = np.arange(N) / FS
    x = 0.02 * RNG.standard_normal(N)
    for at in range(500, N, 3000):
        ring = np.exp(-t[: N - at] * 3000) * np.sin(2 * np.pi * 4000 * t[: N - at])
        x[at:] += 4.0 * ring
    assert health(x) == SensorHealth.OK


@pytest.mark.parametrize("pipeline", [KNOWN, UNKNOWN])
def test_clipping(pipeline):
    x = np.clip(4 * NOISE, -5.0, 5.0 * 32767 / 32768)
    assert SensorHealth.CLIPPING in health(x, pipeline)
    assert SensorHealth.CLIPPING in health(np.clip(tone(FS, N, 50, 8), -5, 5), pipeline)


def test_bias():
    assert health(NOISE * 0.1 + 4.0) == SensorHealth.BIAS
    assert health(NOISE * 0.1 + 1.0) == SensorHealth.OK  # standing on its side


def test_drop_out():
    x = NOISE.copy()
    x[3000:3200] = x[3000]
    assert health(x) == SensorHealth.DROPOUT
    x[3000:3200] = 0.0
    assert health(x) == SensorHealth.DROPOUT


def test_long_stays_at_a_rail_are_clipping_and_no_drop_out():
    swing = tone(FS, N, 25.0, 8.0) + 0.1 * NOISE  # a slow strong order, 10 ms at the rail
    assert health(np.clip(swing, -5.0, 5.0)) == SensorHealth.CLIPPING
    opens = np.abs(swing) + 1.0
    opens[3000:3200] = 0.0  # an extreme too, but nothing comes near it
    assert SensorHealth.DROPOUT in health(opens, UNKNOWN)


def test_spikes():
    x = NOISE.copy() * 0.2
    x[4000] = 4.5
    assert health(x) == SensorHealth.SPIKES


def test_noise_floor():
    steps = RNG.choice([0.0, 5.0 / 32768], N, p=[0.9, 0.1])
    assert SensorHealth.NOISE_FLOOR in health(steps)


def test_volts_are_compared_with_the_range_of_the_converter():
    from auscult.dsp.spec import Sensitivity

    spec = FeatureSpec.vibration(FS, N, "V", sensitivity=Sensitivity(0.1, "g"), full_scale=5.0)
    assert health(NOISE * 0.1 + 4.0, FeaturePipeline(spec)) == SensorHealth.BIAS
    assert health(NOISE * 0.1, FeaturePipeline(spec)) == SensorHealth.OK


@pytest.mark.parametrize("at_the_rail", range(1, 12))
def test_clipping_needs_more_than_six_times_the_samples_of_the_level_below(at_the_rail):
    rising = np.linspace(-1, 0.5, 100).astype(np.float32)
    x = np.append(rising, np.ones(at_the_rail, np.float32))
    assert _at_rail(x) is (at_the_rail > 6)
    assert _at_rail(np.append(x, np.float32(0.5))) is (at_the_rail > 12)


def test_a_value_held_for_two_samples_shows_after_sixteen_changes():
    held = np.repeat(np.arange(17), 2)
    assert _is_held(held)
    assert not _is_held(held[:-2])
    assert not _is_held(np.append(held, [99, 98]))  # one change out of step
    assert not _is_held(np.arange(40))


@pytest.mark.parametrize(("at", "ringing"), [(1, 5), (50, 54), (50, 46), (97, 93)])
def test_a_spike_is_eight_times_as_high_as_what_rings_around_it(at, ringing):
    x = np.zeros(1000)
    x[at] = x[at + 1] = 1
    for height, spiky in ((0.1, True), (0.14, False)):
        x[ringing] = height
        assert _is_spiky(x) is spiky
