"""Published numbers: rounded to the digits that a sensor can give."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGITS = 5
"""Significant digits of published numbers: finer than any sensor, half the bytes."""


def rounded(value: float) -> float:
    """Keep `DIGITS` significant digits.

    >>> rounded(0.12345678), rounded(123456.0)
    (0.12346, 123460.0)
    """
    return float(f"{value:.{DIGITS}g}")


def rounded_all(values: NDArray[np.floating[Any]]) -> list[float]:
    """Round an array as `rounded` does, much faster.

    >>> rounded_all(np.float32([0.12345678, 0, -123456, 1e-7]))
    [0.12346, 0.0, -123460.0, 1e-07]
    """
    exact = values.astype(np.float64)
    magnitude = np.abs(exact)
    magnitude[magnitude == 0] = 1
    shift = DIGITS - 1 - np.floor(np.log10(magnitude))
    # Scale by whole powers of ten, which are exact, so that the result prints with few digits.
    up, down = 10.0 ** np.maximum(shift, 0), 10.0 ** np.maximum(-shift, 0)
    return list((np.rint(exact * up / down) / up * down).tolist())


def optional(value: float | None) -> float | None:
    """Round a number; None stays None."""
    return None if value is None else rounded(value)
