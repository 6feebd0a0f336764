"""The mel scale and its filters (Slaney, as librosa)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.dsp.settings import MELS

_MEL_BREAK_HZ = 1000.0
_MEL_LINEAR = 3 / 200
_MEL_LOG = 27 / np.log(6.4)


def hz_to_mel(f_hz: ArrayLike) -> NDArray[np.float64]:
    """Return Slaney's mel scale: linear below 1 kHz, logarithmic above."""
    f = np.asarray(f_hz, np.float64)
    return np.where(
        f < _MEL_BREAK_HZ,
        f * _MEL_LINEAR,
        15 + _MEL_LOG * np.log(np.maximum(f, 1e-9) / _MEL_BREAK_HZ),
    )


def mel_to_hz(mel: ArrayLike) -> NDArray[np.float64]:
    """Return the inverse of `hz_to_mel`."""
    m = np.asarray(mel, np.float64)
    return np.where(m < 15, m / _MEL_LINEAR, _MEL_BREAK_HZ * np.exp((m - 15) / _MEL_LOG))


def mel_matrix(fs_hz: float, frame: int, mels: int = MELS) -> NDArray[np.float64]:
    """Return the triangular mel filters of unit area, as ``librosa.filters.mel`` gives by default.

    Returns
    -------
    np.ndarray [shape=(mels, frame // 2 + 1)]
    """
    f = np.arange(frame // 2 + 1) * fs_hz / frame
    e = mel_to_hz(np.linspace(0.0, float(hz_to_mel(fs_hz / 2)), mels + 2))
    rise = (f - e[:-2, None]) / (e[1:-1] - e[:-2])[:, None]
    fall = (e[2:, None] - f) / (e[2:] - e[1:-1])[:, None]
    triangles: NDArray[np.float64] = np.maximum(0.0, np.minimum(rise, fall))
    return triangles * (2 / (e[2:] - e[:-2]))[:, None]


def filled_mels(fs_hz: float, frame: int) -> tuple[int, ...]:
    """Return the mel bands that hold at least one line of the frame's spectrum."""
    return tuple(int(i) for i in np.flatnonzero(mel_matrix(fs_hz, frame).any(axis=1)))
