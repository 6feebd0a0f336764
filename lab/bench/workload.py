"""The signals and the feature set of the benchmarks, and their lower bound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.fft as sf
from numpy.typing import NDArray

from auscult.dsp.bearing import Bearing
from auscult.dsp.spec import FeatureSpec

FS_HZ = 25_600.0
N = 25_600
CHANNELS = 16
FULL_SCALE_G = 50.0
SPEED_RPM = 1770.0
BEARING = Bearing("6205", bpfo=3.5848, bpfi=5.4152, bsf=2.3567, ftf=0.3983)

Rows = NDArray[np.float32]


def signals(channels: int, n: int, fs_hz: float = FS_HZ, seed: int = 0) -> Rows:
    """Shaft and gear tones, noise and outer-race impacts in g, [shape=(channels, n)]."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / fs_hz
    shaft_hz = SPEED_RPM / 60
    x = 0.05 * rng.standard_normal((channels, n)) + 0.02
    x += 0.1 * np.sin(2 * np.pi * shaft_hz * t) + 0.05 * np.sin(2 * np.pi * 23 * shaft_hz * t)
    ring = np.exp(-t[:256] * 1500) * np.sin(2 * np.pi * 0.16 * fs_hz * t[:256])
    rate = shaft_hz * float(BEARING.bpfo or 0)
    at = (np.arange(int(n / fs_hz * rate)) / rate * fs_hz).astype(int)
    hits = np.zeros(n)
    hits[at] = 1.0
    x += np.convolve(hits, ring)[:n] * (1 + 0.2 * (np.arange(channels)[:, None] % 5))
    return x.astype(np.float32)


def spec_of(n: int = N, fs_hz: float = FS_HZ) -> FeatureSpec:
    """Return the full vibration set: bearing, gear and speed known."""
    return FeatureSpec.vibration(
        fs_hz,
        n,
        "g",
        full_scale=FULL_SCALE_G,
        nominal_speed_rpm=SPEED_RPM,
        bearings=(BEARING,),
        gear_teeth=(23,),
    )


def lower_bound(x: Rows) -> Callable[[], object]:
    """Return the lower bound of any pipeline: rfft, half-length inverse transform, one pass."""
    z = np.ones((len(x), x.shape[1] // 2), np.complex64)
    ones = np.ones(x.shape[1], np.float32)
    return lambda: (sf.rfft(x, axis=-1), sf.ifft(z, axis=-1), x @ ones)
