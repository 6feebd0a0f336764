"""Which spectra of a point stay when there are more than may be kept.

Half of the cap are the newest. A quarter are the first healthy ones of the newest baseline: what a
fault is compared with. The rest shows the past: those round the beginning of each event first, then
the others, with gaps that grow with their age.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.app.store.connection import Database
from auscult.contract.payloads import Condition
from auscult.contract.records import RECOVERED

BESIDE_ONSET = 2
"""Kept before the beginning of an event, and as many after it: the event has spectra of its own."""

MOST_AT_ONCE = 5000
"""Deleted of a point at a time: bounds how long it takes after the cap was lowered."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored spectrum that is no event's."""

    id: str
    window_ms: int
    healthy: bool
    baseline_id: str


def surplus(stored: Sequence[Stored], began_ms: Sequence[int], most: int) -> list[str]:
    """Return the ids of the spectra to delete, so that ``most`` stay.

    Parameters
    ----------
    stored : sequence of Stored
        Oldest first.
    began_ms : sequence of int
        When events began.
    most : int
    """
    excess = min(len(stored) - most, MOST_AT_ONCE)
    if excess <= 0:
        return []
    times = np.array([one.window_ms for one in stored], dtype=float)
    kept = np.zeros(len(stored), bool)
    kept[len(stored) - (most + 1) // 2 :] = True
    kept[_references(stored, ~kept)[: most // 4]] = True
    for began in sorted(began_ms, reverse=True):
        at = int(np.searchsorted(times, began))
        beside = np.arange(max(0, at - BESIDE_ONSET), min(len(stored), at + BESIDE_ONSET))
        if np.count_nonzero(kept) + np.count_nonzero(~kept[beside]) > most:
            break
        kept[beside] = True

    left = np.arange(len(stored))
    age_ms = times[-1] - times + 1
    for _ in range(excess):
        # the gap that its deletion would leave, as a share of its age; the oldest stays
        gap = np.full(left.size, np.inf)
        gap[1:-1] = (times[left[2:]] - times[left[:-2]]) / age_ms[left[1:-1]]
        gap[kept[left]] = np.nan
        left = np.delete(left, np.nanargmin(gap))
    gone = np.setdiff1d(np.arange(len(stored)), left)
    return [stored[i].id for i in gone]


def _references(stored: Sequence[Stored], free: NDArray[np.bool_]) -> list[int]:
    """Return which are healthy by the newest baseline, with the healthy period it came of."""
    newest = next((one.baseline_id for one in reversed(stored) if one.baseline_id), "")
    others = [i for i, one in enumerate(stored) if one.baseline_id not in ("", newest)]
    since = others[-1] + 1 if others else 0
    return [i for i in range(since, len(stored)) if free[i] and stored[i].healthy]


def surplus_of_all(db: Database, most: int) -> list[str]:
    """Return the ids of all points' spectra that are beyond ``most`` of a kind."""
    crowded = db.execute(
        "SELECT machine_id, point, kind FROM spectrum WHERE event_id IS NULL"
        " GROUP BY machine_id, point, kind HAVING count(*) > ?",
        (most,),
    ).fetchall()
    gone: list[str] = []
    for machine, point, kind in crowded:
        rows = db.records(
            "spectrum",
            _stored,
            "SELECT id, window_ms, condition, statement FROM spectrum WHERE machine_id = ?"
            " AND point = ? AND kind = ? AND event_id IS NULL ORDER BY window_ms, id",
            (machine, point, kind),
        )
        began = db.execute("SELECT started_ms FROM event WHERE machine_id = ?", (machine,))
        gone += surplus(list(rows), [row[0] for row in began], most)
    return gone


def _stored(row: dict[str, Any]) -> Stored:
    return Stored(
        row["id"],
        row["window_ms"],
        row["condition"] is not None and Condition(row["condition"]) in RECOVERED,
        json.loads(row["statement"]).get("baseline_id") or "",
    )
