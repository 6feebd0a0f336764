"""kill -9 of the whole `auscult gateway` at random instants: nothing lost, nothing doubled.

A gateway with faults that come and go is killed again and again, both while it starts and while it
publishes; a real dashboard receives it over a real broker. A trigger in the gateway's own database
notes each promised message, in the transaction of the promise. `AUSCULT_CAMPAIGN=full pytest
tests/gateway/test_kills.py` kills 200 times.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import time
from collections import Counter
from pathlib import Path

import httpx
import numpy as np
import pytest

from auscult.gateway.messages.topics import parse_topic
from auscult.gateway.storage.outbox import unpacked
from auscult.gateway.storage.store import FILE_NAME
from tests.conftest import Mosquitto, _free_port, wait_until
from tests.gateway.product import Auscult
from tests.gateway.recorded import FS_HZ, impacts, shaft_noise, write_data_set

KILLS = 200 if os.environ.get("AUSCULT_CAMPAIGN") == "full" else 4
STARTS_S = 2.5
"""A gateway takes about so long from its start to its first words on a busy machine."""
SPEAKS_S = 1.5
PROMISES = """
CREATE TABLE promised (message_id TEXT, topic TEXT NOT NULL, payload BLOB NOT NULL);
CREATE TRIGGER promise AFTER INSERT ON outbox BEGIN
    INSERT INTO promised VALUES (NEW.message_id, NEW.topic, NEW.payload);
END;
INSERT INTO promised SELECT message_id, topic, payload FROM outbox;
"""
A_DAY_AGO = """
UPDATE detector_states SET stream_ns = stream_ns - 86400000000000;
UPDATE counters SET value = value - 86400000000000 WHERE name LIKE 'stream_end_ns/%';
"""
"""So that the stream, which never goes back, has a past to be played fast."""


def gateway_toml(port: int, sources: str) -> str:
    """Half a day of stream, twenty times as fast as real time."""
    points = "".join(
        f'[[machines.points]]\nid = "{point}"\nkind = "vibration"\nunit = "g"\nfs_hz = {FS_HZ}\n'
        for point in ("de", "nde")
    )
    return (
        f"[mqtt]\nport = {port}\n"
        '[gateway]\ndata_dir = "gateway"\ntrend_interval_s = 1\nheartbeat_s = 5\n'
        "[detector]\nwindow_s = 0.25\nbaseline_windows = 60\n"
        f'[[machines]]\nid = "pump"\nspeed_rpm = 1500\n{points}{sources}'
    )


def played(manifest: Path) -> str:
    return (
        f'[[sources]]\ntype = "recordings"\nmanifest = "{manifest}"\nmachine = "pump"\n'
        "pace = 20\nhealthy_repeats = 3000\n"
    )


class Plant:
    """A gateway that can be killed, and a dashboard that receives from it."""

    def __init__(self, folder: Path, broker: Mosquitto) -> None:
        self.folder = folder
        self.data = folder / "gateway"
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}"
        faults = [shaft_noise(4, 20), impacts(2, 21), shaft_noise(5, 22), impacts(3, 23)]
        manifest = write_data_set(
            folder / "recordings",
            {"comes_and_goes": np.concatenate(faults)},
            labels={"comes_and_goes": "healthy"},
        )
        self._config = gateway_toml(broker.port, played(manifest))
        self._silent = gateway_toml(broker.port, "")
        with sqlite3.connect(self.data / FILE_NAME) as db:
            db.executescript(PROMISES + A_DAY_AGO)
        self.dashboard = Auscult(
            "dashboard", folder,
            f'[mqtt]\nport = {broker.port}\n[dashboard]\nport = {port}\ndata_dir = "dashboard"\n'
            'login = "off"\n',
        )  # fmt: skip
        self.gateway: Auscult | None = None

    def start(self, *, silent: bool = False) -> Auscult:
        self.gateway = Auscult("gateway", self.folder, self._silent if silent else self._config)
        return self.gateway

    def connected(self) -> bool:
        try:
            health = httpx.get(f"{self.url}/api/health", timeout=20).json()
        except httpx.HTTPError:
            return False
        return bool(health["broker"] == "connected")

    @property
    def promises(self) -> int:
        return int(self.rows("SELECT count(*) FROM promised")[0][0])

    @property
    def waiting(self) -> int:
        return int(self.rows("SELECT count(*) FROM outbox")[0][0])

    def rows(self, query: str, *, at: str = "") -> list[tuple]:
        with sqlite3.connect(at or self.data / FILE_NAME, timeout=30) as db:
            return db.execute(query).fetchall()

    def at_the_dashboard(self, query: str) -> list[tuple]:
        return self.rows(query, at=str(self.folder / "dashboard" / "dashboard.db"))

    def promised(self, kind: str) -> list[dict]:
        """What the gateway's database says it has said, each message once."""
        found = {}
        for name, topic, payload in self.rows("SELECT * FROM promised ORDER BY rowid"):
            address = parse_topic(topic)
            if address is not None and address.kind == kind:
                found[name] = json.loads(unpacked(payload))
        return list(found.values())

    def end(self) -> None:
        for one in (self.gateway, self.dashboard):
            if one is not None and one.process.poll() is None:
                one.kill()


