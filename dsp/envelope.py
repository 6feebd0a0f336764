"""Squared-envelope spectrum: a band of the spectrum is moved to 0 Hz, demodulated, transformed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.dsp import fourier as sf
from auscult.dsp.bands import BandSums
from auscult.dsp.block import SpectrumBlock
from auscult.dsp.feature import Feature
from auscult.dsp.parameters import Parameters
from auscult.dsp.spectrum import hann

RANDALL = "Randall and Antoni, MSSP 25 (2011) 485–520"
"""Source of the squared envelope spectrum."""

HANN_SQUARED_ENBW = 35 / 18
"""Equivalent noise bandwidth in lines of the Hann² window of the squared envelope."""


class Envelope:
    """Squared-envelope power of each row, from the lines of one spectrum.

    The Hann window of the samples becomes Hann² on the squared envelope, which makes a second
    window and a filter unnecessary. The short inverse transform is exact for modulation below the
    top, because its rate exceeds bandwidth plus top (no aliasing of the squared magnitude).
    """

    def __init__(self, spec: Parameters, window_scale: float) -> None:
        df = spec.df_hz
        low, high = spec.demodulation_band_hz
        lines = spec.n_fft // 2 + 1
        self._band = slice(int(np.ceil(low / df)), min(int(high / df), lines - 1) + 1)
        self.width = self._band.stop - self._band.start
        self.top = min(int(spec.envelope_top_hz / df), self.width - 1)
        self.m = 2 * int(sf.next_fast_len((self.width + self.top + 2) // 2, real=True))
        power = float(np.sum(hann(spec.n_fft) ** 2)) * self.m / spec.n_fft
        amplitude = 2 * (2 * self.m / spec.n_fft) ** 2 / window_scale**2 / power
        self._scale = np.float32(amplitude**2)
        self._prewhiten = spec.prewhiten
        edges = spec.envelope_edges_hz
        mean_square = 0.5 / HANN_SQUARED_ENBW
        self._bands = BandSums(edges, df, self.top + 1, mean_square) if len(edges) else None
        self._z = np.empty((0, self.m), np.complex64)
        self._e = np.empty((0, self.m), np.float32)
        self.squares = np.empty((0, self.top + 1), np.float32)
        """Squared amplitudes of the squared envelope's lines, (c, top + 1), unit⁴; DC is 0."""

    def reserve(self, c: int, block: int) -> None:
        """Allocate memory for c rows, `block` of them at a time."""
        if len(self._z) < block:
            self._z = np.zeros((block, self.m), np.complex64)
            self._e = np.empty((block, self.m), np.float32)
        if len(self.squares) < c:
            self.squares = np.empty((c, self.top + 1), np.float32)

    def block(self, spectra: SpectrumBlock, rows: slice) -> None:
        """Squared-envelope lines of a block."""
        b = len(spectra.spectrum)
        z, e = self._z[:b], self._e[:b]
        z[:, : self.width] = spectra.spectrum[:, self._band]
        if self._prewhiten:
            power = spectra.power[:, self._band]
            level = np.sqrt(power.mean(axis=1, keepdims=True))
            z[:, : self.width] *= level / np.sqrt(np.maximum(power, 1e-12 * level**2))
        z[:, self.width :] = 0
        analytic = sf.ifft(z, axis=-1, overwrite_x=True)
        np.abs(analytic, out=e)
        np.square(e, out=e)
        squares = np.abs(sf.rfft(e, axis=-1)[:, : self.top + 1], out=self.squares[rows])
        squares[:, 0] = 0.0
        np.square(squares, out=squares)
        squares *= self._scale

    def finish(self, c: int, out: NDArray[np.float32]) -> None:
        """Write group ``envelope``."""
        if self._bands is None:
            return
        segments = np.empty((c, len(self._bands.cuts)), np.float32)
        self._bands.segments(self.squares[:c], segments)
        rms = np.sqrt(self._bands.bands(segments))
        np.sqrt(rms, out=out)


