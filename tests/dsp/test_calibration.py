"""Calibrated tones: levels from spectrum and from time agree with the textbook."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.spectrum import amplitude_spectrum
from tests.dsp.signals import tone

FS, N = 25600, 25600
SPEC = FeatureSpec.vibration(FS, N, "m/s2", nominal_speed_rpm=1500)
PIPELINE = FeaturePipeline(SPEC)
G = 9.80665


def features(x, pipeline=PIPELINE):
    values = pipeline.extract(np.atleast_2d(x).astype(np.float32)).values
    return dict(zip(pipeline.spec.names, values[0].astype(float), strict=True))


@pytest.mark.parametrize("f_hz", [25.0, 79.577, 159.155, 500.3, 900.0])
def test_overall_of_a_tone_is_analytic(f_hz):
    found = features(tone(FS, N, f_hz, amplitude=10.0))
    rms = 10.0 / np.sqrt(2)
    omega = 2 * np.pi * f_hz
    assert found["rms"] == pytest.approx(rms, rel=0.005)
    assert found["acceleration_rms_m_s2"] == pytest.approx(rms, rel=0.005)
    assert found["velocity_rms_mm_s"] == pytest.approx(1e3 * rms / omega, rel=0.005)
    assert found["displacement_rms_um"] == pytest.approx(1e6 * rms / omega**2, rel=0.01)


@pytest.mark.parametrize("f_hz", [30.0, 159.155, 800.0])
def test_velocity_from_the_time_signal_agrees(f_hz):
    """Integrated sample by sample (trapezoid, mean removed), as an analyser would."""
    x = tone(FS, N, f_hz, 10.0) + tone(FS, N, 3 * f_hz if f_hz < 300 else 400.0, 5.0)
    velocity = np.cumsum((x[1:] + x[:-1]) / 2) / FS
    slope = np.polyval(np.polyfit(np.arange(N - 1), velocity, 1), np.arange(N - 1))
    by_time = 1e3 * np.std(velocity - slope)
    assert features(x)["velocity_rms_mm_s"] == pytest.approx(by_time, rel=0.005)


def test_units_agree():
    x = tone(FS, N, 100.0)
    omega = 2 * np.pi * 100.0
    in_g = features(x, FeaturePipeline(FeatureSpec.vibration(FS, N, "g")))
    in_mm_s = features(x * 1e3 / omega, FeaturePipeline(FeatureSpec.vibration(FS, N, "mm/s")))
    si = features(x)
    for name in ("velocity_rms_mm_s", "displacement_rms_um", "acceleration_rms_m_s2"):
        assert in_g[name] == pytest.approx(G * si[name], rel=1e-5)
        assert in_mm_s[name] == pytest.approx(si[name], rel=1e-3)


def test_outside_the_severity_band_nothing_counts():
    inside = features(tone(FS, N, 100.0))["velocity_rms_mm_s"]
    assert features(tone(FS, N, 2000.0))["velocity_rms_mm_s"] < 1e-4 * inside
    # below 600 r/min the band reaches down to 2 Hz
    slow = FeatureSpec.vibration(FS, 4 * N, "m/s2", nominal_speed_rpm=300)
    found = features(tone(FS, 4 * N, 5.0), FeaturePipeline(slow))
    assert found["velocity_rms_mm_s"] == pytest.approx(1e3 / np.sqrt(2) / (10 * np.pi), rel=0.01)


def test_moments_of_textbook_signals():
    sine = features(tone(FS, N, 50.0, 2.0))
    assert sine["peak"] == pytest.approx(2.0, rel=1e-3)
    assert sine["peak_to_peak"] == pytest.approx(4.0, rel=1e-3)
    assert sine["crest_factor"] == pytest.approx(np.sqrt(2), rel=1e-3)
    assert sine["kurtosis"] == pytest.approx(1.5, rel=1e-3)
    assert sine["shape_factor"] == pytest.approx(np.pi / 2 / np.sqrt(2), rel=1e-3)
    noise = features(np.random.default_rng(0).standard_normal(N))
    assert noise["kurtosis"] == pytest.approx(3.0, abs=0.1)
    assert noise["skewness"] == pytest.approx(0.0, abs=0.05)
    assert noise["spectral_centroid_hz"] == pytest.approx(FS / 4, rel=0.02)
    assert noise["spectral_spread_hz"] == pytest.approx(FS / 2 / np.sqrt(12), rel=0.02)
    assert noise["spectral_rolloff_hz"] == pytest.approx(0.85 * FS / 2, rel=0.02)


def test_orders_and_gear_mesh_of_tones():
    spec = FeatureSpec.vibration(FS, N, "g", nominal_speed_rpm=1500, gear_teeth=(20,))
    x = tone(FS, N, 24.2, 1.0) + tone(FS, N, 48.4, 0.5) + tone(FS, N, 484.0, 0.8)
    x += tone(FS, N, 484.0 - 24.2, 0.2) + tone(FS, N, 484.0 + 24.2, 0.2)
    found = features(x, FeaturePipeline(spec))  # the name-plate is 3 % off
    assert found["order_1x"] == pytest.approx(1.0 / np.sqrt(2), rel=0.01)
    assert found["order_2x"] == pytest.approx(0.5 / np.sqrt(2), rel=0.01)
    assert found["order_3x"] < 0.01
    assert found["gear_mesh_level"] == pytest.approx(0.8 / np.sqrt(2), rel=0.01)
    assert found["gear_mesh_sidebands"] == pytest.approx(0.2 * np.sqrt(2) / 0.8, rel=0.02)


def test_cepstrum_finds_the_spacing_of_a_family():
    x = sum(tone(FS, N, 40.0 * k, 1.0, phase=k * k) for k in range(1, 200))
    x += 0.01 * np.random.default_rng(0).standard_normal(N)
    found = features(x)
    assert found["cepstrum_quefrency_s"] == pytest.approx(1 / 40, rel=0.01)
    assert found["cepstrum_peak"] > 0.3


def test_an_amplitude_spectrum_is_in_r_m_s_and_states_its_parameters():
    spectrum = amplitude_spectrum(tone(FS, N, 100.0, 2.0), FS, "g")
    assert spectrum.values[100] == pytest.approx(np.sqrt(2), rel=1e-4)
    assert (spectrum.df_hz, spectrum.lines, spectrum.averages) == (1.0, N // 2 + 1, 1)


def bands(x, pipeline):
    columns = pipeline.spec.columns("band")
    return pipeline.extract(x.astype(np.float32)).values[:, columns].astype(float)


SMALL = FeaturePipeline(FeatureSpec.vibration(10000, 4000, "g"))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.floats(1e-3, 1e3))
def test_scaling_changes_levels_only(seed, factor):
    x = np.random.default_rng(seed).standard_normal((2, 4000))
    a, b = (SMALL.extract((x * f).astype(np.float32)).values for f in (1.0, factor))
    for i, feature in enumerate(SMALL.spec.features):
        gain = factor if feature.unit in ("g", "m/s²", "mm/s", "µm") else 1.0
        np.testing.assert_allclose(b[:, i], gain * a[:, i], rtol=2e-3, atol=1e-5 * gain)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.floats(-10, 10))
def test_a_constant_changes_the_mean_only(seed, dc):
    x = np.random.default_rng(seed).standard_normal((2, 4000))
    a, b = (SMALL.extract((x + f).astype(np.float32)).values for f in (0.0, dc))
    np.testing.assert_allclose(b[:, 0], a[:, 0] + dc, atol=1e-5)
    np.testing.assert_allclose(b[:, 1:], a[:, 1:], rtol=2e-3, atol=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(0, 3999))
def test_a_rotation_leaves_the_statistics(seed, shift):
    x = np.random.default_rng(seed).standard_normal((1, 4000))
    columns = SMALL.spec.columns("time")
    a, b = (
        SMALL.extract(np.roll(x, s, axis=1).astype(np.float32)).values[:, columns]
        for s in (0, shift)
    )
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_parseval_the_bands_hold_all_power(seed):
    x = np.random.default_rng(seed).standard_normal((3, 4000))
    x -= x.mean(axis=1, keepdims=True)
    window = np.hanning(4001)[:-1]
    power = ((x * window) ** 2).sum(axis=1) / (window**2).sum()
    low = SMALL.spec.band_edges_hz[0, 0] / SMALL.spec.df_hz
    spectrum = np.abs(np.fft.rfft(x * window)) ** 2 * 2 / 4000 / (window**2).sum()
    spectrum[:, [0, -1]] /= 2
    first = int(low + 0.5)
    below = spectrum[:, :first].sum(axis=1) + spectrum[:, first] * (low + 0.5 - first)
    np.testing.assert_allclose((bands(x, SMALL) ** 2).sum(axis=1) + below, power, rtol=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0, 6.28))
def test_superposition_of_tones_in_different_bands(a, b, phase):
    x, y = tone(10000, 4000, 300.0, a, phase), tone(10000, 4000, 2500.0, b)
    both = bands(np.stack([x, y, x + y]), SMALL) ** 2
    np.testing.assert_allclose(both[2], both[0] + both[1], rtol=1e-3, atol=1e-6 * (a + b) ** 2)
