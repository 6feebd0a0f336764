"""Reads stored heads: those that `Head.to_bytes` writes, and those of older versions."""

from __future__ import annotations

import io
import logging

import numpy as np
from numpy.lib.format import MAGIC_PREFIX

from auscult.inflate import InflateError, inflated
from auscult.models.learning.directions import Directions
from auscult.models.learning.head import WIDTH, Head

LARGEST = 16 * 2**20
"""A hundred times the largest head, which comes with files from other computers."""

logger = logging.getLogger(__name__)


def read_head(data: bytes) -> Head:
    """Read a stored head.

    Older ones are not compressed, or lack centres or reach. An adapter of the net, which
    version 0.2 may have stored, is left out: it only lowered scores.

    Raises
    ------
    ValueError
        If the bytes are no head.
    """
    if not data.startswith(MAGIC_PREFIX):
        try:
            data = inflated(data, LARGEST)
        except InflateError as error:
            raise ValueError(f"no head: {error}") from error
    try:
        return _read(io.BytesIO(data), len(data))
    except EOFError as error:
        raise ValueError(f"no head: {error}") from error


def _read(buffer: io.BytesIO, size: int) -> Head:
    weights, importance, places, spread, faults, _, adapter, offset = (
        np.load(buffer, allow_pickle=False) for _ in range(8)
    )
    if len(adapter):
        logger.warning("a head of version 0.2: its adapter no longer has an effect")
    centres = np.zeros((len(places), 0), np.float16)
    own_scores = np.zeros(len(places), np.float32)
    directions = Directions.none(places.shape[1])
    if buffer.tell() < size:
        centres, own_scores, units, tails, log_scores = (
            np.load(buffer, allow_pickle=False) for _ in range(5)
        )
        directions = Directions(units, tails, log_scores)
    head = Head(
        weights, importance, places, spread, faults, centres, own_scores,
        float(offset.flat[0]), directions, *map(float, offset.flat[1:]),
    )  # fmt: skip
    if head.weights.shape != (WIDTH + 1,) or head.places.ndim != 2 or head.faults.ndim != 2:
        raise ValueError(f"a head of another shape: weights {head.weights.shape}")
    return head
