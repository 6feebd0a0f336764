"""Trends by the hour and by the day, kept up to date as intervals arrive.

Long ranges are read from them, and they stay when the intervals themselves are deleted. A row
holds the least minimum, the greatest maximum and the mean weighted by windows of all its
intervals, so that no extreme is lost at any range.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from auscult.app.store.connection import Database
from auscult.contract.payloads import Condition

AS_SENT = 0
"""`tier_s` of trends as the gateway sent them."""
HOUR_S = 3600
DAY_S = 86_400
TIERS_S = (HOUR_S, DAY_S)
MOST_OF_ONE_START = 10
"""Intervals that are kept with the same start: a clock is rarely set back more often, and someone
who sends without end must not make each next one take longer."""

CONDITIONS: tuple[Condition, ...] = (
    Condition.NORMAL, Condition.LEARNING, Condition.UNKNOWN, Condition.WARNING, Condition.ALARM,
)  # fmt: skip
"""Stored as their index, so this order never changes; the greatest is the worst (`SEVERITY`)."""


@dataclass(frozen=True, slots=True)
class TrendSpan:
    """What is known of a point's features within a time.

    ``features`` is JSON, names to units in the order of ``values``, float32
    [shape=(3, features)]: minimum, mean, maximum. ``condition`` is the index of the worst one.
    """

    start_ms: int
    end_ms: int
    windows: int
    condition: int
    features: str
    values: NDArray[np.float32]

    def same_as(self, other: TrendSpan) -> bool:
        """Tell whether both come from one message: measured values differ in their digits."""
        return (
            (self.start_ms, self.end_ms, self.windows, self.condition, self.features)
            == (other.start_ms, other.end_ms, other.windows, other.condition, other.features)
        ) and self.values.tobytes() == other.values.tobytes()


Place: TypeAlias = tuple[int, int, int]
"""Point, `tier_s` and `start_ms` of a row."""


def insert(db: Database, entries: Sequence[tuple[int, TrendSpan]]) -> None:
    """Store intervals of points as sent and add each to its hour and day.

    One that is stored already changes nothing. Another one with the start of a stored one, after
    the gateway's clock was set back, begins at the next free millisecond: both are kept, up to
    `MOST_OF_ONE_START`.
    """
    parts: defaultdict[Place, list[TrendSpan]] = defaultdict(list)
    waiting = entries
    for _ in range(MOST_OF_ONE_START):
        if not waiting:
            break
        sent: dict[Place, TrendSpan] = {}
        doubtful: list[tuple[Place, TrendSpan]] = []
        for point, interval in waiting:
            place = point, AS_SENT, interval.start_ms
            if sent.setdefault(place, interval) is not interval:
                doubtful.append((place, interval))
        written = _write(db, _IF_NEW, sent)
        for point, _, start_ms in written:
            for tier_s in TIERS_S:
                place = point, tier_s, start_ms - start_ms % (1000 * tier_s)
                parts[place].append(sent[point, AS_SENT, start_ms])
        doubtful += [(place, sent[place]) for place in sent.keys() - set(written)]
        stored = dict(_read(db, list({place for place, _ in doubtful})))
        waiting = [
            (place[0], replace(interval, start_ms=interval.start_ms + 1))
            for place, interval in doubtful
            if (before := stored.get(place)) is None or not interval.same_as(before)
        ]
    for place, before in _read(db, list(parts)):
        parts[place].insert(0, before)
    _write(db, _REPLACED, joined(parts))


_FIRST = "SELECT min(start_ms) FROM trend WHERE point = ? AND tier_s = ?"


_OLDEST = (
    "SELECT min(CASE WHEN sent IS NULL OR hour <= sent - ? THEN hour ELSE sent END) FROM (SELECT"
    " (SELECT min(start_ms) FROM trend WHERE trend.point = num AND tier_s = ?) AS sent,"
    " (SELECT min(start_ms) FROM trend WHERE trend.point = num AND tier_s = ?) AS hour"
    " FROM point WHERE num = coalesce(?, num)) AS oldest"
)


def oldest_ms(db: Database, point: int | None = None) -> int:
    """Return when values begin, of a point or of all; 0 without any.

    An hour's row, which is left when the intervals are deleted, begins with its hour.
    """
    values = (1000 * HOUR_S, AS_SENT, HOUR_S, point)
    return int(db.execute(_OLDEST, values).fetchone()[0] or 0)


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


def joined(parts: Mapping[Place, Sequence[TrendSpan]]) -> dict[Place, TrendSpan]:
    """Join the intervals of each place, whose features may differ.

    One count of windows is kept for all features. Where features changed within an hour the
    mean of one that was missing for a while weighs its first intervals too much.
    """
    alike: defaultdict[str, dict[Place, Sequence[TrendSpan]]] = defaultdict(dict)
    for place, intervals in parts.items():
        alike[_all_features(intervals)][place] = intervals
    return {
        place: interval
        for features, same in alike.items()
        for place, interval in _joined_alike(same, features)
    }


def _all_features(intervals: Sequence[TrendSpan]) -> str:
    first = intervals[0].features
    if all(one.features == first for one in intervals):
        return first
    return json.dumps(
        {name: unit for one in intervals for name, unit in units(one.features).items()}
    )


def _joined_alike(
    parts: Mapping[Place, Sequence[TrendSpan]], features: str
) -> Iterator[tuple[Place, TrendSpan]]:
    """Join the intervals of places, all with these features."""
    all_parts = list(parts.values())
    first = np.cumsum([0, *(len(intervals) for intervals in all_parts[:-1])])
    values = np.stack([_spread(one, features) for some in all_parts for one in some])
    windows = np.array([one.windows for some in all_parts for one in some])
    means = values[:, 1].astype(np.float64)
    known = np.isfinite(means)
    weights = np.maximum(windows, 1)[:, None] * known
    total = np.add.reduceat(weights, first)
    weighted = np.add.reduceat(weights * np.where(known, means, 0), first)
    mean = np.full_like(weighted, np.nan)
    np.divide(weighted, total, out=mean, where=total > 0)
    low = np.fmin.reduceat(values[:, 0], first)
    high = np.fmax.reduceat(values[:, 2], first)
    out = np.stack([low, mean, high], axis=1).astype("<f4")
    for row, (place, intervals) in enumerate(parts.items()):
        yield (
            place,
            TrendSpan(
                min(one.start_ms for one in intervals),
                max(one.end_ms for one in intervals),
                sum(one.windows for one in intervals),
                max(one.condition for one in intervals),
                features,
                out[row],
            ),
        )


def _spread(interval: TrendSpan, features: str) -> NDArray[np.float32]:
    """Return the values in the order of `features`, NaN where there is none."""
    if interval.features == features:
        return interval.values
    order = list(units(features))
    spread = np.full((3, len(order)), np.nan, "<f4")
    spread[:, [order.index(name) for name in units(interval.features)]] = interval.values
    return spread


@lru_cache(maxsize=1000)
def units(features: str) -> Mapping[str, str]:
    """Return the units of an interval's features by name, in the order of its values."""
    read: dict[str, str] = json.loads(features)
    return read


