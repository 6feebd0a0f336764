"""Trends: feature values over time, down-sampled on reading without losing an extreme."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.app.store import machines, tiers
from auscult.app.store.bands import of_point, parts_of, summed
from auscult.app.store.connection import Database
from auscult.app.store.point_trend import StoredTrend
from auscult.app.store.received import Origin
from auscult.app.store.tiers import AS_SENT, CONDITIONS, oldest_ms, tier_for
from auscult.app.views import FeatureTrends, TrendSeries


def store(db: Database, trends: Iterable[tuple[Origin, StoredTrend]]) -> None:
    """Store intervals of points' trends.

    A message that comes twice is one row.
    """
    numbered = [
        (machines.known_point(db, origin, one.machine, one.point), one.interval)
        for origin, one in trends
    ]
    tiers.insert(db, numbered)


FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class TrendRequest:
    """Which part of a point's trend is wanted, in how many buckets at most."""

    machine_id: str
    point: str
    start_ms: int
    end_ms: int
    max_buckets: int
    features: tuple[str, ...] = ()
    """None named = all."""


def view(db: Database, wanted: TrendRequest) -> FeatureTrends | None:
    """Return a trend of at most ``max_buckets`` buckets, None if the point is unknown."""
    found = _found(db, wanted)
    if found is None:
        return None
    trend, series = found
    return trend.model_copy(update={"series": list(series)})


def encoded(db: Database, wanted: TrendRequest) -> bytes | None:
    """Return what `view` does as JSON.

    The numbers of all features are never held together: 600 buckets of 97 features are 175,000
    Python floats, which would make the process larger by 4 MB for each request at the same time.
    """
    found = _found(db, wanted)
    if found is None:
        return None
    trend, series = found
    text = ",".join(one.model_dump_json() for one in series)
    return trend.model_dump_json().replace('"series":[]', f'"series":[{text}]', 1).encode()


