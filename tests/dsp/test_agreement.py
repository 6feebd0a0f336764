"""The batched float32 pipeline agrees with the float64 reference."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.bearing import Bearing
from auscult.dsp.envelope import envelope_spectrum
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec, Sensitivity
from lab.oracle.features import Oracle
from tests.dsp.signals import SKF_6205, machine

LIMITS = {
    "time": 1e-5,
    "overall": 1e-5,
    "shape": 1e-4,
    "band": 1.15e-4,  # 1e-3 dB
    "third_octave": 1.15e-4,
    "envelope": 5e-5,
    "bearing": 5e-5,
    "cepstrum": 1e-4,
    "order": 1e-5,
    "gear": 1e-5,
}


def disagreement(spec, x):
    """Largest error of each group: relative for levels, absolute for values around zero."""
    got = FeaturePipeline(spec).extract(x).values.astype(np.float64)
    oracle = Oracle(spec)
    want = np.array([oracle.extract(row) for row in x])
    scale = np.array([f.scale == "log" for f in spec.features])
    error = np.abs(got - want) / np.where(scale, np.abs(want), 1.0)
    worst = {}
    for column, feature in zip(error.T, spec.features, strict=True):
        worst[feature.group] = max(worst.get(feature.group, 0.0), column.max())
    return worst


@pytest.mark.parametrize("dc", [0.0, 1.0, 10.0])
@pytest.mark.parametrize(
    ("fs_hz", "n"),
    [(25600, 25600), (25600, 10240), (51200, 20480), (4300, 1720), (25600, 2560), (48000, 19200),
     (200, 80), (200, 2000), (1000, 997), (200000, 80000)],
)  # fmt: skip
def test_float32_agrees_with_float64(fs_hz, n, dc):
    spec = FeatureSpec.vibration(
        fs_hz, n, "g", nominal_speed_rpm=1770, bearings=(SKF_6205,), gear_teeth=(23, 17)
    )
    worst = disagreement(spec, machine(5, n, fs_hz, dc=dc))
    assert {g: e for g, e in worst.items() if e > LIMITS[g]} == {}


@pytest.mark.parametrize("unit", ["m/s2", "mm/s", "as_delivered"])
def test_agreement_in_other_units(unit):
    spec = FeatureSpec.vibration(25600, 10240, unit, nominal_speed_rpm=1770)
    worst = disagreement(spec, machine(3, 10240, 25600))
    assert {g: e for g, e in worst.items() if e > LIMITS[g]} == {}


def test_agreement_with_two_bearings_and_a_chosen_band():
    other = Bearing("6308", bpfo=3.06, bpfi=4.94, bsf=2.0)
    spec = FeatureSpec.vibration(
        25600, 25600, "g", nominal_speed_rpm=1770, bearings=(SKF_6205, other),
        envelope_band_hz=(3000.0, 6000.0),
    )  # fmt: skip
    worst = disagreement(spec, machine(4, 25600, 25600))
    assert {g: e for g, e in worst.items() if e > LIMITS[g]} == {}


def test_block_size_does_not_matter():
    spec = FeatureSpec.vibration(25600, 2560, "g", nominal_speed_rpm=1770, bearings=(SKF_6205,))
    x = machine(40, 2560, 25600)
    pipeline = FeaturePipeline(spec)
    together = pipeline.extract(np.tile(x, (9, 1))).values[:40]
    alone = np.concatenate([pipeline.extract(row[None]).values for row in x])
    np.testing.assert_allclose(together, alone, rtol=2e-5, atol=1e-6)


def test_int16_steps_and_volts_give_the_same_as_physical_values():
    x = machine(4, 10240, 25600)
    steps = np.round(x / 50 * 32768).astype(np.int16)
    args = {"nominal_speed_rpm": 1770, "bearings": (SKF_6205,)}
    physical = FeaturePipeline(FeatureSpec.vibration(25600, 10240, "g", **args)).extract(x)
    spec = FeatureSpec.vibration(25600, 10240, "g", full_scale=50.0, **args)
    np.testing.assert_allclose(
        FeaturePipeline(spec).extract(steps).values, physical.values, rtol=1e-4, atol=1e-5
    )
    volts = FeatureSpec.vibration(
        25600, 10240, "V", sensitivity=Sensitivity(0.1, "g"), full_scale=5.0, **args
    )
    for samples in (x * np.float32(0.1), steps):
        got = FeaturePipeline(volts).extract(samples)
        np.testing.assert_allclose(got.values, physical.values, rtol=1e-4, atol=1e-5)
        assert not got.health.any()


def test_a_measured_speed_moves_the_searches():
    x = machine(2, 25600, 25600, shaft_hz=20.0)  # the name-plate says 29.5
    spec = FeatureSpec.vibration(25600, 25600, "g", nominal_speed_rpm=1770, bearings=(SKF_6205,))
    pipeline = FeaturePipeline(spec)
    i, k = spec.index["bpfo_prominence"], spec.index["order_1x"]
    blind = pipeline.extract(x).values
    measured = pipeline.extract(x, [1200.0, np.nan]).values
    assert measured[0, i] > 2 * blind[0, i]
    assert measured[0, k] == pytest.approx(0.1 / np.sqrt(2), rel=0.1)
    np.testing.assert_array_equal(measured[1], blind[1])


def test_shape_and_dtype_are_checked():
    pipeline = FeaturePipeline(FeatureSpec.vibration(1000, 100, "g"))
    with pytest.raises(ValueError, match="windows of 100"):
        pipeline.extract(np.zeros((2, 99), np.float32))
    with pytest.raises(ValueError, match="float32 or int16"):
        pipeline.extract(np.zeros((2, 100)))
    assert len(pipeline.extract(np.zeros((0, 100), np.float32))) == 0


@pytest.mark.parametrize("prewhiten", [False, True])
def test_the_envelope_spectrum_is_that_of_the_whole_analytic_signal(prewhiten):
    """Against the plain way: filter at full length, demodulate every sample, transform."""
    fs, n, band = 8192.0, 8192, (1500.0, 2600.0)
    rng = np.random.default_rng(11)
    t = np.arange(n) / fs
    x = (1 + 0.5 * np.cos(2 * np.pi * 40 * t)) * np.sin(2 * np.pi * 2000 * t)
    x = x + 3 * np.sin(2 * np.pi * 2300 * t) + 0.2 * rng.standard_normal(n)
    found = envelope_spectrum(x.astype(np.float32), fs, "g", band, prewhiten=prewhiten)
    window = np.hanning(n + 1)[:n]
    spectrum = np.fft.fft((x - x.mean()) * window)
    inside = (np.fft.fftfreq(n, 1 / fs) >= band[0]) & (np.fft.fftfreq(n, 1 / fs) <= band[1])
    if prewhiten:  # equal magnitudes of the same power
        level = np.sqrt(np.mean(np.abs(spectrum[inside]) ** 2))
        spectrum[inside] = level * np.exp(1j * np.angle(spectrum[inside]))
    squared = np.abs(np.fft.ifft(np.where(inside, 2 * spectrum, 0))) ** 2
    lines = 2 * np.abs(np.fft.rfft(squared))[: found.lines] / np.sum(window**2)
    np.testing.assert_allclose(found.values, lines, rtol=1e-3, atol=1e-4 * lines.max())
