"""Trends: the numbers are right and down-sampling loses no extreme."""

from __future__ import annotations

import json
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auscult.app.store import tiers, trends
from auscult.app.store.intake import store_message
from auscult.app.store.point_trend import StoredTrend
from auscult.app.store.received import Origin
from auscult.app.store.trends import TrendRequest
from auscult.contract.inventory import BandsPart, Inventory, LimitPart, MachinePart, PointPart
from tests.app import messages as m

ORIGIN = Origin("plant", "gw1", 0)
MACHINE = "plant~gw1~pump-3"


def fill(store, messages):
    store.write(lambda db: [store_message(db, ORIGIN, message) for message in messages])


def request(start_ms, end_ms, max_buckets, *features):
    return TrendRequest(MACHINE, "DE-H", start_ms, end_ms, max_buckets, features)


def test_few_intervals_are_given_as_they_are(opened_store):
    fill(opened_store, [m.trend("pump-3", "DE-H", i * 60_000, float(i)) for i in range(10)])
    trend = trends.view(opened_store.read(), request(60_000, 300_000, 100, "kurtosis"))
    assert trend.t_ms == [60_000, 120_000, 180_000, 240_000]
    assert trend.bucket_ms == 0
    (series,) = trend.series
    assert series.minimum == [0.5, 1.5, 2.5, 3.5]
    assert series.mean == [1, 2, 3, 4]
    assert series.maximum == [1.5, 2.5, 3.5, 4.5]
    assert trend.features == {
        "band_2k_4k_rms": "g", "crest_factor": "", "kurtosis": "", "velocity_rms_mm_s": "mm/s",
    }  # fmt: skip


@pytest.mark.parametrize("at_once", [True, False])
def test_intervals_after_a_clock_was_set_back_are_kept_beside_the_earlier_ones(
    opened_store, at_once
):
    earlier = [m.trend("pump-3", "DE-H", i * 60_000, float(i)) for i in range(10)]
    later = [m.trend("pump-3", "DE-H", i * 60_000, 100.0 + i) for i in range(5, 10)]
    last = [m.trend("pump-3", "DE-H", i * 60_000, 200.0 + i) for i in range(9, 10)]
    for delivery in [[*earlier, *later, *last]] if at_once else [earlier, later, last]:
        for _ in range(2):  # the broker may deliver again
            received = [(ORIGIN, StoredTrend.from_message(one)) for one in delivery]
            opened_store.write(lambda db, some=received: trends.store(db, some))
    reader = opened_store.read()
    trend = trends.view(reader, request(0, 600_000, 100, "kurtosis"))
    assert trend.t_ms == [
        *(i * 60_000 for i in range(5)),
        *(i * 60_000 + k for i in range(5, 10) for k in (0, 1)),
        540_002,
    ]
    (series,) = trend.series
    assert series.mean == [0, 1, 2, 3, 4, 5, 105, 6, 106, 7, 107, 8, 108, 9, 109, 209]
    (hour,) = reader.query("SELECT windows, vals FROM trend WHERE tier_s = 3600")
    assert hour["windows"] == 16 * 60, "each counts once"
    fill(opened_store, [m.trend("pump-3", "DE-H", 3_600_000 * i, 1.0) for i in (1, 2)])
    (series,) = trends.view(reader, request(0, 3 * 3_600_000, 3, "kurtosis")).series
    assert (series.minimum[0], series.maximum[0]) == (-0.5, 209.5)
    assert series.mean[0] == pytest.approx(np.mean([*range(10), *range(105, 110), 209]))


def test_intervals_of_one_start_without_end_are_bounded(opened_store):
    sent = [m.trend("pump-3", "DE-H", 0, float(i)) for i in range(300)]
    received = [(ORIGIN, StoredTrend.from_message(one)) for one in sent]
    opened_store.write(lambda db: trends.store(db, received))
    (count,) = opened_store.read().execute("SELECT count(*) FROM trend WHERE tier_s = 0").fetchone()
    assert count == tiers.MOST_OF_ONE_START


