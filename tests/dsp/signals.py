"""Signals with known content."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from auscult.dsp.bearing import Bearing

SKF_6205 = Bearing("6205", bpfo=3.5848, bpfi=5.4152, bsf=2.3567, ftf=0.3983)
DATA = Path(__file__).parents[3] / "shared" / "data"


def tone(fs_hz, n, f_hz, amplitude=1.0, phase=0.3):
    """Sine of given amplitude, float64."""
    return amplitude * np.sin(2 * np.pi * f_hz * np.arange(n) / fs_hz + phase)


def machine(channels, n, fs_hz, *, shaft_hz=29.5, dc=0.0, order=3.5848, seed=3, full_scale=50.0):
    """Shaft and gear tones, noise and impacts at `order`, from a 16-bit sensor in g."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / fs_hz
    ring = np.exp(-t[:256] * 1500) * np.sin(2 * np.pi * min(4200, 0.2 * fs_hz) * t[:256])
    rows = []
    for i in range(channels):
        x = 0.1 * np.sin(2 * np.pi * shaft_hz * t + i)
        x += 0.05 * np.sin(2 * np.pi * 23 * shaft_hz * t)
        x += 0.05 * rng.standard_normal(n) + dc
        rows.append(x + (1 + 0.2 * i) * impacts(n, fs_hz, order * shaft_hz, ring, rng))
    step = full_scale / 32768
    return (np.round(np.array(rows) / step) * step).astype(np.float32)


def impacts(n, fs_hz, rate_hz, ring, rng, slip=0.01):
    """Impacts at a mean rate with random slip, each ringing as `ring`."""
    count = int(n / fs_hz * rate_hz) + 2
    times = (np.arange(count) + slip * rng.standard_normal(count)) / rate_hz
    at = np.round(times * fs_hz).astype(int)
    at = at[(at >= 0) & (at < n)]
    x = np.zeros(n)
    x[at] = 1.0
    return np.convolve(x, ring)[:n]


def faulty_bearing(n, fs_hz, shaft_hz, order, *, modulation=0.0, snr_db=-10.0, seed=0):
    """Impacts of one fault under noise; `modulation` orders the passage through the load zone."""
    rng = np.random.default_rng(seed)
    t = np.arange(n) / fs_hz
    ring = np.exp(-t[:400] * 900) * np.sin(2 * np.pi * 0.17 * fs_hz * t[:400])
    x = impacts(n, fs_hz, order * shaft_hz, ring, rng)
    if modulation:
        x *= 1 + np.cos(2 * np.pi * modulation * shaft_hz * t)
    noise = rng.standard_normal(n) * x.std() * 10 ** (-snr_db / 20)
    return (x + noise).astype(np.float32)
