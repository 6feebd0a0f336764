"""Plants of 10 to 10,000 machines against a real dashboard: rate, delay, growth, page times.

    python -m lab.bench.load [--machines 10 100 1000] [--minutes 2] [--postgres --workers N]

Plays gateways of 25 machines with 4 points at the rates of the default settings: a trend of 97
features, a state and its heartbeat a minute for each point, a state for each machine, an event
now and then. Prints a row for each size: the delay from publishing a trend to the dashboard's
receipt, which follows the commit; CPU of the dashboard, the broker and PostgreSQL's server in
percent of one core; the dashboard's memory; the medians of pages asked meanwhile; and the growth of
the database for each machine and day. The growth is what the rows of trends stored in the second
minute took, times the rows of a day: in the first minute each point also gets its row of the hour
and of the day. What older data is thinned out to is measured by `lab.bench.storage`.

The generator needs about a third of a core at 10,000 machines, on the machine that it measures.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import random
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing.queues import Queue as ProcessQueue
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg

from auscult.app.identity import machine_id
from auscult.app.settings import DashboardSettings
from auscult.app.store.place import FILE_NAME
from auscult.contract.message import Message
from auscult.contract.payloads import Status
from auscult.contract.topics import Topics
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link, Received
from lab.bench.flood import start
from tests.app import messages as m
from tests.app.postgres import Cluster
from tests.conftest import Mosquitto
from tests.ports import free_port

MACHINES_A_GATEWAY = 25
POINTS = ("de-h", "de-v", "nde-h", "nde-v")
FEATURES = 97
PERIOD_S = 60.0
"""`trend_interval_s` and `heartbeat_s` of a gateway's default settings."""
EVENTS_A_PERIOD = 0.001
"""Of each machine: about one a day."""
WARM_UP_S = 20.0
PAGES_EACH_S = 2.0
DRAIN_S = 60.0
ROWS_A_DAY = len(POINTS) * (86_400 / PERIOD_S + 24 + 1)
"""Of a machine: each interval, and the rows of hours and of the day."""
COLUMNS = (
    "machines", "messages/s", "without receipt", "delay, ms", "p99", "CPU, %", "memory, MB",
    "pages, ms", "MB a machine and day",
)  # fmt: skip
SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Sent:
    """What the generator counted: messages in the measured time, trends in all; delays in s."""

    messages: int
    trends: int
    late_s: float
    delays_s: list[float]
    missing: int


@dataclass(slots=True)
class Plant:
    """Machines of one plant, each with its minute of messages spread over the minute."""

    machines: int
    rng: random.Random = field(default_factory=lambda: random.Random(1))

    def topics(self, machine: int) -> Topics:
        return Topics(f"site-{machine // 2500}", f"gw-{machine // MACHINES_A_GATEWAY}")

    def inventories(self) -> Iterator[tuple[Topics, Message]]:
        for first in range(0, self.machines, MACHINES_A_GATEWAY):
            topics = self.topics(first)
            names = [f"m{i}" for i in range(first, min(first + MACHINES_A_GATEWAY, self.machines))]
            yield topics, m.status()
            yield topics, m.inventory(*names, points=POINTS)

    def minute(self) -> list[tuple[float, int, str]]:
        """Return moments within the period, each with a machine and a point ("" = the machine)."""
        moments = [
            (self.rng.random() * PERIOD_S, machine, point)
            for machine in range(self.machines)
            for point in (*POINTS, "")
        ]
        return sorted(moments)

    def messages(
        self, machine: int, point: str, at_ms: int | None = None
    ) -> Iterator[tuple[str, bytes, bool, str]]:
        """Yield topic, payload, whether it is retained, and the id of a trend, which ends then."""
        topics, name = self.topics(machine), f"m{machine}"
        if not point:
            state = m.machine_state(name, evidence=round(self.rng.random(), 3))
            yield topics.machine_state(name), state.to_json(), True, ""
            if self.rng.random() < EVENTS_A_PERIOD:
                yield topics.event(name), m.event(name, m.ulid()).to_json(), False, ""
            return
        yield topics.point_state(name, point), m.point_state(name, point).to_json(), True, ""
        identity, now = m.ulid(), at_ms or m.now_ms()
        text = TREND % (now, identity, name, point, now - 60_000, now)
        yield topics.trend(name, point), text.encode(), False, identity


