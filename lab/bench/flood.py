"""How many messages a second are stored: on a file, and on PostgreSQL by one and two workers.

``python -m lab.bench.flood [--messages N]`` publishes trends of many points while no dashboard
runs, starts one and waits until all are stored, so that publisher and dashboard do not share the
processor. Real Mosquitto, real PostgreSQL (fsync on), whole dashboards; the runs are interleaved,
and each figure is the median of three.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sqlite3
import statistics
import tempfile
import threading
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import httpx

from auscult.app.http.serve import serve
from auscult.app.settings import DashboardSettings
from auscult.app.store.database import DashboardStore
from auscult.app.store.place import place
from auscult.link.broker import BrokerSettings
from tests.app import messages as m
from tests.app.postgres import Cluster
from tests.conftest import Mosquitto
from tests.ports import free_port

POINTS = 200
FEATURES = 97
REPEATS = 3
LISTENING = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'LISTEN%'"""
SPAWN = multiprocessing.get_context("spawn")
KINDS = {"SQLite": 0, "PostgreSQL, 1 worker": 1, "PostgreSQL, 2 workers": 2, "… 3 workers": 3}


def publish(broker: BrokerSettings, count: int) -> None:
    """Publish trends of all points, a minute after the other."""
    gateway = m.FakeGateway(broker)
    values = {f"feature_{i:03}": (0.5, 1.0, 2.0) for i in range(FEATURES)}
    units = dict.fromkeys(values, "g")
    begin_ms = m.now_ms() - count // POINTS * 60_000
    for i in range(count):
        minute, point = divmod(i, POINTS)
        start = begin_ms + 60_000 * minute
        name = f"machine-{point // 4}"
        gateway.publish(m.trend(name, f"p{point % 4}", start, values=values, units=units))
    while gateway.delivered < count:
        time.sleep(0.05)
    gateway.stop()


def run(settings: DashboardSettings, broker: BrokerSettings) -> None:
    """Serve as `auscult dashboard` does."""
    serve(settings, broker)


def start(settings: DashboardSettings, broker: BrokerSettings) -> BaseProcess:
    """Start a dashboard; return when it is connected."""
    dashboard = SPAWN.Process(target=run, args=(settings, broker))
    dashboard.start()
    connected(settings.port)
    return dashboard


def connected(port: int) -> None:
    """Wait a minute at most for a dashboard's connection to the broker."""
    for _ in range(600):
        try:
            answer = httpx.get(f"http://127.0.0.1:{port}/api/health").json()
            if answer["broker"] == "connected":
                break
        except httpx.HTTPError:
            pass
        time.sleep(0.1)


def measure(workers: int, count: int, cluster: Cluster, folder: Path) -> float:
    """Messages stored a second, of those that wait at the broker when the dashboard starts."""
    broker = Mosquitto(folder)
    broker.start()
    port = free_port()
    more: dict[str, Any] = {"database": cluster.database(), "workers": workers} if workers else {}
    settings = DashboardSettings(data_dir=folder, port=port, login="off", **more)
    dashboard = start(settings, broker.settings)
    reader = DashboardStore(place(settings)) if workers else None
    while reader is not None and reader.read().execute(LISTENING).fetchone()[0] < workers:
        time.sleep(0.1)
    time.sleep(2)  # all have subscribed: from now on the broker keeps what comes for them
    dashboard.terminate()
    dashboard.join()

    def stored() -> int:
        sql = "SELECT count(*) FROM trend WHERE tier_s = 0"
        if reader is not None:
            return int(reader.read().execute(sql).fetchone()[0])
        with sqlite3.connect(folder / "dashboard.db") as db:
            return int(db.execute(sql).fetchone()[0])

    publisher = SPAWN.Process(target=publish, args=(broker.settings, count))
    publisher.start()
    publisher.join()
    beginning = threading.Thread(target=lambda: running.append(start(settings, broker.settings)))
    running: list[BaseProcess] = []
    beginning.start()
    while (first := stored()) == 0:
        time.sleep(0.01)
    begun = time.monotonic()
    while (now := stored()) < count:
        # Counting scans the table: rarely at first, while the dashboard needs the processor.
        rest_s = (count - now) * (time.monotonic() - begun) / max(now - first, 1)
        time.sleep(min(max(rest_s / 2, 0.02), 1.0))
    took = time.monotonic() - begun
    beginning.join()
    running[0].terminate()
    running[0].join()
    if reader is not None:
        reader.close()
    broker.stop()
    return (count - first) / took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, default=20_000)
    asked = parser.parse_args()
    cluster = Cluster(fsync=True)
    figures: dict[str, list[float]] = {kind: [] for kind in KINDS}
    try:
        for _ in range(REPEATS):
            for kind, workers in KINDS.items():
                with tempfile.TemporaryDirectory() as folder:
                    figures[kind].append(measure(workers, asked.messages, cluster, Path(folder)))
    finally:
        cluster.remove()
    base = statistics.median(figures["PostgreSQL, 1 worker"])
    for kind, found in figures.items():
        median = statistics.median(found)
        print(f"{kind:24} {median:8.0f} messages/s {median / base:6.2f} ×")


if __name__ == "__main__":
    main()
