"""Frequency bands: 1/3 octaves (IEC 61260-1), log bands up to half the rate, and their sums."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

USABLE: Final = 1 / 2.56
"""Usable share of the sampling rate; the anti-alias filter needs the rest (the factor 2.56 of FFT
analysers, ISO 13373-2)."""

_NOMINAL: Final = (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8)
"""Nominal mid-band mantissas of IEC 61260-1:2014, table E.1."""


def nominal_hz(x: int) -> str:
    """Nominal name of the base-ten 1/3-octave band with exact mid-frequency ``10**(x/10)`` Hz.

    >>> nominal_hz(15), nominal_hz(30), nominal_hz(41)
    ('31.5', '1000', '12500')
    """
    return f"{_NOMINAL[x % 10] * 10.0 ** (x // 10):g}"


def fractional_octaves(
    fs_hz: float, df_hz: float, per_octave: int = 3
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Names and edges of the base-ten 1/3- or 1/1-octave bands that rate and resolution support.

    The upper edge of a supported band is within the usable range, and the band is at least four
    lines wide, so that the main lobe of a tone at its centre lies inside (error < 0.01 dB).

    Parameters
    ----------
    fs_hz, df_hz : float
        Sampling rate and line spacing in Hz.
    per_octave : {1, 3}

    Returns
    -------
    names : tuple of str
        Nominal mid-frequencies, for example ``("1000", "1250")``.
    edges_hz : np.ndarray [shape=(bands, 2)]

    References
    ----------
    IEC 61260-1:2014, clause 5 (exact mid-frequencies and edges, G = 10^0.3).
    """
    x = np.arange(0, 53) if per_octave == 3 else np.arange(0, 53, 3)
    mid = 10.0 ** (x / 10)
    half = 10.0 ** (0.15 / per_octave)
    low, high = mid / half, mid * half
    supported = (high <= USABLE * fs_hz) & (high - low >= 4 * df_hz)
    return tuple(nominal_hz(int(i)) for i in x[supported]), np.c_[low, high][supported]


def log_bands(count: int, low_hz: float, high_hz: float) -> NDArray[np.float64]:
    """Return the edges of `count` adjacent bands of equal ratio, [shape=(count, 2)]."""
    edges: NDArray[np.float64] = np.geomspace(low_hz, high_hz, count + 1)
    return np.stack([edges[:-1], edges[1:]], axis=1)


class BandSums:
    """Sums of a power spectrum over many bands: one pass over the bins, then a small product.

    A line k covers ``[k-1/2, k+1/2)·Δf``. A line cut by a band edge counts in proportion. A band
    that reaches the last line takes it whole (half the rate is half a line wide). The edges of all
    bands cut the spectrum into segments that are summed once (`np.add.reduceat`); overlapping
    bands (1/3 octaves and log bands) share them.

    Parameters
    ----------
    edges_hz : np.ndarray [shape=(bands, 2)]
    df_hz : float
    lines : int
        Number of lines of the spectrum, DC first.
    scale : float
        Factor of all sums.
    """

    def __init__(
        self, edges_hz: NDArray[np.float64], df_hz: float, lines: int, scale: float = 1.0
    ) -> None:
        weights = [_line_weights(low, high, lines) for low, high in edges_hz / df_hz]
        cuts = {0}
        for first, w in weights:
            last = first + len(w) - 1
            cuts.update(c for c in (first, first + 1, last, last + 1) if c < lines)
        self.cuts = np.array(sorted(cuts))
        self.matrix = np.zeros((len(self.cuts), len(weights)), np.float32)
        for j, (first, w) in enumerate(weights):
            a, b = np.searchsorted(self.cuts, [first, first + len(w)])
            self.matrix[a:b, j] = w[self.cuts[a:b] - first] * scale

    def segments(self, power: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        """Sum the lines of each segment: ``power`` (c, lines) into ``out`` (c, segments)."""
        np.add.reduceat(power, self.cuts, axis=1, out=out)

    def bands(self, segments: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the band sums (c, bands) from segment sums (c, segments)."""
        return segments @ self.matrix


def _line_weights(low: float, high: float, lines: int) -> tuple[int, NDArray[np.float64]]:
    """Return the first line of a band, and the weights of its lines; edges in lines."""
    first = min(int(np.floor(low + 0.5)), lines - 1)
    last = min(int(np.floor(high + 0.5)), lines - 1)
    k = np.arange(first, last + 1)
    weights = np.clip(np.minimum(k + 0.5, high) - np.maximum(k - 0.5, low), 0.0, 1.0)
    if high >= lines - 1:
        weights[-1] = 1.0
    return first, weights
