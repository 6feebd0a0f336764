"""The spectra of one block of rows, which the stages of the pipeline share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SpectrumBlock:
    """Spectra of a block of b rows.

    Parameters
    ----------
    spectrum : np.ndarray [shape=(b, lines), dtype=complex64]
        Hann spectrum, scaled so that its squared magnitude is the one-sided power density.
    power : np.ndarray [shape=(b, lines), dtype=float32]
        One-sided power density, unit²/Hz; DC and Nyquist halved.
    smooth : np.ndarray [shape=(b, k), dtype=float32]
        The density summed over `FeatureSpec.smoothing` lines, with a floor.
    log_smooth : np.ndarray [shape=(b, k), dtype=float32]
        Binary logarithm of ``smooth``.
    """

    spectrum: NDArray[np.complex64]
    power: NDArray[np.float32]
    smooth: NDArray[np.float32]
    log_smooth: NDArray[np.float32]


def dot(a: NDArray[np.float32], b: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Row-wise scalar products by BLAS: (c, n)·(c, n) into (c,)."""
    if hasattr(np, "vecdot"):  # numpy 2
        np.vecdot(a, b, out=out)
    else:
        product: Any = np.matmul(a[:, None, :], b[:, :, None])
        out[:] = product[:, 0, 0]