def _template() -> str:
    values = {f"feature_{i:03}": [0.5123 + i, 1.0456 + i, 2.0789 + i] for i in range(FEATURES)}
    units = json.dumps(dict.fromkeys(values, "g"))
    return (
        '{"schema":"auscult/v1/trend","ts":%d,"id":"%s","machine":"%s","point":"%s","start_ms":%d,'
        '"end_ms":%d,"windows":60,"condition":"normal","values":'
        + json.dumps(values)
        + f',"units":{units}}}'
    )


TREND = _template()


@dataclass(slots=True)
class Player:
    """Sends a plant's messages at their rate, and takes the receipts."""

    plant: Plant
    link: Link
    begins: float
    ends: float
    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: dict[str, float] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)
    trends: int = 0
    sent: int = 0
    late_s: float = 0.0

    def receive(self, received: Received) -> None:
        """Take a receipt."""
        now = time.monotonic()
        with self.lock:
            for identity in json.loads(received.payload)["ids"]:
                if (begun := self.waiting.pop(identity, None)) is not None:
                    self.delays.append(now - begun)

    def play(self) -> None:
        """Send period after period until the end."""
        moments, begun = self.plant.minute(), time.monotonic()
        for turn in itertools.count():
            for at_s, machine, point in moments:
                due = begun + turn * PERIOD_S + at_s
                if due > self.ends:
                    return
                self._send(due, machine, point)

    def _send(self, due: float, machine: int, point: str) -> None:
        if (pause_s := due - time.monotonic()) > 0:
            time.sleep(pause_s)
        measured = time.monotonic() >= self.begins
        if measured:
            self.late_s = max(self.late_s, -pause_s)
        self.sent += measured * self.send(machine, point)

    def send(self, machine: int, point: str, at_ms: int | None = None) -> int:
        """Send the messages of a machine or point; return how many."""
        sent = 0
        for topic, payload, retained, identity in self.plant.messages(machine, point, at_ms):
            if identity:
                self.trends += 1
                with self.lock:
                    self.waiting[identity] = time.monotonic()
            self.link.publish(topic, payload, retain=retained)
            sent += 1
        return sent

    def wait_stored(self) -> None:
        """Wait at most `DRAIN_S` until the dashboard has confirmed all trends."""
        ends = time.monotonic() + DRAIN_S
        while self.waiting and time.monotonic() < ends:
            time.sleep(0.01)


def play(broker: BrokerSettings, machines: int, measured_s: float, out: ProcessQueue[Any]) -> None:
    """Announce a plant, send its messages, wait for the last receipts."""
    plant = Plant(machines)
    begins = time.monotonic() + WARM_UP_S
    link = Link(broker, "plant", on_message=lambda received: player.receive(received))
    player = Player(plant, link, begins, begins + measured_s)
    link.subscribe(["auscult/v1/+/+/cmd/receipt"])
    link.start()
    link.wait_connected(30)
    for topics, message in plant.inventories():
        kind = topics.status if isinstance(message, Status) else topics.inventory
        link.publish(kind, message.payload(), retain=True)
    out.put("announced")
    player.play()
    player.wait_stored()
    link.stop()
    out.put(Sent(player.sent, player.trends, player.late_s, player.delays, len(player.waiting)))


@dataclass(slots=True)
class Pages:
    """Asks for pages again and again, each by its name with its times in seconds."""

    url: str
    machine: str
    times: dict[str, list[float]] = field(default_factory=dict)
    stopping: threading.Event = field(default_factory=threading.Event)

    def ask(self) -> None:
        """Ask until stopped, on one connection."""
        day = {"start_ms": m.now_ms() - 86_400_000, "end_ms": m.now_ms() + 3_600_000}
        wanted = {
            "overview": ("/api/v1/machines", {}),
            "machine": (f"/api/v1/machines/{self.machine}", {}),
            "trend": (f"/api/v1/machines/{self.machine}/points/{POINTS[0]}/trend", day),
        }
        with httpx.Client(base_url=self.url, timeout=60) as client:
            while not self.stopping.wait(PAGES_EACH_S):
                for page, (path, query) in wanted.items():
                    begun = time.monotonic()
                    client.get(path, params=query).raise_for_status()
                    self.times.setdefault(page, []).append(time.monotonic() - begun)


