"""Samples as little-endian bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auscult.contract.said import Rejection

WIDTH = {"int16": 2, "int24": 3, "float32": 4}
"""Bytes of a sample."""


MAX_SAMPLES = 400_000


class WaveformError(Rejection):
    """A message that is no waveform; the message says what is wrong with it."""


def numbers(body: bytes, encoding: str) -> NDArray[np.float32]:
    """Read little-endian samples of an encoding of `WIDTH`, whole ones only."""
    if encoding == "int24":
        raw = np.frombuffer(body, np.uint8).reshape(-1, 3)
        wide = np.zeros((len(raw), 4), np.uint8)
        wide[:, 1:] = raw  # the sign bit comes to the top
        return (wide.view("<i4")[:, 0] >> 8).astype(np.float32)
    return np.frombuffer(body, {"int16": "<i2", "float32": "<f4"}[encoding]).astype(np.float32)
