"""Trends by the hour and by the day, kept up to date as intervals arrive.

Long ranges are read from them, and they stay when the intervals themselves are deleted. A row
holds the least minimum, the greatest maximum and the mean weighted by windows of all its
intervals, so that no extreme is lost at any range.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.app.store.connection import Database

AS_SENT = 0
"""`tier_s` of trends as the gateway sent them."""
HOUR_S = 3600
DAY_S = 86_400
TIERS_S = (HOUR_S, DAY_S)


@dataclass(frozen=True, slots=True)
class Interval:
    """What is known of a point's features within a time.

    ``features`` maps names to units in the order of ``values``, float32 [shape=(3, features)]:
    minimum, mean, maximum. ``condition`` is the number of the worst one.
    """

    start_ms: int
    end_ms: int
    windows: int
    condition: int
    features: dict[str, str]
    values: NDArray[np.float32]


def insert(db: Database, point: int, interval: Interval) -> bool:
    """Store an interval as sent and add it to its hour and day; False if it is stored already."""
    if not _write(db, _IF_NEW, point, AS_SENT, interval.start_ms, interval):
        return False
    starts = {s: interval.start_ms - interval.start_ms % (1000 * s) for s in TIERS_S}
    before = _read(db, point, starts)
    for tier_s, start_ms in starts.items():
        joined = _joined(before[tier_s], interval) if tier_s in before else interval
        _write(db, _REPLACED, point, tier_s, start_ms, joined)
    return True


def write_bulk(db: Database, tier_s: int, entries: Sequence[tuple[int, Interval]]) -> None:
    """Store intervals of points in one tier as they are, as a benchmark does."""
    for point, interval in entries:
        _write(db, _REPLACED, point, tier_s, interval.start_ms, interval)


_FIRST = "SELECT min(start_ms) FROM trend WHERE point = ? AND tier_s = ?"


def oldest_ms(db: Database, point: int) -> int:
    """Return when a point's values begin, 0 if it has none; an hour's row begins with its hour."""
    (sent,) = db.execute(_FIRST, (point, AS_SENT)).fetchone()
    (hour,) = db.execute(_FIRST, (point, HOUR_S)).fetchone()
    deleted = sent is None or (hour is not None and hour <= sent - 1000 * HOUR_S)
    return (hour or 0) if deleted else int(sent)


def tier_for(db: Database, point: int, start_ms: int, bucket_ms: float) -> int:
    """Return the coarsest tier that is finer than a bucket and still holds the range's start."""
    for tier_s in reversed(TIERS_S):
        if bucket_ms >= 1000 * tier_s:
            return tier_s
    (oldest_sent,) = db.execute(_FIRST, (point, AS_SENT)).fetchone()
    (oldest_hour,) = db.execute(_FIRST, (point, HOUR_S)).fetchone()
    deleted = oldest_hour is not None and (
        oldest_sent is None or max(start_ms, oldest_hour) < oldest_sent - 1000 * HOUR_S
    )
    return HOUR_S if deleted else AS_SENT


def _joined(a: Interval, b: Interval) -> Interval:
    """Join two intervals, whose features may differ.

    One count of windows is kept for all features. Where features changed within an hour the
    mean of one that was missing for a while weighs its first intervals too much.
    """
    features = a.features if a.features == b.features else a.features | b.features
    left, right = _spread(a, features), _spread(b, features)
    weights = np.array([[max(a.windows, 1)], [max(b.windows, 1)]], np.float64)
    means = np.stack([left[1], right[1]]).astype(np.float64)
    known = np.isfinite(means)
    total = (weights * known).sum(axis=0)
    weighted = (weights * np.where(known, means, 0)).sum(axis=0)
    mean = np.full(len(features), np.nan)
    np.divide(weighted, total, out=mean, where=total > 0)
    values = np.stack([np.fmin(left[0], right[0]), mean, np.fmax(left[2], right[2])])
    return Interval(
        min(a.start_ms, b.start_ms),
        max(a.end_ms, b.end_ms),
        a.windows + b.windows,
        max(a.condition, b.condition),
        features,
        values.astype("<f4"),
    )


def _spread(interval: Interval, features: dict[str, str]) -> NDArray[np.float32]:
    """Return the values in the order of `features`, NaN where there is none."""
    if interval.features == features and list(interval.features) == list(features):
        return interval.values
    spread = np.full((3, len(features)), np.nan, "<f4")
    order = list(features)
    spread[:, [order.index(name) for name in interval.features]] = interval.values
    return spread


_IF_NEW = "DO NOTHING"
_REPLACED = """(point, tier_s, start_ms) DO UPDATE SET end_ms = excluded.end_ms,
    windows = excluded.windows, condition = excluded.condition,
    feature_set = excluded.feature_set, vals = excluded.vals"""


def _write(
    db: Database, on_conflict: str, point: int, tier_s: int, start_ms: int, interval: Interval
) -> bool:
    cursor = db.execute(
        "INSERT INTO trend (point, tier_s, start_ms, end_ms, windows, condition, feature_set,"
        f" vals) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT {on_conflict}",
        (
            point,
            tier_s,
            start_ms,
            interval.end_ms,
            interval.windows,
            interval.condition,
            _feature_set(db, interval.features),
            interval.values.tobytes(),
        ),
    )
    return cursor.rowcount > 0


# each place by itself: for a list of pairs SQLite would read all of the point
_PLACE = "tier_s = ? AND start_ms = ?"
READ = f"""SELECT tier_s, end_ms, windows, condition, features, vals FROM trend
    JOIN feature_set ON feature_set.num = trend.feature_set
    WHERE point = ? AND ({" OR ".join(_PLACE for _ in TIERS_S)})"""


def _read(db: Database, point: int, starts: dict[int, int]) -> dict[int, Interval]:
    """Return what is stored in each tier at its start."""
    rows = db.execute(READ, (point, *(part for start in starts.items() for part in start)))
    return {
        tier_s: Interval(
            starts[tier_s], end_ms, windows, condition, json.loads(features),
            np.frombuffer(values, "<f4").reshape(3, -1),
        )
        for tier_s, end_ms, windows, condition, features, values in rows
    }  # fmt: skip


def _feature_set(db: Database, features: dict[str, str]) -> int:
    text = json.dumps(features)
    if number := db.remembered.get(("feature_set", text)):
        return number
    find = "SELECT num FROM feature_set WHERE features = ?"
    row = db.execute(find, (text,)).fetchone()
    if row is None:
        db.execute("INSERT INTO feature_set (features) VALUES (?) ON CONFLICT DO NOTHING", (text,))
        row = db.execute(find, (text,)).fetchone()
    number = db.remembered["feature_set", text] = int(row[0])
    return number
