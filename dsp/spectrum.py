"""Features of the power spectrum of a batch: overall levels, bands, shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.bands import BandSums
from auscult.dsp.block import SpectrumBlock, dot
from auscult.dsp.feature import Feature
from auscult.dsp.parameters import Parameters
from auscult.dsp.settings import ROLLOFF, SEVERITY_TOP_HZ
from auscult.dsp.units import ACCELERATION_M_S2, VELOCITY_MM_S

_SHAPE = "Peeters, A large set of audio features, IRCAM 2004"

ACCELERATION_TOP_HZ = 10_000.0
"""Upper edge of the overall acceleration."""

FLOOR = 1e-12
"""Floor of the density before its logarithm, as a share of its mean: 120 dB down, below 16 bits and
above float32 rounding, so that zeros and rounding noise do not change the cepstrum."""

ROLLOFF_LINES = 16
"""The power is cumulated in blocks of this many lines, and assumed constant within one."""

LN2 = float(np.log(2.0))


def hann(n: int) -> NDArray[np.float64]:
    """Return the periodic Hann window, [shape=(n,)]."""
    window: NDArray[np.float64] = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)
    return window


def overall_weights(spec: Parameters) -> NDArray[np.float32]:
    """Weights of the density for velocity², displacement², acceleration², [shape=(lines, 3)].

    Velocity in mm/s and displacement in µm from the ISO 20816 band, acceleration in m/s² up to
    10 kHz; integration by 1/(2πf)² (Parseval: no inverse transform).
    """
    f = np.arange(spec.n_fft // 2 + 1) * spec.df_hz
    omega = 2 * np.pi * np.maximum(f, spec.df_hz / 2)
    severity = (f >= spec.severity_low_hz) & (f <= SEVERITY_TOP_HZ)
    audible = (f >= spec.severity_low_hz) & (f <= ACCELERATION_TOP_HZ)
    if spec.value_unit in ACCELERATION_M_S2:
        acceleration = ACCELERATION_M_S2[spec.value_unit] * np.ones_like(f)
    else:
        acceleration = VELOCITY_MM_S[spec.value_unit] * 1e-3 * omega
    weights = np.stack(
        [
            (1e3 * acceleration / omega) ** 2 * severity,
            (1e6 * acceleration / omega**2) ** 2 * severity,
            acceleration**2 * audible,
        ],
        axis=1,
    )
    return np.asarray(weights * spec.df_hz, np.float32)


class Overall:
    """Velocity, displacement and acceleration r.m.s. by Parseval's theorem."""

    def __init__(self, spec: Parameters) -> None:
        weights = overall_weights(spec)
        used = np.flatnonzero(weights[:, 0])
        self._low = slice(int(used[0]), int(used[-1]) + 1)
        self._low_weights = np.ascontiguousarray(weights[self._low, :2])
        wide = np.flatnonzero(weights[:, 2])
        self._wide = slice(int(wide[0]), int(wide[-1]) + 1)
        self._wide_weights = np.ascontiguousarray(weights[self._wide, 2])
        self._squares = np.empty((0, 3), np.float32)

    def reserve(self, c: int) -> None:
        """Allocate memory for c rows."""
        if len(self._squares) < c:
            self._squares = np.empty((c, 3), np.float32)

    def block(self, spectra: SpectrumBlock, rows: slice) -> None:
        """Mean squares of a block."""
        self._squares[rows, :2] = spectra.power[:, self._low] @ self._low_weights
        self._squares[rows, 2] = spectra.power[:, self._wide] @ self._wide_weights

    def finish(self, c: int, out: NDArray[np.float32]) -> None:
        """Write group ``overall``."""
        np.sqrt(self._squares[:c], out=out)


