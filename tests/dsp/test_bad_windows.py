"""Windows without a valid measurement: flagged, finite, without effect on others."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest

from auscult.dsp.feature import LEVEL_FLOOR
from auscult.dsp.health import SensorHealth
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from tests.dsp.signals import SKF_6205, machine

FS, N = 25600, 5120
SPEC = FeatureSpec.vibration(FS, N, "g", nominal_speed_rpm=1770, bearings=(SKF_6205,))
GOOD = machine(6, N, FS)


def with_value(value, at=N // 2):
    x = GOOD[2].copy()
    x[at] = value
    return x


BAD = {
    "one nan": (with_value(np.nan), SensorHealth.NOT_FINITE),
    "all nan": (np.full(N, np.nan), SensorHealth.NOT_FINITE),
    "inf": (with_value(np.inf), SensorHealth.NOT_FINITE),
    "both infs": (np.where(np.arange(N) % 2, np.inf, -np.inf), SensorHealth.NOT_FINITE),
    "huge": (with_value(3e38), SensorHealth.NOT_FINITE),
    "huge both ways": (np.where(np.arange(N) % 2, 3e38, -3e38), SensorHealth.NOT_FINITE),
    "zero": (np.zeros(N), SensorHealth.FLAT_LINE),
    "constant": (np.full(N, 1.25), SensorHealth.FLAT_LINE),
    "denormal": (np.linspace(-1e-41, 1e-41, N), SensorHealth.FLAT_LINE),
    "rounding on a constant": (1.0 + 1e-7 * (np.arange(N) % 2), SensorHealth.FLAT_LINE),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("spec", [SPEC, FeatureSpec.sound(FS, N, "FS")], ids=["vibration", "sound"])
def test_a_bad_window_is_flagged_finite_and_leaves_its_neighbours_unchanged(name, spec):
    row, flag = BAD[name]
    pipeline = FeaturePipeline(spec)
    want = pipeline.extract(GOOD).values
    x = GOOD.copy()
    x[3] = row
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pipeline.extract(x)
    assert np.isfinite(found.values).all()
    assert found.health[3] == flag
    assert not np.delete(found.health, 3).any()
    np.testing.assert_array_equal(np.delete(found.values, 3, 0), np.delete(want, 3, 0))
    levels = [f.scale == "log" for f in spec.features]
    np.testing.assert_array_equal(found.values[3], np.where(levels, np.float32(LEVEL_FLOOR), 0))


@pytest.mark.parametrize("kind", ["vibration", "sound"])
@pytest.mark.parametrize("fs_hz", [200, 1000, 4300, 16000, 44100, 102400, 200000])
@pytest.mark.parametrize("window_s", [0.4, 1.0])
def test_any_rate_gives_finite_positive_levels(kind, fs_hz, window_s):
    n = round(fs_hz * window_s)
    if kind == "vibration":
        spec = FeatureSpec.vibration(
            fs_hz, n, "g", nominal_speed_rpm=1770, bearings=(SKF_6205,), gear_teeth=(23,)
        )
    else:
        spec = FeatureSpec.sound(fs_hz, n)
    found = FeaturePipeline(spec).extract(machine(3, n, fs_hz))
    assert np.isfinite(found.values).all()
    levels = np.array([f.scale == "log" for f in spec.features])
    assert (found.values[:, levels] >= np.float32(LEVEL_FLOOR)).all()


@pytest.mark.parametrize("n", [64, 65, 97, 127, 1021])
def test_odd_and_prime_lengths(n):
    found = FeaturePipeline(FeatureSpec.vibration(1000, n, "g")).extract(machine(2, n, 1000))
    assert np.isfinite(found.values).all()


def test_a_spectrum_with_exact_zeros_stays_finite():
    x = np.tile(np.array([1, -1], np.float32), N // 2)[None]
    found = FeaturePipeline(SPEC).extract(x)
    assert np.isfinite(found.values).all()


@pytest.mark.parametrize("lie_rpm", [1e7, 1e12, 1e15, 1e300, np.inf, np.nan, -1e300, 5e-324])
def test_a_speed_beyond_the_band_is_no_speed_and_fills_no_memory(lie_rpm):
    """A tag in the wrong unit or word order: as if no speed was stated, for all rows or for one."""
    rows = np.stack([GOOD[0], GOOD[1]])
    unstated = FeaturePipeline(SPEC).extract(rows).values.copy()
    stated = FeaturePipeline(SPEC).extract(rows, np.array([1770.0, 1770.0])).values.copy()
    tracemalloc.start()
    every = FeaturePipeline(SPEC).extract(rows, np.array([lie_rpm, lie_rpm])).values.copy()
    one = FeaturePipeline(SPEC).extract(rows, np.array([1770.0, lie_rpm])).values.copy()
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
    assert np.isfinite(every).all()
    assert np.array_equal(one[0], stated[0])
    if lie_rpm != 5e-324:
        assert np.array_equal(every, unstated)
        assert np.array_equal(one[1], unstated[1])