@dataclass(frozen=True)
class EnvelopeSpectrum:
    """A squared-envelope spectrum for display, with the parameters that ISO 13373 asks to state.

    Parameters
    ----------
    frequencies_hz, values : np.ndarray [shape=(lines,), dtype=float32]
        `values` are amplitudes of the squared envelope at each line, in `unit`².
    unit : str
        Unit of the samples.
    band_hz : (float, float)
        Demodulated band.
    fs_hz, df_hz : float
    lines, averages : int
    overlap : float
    window, demodulation : str
    """

    frequencies_hz: NDArray[np.float32]
    values: NDArray[np.float32]
    unit: str
    band_hz: tuple[float, float]
    fs_hz: float
    df_hz: float
    lines: int
    averages: int
    overlap: float
    window: str = "Hann"
    demodulation: str = "squared magnitude of the analytic signal"


def envelope_spectrum(
    samples: NDArray[np.float32],
    fs_hz: float,
    unit: str,
    band_hz: tuple[float, float],
    *,
    top_hz: float | None = None,
    overlap: float = 0.0,
    prewhiten: bool = False,
) -> EnvelopeSpectrum:
    """Return the averaged squared-envelope spectrum of the windows of one point.

    Parameters
    ----------
    samples : np.ndarray [shape=(windows, n) or (n,)]
    fs_hz : float
    unit : str
    band_hz : (float, float)
        Demodulation band, within 0..fs/2.
    top_hz : float or None
        Highest modulation frequency; None = half the bandwidth.
    overlap : float
        Share by which the windows overlap, 0..1; stated in the result.
    prewhiten : bool
        Cepstral pre-whitening of the band.

    Examples
    --------
    >>> t = np.arange(8000) / 8000
    >>> x = (1 + 0.5 * np.cos(2 * np.pi * 40 * t)) * np.sin(2 * np.pi * 2000 * t)
    >>> s = envelope_spectrum(x.astype(np.float32), 8000.0, "g", (1500.0, 2500.0))
    >>> round(float(s.values[40]), 3)  # (1 + ½cos)² = 1.125 + cos + …
    1.0
    """
    x = np.atleast_2d(np.asarray(samples, np.float64))
    n = x.shape[1]
    df = fs_hz / n
    w = hann(n)
    spectrum = np.fft.rfft((x - x.mean(axis=1, keepdims=True)) * w, axis=1)
    k0, k1 = int(np.ceil(band_hz[0] / df)), min(int(band_hz[1] / df), n // 2) + 1
    band = spectrum[:, k0:k1]
    if prewhiten:
        magnitude = np.abs(band)
        level = np.sqrt((magnitude**2).mean(axis=1, keepdims=True))
        band = band * level / np.maximum(magnitude, 1e-6 * level + 1e-30)
    top = min(int((top_hz or (band_hz[1] - band_hz[0]) / 2) / df), k1 - k0 - 1)
    m = sf.next_fast_len(k1 - k0 + top + 1)
    envelope = np.abs(sf.ifft(band, m, axis=1) * (2 * m / n)) ** 2
    lines = np.abs(sf.rfft(envelope, axis=1)[:, : top + 1]) * (2 * n / (m * np.sum(w**2)))
    values = np.sqrt((lines**2).mean(axis=0))
    return EnvelopeSpectrum(
        frequencies_hz=(np.arange(top + 1) * df).astype(np.float32),
        values=values.astype(np.float32),
        unit=unit,
        band_hz=band_hz,
        fs_hz=fs_hz,
        df_hz=df,
        lines=top + 1,
        averages=len(x),
        overlap=overlap,
    )


def envelope_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the bands of the envelope spectrum."""
    b0, b1 = spec.demodulation_band_hz
    for i, (low, high) in enumerate(spec.envelope_edges_hz):
        yield Feature(
            f"envelope_band_{i:02d}",
            spec.value_unit,
            "envelope",
            "log",
            f"⁴√(mean square of the squared envelope of {b0:.5g}–{b1:.5g} Hz, modulation "
            f"{low:.4g}–{high:.4g} Hz)",
            f"squared envelope spectrum, {RANDALL}",
            "repeated impacts: bearing, gear tooth, impeller, looseness",
        )