def _cpu_s(process: psutil.Process) -> float:
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            total += times.user + times.system
    return total


def _memory_mb(process: psutil.Process) -> float:
    whole = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            whole += one.memory_info().rss / 1e6
    return whole


def _stored(settings: DashboardSettings) -> tuple[int, int]:
    """Return the bytes of the database's pages in use, and the rows of trends as sent."""
    rows = "SELECT count(*) FROM trend WHERE tier_s = 0"
    if settings.database is not None:
        with psycopg.connect(settings.database) as server:
            size = server.execute("SELECT pg_database_size(current_database())").fetchone()
            found = server.execute(rows).fetchone()
        return int((size or (0,))[0]), int((found or (0,))[0])
    with closing(sqlite3.connect(settings.data_dir / FILE_NAME, timeout=60)) as file:
        pages, free, size = (
            file.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size, file.execute(rows).fetchone()[0]


def measure(machines: int, asked: argparse.Namespace, cluster: Cluster | None, folder: Path) -> str:
    """Play a plant of this size; return its row."""
    broker, data = Mosquitto(folder), folder / "data"
    broker.start()
    port = free_port()
    more: dict[str, Any] = (
        {} if cluster is None else {"database": cluster.database(), "workers": asked.workers}
    )
    gateways = -(-machines // MACHINES_A_GATEWAY)
    settings = DashboardSettings(
        data_dir=data, port=port, login="off", max_gateways=max(200, gateways), **more
    )
    own_broker = next(c for c in psutil.Process().children() if c.name() == "mosquitto")
    process = start(settings, broker.settings)
    parts = [psutil.Process(process.pid), own_broker]
    if cluster is not None:
        server = (cluster.folder / "data/postmaster.pid").read_text().split()[0]
        parts.append(psutil.Process(int(server)))
    out: ProcessQueue[Any] = SPAWN.Queue()
    measured_s = 60 * asked.minutes
    player = SPAWN.Process(target=play, args=(broker.settings, machines, measured_s, out))
    player.start()
    out.get()
    time.sleep(WARM_UP_S)
    pages = Pages(f"http://127.0.0.1:{port}", machine_id("site-0", "gw-0", "m3"))
    asking = threading.Thread(target=pages.ask)
    asking.start()
    before, begun = [_cpu_s(part) for part in parts], time.monotonic()
    second_minute_s = PERIOD_S - WARM_UP_S + 5
    time.sleep(min(second_minute_s, measured_s / 2))
    full = _stored(settings)
    time.sleep(measured_s - (time.monotonic() - begun))
    grown = _stored(settings)
    took = time.monotonic() - begun
    cpu = [100 * (_cpu_s(part) - was) / took for part, was in zip(parts, before, strict=True)]
    memory = _memory_mb(parts[0])
    pages.stopping.set()
    asking.join()
    sent: Sent = out.get()
    player.join()
    process.terminate()
    process.join()
    broker.stop()
    ordered = sorted(sent.delays_s) or [float("nan")]
    slowest = {page: statistics.median(times) for page, times in pages.times.items()}
    row = (
        machines,
        f"{sent.messages / measured_s:.1f}",
        sent.missing,
        f"{1e3 * statistics.median(ordered):.0f}",
        f"{1e3 * ordered[int(0.99 * len(ordered))]:.0f}",
        " + ".join(f"{percent:.1f}" for percent in cpu),
        f"{memory:.0f}",
        ", ".join(f"{page} {1e3 * seconds:.0f}" for page, seconds in slowest.items()),
        f"{ROWS_A_DAY * (grown[0] - full[0]) / max(1, grown[1] - full[1]) / 1e6:.2f}",
    )
    late = "" if sent.late_s < 1 else f" generator up to {sent.late_s:.0f} s late"
    return f"| {' | '.join(map(str, row))} |{late}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--machines", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--postgres", action="store_true", help="instead of a SQLite file")
    parser.add_argument("--workers", type=int, default=1, help="with --postgres")
    asked = parser.parse_args()
    cluster = Cluster(fsync=True) if asked.postgres else None
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    try:
        for machines in asked.machines:
            with tempfile.TemporaryDirectory() as folder:
                print(measure(machines, asked, cluster, Path(folder)), flush=True)
    finally:
        if cluster is not None:
            cluster.remove()


if __name__ == "__main__":
    main()
