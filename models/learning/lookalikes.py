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

from auscult.models.baseline.kind_model import Rescore
from auscult.models.learning.head import Head
from auscult.models.learning.recognition import cosine
from auscult.models.learning.replay import ReplayRows, RowClass, group_key

Float32 = NDArray[np.float32]

TYPICAL_ROWS = 16
"""Windows of an event that describe its departure, evenly over its time."""


class Likeness(NamedTuple):
    """The confirmed fault that an event resembles most, and their cosine, 0..1."""

    fault: str
    cosine: float


def fault_like(
    points: Mapping[str, tuple[ReplayRows, Head, Rescore | None]], event_id: str
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
        own = rows.select_event(event)
        own = own.where(own.info["class"] != RowClass.HEALTHY)
        if len(own) == 0:
            continue
        mine[point] = _TypicalWindows.from_rows(own, head, rescore).departure(head, rescore)
        confirmed = rows.select_classes(RowClass.CONFIRMED_FAULT)
        for fault in confirmed.groups:
            if fault != event:
                seen = _TypicalWindows.from_rows(confirmed.select_event(fault), head, rescore)
                faults.setdefault(fault, {})[point] = seen.departure(head, rescore)
    alike = (
        Likeness(fault.decode(errors="replace"), cosine(mine, own))
        for fault, own in sorted(faults.items())
    )
    return max(alike, key=lambda one: one.cosine, default=None)


def false_alarms_like(
    points: Mapping[str, tuple[ReplayRows, Head, Rescore | None]], fault_id: str, least: float
) -> list[str]:
    """Find the labelled false alarms that depart like a confirmed fault, the most alike first.

    The place that a false alarm made explains it, and the same fault nearby. So both are compared
    without that place, as if the false alarm had not been learned. The same fault labelled a false
    alarm twice has two places, which explain each other: so both are also compared without all
    places in whose reach the false alarm lies, and the greater likeness counts.

    Parameters
    ----------
    points : mapping of point to (Rows, Head, Rescore or None)
    fault_id : str
    least : float
        Cosine, 0..1.
    """
    events: dict[bytes, list[list[tuple[Float32, Float32]]]] = {}
    for rows, head, rescore in points.values():
        own = rows.select_classes(RowClass.CONFIRMED_FAULT).select_event(group_key(fault_id))
        false_alarms = rows.select_classes(RowClass.FALSE_ALARM)
        if len(own) == 0 or len(false_alarms) == 0 or len(head.places) == 0:
            continue
        fault = _TypicalWindows.from_rows(own, head, rescore)
        for event in false_alarms.groups:
            one = _TypicalWindows.from_rows(false_alarms.select_event(event), head, rescore)
            its_own = np.arange(len(head.places)) == one.at_places.argmin()
            reached = its_own | (one.beyond < head.reach + head.reach_fade)
            pairs = [
                (one.departure(head, rescore, without), fault.departure(head, rescore, without))
                for without in (its_own, reached)
            ]
            events.setdefault(event, []).append(pairs)
    alike = {
        event.decode(errors="replace"): max(
            cosine(*({str(i): pairs[way][side] for i, pairs in enumerate(own)} for side in (0, 1)))
            for way in (0, 1)
        )
        for event, own in events.items()
    }
    return [event for event in sorted(alike, key=lambda e: -alike[e]) if alike[event] >= least]


class _TypicalWindows(NamedTuple):
    """Typical windows of an event, and their median log scores from each place and the baseline.

    ``beyond`` is the excess of the former over those of each place's own windows.
    """

    rows: ReplayRows
    at_places: NDArray[np.float64]
    beyond: NDArray[np.float64]
    at_baseline: float

    @classmethod
    def from_rows(cls, rows: ReplayRows, head: Head, rescore: Rescore | None) -> _TypicalWindows:
        typical = _typical(rows)
        at_places = beyond = np.full(len(head.places), np.inf)
        if len(at_places):
            scores, own = head.log_scores_from(typical.positions, typical.z, rescore)
            at_places, beyond = _median(scores), _median(scores - own)
        return cls(typical, at_places, beyond, float(_median(typical.log_scores)))

    def departure(
        self, head: Head, rescore: Rescore | None, without: NDArray[np.bool_] | None = None
    ) -> Float32:
        """Return the mean departure [shape=(m,)] from where the windows are most normal."""
        at_places = self.at_places.copy()
        if without is not None:
            at_places[without] = np.inf
        positions = self.rows.positions
        if at_places.min(initial=np.inf) < self.at_baseline:
            nearest = np.full(len(positions), at_places.argmin())
            positions = head.positions_from(nearest, positions, self.rows.z, rescore)
        mean: Float32 = positions.mean(0)
        return mean


def _typical(rows: ReplayRows) -> ReplayRows:
    if len(rows) <= TYPICAL_ROWS:
        return rows
    return rows.where(np.linspace(0, len(rows) - 1, TYPICAL_ROWS).astype(int))


def _median(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of the last axis, as `np.median` in a fifth of its time for few values."""
    n = values.shape[-1]
    middle = np.sort(values)[..., [(n - 1) // 2, n // 2]]
    return np.asarray(middle.mean(-1))
