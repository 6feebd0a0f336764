"""Scratch arrays that the stages of the pipeline share for one block of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Work:
    """One block of b rows on its way through the stages.

    Parameters
    ----------
    x : np.ndarray [shape=(b, n), dtype=float32]
        Samples, centred.
    y : np.ndarray [shape=(b, n), dtype=float32]
        Free for any stage.
    spectrum : np.ndarray [shape=(b, lines), dtype=complex64]
        Hann spectrum, scaled so that its squared magnitude is the one-sided power density.
    power : np.ndarray [shape=(b, lines), dtype=float32]
        That density, unit²/Hz; DC and Nyquist halved.
    log_power : np.ndarray [shape=(b, lines), dtype=float32]
        Its binary logarithm, floored.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    spectrum: NDArray[np.complex64]
    power: NDArray[np.float32]
    log_power: NDArray[np.float32]


def dot(a: NDArray[np.float32], b: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Row-wise scalar products by BLAS: (c, n)·(c, n) into (c,)."""
    product: Any = np.matmul(a[:, None, :], b[:, :, None])
    out[:] = product[:, 0, 0]