_IF_NEW = "DO NOTHING"
_REPLACED = """(point, tier_s, start_ms) DO UPDATE SET end_ms = excluded.end_ms,
    windows = excluded.windows, condition = excluded.condition,
    feature_set = excluded.feature_set, vals = excluded.vals"""
ROWS_A_STATEMENT = 256
"""Eight values a row: below the limits of both databases (32,766 and 65,535)."""


def _write(db: Database, on_conflict: str, rows: Mapping[Place, TrendSpan]) -> list[Place]:
    """Write rows in the order of their places, page by page; return the places written."""
    written: list[Place] = []
    for some in _pieces([(place, rows[place]) for place in sorted(rows)]):
        values: list[object] = []
        for (point, tier_s, start_ms), one in some:
            number, content = _feature_set(db, one.features), one.values.tobytes()
            values += (point, tier_s, start_ms, one.end_ms, one.windows, one.condition)
            values += (number, content)
        marks = ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?)"] * len(some))
        written += db.execute(
            "INSERT INTO trend (point, tier_s, start_ms, end_ms, windows, condition, feature_set,"
            f" vals) VALUES {marks} ON CONFLICT {on_conflict} RETURNING point, tier_s, start_ms",
            values,
        ).fetchall()
    return written


def read_sql(count: int) -> str:
    """Return the statement that reads so many places, each by itself."""
    marks = ", ".join(["(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))"] * count)
    return f"""WITH wanted (point, tier_s, start_ms) AS (VALUES {marks})
        SELECT trend.point, trend.tier_s, trend.start_ms, end_ms, windows, condition, features, vals
        FROM wanted JOIN trend ON trend.point = wanted.point AND trend.tier_s = wanted.tier_s
            AND trend.start_ms = wanted.start_ms
        JOIN feature_set ON feature_set.num = trend.feature_set"""


def _read(db: Database, places: Sequence[Place]) -> Iterator[tuple[Place, TrendSpan]]:
    """Give what is stored at these places."""
    for some in _pieces(places):
        rows = db.execute(read_sql(len(some)), [part for place in some for part in place])
        for point, tier_s, start_ms, end_ms, windows, condition, features, values in rows:
            interval = TrendSpan(
                start_ms, end_ms, windows, condition, features,
                np.frombuffer(values, "<f4").reshape(3, -1),
            )  # fmt: skip
            yield (point, tier_s, start_ms), interval


def _feature_set(db: Database, features: str) -> int:
    if number := db.remembered.get(("feature_set", features)):
        return number
    find = "SELECT num FROM feature_set WHERE features = ?"
    row = db.execute(find, (features,)).fetchone()
    if row is None:
        insert = "INSERT INTO feature_set (features) VALUES (?) ON CONFLICT DO NOTHING"
        db.execute(insert, (features,))
        row = db.execute(find, (features,)).fetchone()
    number = db.remembered["feature_set", features] = int(row[0])
    return number


Some = TypeVar("Some")


def _pieces(rows: Sequence[Some]) -> Iterator[Sequence[Some]]:
    """Give pieces of 1, 2, 4, ... rows.

    A connection keeps 128 statements: one for each number of rows would take 10 MB of SQLite.
    """
    start = 0
    while left := len(rows) - start:
        size = min(1 << left.bit_length() - 1, ROWS_A_STATEMENT)
        yield rows[start : start + size]
        start += size
