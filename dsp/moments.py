"""Time-domain statistics of a batch: centred first, because float32 raw moments cancel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.block import dot
from auscult.dsp.health import all_usable, look_stride, unusable

HIGH, LOW, MEAN, RESIDUE, M2, M3, M4, MEAN_ABS, MEAN_ROOT = range(9)


RESIDUE_LIMIT = 4e-8
"""Largest mean of the centred samples as a share of their span; beyond it (a mean far above the
signal, which float32 rounds) they are centred once more."""


class Moments:
    """Mean, central moments, and the factors of shape of each row."""

    def __init__(self, n: int, rows: int) -> None:
        self._scratch = np.empty((2, rows, n), np.float32)
        self._inverse = np.float32(1 / n)
        self._ones = np.ones(n, np.float32)
        self._stride = look_stride(n)
        self.sums = np.empty((9, 0), np.float32)
        self.looks = np.empty((0, -(-n // self._stride)), np.float32)
        """Every so many samples of each row as it came, for `health.check`."""
        self.unusable = np.empty(0, np.uint16)
        """Flags of the rows that a stand-in replaced."""

    def reserve(self, c: int) -> None:
        """Make room for the sums of c rows."""
        if self.sums.shape[1] < c:
            self.sums = np.empty((9, c), np.float32)
            self.looks = np.empty((c, self.looks.shape[1]), np.float32)
            self.unusable = np.zeros(c, np.uint16)

    def block(
        self, signal: NDArray[np.float32], stand_in: NDArray[np.float32], rows: slice
    ) -> NDArray[np.float32]:
        """Sum up a few rows, and return them centred in scratch memory.

        A row without signal becomes `stand_in`: NaN, infinity, constants and denormals would cost
        time, warnings and their neighbours' peace in every later step; so they leave here, and
        their features are overwritten at last.
        """
        ones, sums = self._ones, self.sums[:, rows]
        x: NDArray[np.float32] = self._scratch[0, : len(signal)]
        y = self._scratch[1, : len(signal)]
        signal.max(axis=1, out=sums[HIGH])
        signal.min(axis=1, out=sums[LOW])
        self.looks[rows] = signal[:, :: self._stride]
        if not all_usable(sums[HIGH], sums[LOW]):
            self.unusable[rows] = unusable(sums[HIGH], sums[LOW])
            bad = self.unusable[rows] != 0
            signal = signal.copy()
            signal[bad] = stand_in
            sums[HIGH, bad], sums[LOW, bad] = stand_in.max(), stand_in.min()
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
        # the float32 mean leaves a residue d; shift the moments by it
        m4 = m4 - 4 * d * m3 + 6 * d * d * m2
        m3 = m3 - 3 * d * m2
        m2 = m2 - d * d
        mean = mean + d
        peak = np.maximum(high - mean, mean - low)
        rms = np.sqrt(m2)
        columns = (
            mean,
            rms,
            peak,
            high - low,
            peak / rms,
            m4 / (m2 * m2),
            m3 / (m2 * rms),
            rms / mean_abs,
            peak / mean_abs,
            peak / (mean_root * mean_root),
        )
        for j, column in enumerate(columns):
            out[:, j] = column
