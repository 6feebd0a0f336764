"""The shift report, and trends and events as tables."""

from __future__ import annotations

import csv
import io
import tempfile
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from auscult.app.api import tables
from auscult.app.store import exports
from auscult.app.store.connection import WritableDatabase
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.contract.records import ReasonKind
from tests.app import messages as m
from tests.app.conftest import DATABASES
from tests.waiting import eventually

HOUR_MS = 3_600_000


@pytest.fixture(params=DATABASES)
def database(request):
    return request.param


def test_a_report_lists_each_case_once(dashboard, gateway):
    now = m.now_ms()
    gateway.say_hello("pump-3", "fan-1", "fan-2")
    old, again, begun, over = m.ulid(), m.ulid(), m.ulid(), m.ulid()
    gateway.publish(m.event("pump-3", old, started_ms=now - 9 * HOUR_MS, updated_ms=now))
    gateway.publish(m.event("pump-3", again, started_ms=now - HOUR_MS, updated_ms=now))
    gateway.publish(m.event("fan-2", begun, started_ms=now - HOUR_MS, updated_ms=now))
    ended = m.event("fan-1", over, started_ms=now - 9 * HOUR_MS, updated_ms=now - HOUR_MS)
    gateway.publish(ended.model_copy(update={"phase": "end", "ended_ms": now - HOUR_MS}))
    gateway.publish(m.lesson("fan-2", begun, "label-0001"))
    gateway.publish(m.point_state("fan-1", "DE-H", "unknown", sensor=("clipping",), quality="bad"))
    eventually(lambda: (dashboard.count("event"), dashboard.count("label")), (4, 1))

    def report():
        return dashboard.get("/api/v1/report", since_ms=now - 8 * HOUR_MS, until_ms=now + HOUR_MS)

    eventually(lambda: [s["faults"] for s in report()["sensors"]], [["clipping"]])
    got = report()
    listed = [[case["id"] for case in got[name]] for name in ("began", "still_open", "ended")]
    assert listed == [[begun], [old], [over]]
    assert [label["id"] for label in got["labels"]] == ["label-0001"]
    assert (got["lessons_accepted"], got["lessons_rejected"]) == (1, 0)
    assert (got["alarm_load"]["alarms"], got["alarm_load"]["per_day"]) == (2, None)
    assert sum(got["conditions"].values()) == 3
    assert got["gateways_offline"] == []
    assert dashboard.get("/api/v1/report")["until_ms"] > now
    wrong = dashboard.client.get("/api/v1/report", params={"since_ms": 5, "until_ms": 5})
    assert wrong.status_code == 422


@pytest.fixture
def filled(dashboard, gateway):
    for i in range(30):
        gateway.publish(m.trend("pump-3", "DE-H", i * 60_000, float(i)))
        gateway.publish(m.trend("pump-3", "NDE-H", i * 60_000, float(-i)))
    gateway.publish(m.event("pump-3", m.ulid(), started_ms=60_000, updated_ms=90_000))
    gateway.publish(m.event("fan-1", m.ulid(), started_ms=120_000, updated_ms=120_000))
    eventually(lambda: dashboard.count("trend WHERE tier_s = 0"), 60)
    eventually(lambda: dashboard.count("event"), 2)
    return dashboard


def rows_of(dashboard, path, **params):
    answer = dashboard.client.get(f"/api/v1/exports/{path}", params=params)
    assert answer.status_code == 200, answer.text
    if path.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(answer.text)))
    return pq.read_table(io.BytesIO(answer.content)).to_pylist()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_trends_are_exported_with_all_their_values(filled, kind):
    period = {"since_ms": 0, "until_ms": 86_400_000}
    rows = rows_of(filled, f"trends.{kind}", **period, tier="sent", point="DE-H")
    kurtosis = [row for row in rows if row["feature"] == "kurtosis"]
    assert [float(row["mean"]) for row in kurtosis] == [float(i) for i in range(30)]
    assert {row["machine_id"] for row in rows} == {"plant~gw1~pump-3"}
    (hour,) = [
        row for row in rows_of(filled, f"trends.{kind}", **period)
        if row["feature"] == "kurtosis" and row["point"] == "DE-H"
    ]  # fmt: skip
    assert (float(hour["minimum"]), float(hour["maximum"])) == (-0.5, 29.5), "extremes are kept"
    assert rows_of(filled, f"trends.{kind}", **period, machine_id="plant~gw1~none") == []
    assert (
        len(rows_of(filled, f"trends.{kind}", since_ms=60_000, until_ms=120_000, tier="sent")) == 8
    )


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_events_are_exported(filled, kind):
    rows = rows_of(filled, f"events.{kind}", since_ms=0, until_ms=86_400_000)
    assert [row["machine_id"] for row in rows] == ["plant~gw1~pump-3", "plant~gw1~fan-1"]
    assert rows[0]["reasons"] == m.REASON.text
    assert rows[0]["baseline_id"] == "base-1"
    assert int(rows[0]["started_ms"]) == 60_000
    only = rows_of(
        filled, f"events.{kind}", since_ms=0, until_ms=86_400_000, machine_id="plant~gw1~fan-1"
    )
    assert len(only) == 1


