"""A false alarm that departs like a confirmed fault: one of the two labels is probably wrong.

A wrong false alarm is the dangerous one: its place silences the fault wherever it returns there. So
departures are compared, over all points together. Each is taken from the place where it is nearest
to normal, or from the baseline: at a new speed a fault departs from that speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.machine_model import Rescore
from auscult.models.learning.head import Head
from auscult.models.learning.recognition import cosine
from auscult.models.learning.replay import RowClass, Rows, group_key

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

TYPICAL_ROWS = 16
"""Windows of an event that describe its departure, evenly over its time."""


class Likeness(NamedTuple):
    """The confirmed fault that an event resembles most, and their cosine, 0..1."""

    fault: str
    cosine: float


@dataclass(slots=True)
class _Event:
    """Where the windows of an event lie at each point: from the baseline (0) and each place (k).

    ``log_scores`` [shape=(1 + k,)] are medians, ``positions`` [shape=(1 + k, m)] means.
    """

    row_class: RowClass
    log_scores: dict[str, Float64] = field(default_factory=dict)
    positions: dict[str, Float32] = field(default_factory=dict)

    def departure(self) -> dict[str, Float32]:
        """Mean departure [shape=(m,)] by point, from where the event is nearest to normal."""
        return {
            point: self.positions[point][int(scores.argmin())]
            for point, scores in self.log_scores.items()
        }


class Lookalikes:
    """The labelled events of a replay, as some heads place them.

    Parameters
    ----------
    points : mapping of point to (Rows, Head, Rescore or None)
        All rows of the replay.
    also : str
        An event without a verdict that is compared as well.
    """

    def __init__(
        self, points: Mapping[str, tuple[Rows, Head, Rescore | None]], also: str = ""
    ) -> None:
        self._events: dict[str, _Event] = {}
        for point, (rows, head, rescore) in points.items():
            chosen = rows.info["class"] != RowClass.HEALTHY
            chosen &= (rows.info["class"] != RowClass.OPEN) | (
                rows.info["group"] == group_key(also)
            )
            self._add(point, rows.where(chosen), head, rescore)

    def _add(self, point: str, rows: Rows, head: Head, rescore: Rescore | None) -> None:
        some = []
        for event in rows.groups:
            own = np.flatnonzero(rows.info["group"] == event)
            at = np.linspace(0, len(own) - 1, min(len(own), TYPICAL_ROWS)).astype(int)
            some.append(own[at])
        if not some:
            return
        ends = np.cumsum([len(own) for own in some])[:-1]
        typical = rows.where(np.concatenate(some))
        log_scores, positions = typical.log_scores[None], typical.positions[None]
        if len(head.places):
            at_places = head.from_each_place(typical.positions, typical.z, rescore)
            log_scores = np.concatenate([log_scores, at_places.log_score])
            positions = np.concatenate([positions, at_places.position])
        for own, scores, at_event in zip(
            some, np.split(log_scores, ends, axis=1), np.split(positions, ends, axis=1), strict=True
        ):
            info = rows.info[own[0]]
            name = bytes(info["group"]).decode(errors="replace")
            event_of = self._events.setdefault(name, _Event(RowClass(int(info["class"]))))
            event_of.log_scores[point] = np.median(scores, axis=1)
            event_of.positions[point] = at_event.mean(1)

    def fault_like(self, name: str) -> Likeness | None:
        """Find the confirmed fault that an event resembles most."""
        event = self._events.get(name)
        if event is None:
            return None
        mine = event.departure()
        return max(
            (
                Likeness(other, cosine(mine, fault.departure()))
                for other, fault in self._events.items()
                if fault.row_class is RowClass.CONFIRMED_FAULT and other != name
            ),
            key=lambda one: one.cosine,
            default=None,
        )
