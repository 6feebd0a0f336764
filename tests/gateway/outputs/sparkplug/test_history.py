"""The store of what must be sent later."""

from __future__ import annotations

import sqlite3
import time

import pytest

from auscult.contract.times import DAY_S
from auscult.gateway.outputs.sparkplug.history import PRUNE_EVERY, History, StoredReading
from auscult.gateway.outputs.sparkplug.payload import history_metric
from auscult.sparkplug.sparkplug_b_pb2 import Payload

NOW_MS = int(time.time() * 1000)


def reading(t_ms: int, unit: str | None = "pump-3") -> StoredReading:
    return StoredReading(0, unit, "m", 9, t_ms, str(t_ms).encode())


def test_readings_come_back_in_the_order_of_their_time_also_after_a_restart(tmp_path):
    history = History(tmp_path / "history.db", 100, 30)
    history.add([reading(NOW_MS + i) for i in (3, 1, 2)])
    history.add([reading(NOW_MS, None)])
    history.close()
    history = History(tmp_path / "history.db", 100, 30)
    assert history.pending == 4
    assert [s.t_ms - NOW_MS for s in history.oldest(10)] == [0, 1, 2, 3]
    assert [s.t_ms - NOW_MS for s in history.oldest(2)] == [0, 1]
    assert [s.unit for s in history.oldest(10, without=["pump-3"])] == [None]
    history.remove(history.oldest(3))
    assert history.pending == 1
    assert history.oldest(10)[0].metric == str(NOW_MS + 3).encode()


def test_the_oldest_go_first_and_are_counted(tmp_path):
    history = History(tmp_path / "history.db", 1000, 30)
    for i in range(5000):
        history.add([reading(NOW_MS + i)])
        assert history.pending <= 1000 + PRUNE_EVERY
    history.prune()
    assert history.pending == 1000
    assert history.dropped == 4000
    assert history.oldest(1)[0].t_ms == NOW_MS + 4000


@pytest.mark.parametrize("clock_is_off_ms", [-(10**11), 0, 10**11])
def test_what_is_too_old_by_running_time_is_dropped_whatever_the_clock_says(
    tmp_path, clock_is_off_ms
):
    now_s = 0.0
    history = History(tmp_path / "history.db", 1000, 2, lambda: now_s)
    history.add([reading(NOW_MS)])
    history.prune()
    now_s = 1.5 * DAY_S
    history.add([reading(NOW_MS + clock_is_off_ms)])
    history.prune()
    assert (history.pending, history.dropped) == (2, 0)
    now_s = 2.1 * DAY_S
    history.prune()
    assert [one.t_ms for one in history.oldest(10)] == [NOW_MS + clock_is_off_ms]
    assert (history.pending, history.dropped) == (1, 1)


def test_of_too_many_the_newest_stay_after_a_clock_was_set_back(tmp_path):
    history = History(tmp_path / "history.db", 2, 30)
    for t_ms in (NOW_MS, NOW_MS + 1, NOW_MS - 5, NOW_MS - 4):
        history.add([reading(t_ms)])
    history.prune()
    assert [one.t_ms - NOW_MS for one in history.oldest(10)] == [-5, -4]


def test_a_history_of_none_keeps_none(tmp_path):
    history = History(tmp_path / "history.db", 0, 30)
    history.add([reading(NOW_MS)])
    assert (history.pending, history.oldest(10)) == (0, [])


@pytest.mark.parametrize("content", [b"not a database at all" * 500, b"\x00" * 5000])
def test_a_damaged_file_is_renamed(tmp_path, content):
    file = tmp_path / "history.db"
    file.write_bytes(content)
    history = History(file, 10, 30)
    history.add([reading(NOW_MS)])
    assert history.pending == 1
    assert (tmp_path / "history.damaged").read_bytes() == content


def test_a_full_disk_loses_only_readings(tmp_path, monkeypatch):
    history = History(tmp_path / "history.db", 10, 30)
    history.add([reading(NOW_MS)])
    history._database.execute("PRAGMA query_only=ON")
    history.add([reading(NOW_MS + 1), reading(NOW_MS + 2)])
    assert (history.pending, history.dropped) == (1, 2)
    with pytest.raises(sqlite3.OperationalError):
        history._database.execute("DELETE FROM history")


def test_the_mark_of_kept_readings_is_an_option():
    kept = Payload.Metric(name="m", timestamp=5, float_value=1.5, is_historical=True)
    stored = kept.SerializeToString()
    marked = Payload.Metric.FromString(history_metric(stored, 7))
    plain = Payload.Metric.FromString(history_metric(stored, 7, marked=False))
    assert (marked.alias, marked.is_historical) == (7, True)
    assert not plain.HasField("is_historical")
    assert (plain.timestamp, plain.float_value, plain.alias) == (5, 1.5, 7)