class Bands:
    """R.m.s. levels of several sets of bands from one pass over the density."""

    def __init__(self, edges_hz: NDArray[np.float64], spec: Parameters) -> None:
        self.sums = BandSums(edges_hz, spec.df_hz, spec.n_fft // 2 + 1, spec.df_hz)
        self.segments = np.empty((0, len(self.sums.cuts)), np.float32)

    def reserve(self, c: int) -> None:
        """Allocate memory for c rows."""
        if len(self.segments) < c:
            self.segments = np.empty((c, len(self.sums.cuts)), np.float32)

    def block(self, spectra: SpectrumBlock, rows: slice) -> None:
        """Segment sums of a block."""
        self.sums.segments(spectra.power, self.segments[rows])

    def levels(self, c: int) -> NDArray[np.float32]:
        """Return the levels (c, bands), in the signal's unit."""
        levels: NDArray[np.float32] = np.sqrt(self.sums.bands(self.segments[:c]))
        return levels


class Smooth:
    """The density averaged over neighbouring lines, and its logarithm."""

    def __init__(self, spec: Parameters) -> None:
        self._width = spec.smoothing
        self.lines = spec.n_fft // 2 // self._width
        self._stop = self.lines * self._width
        self._floor = np.float32(FLOOR * self._width * 2 / spec.fs_hz / spec.n_samples)
        self._ones = np.ones(self._width, np.float32)
        self._arrays = np.empty((2, 0, self.lines), np.float32)

    def reserve(self, block: int) -> None:
        """Allocate memory for blocks of this many rows."""
        if self._arrays.shape[1] < block:
            self._arrays = np.empty((2, block, self.lines), np.float32)

    def block(
        self, power: NDArray[np.float32], squares: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the smoothed density and its log₂; each row's sum of squares sets the floor."""
        smooth, logs = self._arrays[:, : len(power)]
        neighbours = power[:, : self._stop].reshape(len(power), self.lines, self._width)
        np.matmul(neighbours, self._ones, out=smooth)
        np.maximum(smooth, (self._floor * squares)[:, None], out=smooth)
        np.log2(smooth, out=logs)
        return smooth, logs


class Shape:
    """Centroid, spread, entropy, flatness and roll-off of the smoothed density."""

    def __init__(self, spec: Parameters, lines: int) -> None:
        self._lines = lines
        self._hz = spec.smoothing * spec.df_hz
        middle = np.arange(lines) + 0.5 - 0.5 / spec.smoothing
        self._weights = np.stack([np.ones(lines), middle, middle**2]).astype(np.float32)
        self._blocks = np.arange(0, lines, ROLLOFF_LINES)
        self._widths = np.minimum(ROLLOFF_LINES, lines - self._blocks)
        self._log_lines = float(np.log(lines))
        self._ones = np.ones(ROLLOFF_LINES, np.float32)
        self._sums = np.empty((5, 0), np.float32)
        self._cumulated = np.empty((0, len(self._blocks)), np.float32)

    def reserve(self, c: int) -> None:
        """Allocate memory for c rows."""
        if self._sums.shape[1] < c:
            self._sums = np.empty((5, c), np.float32)
            self._cumulated = np.empty((c, len(self._blocks)), np.float32)

    def block(self, spectra: SpectrumBlock, rows: slice) -> None:
        """Sum up a block."""
        smooth, logs, sums = spectra.smooth, spectra.log_smooth, self._sums[:, rows]
        np.matmul(self._weights, smooth.T, out=sums[:3])
        dot(smooth, logs, sums[3])
        np.matmul(logs, self._weights[0], out=sums[4])
        # A product with ones sums equal blocks five times as fast as `np.add.reduceat`.
        whole = self._lines // ROLLOFF_LINES
        cumulated, end = self._cumulated[rows], whole * ROLLOFF_LINES
        equal = smooth[:, :end].reshape(len(smooth), whole, ROLLOFF_LINES)
        np.matmul(equal, self._ones, out=cumulated[:, :whole])
        if end < self._lines:
            np.add.reduce(smooth[:, end:], axis=1, out=cumulated[:, whole])

    def finish(self, c: int, out: NDArray[np.float32]) -> None:
        """Write group ``shape``."""
        total, first, second, power_log, log = self._sums[:, :c].astype(np.float64)
        centroid, log_total = first / total, np.log(total)
        spread = np.sqrt(np.maximum(second / total - centroid * centroid, 0.0))
        rolloff = self._rolloff(self._cumulated[:c])
        out[:, 0] = centroid * self._hz
        out[:, 1] = spread * self._hz
        out[:, 2] = (log_total - LN2 * power_log / total) / self._log_lines
        out[:, 3] = np.exp(LN2 / self._lines * log - log_total + self._log_lines)
        out[:, 4] = rolloff * self._hz

    def _rolloff(self, blocks: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the line below which 85 % of the power lies, linear within a block."""
        rows = np.arange(len(blocks))
        below = blocks.cumsum(axis=1, dtype=np.float64)
        target = ROLLOFF * below[:, -1]
        block = (below >= target[:, None]).argmax(axis=1)
        inside = blocks[rows, block]
        share = 1.0 - (below[rows, block] - target) / np.maximum(inside, 1e-30)
        line: NDArray[np.float64] = self._blocks[block] + self._widths[block] * share
        return line


@dataclass(frozen=True)
class AmplitudeSpectrum:
    """An amplitude spectrum for display, with the parameters that ISO 13373 asks to state.

    Parameters
    ----------
    frequencies_hz, values : np.ndarray [shape=(lines,), dtype=float32]
        `values` are r.m.s. amplitudes of a tone at each line, in `unit`.
    unit : str
    fs_hz, df_hz : float
    lines, averages : int
    window : str
    overlap : float
        Share of a window, 0..1.
    high_pass_hz : float
        Lines below hold leakage of the removed mean.
    """

    frequencies_hz: NDArray[np.float32]
    values: NDArray[np.float32]
    unit: str
    fs_hz: float
    df_hz: float
    lines: int
    averages: int
    overlap: float
    high_pass_hz: float
    window: str = "Hann"


def amplitude_spectrum(
    samples: NDArray[np.float32], fs_hz: float, unit: str, *, overlap: float = 0.0
) -> AmplitudeSpectrum:
    """Return the averaged amplitude spectrum (r.m.s.) of the windows of one point.

    Parameters
    ----------
    samples : np.ndarray [shape=(windows, n) or (n,)]
    fs_hz : float
    unit : str
    overlap : float
        Share by which the windows overlap, 0..1; stated in the result.

    Examples
    --------
    >>> t = np.arange(1000) / 1000
    >>> s = amplitude_spectrum(np.sin(2 * np.pi * 50 * t).astype(np.float32), 1000.0, "g")
    >>> round(float(s.values[50]), 4)
    0.7071
    """
    x = np.atleast_2d(np.asarray(samples, np.float64))
    n = x.shape[1]
    w = hann(n)
    spectrum = np.fft.rfft((x - x.mean(axis=1, keepdims=True)) * w, axis=1)
    power = (np.abs(spectrum) ** 2).mean(axis=0) * 2 / w.sum() ** 2
    return AmplitudeSpectrum(
        frequencies_hz=(np.arange(power.size) * fs_hz / n).astype(np.float32),
        values=np.sqrt(power).astype(np.float32),
        unit=unit,
        fs_hz=fs_hz,
        df_hz=fs_hz / n,
        lines=power.size,
        averages=len(x),
        overlap=overlap,
        high_pass_hz=1.5 * fs_hz / n,
    )


def overall_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the overall values of ISO 20816."""
    band = f"{spec.severity_low_hz:g}–1000 Hz"
    yield Feature(
        "velocity_rms_mm_s",
        "mm/s",
        "overall",
        "log",
        f"r.m.s. velocity {band}: √Σ PSD(f)/(2πf)² Δf (Parseval, Hann)",
        "ISO 20816-1 and -3; 2 Hz below 600 r/min",
        "imbalance, misalignment, looseness; ISO zones apply",
    )
    yield Feature(
        "displacement_rms_um",
        "µm",
        "overall",
        "log",
        f"r.m.s. displacement {band}: √Σ PSD(f)/(2πf)⁴ Δf (Parseval, Hann)",
        "ISO 20816-3",
        "slow imbalance and shaft motion; ISO zones apply",
    )
    yield Feature(
        "acceleration_rms_m_s2",
        "m/s²",
        "overall",
        "log",
        f"r.m.s. acceleration from {spec.severity_low_hz:g} Hz to 10 kHz or half the rate",
        "ISO 20816-1",
        "bearing and gear condition at high frequency",
        model=False,
    )


def shape_features() -> Iterator[Feature]:
    """Declare the shape of the spectrum."""
    g = "shape"
    yield Feature(
        "spectral_centroid_hz",
        "Hz",
        g,
        "log",
        "Σ f P / Σ P of the density P, summed over lines up to 4 Hz wide",
        _SHAPE,
        "energy moves up with bearing, gear and cavitation faults",
    )
    yield Feature(
        "spectral_spread_hz",
        "Hz",
        g,
        "log",
        "√(Σ (f − centroid)² P / Σ P)",
        _SHAPE,
        "broad-band noise against tones",
    )
    yield Feature(
        "spectral_entropy",
        "1",
        g,
        "linear",
        "−Σ p ln p / ln N with p = P / Σ P; 0 = one line, 1 = white",
        "Misra et al., ICASSP 2004",
        "order against noise: friction, lost lubrication",
    )
    yield Feature(
        "spectral_flatness",
        "1",
        g,
        "log",
        "geometric mean of P over its arithmetic mean; 1 = white, 0 = tones",
        "Johnston, IEEE J. Sel. Areas Commun. 6 (1988)",
        "tones that rise over the noise, or noise that masks them",
    )
    yield Feature(
        "spectral_rolloff_hz",
        "Hz",
        g,
        "log",
        "frequency below which 85 % of the power lies, linear within 16 lines of P",
        _SHAPE,
        "energy moves up or down",
    )


def band_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the bands of equal ratios."""
    for i, (low, high) in enumerate(spec.band_edges_hz):
        yield Feature(
            f"band_{i:02d}",
            spec.value_unit,
            "band",
            "log",
            f"r.m.s. in {low:.4g}–{high:.4g} Hz, band {i} of 40 equal ratios up to half the rate",
            "Parseval on the Hann spectrum",
            "a change in this part of the spectrum",
        )


def octave_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the 1/3-octave (vibration) or octave (sound) bands."""
    third = spec.kind == "vibration"
    prefix = "third_octave" if third else "octave"
    for name in spec.octaves[0]:
        yield Feature(
            f"{prefix}_{name}hz",
            spec.value_unit,
            prefix,
            "log",
            f"r.m.s. in the {'1/3-octave' if third else 'octave'} band at {name} Hz (base ten)",
            "IEC 61260-1:2014",
            "levels to compare with limits and other instruments",
            model=False,
        )
