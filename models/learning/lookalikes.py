"""A false alarm that departs like a confirmed fault: one of the two labels is probably wrong.

A wrong false alarm is the dangerous one: its place silences the fault wherever it returns there. So
departures are compared, over all points together. Each is taken from the place where it is nearest
to normal, or from the baseline: at a new speed a fault departs from that speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.machine_model import Rescore
from auscult.models.learning.head import Head
from auscult.models.learning.recognition import cosine
from auscult.models.learning.replay import RowClass, Rows, group_key

Float32 = NDArray[np.float32]

TYPICAL_ROWS = 16
"""Windows of an event that describe its departure, evenly over its time."""


class Likeness(NamedTuple):
    """The confirmed fault that an event resembles most, and their cosine, 0..1."""

    fault: str
    cosine: float


def fault_like(
    points: Mapping[str, tuple[Rows, Head, Rescore | None]], event_id: str
) -> Likeness | None:
    """Find the confirmed fault that an event resembles most, None if either is missing.

    Parameters
    ----------
    points : mapping of point to (Rows, Head, Rescore or None)
        All rows of the replay, and the head that places them.
    event_id : str
    """
    mine: dict[str, Float32] = {}
    faults: dict[bytes, dict[str, Float32]] = {}
    event = group_key(event_id)
    for point, (rows, head, rescore) in points.items():
        own = rows.of_event(event)
        own = own.where(own.info["class"] != RowClass.HEALTHY)
        if len(own) == 0:
            continue
        mine[point] = _departure(own, head, rescore)
        confirmed = rows.of(RowClass.CONFIRMED_FAULT)
        for fault in confirmed.groups:
            if fault != event:
                departure = _departure(confirmed.of_event(fault), head, rescore)
                faults.setdefault(fault, {})[point] = departure
    alike = (
        Likeness(fault.decode(errors="replace"), cosine(mine, own))
        for fault, own in sorted(faults.items())
    )
    return max(alike, key=lambda one: one.cosine, default=None)


def _departure(rows: Rows, head: Head, rescore: Rescore | None) -> Float32:
    """Mean departure [shape=(m,)] of an event's windows from where they are most normal."""
    typical = rows
    if len(rows) > TYPICAL_ROWS:
        typical = rows.where(np.linspace(0, len(rows) - 1, TYPICAL_ROWS).astype(int))
    positions, z = typical.positions, typical.z
    if len(head.places):
        log_scores, _ = head.log_scores_from(positions, z, rescore)
        at_places = _median(log_scores)
        if at_places.min() < _median(typical.log_scores):
            nearest = np.full(len(typical), at_places.argmin())
            positions = head.positions_from(nearest, positions, z, rescore)
    departure: Float32 = positions.mean(0)
    return departure


def _median(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Median of the last axis, as `np.median` in a fifth of its time for few values."""
    n = values.shape[-1]
    middle = np.sort(values)[..., [(n - 1) // 2, n // 2]]
    return np.asarray(middle.mean(-1))
