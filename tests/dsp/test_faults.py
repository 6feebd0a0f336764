"""Bearing faults: the true fault has the highest level, on simulated signals and real rigs."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.bearing import FAULTS, Bearing
from auscult.dsp.envelope import envelope_spectrum
from auscult.dsp.faults import whiten_db
from auscult.dsp.kurtogram import best_band, kurtogram
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from tests.dsp.signals import SKF_6205, faulty_bearing, impacts

FS, SHAFT = 25600, 29.5
OTHER = Bearing.from_geometry(8, 15.08, 65.5, name="6308")
RACES = [("bpfo", 0.0), ("bpfi", 1.0)]


def levels(x, bearing, **spec):
    spec = FeatureSpec.vibration(
        FS, x.shape[-1], "g", nominal_speed_rpm=60 * SHAFT, bearings=(bearing,), **spec
    )
    values = FeaturePipeline(spec).extract(np.atleast_2d(x)).values
    return {
        f: values[:, spec.index[f"{f}_prominence"]].mean() for f in FAULTS
        if f"{f}_prominence" in spec.index
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("bearing", [SKF_6205, OTHER], ids=lambda b: b.name)
@pytest.mark.parametrize(
    ("fault", "modulation"), [*RACES, ("bsf", 0.4)], ids=["outer", "inner", "ball"]
)
def test_the_true_fault_is_the_largest_at_minus_10_db(bearing, fault, modulation, seed):
    # a ball strikes both races, so twice a turn
    order = bearing.order(fault) * (2 if fault == "bsf" else 1)
    x = faulty_bearing(FS * 4, FS, SHAFT, order, modulation=modulation, seed=seed)
    found = levels(x.reshape(4, FS), bearing)
    assert max(found, key=found.get) == fault


@pytest.mark.parametrize("error", [-0.06, -0.03, 0.03, 0.06])
@pytest.mark.parametrize(("fault", "modulation"), RACES)
def test_a_wrong_name_plate_speed_is_found(fault, modulation, error):
    true = SHAFT * (1 + error)
    x = faulty_bearing(FS * 4, FS, true, SKF_6205.order(fault), modulation=modulation)
    found = levels(x.reshape(4, FS), SKF_6205)
    assert max(found, key=found.get) == fault


def test_whitened_noise_is_the_same_at_any_level_and_average():
    rng = np.random.default_rng(0)
    for averages in (1, 8):
        power = rng.gamma(averages, 1 / averages, (200, 1000)).astype(np.float32)
        slope = np.linspace(1, 100, 1000, dtype=np.float32)
        heights = whiten_db(power * slope, averages, cap_db=60)[:, 100:-100]
        want = np.maximum(10 * np.log10(rng.gamma(averages, 1 / averages, 100000)), 0).mean()
        assert heights.mean() == pytest.approx(want, rel=0.1)


def test_an_envelope_spectrum_shows_the_modulation_and_states_its_parameters():
    t = np.arange(FS) / FS
    x = (1 + 0.5 * np.cos(2 * np.pi * 40 * t)) * np.sin(2 * np.pi * 4000 * t)
    found = envelope_spectrum(x.astype(np.float32), FS, "g", (3000.0, 5000.0))
    assert found.values[40] == pytest.approx(1.0, rel=1e-3)  # (1 + ½ cos)² = 1.125 + cos + …
    assert found.values[80] == pytest.approx(0.125, rel=1e-3)
    assert found.band_hz == (3000.0, 5000.0)
    assert (found.df_hz, found.averages, found.unit) == (1.0, 1, "g")


def test_prewhitening_finds_impacts_below_a_strong_tone():
    x = faulty_bearing(FS * 4, FS, SHAFT, SKF_6205.bpfo, snr_db=0)
    t = np.arange(FS * 4) / FS
    x += (100 * x.std() * np.sin(2 * np.pi * 5000 * t)).astype(np.float32)
    x = x.reshape(4, FS)
    plain = levels(x, SKF_6205)
    white = levels(x, SKF_6205, prewhiten=True)
    assert max(white, key=white.get) == "bpfo"
    assert white["bpfo"] > 2 * plain["bpfo"]


@pytest.mark.parametrize("f_hz", [2500.0, 4200.0, 8000.0])
def test_the_kurtogram_finds_the_resonance(f_hz):
    rng = np.random.default_rng(1)
    t = np.arange(FS) / FS
    ring = np.exp(-t[:256] * 1500) * np.sin(2 * np.pi * f_hz * t[:256])
    x = 0.1 * rng.standard_normal((4, FS)) + 0.3 * np.sin(2 * np.pi * SHAFT * t)
    x += np.array([0.6 * impacts(FS, FS, 105.0, ring, rng) for _ in range(4)])
    band = best_band(x.astype(np.float32), FS)
    assert band.low_hz < f_hz < band.high_hz
    assert band.kurtosis > 0.5
    assert FeatureSpec.vibration(FS, FS, "g", envelope_band_hz=band.edges_hz)


def test_the_kurtogram_of_noise_is_flat():
    noise = np.random.default_rng(0).standard_normal((8, FS)).astype(np.float32)
    bands = kurtogram(noise, FS)
    assert all(abs(b.kurtosis) < 0.6 for b in bands)
    with pytest.raises(ValueError, match="too short"):
        best_band(np.zeros(100, np.float32), FS)


@pytest.mark.parametrize(
    ("fs_hz", "n", "narrowest_hz"),
    [
        (25_600, 1_024, 1_600.0),  # 64 lines of 25 Hz
        (25_600, 65_536, 500.0),  # as wide as impacts need
        (6_400, 65_536, 200.0),  # 1/32 of the rate
    ],
)
def test_the_narrowest_band_of_the_kurtogram_is_significant_and_passes_impacts(
    fs_hz, n, narrowest_hz
):
    noise = np.random.default_rng(0).standard_normal(n).astype(np.float32)
    widths = {round(band.high_hz - band.low_hz, 6) for band in kurtogram(noise, fs_hz)}
    possible = {fs_hz / n * (n // 2 // (k * 2**level)) for k in (1, 3) for level in range(7)}
    assert min(widths) == pytest.approx(min(w for w in possible if w >= narrowest_hz), rel=1e-6)