def _found(
    db: Database, wanted: TrendRequest
) -> tuple[FeatureTrends, Iterator[TrendSeries]] | None:
    """Return a trend without its series, and these one after the other."""
    number = machines.point_number(db, wanted.machine_id, wanted.point)
    if number is None:
        return None
    # a young machine keeps its resolution in a long range: only the time with values is divided
    began_ms = max(wanted.start_ms, oldest_ms(db, number))
    rows, sets = _stored(db, wanted, number, began_ms)
    units = {name: unit for features in sets.values() for name, unit in features.items()}
    bands = of_point(db, number)
    asked = [one for one in dict.fromkeys((*bands.own, *wanted.features)) if one not in units]
    summands = {one: parts_of(one, bands.edges, list(units)) for one in asked}
    own = {name: parts for name, parts in summands.items() if parts}
    units |= {name: units[next(iter(parts))] for name, parts in own.items()}
    names = [name for name in wanted.features or sorted(units) if name in units]
    columns = _Columns.from_rows(rows, sets, names, own)
    bucket_ms = 0
    if len(rows) > wanted.max_buckets:
        bucket_ms = -(-(wanted.end_ms - began_ms) // wanted.max_buckets)
        columns = columns.in_buckets(began_ms, bucket_ms)
    trend = FeatureTrends(
        machine_id=wanted.machine_id,
        point=wanted.point,
        start_ms=wanted.start_ms,
        end_ms=wanted.end_ms,
        bucket_ms=bucket_ms,
        t_ms=columns.t_ms.tolist(),
        windows=columns.windows.tolist(),
        condition=[CONDITIONS[i] for i in columns.condition],
        series=[],
        features=dict(sorted(units.items())),
        bands={name: list(edges) for name, edges in bands.edges.items() if name in units},
    )
    return trend, (columns.series(i, name, units[name]) for i, name in enumerate(names))


def _stored(
    db: Database, wanted: TrendRequest, number: int, began_ms: int
) -> tuple[list[dict[str, Any]], dict[int, dict[str, str]]]:
    """Return the rows of the tier that serves, and the features of each set with their units."""
    tier_s = tier_for(db, number, began_ms, (wanted.end_ms - began_ms) / wanted.max_buckets)
    # an hour or day that the range begins within belongs to it
    first_ms = wanted.start_ms if tier_s == AS_SENT else wanted.start_ms - 1000 * tier_s + 1
    rows = list(
        db.query(
            "SELECT start_ms, windows, condition, feature_set, vals FROM trend"
            " WHERE point = ? AND tier_s = ? AND start_ms >= ? AND start_ms < ? ORDER BY start_ms",
            (number, tier_s, first_ms, wanted.end_ms),
        )
    )
    sets = _feature_sets(db, {row["feature_set"] for row in rows} or _newest_set(db, number))
    good = db.damage.readable(
        "trend", rows, partial(_fitting, sets), lambda row: (number, tier_s, row["start_ms"])
    )
    return list(good), sets


@dataclass(frozen=True, slots=True)
class _Columns:
    """Rows of a trend side by side; ``values`` is [shape=(rows, 3, features)], NaN = none."""

    t_ms: NDArray[np.int64]
    windows: NDArray[np.int64]
    condition: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[dict[str, Any]],
        sets: dict[int, dict[str, str]],
        names: Sequence[str],
        own: Mapping[str, dict[str, float]],
    ) -> _Columns:
        values = np.full((len(rows), 3, len(names)), np.nan)
        kinds = np.array([row["feature_set"] for row in rows], np.int64)
        for kind, features in sets.items():
            where = np.flatnonzero(kinds == kind)
            if not where.size:
                continue
            stored = list(features)
            block = np.frombuffer(b"".join(rows[i]["vals"] for i in where.tolist()), "<f4")
            block = block.reshape(where.size, 3, len(stored))
            target = [i for i, name in enumerate(names) if name in features]
            source = [stored.index(names[i]) for i in target]
            values[where[:, None], :, target] = block[:, :, source].transpose(0, 2, 1)
            for i, name in enumerate(names):
                parts = own.get(name, {})
                if parts and parts.keys() <= features.keys():
                    levels = block[:, :, [stored.index(part) for part in parts]]
                    values[where, :, i] = summed(levels.astype(np.float64), parts.values())
        values[~np.isfinite(values)] = np.nan
        return cls(
            np.array([row["start_ms"] for row in rows], np.int64),
            np.array([row["windows"] for row in rows], np.int64),
            np.array([row["condition"] for row in rows], np.int64),
            values,
        )

    def in_buckets(self, start_ms: int, bucket_ms: int) -> _Columns:
        """Join rows by time: least minimum, greatest maximum, mean weighted by windows."""
        bucket = np.maximum(self.t_ms - start_ms, 0) // bucket_ms
        first = np.flatnonzero(np.diff(bucket, prepend=-1))
        weight = np.maximum(self.windows, 1)[:, None] * np.isfinite(self.values[:, 1])
        total = np.add.reduceat(weight, first)
        weighted = np.add.reduceat(np.nan_to_num(self.values[:, 1]) * weight, first)
        mean = np.full_like(weighted, np.nan)
        np.divide(weighted, total, out=mean, where=total > 0)
        minimum = np.fmin.reduceat(self.values[:, 0], first)
        maximum = np.fmax.reduceat(self.values[:, 2], first)
        return _Columns(
            start_ms + bucket[first] * bucket_ms,
            np.add.reduceat(self.windows, first),
            np.maximum.reduceat(self.condition, first),
            np.stack([minimum, mean, maximum], axis=1),
        )

    def series(self, column: int, name: str, unit: str) -> TrendSeries:
        """Return the values of one feature."""
        minimum, mean, maximum = (_nullable(one) for one in self.values[:, :, column].T)
        return TrendSeries(feature=name, unit=unit, minimum=minimum, mean=mean, maximum=maximum)


def _nullable(column: NDArray[np.float64]) -> list[float | None]:
    """Return floats for JSON, with the seven digits of float32."""
    return [None if value != value else float(f"{value:.7g}") for value in column.tolist()]


def _feature_sets(db: Database, numbers: set[int]) -> dict[int, dict[str, str]]:
    if not numbers:
        return {}
    marks = ",".join("?" * len(numbers))
    rows = db.query(
        f"SELECT num, features FROM feature_set WHERE num IN ({marks})",
        tuple(numbers),
    )
    return {
        row["num"]: db.damage.decoded("feature_set", row["num"], row["features"]) for row in rows
    }


def _fitting(sets: dict[int, dict[str, str]], row: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose values fit its features; `_Columns` joins the rows of a set."""
    CONDITIONS[row["condition"]]
    if len(row["vals"]) != 3 * FLOAT_BYTES * len(sets[row["feature_set"]]):
        raise ValueError("its values do not fit its features")
    return row


def _newest_set(db: Database, point: int) -> set[int]:
    row = db.execute(
        "SELECT feature_set FROM trend WHERE point = ? ORDER BY tier_s, start_ms DESC LIMIT 1",
        (point,),
    ).fetchone()
    return set() if row is None else {int(row[0])}
