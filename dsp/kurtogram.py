"""The kurtogram: it finds the band with the strongest impacts, for demodulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf

LEVELS: Final = 6
"""Halvings of the bandwidth, down to 1/64 of the spectrum, with thirds in between (Antoni 2007)."""

MIN_SAMPLES: Final = 64
"""Fewest envelope samples of which a kurtosis is significant."""

MIN_BANDWIDTH_HZ: Final = 500.0
"""Narrowest band: it passes impacts that repeat 100 times a second, with their harmonics."""

MIN_BANDWIDTH_SHARE: Final = 1 / 32
"""… or, at low rates, this share of the rate."""

LOWEST_SHARE: Final = 0.02
"""Share of the rate below which there are shaft and gear tones, but no resonances."""


@dataclass(frozen=True, slots=True)
class KurtogramBand:
    """A band of the kurtogram: edges in Hz, and the spectral kurtosis of its envelope.

    ``kurtosis`` is 0 for Gaussian noise, negative for tones, positive for impacts.
    """

    low_hz: float
    high_hz: float
    kurtosis: float

    @property
    def edges_hz(self) -> tuple[float, float]:
        """Return both edges, for `FeatureSpec.envelope_band_hz`."""
        return self.low_hz, self.high_hz


def kurtogram(samples: NDArray[np.float32], fs_hz: float) -> tuple[KurtogramBand, ...]:
    """Return the spectral kurtosis of the envelope in halves, thirds, quarters … of the spectrum.

    One batch of short inverse transforms of the same lines demodulates each division of the
    spectrum. Bands that begin below `LOWEST_SHARE` of the rate are left out.

    Parameters
    ----------
    samples : np.ndarray [shape=(windows, n) or (n,), dtype=float32]
        Windows of one point. The result is the median of their kurtoses, so that one shock in one
        window does not decide.
    fs_hz : float

    Returns
    -------
    tuple of KurtogramBand
        All bands, widest first.

    References
    ----------
    Antoni, "Fast computation of the kurtogram", MSSP 21 (2007) 108–124.
    """
    x = np.atleast_2d(np.asarray(samples, np.float32))
    n = x.shape[1]
    taper = np.hanning(n + 1)[:-1].astype(np.float32)
    spectrum = sf.rfft((x - x.mean(axis=1, keepdims=True)) * taper, axis=-1)
    half = n // 2
    shares = {2**level for level in range(LEVELS + 1)}
    shares |= {3 * 2**level for level in range(LEVELS - 1)}
    narrowest = min(MIN_BANDWIDTH_HZ, MIN_BANDWIDTH_SHARE * fs_hz)
    # The taper's modulation raises the fourth moment; this makes the kurtosis of Gaussian noise 0.
    gaussian = 2 * float(np.mean(taper**4) / np.mean(taper**2) ** 2)
    bands = []
    for count in sorted(shares):
        lines = half // count
        width_hz = lines * fs_hz / n
        if lines < MIN_SAMPLES or width_hz < narrowest:
            break
        z = sf.ifft(spectrum[:, : count * lines].reshape(len(x), count, lines), axis=-1)
        power = z.real**2 + z.imag**2
        second = power.mean(axis=-1)
        fourth = (power**2).mean(axis=-1)
        kurtosis = np.median(fourth / np.maximum(second**2, 1e-30) - gaussian, axis=0)
        for i, k in enumerate(kurtosis):
            if i * width_hz >= LOWEST_SHARE * fs_hz or count == 1:
                bands.append(KurtogramBand(i * width_hz, (i + 1) * width_hz, float(k)))
    return tuple(bands)


def best_band(samples: NDArray[np.float32], fs_hz: float) -> KurtogramBand:
    """Band with the highest spectral kurtosis, to demodulate a point that is commissioned.

    Parameters
    ----------
    samples : np.ndarray [shape=(windows, n) or (n,), dtype=float32]
    fs_hz : float

    Raises
    ------
    ValueError
        If the windows are too short for a single band.
    """
    bands = kurtogram(samples, fs_hz)
    if not bands:
        raise ValueError(
            f"windows of {np.shape(samples)[-1]} samples are too short for a kurtogram; "
            f"take at least {2 * MIN_SAMPLES}"
        )
    return max(bands, key=lambda band: band.kurtosis)
