"""Time-domain statistics of a batch: centred first, because float32 raw moments cancel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dsp.work import Work, dot

HIGH, LOW, MEAN, RESIDUE, M2, M3, M4, MEAN_ABS, MEAN_ROOT = range(9)


class Moments:
    """Mean, central moments, and the factors of shape of each row."""

    def __init__(self, n: int) -> None:
        self._inverse = np.float32(1 / n)
        self._ones = np.ones(n, np.float32)
        self.sums = np.empty((9, 0), np.float32)

    def reserve(self, c: int) -> None:
        """Make room for the sums of c rows."""
        if self.sums.shape[1] < c:
            self.sums = np.empty((9, c), np.float32)

    def block(self, work: Work, rows: slice) -> None:
        """Sum up centred rows; ``work.x`` is centred, ``work.y`` is scratch."""
        x, y, ones, sums = work.x, work.y, self._ones, self.sums[:, rows]
        np.matmul(x, ones, out=sums[RESIDUE])
        np.multiply(x, x, out=y)
        np.matmul(y, ones, out=sums[M2])
        dot(y, x, sums[M3])
        dot(y, y, sums[M4])
        np.abs(x, out=y)
        np.matmul(y, ones, out=sums[MEAN_ABS])
        np.sqrt(y, out=y)
        np.matmul(y, ones, out=sums[MEAN_ROOT])

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