def test_a_whole_day_is_encoded_without_holding_all_its_numbers(opened_store):
    values = {f"feature_{i:03}": (0.5, 1.0, 2.0) for i in range(97)}
    units = dict.fromkeys(values, "g")
    day = [m.trend("pump-3", "DE-H", i * 60_000, values=values, units=units) for i in range(600)]
    fill(opened_store, day)
    wanted = request(0, 600 * 60_000, 600)
    reader = opened_store.read()
    received = {
        "machine_id": MACHINE, "point": "DE-H", "start_ms": 0, "end_ms": 600 * 60_000,
        "bucket_ms": 0, "t_ms": [i * 60_000 for i in range(600)], "windows": [60] * 600,
        "condition": ["normal"] * 600,
        "series": [
            {"feature": name, "unit": "g", "minimum": [0.5] * 600, "mean": [1.0] * 600,
             "maximum": [2.0] * 600} for name in values
        ],
        "features": units, "bands": {},
    }  # fmt: skip
    assert trends.encoded(reader, wanted) == json.dumps(received, separators=(",", ":")).encode()

    def peak(work) -> int:
        tracemalloc.start()
        work(reader, wanted)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(trends.encoded) < peak(trends.view) - 2e6
    other = TrendRequest(MACHINE, "none", 0, 10, 10)
    assert trends.encoded(reader, other) is None


