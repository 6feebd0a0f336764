"""Real cepstrum of a batch: families of harmonics and sidebands become one peak."""

from __future__ import annotations

import numpy as np
import scipy.fft as sf
from numpy.typing import NDArray

from dsp.design import CEPSTRUM_RANGE_S
from dsp.spec import FeatureSpec
from dsp.spectrum import LN2
from dsp.work import Work


class Cepstrum:
    """Largest cepstral value in 2–100 ms, and near one shaft revolution.

    The real cepstrum is the inverse transform of ln P over n points. A DCT-II of half that length
    of the sums of neighbouring lines gives it exactly: averaging neighbours multiplies the
    cepstrum by cos(π q / n), which is divided out.
    """

    def __init__(self, spec: FeatureSpec) -> None:
        n = spec.n_fft
        self._fs = spec.fs_hz
        low = max(2, int(CEPSTRUM_RANGE_S[0] * spec.fs_hz))
        high = min(int(CEPSTRUM_RANGE_S[1] * spec.fs_hz), n // 2 - 1)
        if high - low < 4:  # slow rates and short windows: what there is
            low, high = 2, n // 2 - 1
        self._range = slice(low, high)
        self._has_shaft = any(f.name == "cepstrum_shaft" for f in spec.features)
        keep = high
        if self._has_shaft and spec.shaft_hz is not None:
            slowest = spec.fs_hz / (spec.shaft_hz * (1 - spec.speed_tolerance))
            keep = max(keep, min(int(slowest) + 2, n // 2 - 1))
        q = np.arange(keep)
        self._undo = (LN2 / (2 * n * np.cos(np.pi * q / n))).astype(np.float32)
        self._keep = keep
        self._values = np.empty((0, keep), np.float32)

    def reserve(self, c: int) -> None:
        """Make room for c rows."""
        if len(self._values) < c:
            self._values = np.empty((c, self._keep), np.float32)

    def block(self, work: Work, rows: slice) -> None:
        """Cepstrum of a block up to the longest quefrency needed."""
        log_power = work.log_power
        halves = log_power[:, :-1] + log_power[:, 1:]
        cepstrum = sf.dct(halves, type=2, axis=-1, overwrite_x=True)
        np.multiply(cepstrum[:, : self._keep], self._undo, out=self._values[rows])

    def finish(
        self, c: int, shaft_hz: NDArray[np.float64], tolerance: float, out: NDArray[np.float32]
    ) -> None:
        """Write group ``cepstrum``."""
        searched = self._values[:c, self._range]
        at = searched.argmax(axis=1)
        out[:, 0] = searched[np.arange(c), at]
        out[:, 1] = (at + self._range.start) / self._fs
        if self._has_shaft:
            for i, f in enumerate(shaft_hz):
                a = int(self._fs / (f * (1 + tolerance)))
                b = int(self._fs / (f * (1 - tolerance))) + 2
                near = self._values[i, max(2, a) : b]
                out[i, 2] = near.max() if near.size else 0.0
