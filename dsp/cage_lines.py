"""Lines at the rate of the cage: rolling elements that strike as they pass the load zone.

A damaged ball often leaves no line at its spin rate: it turns about changing axes. But its impacts
come and go with the cage that carries it, in a narrow band around a resonance. Cage lines alone are
harmless and impacts alone may have any cause; together they speak for the bearing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.envelope_lines import band_lines, height_over_chance
from auscult.dsp.line_search import (
    GROWTH_DB,
    HARMONIC_COST_DB,
    SAME_LINE,
    SPEED_COST_DB,
    SPEED_TOLERANCE,
    steps,
)

Float32 = NDArray[np.float32]

NARROW_BANDS: Final = tuple((k / 48 + 0.004, (k + 2) / 48) for k in range(0, 22, 2))
"""Bands of 1/24 of the rate up to its half, without the lowest lines."""
TOP_ORDER: Final = 6.0
HARMONICS: Final = (1, 2, 3, 4)
PARTS: Final = 8
"""The kurtosis is the median of so many parts: one knock is no bearing."""


@dataclass(frozen=True, slots=True)
class CageLines:
    """Lines at the cage's rate in the band and channel that show them best.

    Parameters
    ----------
    evidence_db : float
        What they explain; absent harmonics cost 3 dB each.
    order : float
        Of the cage, in orders of the stated speed.
    channel : int
    kurtosis : float
        Of the signal, in the channel where it is largest; Gaussian noise has 3.
    """

    evidence_db: float
    order: float
    channel: int
    kurtosis: float


def cage_lines(
    channels: Sequence[tuple[Float32, float]], shaft_hz: float, cage: float, revolutions: float
) -> CageLines:
    """Search for harmonics of the cage in narrow bands.

    Parameters
    ----------
    channels : sequence of (np.ndarray [shape=(w, n)], fs_hz)
    shaft_hz : float
        Stated shaft speed; the true one may be 7.5 % off.
    cage : float
        Order of the cage.
    revolutions : float
        Length of a segment.
    """
    best, first = (-np.inf, cage, 0), 0
    for (fs_hz, _), same in groupby(channels, key=lambda one: (one[1], one[0].shape[1])):
        rows = [own for own, _ in same]
        found, per_order = band_lines(rows, fs_hz, shaft_hz, revolutions, TOP_ORDER, NARROW_BANDS)
        for i, bands in enumerate(found, first):
            evidence_db, order = _cage(height_over_chance(bands, per_order), per_order, cage)
            best = max(best, (evidence_db, order, i))
        first += len(rows)
    kurtosis = max(_kurtosis(rows) for rows, _ in channels)
    return CageLines(*best, kurtosis)


def _cage(peaks: Float32, per_order: float, cage: float) -> tuple[float, float]:
    """Return the evidence and order of the best cage speed in any band."""
    step = 1 / (2 * HARMONICS[-1] * per_order)
    speeds = 1 + step * steps(SPEED_TOLERANCE / step)
    worth = -SPEED_COST_DB * (speeds - 1) ** 2
    highest = np.zeros((len(peaks), speeds.size))
    for n in HARMONICS:
        orders = n * cage * speeds
        lines = np.rint(orders * per_order).astype(np.int32)
        height = peaks.take(lines, axis=1, mode="clip")
        # One with a line of the shaft, it may be the shaft's.
        height = np.where(np.abs(orders - np.rint(orders)) * per_order < SAME_LINE, 0, height)
        if n > 1:
            height = np.minimum(height, highest + GROWTH_DB)
        highest = np.maximum(highest, height)
        worth = worth + height - HARMONIC_COST_DB
    band, at = np.unravel_index(worth.argmax(), worth.shape)
    return float(worth[band, at]), float(cage * speeds[at])


def _kurtosis(rows: Float32) -> float:
    """Return the median kurtosis of the parts of a signal."""
    parts = [part for row in rows for part in np.array_split(row, max(1, PARTS // len(rows)))]
    values = []
    for part in parts:
        square = (part - part.mean()) ** 2
        values.append(float((square**2).mean() / max(float(square.mean()) ** 2, 1e-30)))
    return float(np.median(values))