@given(
    values=st.lists(st.floats(-1000, 1000, width=32), min_size=1, max_size=200),
    max_buckets=st.integers(1, 50),
    seed=st.integers(0, 1000),
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_down_sampling_keeps_extremes_and_the_mean(tmp_path_factory, values, max_buckets, seed):
    from auscult.app.store.database import DashboardStore
    from auscult.app.store.sqlite import SqliteFile

    store = DashboardStore(SqliteFile(tmp_path_factory.mktemp("trend") / "dashboard.db"))
    rng = np.random.default_rng(seed)
    windows = rng.integers(1, 60, len(values)).tolist()
    starts = (np.cumsum(rng.integers(1, 200_000, len(values)))).tolist()
    conditions = rng.choice(["normal", "warning", "alarm"], len(values)).tolist()
    fill(
        store,
        [
            m.trend(
                "pump-3", "DE-H", t, units={"a": "g"}, windows=w, condition=c,
                values={"a": (v - 1, v, v + 1)},
            )
            for t, v, w, c in zip(starts, values, windows, conditions, strict=True)
        ],
    )  # fmt: skip
    trend = trends.view(store.read(), request(0, starts[-1] + 1, max_buckets))
    store.close()
    (series,) = trend.series
    assert len(trend.t_ms) <= max(max_buckets, 1)
    assert sum(trend.windows) == sum(windows)
    assert min(series.minimum) == pytest.approx(min(values) - 1, rel=1e-5, abs=1e-4)
    assert max(series.maximum) == pytest.approx(max(values) + 1, rel=1e-5, abs=1e-4)
    total = math.fsum(v * w for v, w in zip(values, windows, strict=True))
    got = math.fsum(v * w for v, w in zip(series.mean, trend.windows, strict=True))
    assert got == pytest.approx(total, rel=1e-4, abs=0.1)
    assert ("alarm" in trend.condition) == ("alarm" in conditions)
    assert trend.t_ms == sorted(trend.t_ms)


def test_features_may_change_over_time(opened_store):
    fill(
        opened_store,
        [
            m.trend("pump-3", "DE-H", 0, values={"a": (1, 2, 3)}, units={"a": "g"}),
            m.trend("pump-3", "DE-H", 1, values={"b": (4, 5, 6), "a": (0, 1, 2)}, units={}),
        ],
    )
    trend = trends.view(opened_store.read(), request(0, 10, 10))
    by_name = {series.feature: series.mean for series in trend.series}
    assert by_name == {"a": [2, 1], "b": [None, 5]}


def test_a_band_with_own_edges_is_the_power_sum_of_its_parts(opened_store):
    edges = [100.0, 200.0, 400.0, 800.0]
    bands = BandsPart(prefix="band_", low_hz=tuple(edges[:-1]), high_hz=tuple(edges[1:]))
    limit = LimitPart(feature="rms_300_800hz", alarm=9.0)
    point = PointPart(id="DE-H", name="DE", kind="vibration", unit="g", fs_hz=1600,
                      bands=(bands,), limits=(limit,))  # fmt: skip
    machine = MachinePart(id="pump-3", name="Pump", points=(point,))
    values = {f"band_0{i}": (low, low + 1, low + 2) for i, low in enumerate((3.0, 4.0, 6.0))}
    trend = m.trend("pump-3", "DE-H", 0, values=values, units=dict.fromkeys(values, "g"))
    fill(opened_store, [Inventory(ts=1, machines=(machine,)), trend])
    found = trends.view(opened_store.read(), request(0, 60_000, 10))
    assert found.features == {"band_00": "g", "band_01": "g", "band_02": "g", "rms_300_800hz": "g"}
    assert found.bands["band_01"] == [200, 400]
    own = found.series[-1]
    # half of the band from 200 to 400 Hz, and all above
    assert own.mean == pytest.approx([math.hypot(5 / math.sqrt(2), 7)])
    assert own.minimum == pytest.approx([math.hypot(4 / math.sqrt(2), 6)])
    asked = trends.view(opened_store.read(), request(0, 60_000, 10, "rms_100_200hz", "rms_1_2hz"))
    assert [series.feature for series in asked.series] == ["rms_100_200hz"]
    assert asked.series[0].maximum == [5]


def test_no_data_is_an_empty_trend_and_no_point_is_none(opened_store):
    fill(opened_store, [m.trend("pump-3", "DE-H", 0)])
    trend = trends.view(opened_store.read(), request(100, 200, 10))
    assert trend.t_ms == []
    assert "kurtosis" in trend.features
    assert [series.mean for series in trend.series] == [[]] * 4
    other = TrendRequest("plant~gw1~fan", "x", 0, 1, 1)
    assert trends.view(opened_store.read(), other) is None
    none = trends.view(opened_store.read(), request(0, 10, 10, "unheard_of"))
    assert none.series == []


def test_values_beyond_float32_are_no_values(opened_store):
    message = m.trend("pump-3", "DE-H", 0, values={"a": (-1e300, 0, 1e300)}, units={"a": "g"})
    fill(opened_store, [message])
    (series,) = trends.view(opened_store.read(), request(0, 10, 10)).series
    assert (series.minimum, series.mean, series.maximum) == ([None], [0], [None])


def test_a_value_beyond_float32_does_not_hide_the_others_of_its_hour(opened_store):
    values = (-1e300, 1, 1e300), (1, 2, 3)
    fill(
        opened_store,
        [
            m.trend("pump-3", "DE-H", 60_000 * i, values={"a": one}, units={"a": "g"})
            for i, one in enumerate(values)
        ],
    )
    rows = opened_store.read().execute("SELECT vals FROM trend WHERE tier_s = 3600").fetchall()
    assert [np.frombuffer(row[0], "<f4").tolist() for row in rows] == [[1, 1.5, 3]]


HOUR_MS, DAY_MS = 3_600_000, 86_400_000


def test_long_ranges_are_read_by_hour_and_day_with_all_extremes(opened_store):
    rng = np.random.default_rng(1)
    n = 14 * 24 * 4  # each quarter of an hour for two weeks
    values = rng.normal(0, 1, n).astype(np.float32)
    values[[5, 700]] = (99, -99)
    step = HOUR_MS // 4
    order = rng.permutation(n)  # in whatever order they come
    fill(
        opened_store,
        [
            m.trend(
                "pump-3", "DE-H", int(i) * step, units={"a": "g"}, windows=int(i % 7) + 1,
                values={"a": (float(values[i]) - 1, float(values[i]), float(values[i]) + 1)},
            )
            for i in order
        ],
    )  # fmt: skip
    weights = np.arange(n) % 7 + 1
    for buckets, tier_ms in ((n, step), (14 * 24, HOUR_MS), (14, DAY_MS), (3, DAY_MS)):
        trend = trends.view(opened_store.read(), request(0, n * step, buckets))
        (series,) = trend.series
        assert len(trend.t_ms) == min(buckets, n * step // tier_ms)
        assert sum(trend.windows) == weights.sum()
        assert max(series.maximum) == 100
        assert min(series.minimum) == -100
        mean = np.average(series.mean, weights=trend.windows)
        assert mean == pytest.approx(np.average(values, weights=weights), abs=1e-4)


def test_a_young_machine_keeps_its_resolution_in_a_long_range(opened_store):
    """25 minutes of 2 s intervals: 24 hours showed 11 values, 30 days one."""
    n, began_ms = 750, 40 * DAY_MS
    fill(opened_store, [m.trend("pump-3", "DE-H", began_ms + i * 2000, float(i)) for i in range(n)])
    for span_ms in (DAY_MS, 7 * DAY_MS, 30 * DAY_MS):
        end_ms = began_ms + n * 2000
        trend = trends.view(opened_store.read(), request(end_ms - span_ms, end_ms, 600, "kurtosis"))
        assert len(trend.t_ms) >= 300
        assert trend.t_ms[0] == began_ms
        assert max(trend.series[0].maximum) == n - 0.5


def test_hours_stay_when_details_are_deleted(opened_store):
    from auscult.app.store.retention import RetentionPeriods, delete_old

    n = 100 * 24
    fill(opened_store, [m.trend("pump-3", "DE-H", i * HOUR_MS, float(i)) for i in range(n)])
    delete_old(opened_store, RetentionPeriods(30, 1000, 1000, 10, 10), n * HOUR_MS)
    db = opened_store.read()
    details = db.execute("SELECT count(*) FROM trend WHERE tier_s = 0").fetchone()[0]
    assert details == pytest.approx(30 * 24, abs=2)
    old = trends.view(db, request(10 * DAY_MS, 11 * DAY_MS, 600, "kurtosis"))
    assert old.series[0].mean == [float(i) for i in range(10 * 24, 11 * 24)]
    new = trends.view(db, request(99 * DAY_MS, 100 * DAY_MS, 600, "kurtosis"))
    assert new.series[0].mean == [float(i) for i in range(99 * 24, 100 * 24)]


def test_features_that_change_within_an_hour_are_joined(opened_store):
    fill(
        opened_store,
        [
            m.trend("pump-3", "DE-H", 0, values={"a": (1, 2, 3)}, units={"a": "g"}, windows=1),
            m.trend("pump-3", "DE-H", 1, values={"b": (4, 5, 6)}, units={"b": "g"}, windows=1),
            m.trend("pump-3", "DE-H", 2, values={"a": (0, 4, 9)}, units={"a": "g"}, windows=1),
        ],
    )
    trend = trends.view(opened_store.read(), request(0, 2 * DAY_MS, 2))
    got = {s.feature: (s.minimum[0], s.mean[0], s.maximum[0]) for s in trend.series}
    assert got["a"] == (0, pytest.approx((2 * 2 + 4) / 3), 9)
    assert got["b"] == (4, 5, 6)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_an_interval_is_joined_without_reading_the_others(opened_store):
    steps = opened_store.read().execute(f"EXPLAIN QUERY PLAN {tiers.read_sql(2)}", (1, 0, 0) * 2)
    read = [step[3] for step in steps if "trend" in step[3]]
    assert read == ["SEARCH trend USING PRIMARY KEY (point=? AND tier_s=? AND start_ms=?)"]


def test_the_mean_of_joined_rows_weighs_each_by_its_windows():
    means, windows = np.array([1.0, 5.0, 10.0]), np.array([1, 3, 0])
    values = np.stack([means - 1, means, means + 1], axis=1)[:, :, None]
    rows = trends._Columns(np.array([0, 10, 20]), windows, np.array([0, 2, 1]), values)
    joined = rows.in_buckets(0, 1000)
    low, mean, high = joined.values[0, :, 0]
    # a row of an older version that states no windows counts as one
    assert mean == pytest.approx((1 * 1 + 3 * 5 + 1 * 10) / 5)
    assert (low, high, joined.windows[0], joined.condition[0]) == (0, 11, 4, 2)
