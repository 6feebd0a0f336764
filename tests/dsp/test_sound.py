"""Sound: mel bands against librosa, A-weighting and octaves against the standards."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.bands import fractional_octaves
from auscult.dsp.mels import mel_matrix
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.sound import LogMel, a_weighting_power
from auscult.dsp.spec import FeatureSpec
from tests.dsp.signals import tone

IEC_61672_TABLE_3 = {  # Hz: dB, nominal frequencies, rounded to 0.1 dB
    10: -70.4, 12.5: -63.4, 16: -56.7, 20: -50.5, 25: -44.7, 31.5: -39.4, 40: -34.6, 50: -30.2,
    63: -26.2, 80: -22.5, 100: -19.1, 125: -16.1, 160: -13.4, 200: -10.9, 250: -8.6, 315: -6.6,
    400: -4.8, 500: -3.2, 630: -1.9, 800: -0.8, 1000: 0.0, 1250: 0.6, 1600: 1.0, 2000: 1.2,
    2500: 1.3, 3150: 1.2, 4000: 1.0, 5000: 0.5, 6300: -0.1, 8000: -1.1, 10000: -2.5, 12500: -4.3,
    16000: -6.6, 20000: -9.3,
}  # fmt: skip


def exact(nominal_hz):
    return 10 ** (np.round(10 * np.log10(nominal_hz)) / 10)


@pytest.mark.parametrize(("nominal_hz", "want_db"), IEC_61672_TABLE_3.items())
def test_a_weighting_agrees_with_the_standard(nominal_hz, want_db):
    assert 10 * np.log10(a_weighting_power(exact(nominal_hz))) == pytest.approx(want_db, abs=0.051)


@pytest.mark.parametrize("fs_hz", [16000, 48000])
def test_a_weighted_level_of_tones_is_within_a_tenth_of_a_decibel(fs_hz):
    pipeline = FeaturePipeline(FeatureSpec.sound(fs_hz, fs_hz))
    column = pipeline.spec.index["a_weighted_rms"]
    frequencies = [exact(f) for f in IEC_61672_TABLE_3 if f < 0.45 * fs_hz]
    x = np.array([tone(fs_hz, fs_hz, f) for f in frequencies], np.float32)
    got = 20 * np.log10(pipeline.extract(x).values[:, column] * np.sqrt(2))
    want = 10 * np.log10(a_weighting_power(frequencies))
    np.testing.assert_allclose(got, want, atol=0.1)


def third_octaves(fs_hz, n, x):
    pipeline = FeaturePipeline(FeatureSpec.vibration(fs_hz, n, "g"))
    columns = pipeline.spec.columns("third_octave")
    names = [name.removeprefix("third_octave_") for name in pipeline.spec.names[columns]]
    return names, pipeline.extract(x.astype(np.float32)).values[:, columns]


@pytest.mark.parametrize(("fs_hz", "seconds"), [(51200, 2), (25600, 1), (2000, 4)])
def test_a_tone_at_mid_band_reads_its_level_within_a_tenth_of_a_decibel(fs_hz, seconds):
    n = fs_hz * seconds
    names, edges = fractional_octaves(fs_hz, 1 / seconds)
    mids = np.sqrt(edges.prod(axis=1))
    got_names, levels = third_octaves(fs_hz, n, np.array([tone(fs_hz, n, f) for f in mids]))
    assert got_names == [f"{name}hz" for name in names]
    np.testing.assert_allclose(20 * np.log10(np.diag(levels) * np.sqrt(2)), 0.0, atol=0.1)
    # and next to nothing two bands further
    assert (20 * np.log10(np.diag(levels, 2) * np.sqrt(2)) < -40).all()


def test_white_noise_fills_bands_by_their_width():
    fs_hz, n = 25600, 25600 * 40
    x = np.random.default_rng(0).standard_normal((1, n))
    _, levels = third_octaves(fs_hz, n, x)
    _, edges = fractional_octaves(fs_hz, fs_hz / n)
    density = 2 / fs_hz
    wide = edges[:, 1] > 200  # enough lines for a steady mean
    want = 10 * np.log10(np.diff(edges, axis=1)[:, 0] * density)
    np.testing.assert_allclose(20 * np.log10(levels[0, wide]), want[wide], atol=0.3)


def test_octave_names_are_nominal_and_from_20_hz_to_20_khz():
    names, edges = fractional_octaves(51200, 0.5)
    assert names[:3] == ("10", "12.5", "16")
    assert names[-1] == "16000"
    assert "31.5" in names
    np.testing.assert_allclose(edges[1:, 0], edges[:-1, 1])
    octaves, _ = fractional_octaves(51200, 0.5, per_octave=1)
    assert octaves == ("4", "8", "16", "31.5", "63", "125", "250", "500", "1000", "2000", "4000",
                       "8000")  # fmt: skip


@pytest.mark.parametrize(("fs_hz", "frame", "mels"), [(16000, 1024, 64), (48000, 2048, 128)])
def test_mel_filters_agree_with_librosa(fs_hz, frame, mels):
    librosa = pytest.importorskip("librosa")
    want = librosa.filters.mel(sr=fs_hz, n_fft=frame, n_mels=mels)
    np.testing.assert_allclose(mel_matrix(fs_hz, frame, mels), want, atol=1e-8)


@pytest.mark.parametrize("fs_hz", [16000, 48000])
def test_log_mel_agrees_with_librosa(fs_hz):
    librosa = pytest.importorskip("librosa")
    x = np.random.default_rng(0).standard_normal(fs_hz) * 0.02 + tone(fs_hz, fs_hz, 440, 0.05)
    x = x.astype(np.float32)
    ours = LogMel(fs_hz, 1024).decibel(x)
    power = librosa.feature.melspectrogram(
        y=x, sr=fs_hz, n_fft=1024, hop_length=512, n_mels=64, center=False
    )
    want = librosa.power_to_db(power, amin=1e-10, top_db=None).T
    np.testing.assert_allclose(ours, want, atol=1e-3)


def test_mel_levels_hold_a_tone_s_power():
    pipeline = FeaturePipeline(FeatureSpec.sound(16000, 16000))
    columns = [
        i for i, n in enumerate(pipeline.spec.names) if n.startswith("mel_") and "fl" not in n
    ]
    x = tone(16000, 16000, 3000.0).astype(np.float32)[None]
    level = np.sqrt((pipeline.extract(x).values[0, columns] ** 2).sum())
    # triangles of height 1 sum to 1 between their peaks
    assert level == pytest.approx(1 / np.sqrt(2), rel=0.05)


def test_fluctuation_rises_with_intermittent_sound():
    pipeline = FeaturePipeline(FeatureSpec.sound(16000, 16000))
    noise = np.random.default_rng(0).standard_normal((2, 16000))
    noise[1] *= 1 + 0.9 * tone(16000, 16000, 4.0)
    values = pipeline.extract(noise.astype(np.float32)).values
    column = pipeline.spec.index["mel_fluctuation_08"]
    assert values[1, column] > 3 * values[0, column]
