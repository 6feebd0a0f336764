"""kill -9 of gateway, broker or dashboard at random instants: nothing lost, nothing doubled.

``AUSCULT_CAMPAIGN=full`` kills each 334 times: 1,002 kills in one run.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import socket
import sqlite3
import time
from pathlib import Path

import pytest

from auscult.app.http.serve import serve
from auscult.app.settings import DashboardSettings
from auscult.contract.payloads import Receipt
from auscult.contract.topics import Topics
from auscult.gateway.publishing.publisher import Publication, Publisher
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.outgoing import Lane
from auscult.gateway.storage.store import Store
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link, Received
from tests.app import messages as m
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

KILLS = 334 if os.environ.get("AUSCULT_CAMPAIGN") == "full" else 3
TOPICS = Topics("plant", "gw1")


def gateway(folder: Path, broker: BrokerSettings, start_ms: int) -> None:
    """Say one event and one trend after the other, as a gateway does; note each that is stored."""
    said, stop = folder / "said", folder / "stop"
    store = Store(folder)
    outbox: Outbox

    def take(received: Received) -> None:
        if received.topic == TOPICS.receipt:
            outbox.receive(Receipt.read(received.payload))

    def connected() -> None:
        states.connected()
        outbox.connected()

    link = Link(
        broker, "gateway", on_message=take, subscriptions=[TOPICS.commands], on_connected=connected
    )
    states, outbox = RetainedStates(link), Outbox(store, link, 10**8)
    publisher = Publisher(states, outbox)
    outbox.start()
    link.start()
    number = len(said.read_text().splitlines()) if said.exists() else 0
    status_s = 0.0
    with said.open("a") as log:
        while not stop.exists() or outbox.pending:
            if time.monotonic() - status_s > 0.5:
                status_s = time.monotonic()
                publisher.state(TOPICS.status, m.status())
            if stop.exists():
                time.sleep(0.05)
                continue
            t = start_ms + number
            trend = m.trend("pump", "de", t, windows=1).model_copy(update={"id": f"t{number}"})
            event = m.event("pump", f"e{number}", started_ms=t, updated_ms=t)
            event = event.model_copy(update={"id": f"m{number}"})
            publisher.send([
                Publication(TOPICS.event("pump"), event),
                Publication(TOPICS.trend("pump", "de"), trend, Lane.TREND),
            ]).result()  # fmt: skip
            log.write(f"{number}\n")
            log.flush()
            number += 1
            time.sleep(0.005)
    link.stop()
    outbox.stop()
    store.close()


def dashboard(folder: Path, port: int, broker: BrokerSettings) -> None:
    serve(DashboardSettings(data_dir=folder, port=port, login="off"), broker)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Plant:
    """Gateway and dashboard, each a process of its own that can be killed."""

    def __init__(self, folder: Path, broker: BrokerSettings) -> None:
        self.port = free_port()
        self.database = folder / "dashboard" / "dashboard.db"
        self._box, self._home, self._broker = folder / "gateway", folder / "dashboard", broker
        self._box.mkdir()
        self._start_ms = m.now_ms()
        self._spawn = multiprocessing.get_context("spawn")
        self.serving = self._serve()
        self.saying = self._say()

    def _serve(self):
        args = (self._home, self.port, self._broker)
        process = self._spawn.Process(target=dashboard, args=args, daemon=True)
        process.start()
        wait_until(lambda: listens(self.port), what="the dashboard")
        return process

    def _say(self):
        args = (self._box, self._broker, self._start_ms)
        process = self._spawn.Process(target=gateway, args=args, daemon=True)
        process.start()
        return process

    @property
    def said(self) -> int:
        path = self._box / "said"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def kill_dashboard(self) -> None:
        self.serving.kill()
        self.serving.join()
        self.serving = self._serve()

    def kill_gateway(self) -> None:
        self.saying.kill()
        self.saying.join()
        self.saying = self._say()

    def finish(self) -> None:
        """Say no more; wait until all is confirmed.

        The last kill may fall between the commit of a message and the oracle's line for it. The
        restarted gateway sends that message again, under the same ids, and then writes the line.
        """
        goal = self.said + 1
        wait_until(lambda: self.said >= goal, what="the gateway says more")
        (self._box / "stop").touch()
        self.saying.join(DEADLINE_S)
        assert self.saying.exitcode == 0, "all is confirmed"

    def end(self) -> None:
        for process in (self.saying, self.serving):
            process.kill()
            process.join()


@pytest.fixture
def plant(tmp_path, mosquitto):
    plant = Plant(tmp_path, mosquitto.settings)
    yield plant
    plant.end()


@pytest.mark.slow
@pytest.mark.timeout(7200 if KILLS > 10 else 300)
@pytest.mark.parametrize("victim", ["gateway", "broker", "dashboard"])
def test_kills_lose_and_double_nothing(victim, plant, mosquitto):
    chance = random.Random(victim)
    for _ in range(KILLS):
        goal = plant.said + chance.randint(10, 120)
        wait_until(lambda goal=goal: plant.said >= goal, what="the gateway says more")
        if victim == "broker":
            mosquitto.kill()
            time.sleep(chance.uniform(0, 0.2))
            mosquitto.start()
        elif victim == "dashboard":
            plant.kill_dashboard()
        else:
            plant.kill_gateway()
    plant.finish()
    total = plant.said
    with sqlite3.connect(plant.database) as db:
        events = {row[0] for row in db.execute("SELECT id FROM event")}
        (rows,) = db.execute("SELECT count(*) FROM trend WHERE tier_s = 0").fetchone()
        (windows,) = db.execute("SELECT sum(windows) FROM trend WHERE tier_s = 3600").fetchone()
    assert events == {f"e{n}" for n in range(total)}
    assert rows == windows == total, "each counts once in its hour"