def test_no_file_is_left_behind(filled, monkeypatch, tmp_path):
    made = tmp_path / "made"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    rows_of(filled, "trends.parquet", since_ms=0)
    eventually(lambda: list(made.iterdir()), [])

    def fails(*_):
        raise RuntimeError

    monkeypatch.setattr(exports, "_features", fails)  # with no error of a damaged row
    answer = filled.client.get("/api/v1/exports/trends.parquet?since_ms=0&tier=sent")
    assert answer.status_code == 500
    assert list(made.iterdir()) == []


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_large_export_takes_little_memory(opened_store, kind):
    origin = Origin("plant", "gw1", 0)
    trend = m.trend("pump-3", "DE-H", 0, 1.0)

    def fill(db: WritableDatabase) -> None:
        store_message(db, origin, trend)
        db.execute(
            "WITH RECURSIVE minute (n) AS"
            " (SELECT 1 UNION ALL SELECT n + 1 FROM minute WHERE n < 19999)"
            " INSERT INTO trend SELECT point, tier_s, start_ms + n * 60000, end_ms + n * 60000,"
            " windows, condition, feature_set, vals FROM trend, minute WHERE tier_s = 0"
        )

    opened_store.write(fill)
    points = exports.trend_points(opened_store.read(), None, None)
    columns = dict.fromkeys(exports.TREND_COLUMNS, "string") | {
        "start_ms": "int64", "end_ms": "int64", "windows": "int64", "minimum": "float64",
        "mean": "float64", "maximum": "float64",
    }  # fmt: skip

    def export(until_ms: int) -> int:
        pieces = exports.trends(opened_store.read, points, 0, 0, until_ms)
        if kind == "csv":
            return sum(map(len, tables.csv_lines(pieces, exports.TREND_COLUMNS)))
        file = Path(tables.parquet_file(pieces, columns))
        size = file.stat().st_size
        file.unlink()
        return size

    few = export(60_000)  # the first call also imports
    tracemalloc.start()
    assert export(1 << 50) > 10 * few
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000, f"{peak} bytes for 80,000 rows"


def test_a_machine_shows_its_false_alarms_beside_its_promise(dashboard, gateway):
    gateway.say_hello("pump-3")
    false, unanswered, fault, limit, running = (m.ulid() for _ in range(5))
    exceeded = (replace(m.REASON, kind=ReasonKind.FIXED_LIMIT),)
    for event in (false, unanswered, fault):
        gateway.publish(m.event("pump-3", event, "end"))
    gateway.publish(m.event("pump-3", limit, "end", reasons=exceeded))
    gateway.publish(m.event("pump-3", running))
    gateway.publish(m.lesson("pump-3", false, "label-0001"))
    gateway.publish(m.lesson("pump-3", fault, "label-0002", verdict="confirmed_fault"))
    promise = {"false_alarms_per_year": 1.0, "days_missing": 12, "wider": 1.25}
    gateway.publish(m.machine_state("pump-3", warranty=promise))
    eventually(lambda: (dashboard.count("event"), dashboard.count("label")), (5, 2))

    def machine():
        return dashboard.get("/api/v1/machines/plant~gw1~pump-3")

    eventually(lambda: machine()["warranty"], promise)
    account = machine()["account"]
    assert (account["false_alarms"], account["unanswered"]) == (1, 1)
