"""kill -9 of the dashboard in mid-stream: nothing lost, nothing doubled, states right after."""

from __future__ import annotations

import multiprocessing
import signal
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from auscult.app.http.serve import serve
from auscult.app.settings import DashboardSettings
from auscult.app.store.database import DashboardStore
from auscult.app.store.sqlite import SqliteFile
from auscult.link.broker import BrokerSettings
from tests.app import messages as m
from tests.ports import free_port
from tests.waiting import DEADLINE_S, eventually

KILLS = 4
EVENTS = 1500


def _serve(data_dir: Path, port: int, broker: BrokerSettings) -> None:
    serve(DashboardSettings(data_dir=data_dir, port=port, login="off"), broker)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/api/health", timeout=DEADLINE_S
        ) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


@pytest.mark.nightly
def test_a_killed_dashboard_loses_and_doubles_nothing(tmp_path, mosquitto, gateway):
    port = free_port()
    data_dir = tmp_path / "dashboard"
    spawn = multiprocessing.get_context("spawn")

    def start():
        process = spawn.Process(target=_serve, args=(data_dir, port, mosquitto.settings))
        process.start()
        eventually(lambda: _answers(port), True)
        return process

    process = start()
    begin_ms = m.now_ms()
    ids = [m.ulid() for _ in range(EVENTS)]
    sending = threading.Event()

    def send():
        for i, identity in enumerate(ids):
            t = begin_ms + i
            gateway.publish(m.event("pump-3", identity, started_ms=t, updated_ms=t))
            gateway.publish(m.trend("pump-3", "DE-H", begin_ms + i, float(i)))
            end = {"started_ms": t, "updated_ms": t + 1, "ended_ms": t + 1, "peak_evidence": i}
            gateway.publish(m.event("pump-3", identity, "end", **end))
            time.sleep(0.002)
        sending.set()

    thread = threading.Thread(target=send)
    thread.start()
    for _ in range(KILLS):
        time.sleep(0.7)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        process = start()
    thread.join()
    assert sending.is_set()

    def counts():
        # a connection of our own, as a backup would open one
        with sqlite3.connect(data_dir / "dashboard.db") as db:
            return db.execute(
                "SELECT (SELECT count(*) FROM event WHERE phase = 'end'),"
                " (SELECT count(*) FROM event), (SELECT count(*) FROM trend WHERE tier_s = 0)"
            ).fetchone()

    eventually(counts, (EVENTS, EVENTS, EVENTS))
    process.terminate()
    process.join(DEADLINE_S)
    assert process.exitcode == 0
    store = DashboardStore(SqliteFile(data_dir / "dashboard.db"))
    hours = "SELECT sum(windows) FROM trend WHERE tier_s = 3600"
    assert store.read().execute(hours).fetchone() == (60 * EVENTS,), "each counts once in its hour"
    assert store.read().execute("PRAGMA integrity_check").fetchone() == ("ok",)
    stored = {row[0] for row in store.read().execute("SELECT id FROM event")}
    store.close()
    assert stored == set(ids)
