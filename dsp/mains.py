"""Lines of the mains in a spectrum: what a ground loop or an open shield adds to a signal.

Hum has the mains frequency and its odd multiples, because the mains is symmetric. The orders of a
shaft have no reason to lie there, and a machine that raises the first and third multiple of a line
raises the second or fourth with them; magnetic forces have the even multiples of the mains. The
first line is the strongest up to the third, so that it makes the level of the lowest bands.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.health import SensorHealth

MAINS_HZ: Final = {50.0: SensorHealth.MAINS_50, 60.0: SensorHealth.MAINS_60}
MAINS_TOLERANCE_HZ: Final = 0.2
"""Largest steady deviation of the mains in normal operation (ENTSO-E, synchronous area of
Continental Europe)."""
LINE_ERROR: Final = 0.1
"""Error of an interpolated line, in line spacings: noise 10 dB below it moves it by less."""
FIRST_DB: Final = 20.0
THIRD_DB: Final = 10.0
"""A line exceeds the median of its surroundings by this. Noise alone exceeds 10 dB in 0.1 % of
windows."""
FEWEST_LINES: Final = 10
"""Line spacings up to the mains: fewer, and its multiples lie within each other's surroundings."""
BELOW_THIRD: Final = 2.8
"""Multiple of the mains up to which its line is the strongest."""
INNER, OUTER = 3, 6
"""A line's surroundings, in line spacings from it: beyond the main lobe of the window."""


class MainsLines:
    """Finds windows whose strongest low line lies at the mains.

    Parameters
    ----------
    fs_hz : float
    n_fft : int
        Samples of the spectrum, made with a Hann window. The mains needs ten line spacings, so
        windows shorter than 0.2 s are never found.

    Examples
    --------
    >>> t = np.arange(8000) / 8000
    >>> def found(*multiples):
    ...     x = sum(np.sin(2 * np.pi * 50.1 * k * t) for k in multiples)
    ...     x = x + 0.1 * np.random.default_rng(0).standard_normal(8000)
    ...     power = np.abs(np.fft.rfft(x * np.hanning(8001)[:-1]))[None] ** 2
    ...     return SensorHealth(int(MainsLines(8000.0, 8000).found(power)[0])).name
    >>> found(1, 3, 5), found(1, 2, 3), found(1), found(1.02, 3.06)
    ('MAINS_50|MAINS_ODD', 'MAINS_50', 'MAINS_50', 'OK')
    """

    def __init__(self, fs_hz: float, n_fft: int) -> None:
        self._df_hz = fs_hz / n_fft
        resolved = FEWEST_LINES * self._df_hz
        self._mains = tuple(hz for hz in MAINS_HZ if resolved <= hz < fs_hz / 2 / 5)
        away = np.arange(INNER, OUTER + 1)
        self._around = np.concatenate([-away[::-1], away])

    def found(self, power: NDArray[np.float32]) -> NDArray[np.uint16]:
        """Find them.

        Parameters
        ----------
        power : np.ndarray [shape=(c, lines)]
            Squared magnitudes, at any scale.

        Returns
        -------
        np.ndarray [shape=(c,), dtype=uint16]
            `SensorHealth` bits: the mains where the strongest line below 2.8 times it lies, and
            whether its third multiple is a line too, stronger than the second and fourth.
        """
        flags = np.zeros(len(power), np.uint16)
        for hz in self._mains:
            for i in self._prominent(power, hz, FIRST_DB).nonzero()[0]:
                flags[i] |= np.uint16(self._flags(power[i : i + 1], hz))
        return flags

    def _prominent(
        self, power: NDArray[np.float32], hz: float, least_db: float
    ) -> NDArray[np.bool_]:
        k = round(hz / self._df_hz)
        peak = power[:, k - 1 : k + 2].max(axis=1)
        around = np.sort(power[:, k + self._around], axis=1)
        floor = around[:, len(self._around) // 2]
        return np.asarray(peak > 10 ** (least_db / 10) * floor)

    def _flags(self, power: NDArray[np.float32], hz: float) -> SensorHealth:
        row = power[0]
        low = row[INNER : round(BELOW_THIRD * hz / self._df_hz)]
        if low.max() > self._peak(row, hz) or not self._is_at(row, hz, 1):
            return SensorHealth.OK
        even = max(self._peak(row, 2 * hz), self._peak(row, 4 * hz))
        third = self._prominent(power, 3 * hz, THIRD_DB)[0] and self._is_at(row, hz, 3)
        if third and even < self._peak(row, 3 * hz):
            return MAINS_HZ[hz] | SensorHealth.MAINS_ODD
        return MAINS_HZ[hz]

    def _peak(self, row: NDArray[np.float32], hz: float) -> float:
        k = round(hz / self._df_hz)
        return float(row[k - 1 : k + 2].max())

    def _is_at(self, row: NDArray[np.float32], mains_hz: float, multiple: int) -> bool:
        """Return whether the line nearest to this multiple lies at it, within the resolution."""
        k = round(multiple * mains_hz / self._df_hz)
        k += int(row[k - 1 : k + 2].argmax()) - 1
        low, middle, high = np.sqrt(row[k - 1 : k + 2].astype(np.float64))
        if middle < max(low, high):
            return False
        # A tone in a Hann window (Grandke, IEEE Trans. Instrum. Meas. 32 (1983) 350).
        ratio = max(low, high) / middle
        offset = (2 * ratio - 1) / (1 + ratio) * (1 if high > low else -1)
        off_hz = abs((k + offset) * self._df_hz - multiple * mains_hz)
        return bool(off_hz <= multiple * MAINS_TOLERANCE_HZ + LINE_ERROR * self._df_hz)