@pytest.fixture
def plant(trained, tmp_path, mosquitto):
    assert trained == tmp_path / "gateway"
    plant = Plant(tmp_path, mosquitto)
    yield plant
    plant.end()


@pytest.mark.slow
@pytest.mark.timeout(7200 if KILLS > 10 else 300)
def test_kills_of_the_whole_gateway_lose_and_double_nothing(plant):
    wait_until(plant.connected, 60, "the dashboard")
    chance = random.Random(6)
    for number in range(KILLS):
        gateway, before = plant.start(), plant.promises
        if number % 3:
            wait_until(lambda n=before: plant.promises > n, 60, "the gateway says more")
            time.sleep(chance.uniform(0, SPEAKS_S))
        else:
            time.sleep(chance.uniform(0, STARTS_S))
        assert gateway.process.poll() is None, gateway.log.read_text()[-2000:]
        gateway.kill()
    last = plant.start(silent=True)
    wait_until(lambda: plant.waiting == 0, 120, "all is confirmed")
    assert "Traceback" not in last.log.read_text()

    events = {body["event_id"]: body for body in plant.promised("event")}
    phases = Counter(body["phase"] for body in plant.promised("event"))
    assert phases["start"] == len(events) >= KILLS // 4, "each event starts once"
    ended = {name: body["ended_ms"] for name, body in events.items() if body["phase"] == "end"}
    assert len(ended) >= len(events) - 1, "one departure is one event: at most the last is open"
    kept = plant.rows("SELECT event_id, phase FROM events")
    assert dict(kept) == {name: body["phase"] for name, body in events.items()}
    assert dict(plant.at_the_dashboard("SELECT id, phase FROM event")) == dict(kept)
    assert (
        dict(plant.at_the_dashboard("SELECT id, ended_ms FROM event WHERE phase = 'end'")) == ended
    )

    trends = plant.promised("trend")
    spans = Counter((body["point"], body["start_ms"]) for body in trends)
    assert set(spans.values()) == {1}, "no second is published twice"
    [(rows,)] = plant.at_the_dashboard("SELECT count(*) FROM trend WHERE tier_s = 0")
    [(hours,)] = plant.at_the_dashboard("SELECT sum(windows) FROM trend WHERE tier_s = 3600")
    assert rows == len(trends)
    assert hours == sum(body["windows"] for body in trends), "each counts once in its hour"
    spectra = {body["id"] for body in plant.promised("spectrum")}
    assert {row[0] for row in plant.at_the_dashboard("SELECT id FROM spectrum")} == spectra
    print(f"{KILLS} kills: {len(events)} events, {len(trends)} trends, {len(spectra)} spectra")
