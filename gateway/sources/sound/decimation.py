"""Lowers the rate of a stream by a whole factor, without aliases, piece by piece."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

TAPS_PER_FACTOR = 40
"""Length of the filter: 80 dB from 1.1 times the new Nyquist frequency on."""
CUTOFF = 0.92
"""Edge of the pass band, share of the new Nyquist frequency."""
ATTENUATION_BETA = 8.0


class Decimator:
    """One filter for all channels; its delay of half its length is constant.

    Parameters
    ----------
    factor : int
        At least 1.
    channels : int

    Examples
    --------
    >>> decimator = Decimator(3, 1)
    >>> pieces = [decimator.pass_on(np.ones((1, 1000), np.float32)) for _ in range(3)]
    >>> sum(p.shape[1] for p in pieces), float(pieces[2][0, -1].round(4))
    (1000, 1.0)
    """

    def __init__(self, factor: int, channels: int) -> None:
        self._factor = factor
        taps = TAPS_PER_FACTOR * factor + 1
        self._filter = scipy.signal.firwin(
            taps, CUTOFF / factor, window=("kaiser", ATTENUATION_BETA)
        ).astype(np.float32)[None, :]
        self._tail = np.zeros((channels, taps - 1), np.float32)
        self._skip = 0

    def pass_on(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the samples [shape=(channels, n)] at the lower rate."""
        if self._factor == 1:
            return samples
        joined = np.concatenate([self._tail, samples], axis=1)
        filtered = scipy.signal.oaconvolve(joined, self._filter, mode="valid", axes=1)
        self._tail = joined[:, -self._tail.shape[1] :]
        out = filtered[:, self._skip :: self._factor]
        self._skip = (self._skip - samples.shape[1]) % self._factor
        return np.ascontiguousarray(out, np.float32)
