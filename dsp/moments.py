"""Time-domain statistics of a batch, of centred samples: float32 raw moments would cancel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.block import dot
from auscult.dsp.feature import Feature
from auscult.dsp.health import all_usable, coarse_stride, unusable
from auscult.dsp.parameters import Parameters

_STATISTICS = "ISO 13373-2; Lei, Intelligent Fault Diagnosis, Elsevier 2017"

HIGH, LOW, MEAN, RESIDUE, M2, M3, M4, MEAN_ABS, MEAN_ROOT = range(9)


RESIDUE_LIMIT = 4e-8
"""Largest mean of the centred samples as a share of their peak-to-peak value. A mean far above the
signal is rounded by float32; beyond this limit the samples are centred again."""


class Moments:
    """Mean, central moments and shape factors of each row."""

    def __init__(self, n: int) -> None:
        self._scratch = np.empty((2, 0, n), np.float32)
        self._inverse = np.float32(1 / n)
        self._ones = np.ones(n, np.float32)
        self._stride = coarse_stride(n)
        self.sums = np.empty((9, 0), np.float32)
        self.coarse = np.empty((0, -(-n // self._stride)), np.float32)
        """Every n-th sample of each row as received, for `health.check`."""
        self.unusable = np.empty(0, np.uint16)
        """Flags of the rows that the substitute replaced."""

    def reserve(self, c: int, rows: int) -> None:
        """Allocate memory for the sums of c rows, and for `rows` of samples at a time."""
        if self._scratch.shape[1] < rows:
            self._scratch = np.empty((2, rows, self._scratch.shape[2]), np.float32)
        if self.sums.shape[1] < c:
            self.sums = np.empty((9, c), np.float32)
            self.coarse = np.empty((c, self.coarse.shape[1]), np.float32)
            self.unusable = np.zeros(c, np.uint16)

    def block(
        self, signal: NDArray[np.float32], substitute: NDArray[np.float32], rows: slice
    ) -> NDArray[np.float32]:
        """Sum up a few rows, and return them centred in scratch memory.

        `substitute` replaces a row without signal: NaN, infinity, constants and denormals would
        cost time and raise warnings in every later step. The pipeline overwrites the features of
        these rows at the end.
        """
        ones, sums = self._ones, self.sums[:, rows]
        x: NDArray[np.float32] = self._scratch[0, : len(signal)]
        y = self._scratch[1, : len(signal)]
        signal.max(axis=1, out=sums[HIGH])
        signal.min(axis=1, out=sums[LOW])
        self.coarse[rows] = signal[:, :: self._stride]
        if not all_usable(sums[HIGH], sums[LOW]):
            self.unusable[rows] = unusable(sums[HIGH], sums[LOW])
            bad = self.unusable[rows] != 0
            signal = signal.copy()
            signal[bad] = substitute
            sums[HIGH, bad], sums[LOW, bad] = substitute.max(), substitute.min()
        mean = np.matmul(signal, ones, out=sums[MEAN])
        mean *= self._inverse
        np.subtract(signal, mean[:, None], out=x)
        residue = np.matmul(x, ones, out=sums[RESIDUE])
        far = np.abs(residue * self._inverse) > RESIDUE_LIMIT * (sums[HIGH] - sums[LOW])
        if far.any():
            shift = np.where(far, residue * self._inverse, 0.0)
            np.subtract(x, shift[:, None], out=x)
            mean += shift
            residue[far] = 0.0
        np.multiply(x, x, out=y)
        np.matmul(y, ones, out=sums[M2])
        dot(y, x, sums[M3])
        dot(y, y, sums[M4])
        np.abs(x, out=y)
        np.matmul(y, ones, out=sums[MEAN_ABS])
        np.sqrt(y, out=y)
        np.matmul(y, ones, out=sums[MEAN_ROOT])
        return x

    def finish(self, c: int, out: NDArray[np.float32]) -> None:
        """Write the ten features of group ``time`` into ``out`` (c, 10)."""
        high, low, mean = self.sums[: MEAN + 1, :c]
        d, m2, m3, m4, mean_abs, mean_root = self.sums[RESIDUE:, :c] * self._inverse
        # The float32 mean leaves a residue d; shift the moments by it.
        m4 = m4 + d * (6 * d * m2 - 4 * m3)
        m3 = m3 - 3 * d * m2
        m2 = m2 - d * d
        mean = mean + d
        peak = np.maximum(high - mean, mean - low)
        rms = np.sqrt(m2)
        columns = out.T
        columns[0], columns[1], columns[2] = mean, rms, peak
        np.subtract(high, low, out=columns[3])
        np.divide(peak, rms, out=columns[4])
        np.divide(m4, m2 * m2, out=columns[5])
        np.divide(m3, m2 * rms, out=columns[6])
        np.divide(rms, mean_abs, out=columns[7])
        np.divide(peak, mean_abs, out=columns[8])
        np.divide(peak, mean_root * mean_root, out=columns[9])


def time_features(spec: Parameters) -> Iterator[Feature]:
    """Declare the statistics of the samples."""
    u, g, s = spec.value_unit, "time", _STATISTICS
    yield Feature(
        "mean", u, g, "linear", "mean of the samples", s, "sensor bias, static load", model=False
    )
    yield Feature("rms", u, g, "log", "√mean((x − x̄)²)", s, "overall severity of any fault")
    yield Feature("peak", u, g, "log", "max |x − x̄|", s, "impacts, rub")
    yield Feature(
        "peak_to_peak", u, g, "log", "max x − min x", s, "impacts, looseness", model=False
    )
    yield Feature(
        "crest_factor", "1", g, "log", "peak / rms", s, "early impacts: bearing, gear tooth"
    )
    yield Feature(
        "kurtosis",
        "1",
        g,
        "log",
        "mean((x − x̄)⁴) / rms⁴; 3 for Gaussian noise, 1.5 for a sine",
        s,
        "impulsiveness: early bearing and gear faults",
    )
    yield Feature(
        "skewness",
        "1",
        g,
        "linear",
        "mean((x − x̄)³) / rms³",
        s,
        "one-sided motion: rub, looseness, clipping",
    )
    yield Feature(
        "shape_factor", "1", g, "log", "rms / mean |x − x̄|", s, "change of the amplitude's shape"
    )
    yield Feature(
        "impulse_factor", "1", g, "log", "peak / mean |x − x̄|", s, "early impacts", model=False
    )
    yield Feature(
        "clearance_factor",
        "1",
        g,
        "log",
        "peak / (mean √|x − x̄|)²",
        s,
        "early impacts, the most sensitive of the factors",
        model=False,
    )
