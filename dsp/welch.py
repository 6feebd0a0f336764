"""Welch's averaged periodogram; `scipy.signal` would load 430 modules and 50 MB for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.spectrum import hann

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

AT_ONCE = 1 << 18
"""Samples that are transformed together: they fit the cache."""


def welch(x: Float32, fs_hz: float, n: int) -> tuple[Float64, Float32]:
    """Average the power of half-overlapping Hann segments, each without its mean.

    Parameters
    ----------
    x : np.ndarray [shape=(samples,), dtype=float32]
    fs_hz : float
    n : int
        Samples of a segment: at least 2, at most those of x.

    Returns
    -------
    hz : np.ndarray [shape=(n // 2 + 1,)]
    density : np.ndarray [shape=(n // 2 + 1,)]
        One-sided power density, unit²/Hz.

    References
    ----------
    Welch, IEEE Transactions on Audio and Electroacoustics 15 (1967).

    Examples
    --------
    >>> tone = np.sin(2 * np.pi * 100 * np.arange(8000) / 1000).astype(np.float32)
    >>> hz, density = welch(tone, 1000.0, 500)
    >>> float(hz[density.argmax()]), round(float(density.sum() * hz[1]), 3)
    (100.0, 0.5)
    """
    window = hann(n)
    segments = np.lib.stride_tricks.sliding_window_view(x, n)[:: n - n // 2]
    total = np.zeros(n // 2 + 1)
    rows = max(1, AT_ONCE // n)
    for first in range(0, len(segments), rows):
        some = segments[first : first + rows]
        spectrum = sf.rfft((some - some.mean(axis=1, keepdims=True)) * window.astype(np.float32))
        total += (spectrum.real**2 + spectrum.imag**2).sum(axis=0)
    density = total * (2 / (fs_hz * float((window**2).sum()) * len(segments)))
    density[0] /= 2
    if n % 2 == 0:
        density[-1] /= 2
    hz = np.asarray(np.arange(n // 2 + 1) * (fs_hz / n), np.float64)
    return hz, density.astype(np.float32)
