"""How much five years of trends take, and how fast they open: fills a database and measures it.

``python -m lab.bench.storage [--points N] [--features N] [--database URL]`` fills N points
as
ingest would (interval by interval, all points in turn) with what is kept after five years: the
newest days as sent, hours and days for all the time. Rows do not depend on how many points there
are, so the size for 500 points is that of N, scaled; two values of N show that this holds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from auscult.app.settings import DashboardSettings
from auscult.app.store import machines, trends
from auscult.app.store.connection import Database, Engine
from auscult.app.store.database import DashboardStore
from auscult.app.store.place import place
from auscult.app.store.received import Origin
from auscult.app.store.tiers import AS_SENT, DAY_S, HOUR_S, TrendSpan
from auscult.app.store.trends import TrendRequest
from tests.app.trend_rows import write_bulk

PLANT_POINTS = 500
YEARS = 5
DAY_MS = 86_400_000
INTERVAL_S = 60
"""The gateway's default `trend_interval_s`."""
FEATURES = 97
"""Of a vibration point at 25.6 kHz with bearing, gear and speed known."""
INTERVALS_A_JOB = 2000
REPEATS = 15


def fill(store: DashboardStore, points: int, features: int, details_days: int) -> dict[int, int]:
    """Fill the tiers as they are after five years; return how many rows each got."""
    rng = np.random.default_rng(1)
    names = json.dumps({f"feature_{i:03}": "g" for i in range(features)})
    now_ms = YEARS * 365 * DAY_MS
    origin = Origin("plant", "gw1", now_ms)
    numbers = store.write(
        lambda db: [machines.known_point(db, origin, f"m{i}", "DE") for i in range(points)]
    )
    spans = {AS_SENT: details_days * DAY_MS, HOUR_S: now_ms, DAY_S: now_ms}
    rows = {}
    for tier_s, span_ms in spans.items():
        step_ms = 1000 * (tier_s or INTERVAL_S)
        starts = range(now_ms - span_ms, now_ms, step_ms)
        rows[tier_s] = len(starts) * points
        each = max(1, INTERVALS_A_JOB // points)
        for first in range(0, len(starts), each):
            values = np.sort(rng.lognormal(0, 1, (each, points, 3, features)).astype("<f4"), axis=2)
            entries = [
                (number, TrendSpan(start, start + step_ms, 60, 0, names, values[i, j]))
                for i, start in enumerate(starts[first : first + each])
                for j, number in enumerate(numbers)
            ]
            store.write(partial(write_bulk, tier_s=tier_s, entries=entries))
    return rows


def timed(work: Callable[[], object]) -> float:
    """Median time of a call, s."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def measure(points: int, features: int, engine: Engine) -> list[tuple[str, float, str]]:
    """Fill an empty database and measure it."""
    details_days = DashboardSettings().keep_trend_details_days
    store = DashboardStore(engine)
    try:
        rows = fill(store, points, features, details_days)
        size = engine.size_bytes()
        total = sum(rows.values())
        figures = [
            ("points", points, ""),
            ("rows as sent", rows[AS_SENT], ""),
            ("rows by the hour", rows[HOUR_S], ""),
            ("rows by the day", rows[DAY_S], ""),
            ("bytes a row", size / total, "B"),
            ("of it values", 12 * features, "B"),
            (f"size for {PLANT_POINTS} points", size / points * PLANT_POINTS / 1e9, "GB"),
        ]
        db = store.read()
        span = YEARS * 365 * DAY_MS
        for name, wanted in (
            ("five years, one feature", ("feature_000",)),
            ("five years, all features", ()),
        ):
            request = TrendRequest("plant~gw1~m0", "DE", 0, span, 600, wanted)
            opened = timed(partial(_answer, db, request))
            bare = timed(partial(_bare, db))
            figures += [
                (name, 1000 * opened, "ms"),
                ("… over reading its rows", opened / bare, "×"),
            ]
        return figures
    finally:
        store.close()


def _answer(db: Database, request: TrendRequest) -> str:
    """Give what the API answers."""
    trend = trends.view(db, request)
    return "" if trend is None else trend.model_dump_json()


def _bare(db: Database) -> int:
    sql = "SELECT vals FROM trend WHERE point = 1 AND tier_s = ?"
    return sum(len(row[0]) for row in db.execute(sql, (DAY_S,)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--points", type=int, default=4)
    parser.add_argument("--features", type=int, default=FEATURES)
    parser.add_argument("--database", help="an empty PostgreSQL database; else a file")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = place(DashboardSettings(data_dir=Path(folder), database=asked.database))
        for name, value, unit in measure(asked.points, asked.features, engine):
            print(f"{name:40} {value:14,.2f} {unit}")


if __name__ == "__main__":
    main()
