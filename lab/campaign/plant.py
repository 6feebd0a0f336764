"""A gateway with faults that come and go, a dashboard that receives it, and an oracle that counts.

A trigger in the gateway's own database notes each promised message, in the transaction of the
promise. The oracle compares what was promised with what the dashboard holds.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

from auscult.contract.topics import parse_topic
from auscult.gateway.storage.outbox import unpacked
from auscult.gateway.storage.store import FILE_NAME
from tests.gateway.product import Auscult
from tests.gateway.recorded import FS_HZ, impacts, shaft_noise, write_data_set
from tests.ports import free_port
from tests.waiting import wait_until

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
    """Return a gateway's configuration with a machine of two points."""
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


def played(manifest: Path, pace: int) -> str:
    """Return a source that plays half a day of stream."""
    return (
        f'[[sources]]\ntype = "recordings"\nmanifest = "{manifest}"\nmachine = "pump"\n'
        f"pace = {pace}\nhealthy_repeats = 3000\n"
    )


@dataclass(frozen=True)
class Counts:
    """What the oracle found; all zero but the first three is right."""

    events: int
    trends: int
    spectra: int
    lost: int
    doubled: int
    wrong: int


class Plant:
    """A gateway and a dashboard that can be killed.

    Parameters
    ----------
    folder : Path
        Holds ``gateway``, the data of a gateway that has learned its machine.
    ports : pair of int
        Of the broker, for gateway and dashboard.
    environment : mapping
        Variables of both.
    pace : int
        Speed of the stream, relative to real time.
    """

    def __init__(
        self,
        folder: Path,
        ports: tuple[int, int],
        environment: Mapping[str, str] | None = None,
        pace: int = 20,
    ) -> None:
        self.folder = folder
        self.data = folder / "gateway"
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        faults = [shaft_noise(4, 20), impacts(2, 21), shaft_noise(5, 22), impacts(3, 23)]
        manifest = write_data_set(
            folder / "recordings",
            {"comes_and_goes": np.concatenate(faults)},
            labels={"comes_and_goes": "healthy"},
        )
        self._config = gateway_toml(ports[0], played(manifest, pace))
        self._silent = gateway_toml(ports[0], "")
        self._environment = environment or {}
        self.from_memory = False
        """Whether messages may be sent that no disk had room for, so that none is noted."""
        with sqlite3.connect(self.data / FILE_NAME) as db:
            db.executescript(PROMISES + A_DAY_AGO)
        self._dashboard = (
            f'[mqtt]\nport = {ports[1]}\n[dashboard]\nport = {port}\ndata_dir = "dashboard"\n'
            # more than a run makes: the oracle would count what retention deletes as lost
            'login = "off"\nkeep_spectra_per_point = 100000\n'
        )
        self.dashboard = self.start_dashboard()
        self.gateway: Auscult | None = None

    def start_dashboard(self) -> Auscult:
        self.dashboard = Auscult("dashboard", self.folder, self._dashboard, self._environment)
        return self.dashboard

    def start(self, *, silent: bool = False) -> Auscult:
        configuration = self._silent if silent else self._config
        self.gateway = Auscult("gateway", self.folder, configuration, self._environment)
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

    def rows(self, query: str, *values: object, at: str = "") -> list[tuple]:
        with closing(sqlite3.connect(at or self.data / FILE_NAME, timeout=30)) as db:
            return db.execute(query, values).fetchall()

    def at_the_dashboard(self, query: str) -> list[tuple]:
        return self.rows(query, at=str(self.folder / "dashboard" / "dashboard.db"))

    def promised(self, kind: str) -> list[dict]:
        """Return what the gateway's database says it has said, each message once."""
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

    def finish(self, timeout_s: float = 120) -> Auscult:
        """Let a gateway without sources deliver what waits."""
        last = self.start(silent=True)
        wait_until(lambda: self.waiting == 0, timeout_s, "all is confirmed")
        return last

    def recover(self, timeout_s: float = 60) -> float:
        """Return how long it takes until something promised from now on is at the dashboard."""
        start, newest = time.monotonic(), self._newest()
        wait_until(lambda: self._arrived(newest), timeout_s, "the dashboard gets what is new")
        return time.monotonic() - start

    def _newest(self) -> int:
        return int(self.rows("SELECT coalesce(max(rowid), 0) FROM promised")[0][0])

    def _arrived(self, after: int) -> bool:
        rows = self.rows(
            "SELECT message_id FROM promised WHERE rowid > ? AND topic LIKE '%/trend' LIMIT 1",
            after,
        )
        if not rows:
            return False
        waits = self.rows("SELECT count(*) FROM outbox WHERE message_id = ?", rows[0][0])
        return waits == [(0,)]  # its receipt has come

    def count(self) -> Counts:
        """Compare what was promised with what the dashboard holds."""
        lost = doubled = wrong = 0
        said = self.promised("event")
        starts = Counter(body["event_id"] for body in said if body["phase"] == "start")
        events = {body["event_id"]: body for body in said}
        doubled += sum(starts.values()) - len(starts)
        shown = {
            name: (phase, ended)
            for name, phase, ended in self.at_the_dashboard("SELECT id, phase, ended_ms FROM event")
        }
        lost += len(set(events) - set(shown))
        wrong += sum(
            shown[name] != (body["phase"], body.get("ended_ms"))
            for name, body in events.items()
            if name in shown
        )
        spans = Counter((body["point"], body["start_ms"]) for body in self.promised("trend"))
        held = Counter(
            self.at_the_dashboard(
                "SELECT p.point, start_ms FROM trend t JOIN point p ON num = t.point"
                " WHERE tier_s = 0"
            )
        )
        lost += len(set(spans) - set(held))
        doubled += sum(spans.values()) - len(spans) + sum(held.values()) - len(held)
        [(raw,)] = self.at_the_dashboard("SELECT sum(windows) FROM trend WHERE tier_s = 0")
        [(hours,)] = self.at_the_dashboard("SELECT sum(windows) FROM trend WHERE tier_s = 3600")
        wrong += hours != raw
        spectra = {body["id"] for body in self.promised("spectrum")}
        lost += len(spectra - {row[0] for row in self.at_the_dashboard("SELECT id FROM spectrum")})
        if not self.from_memory:
            wrong += len(set(shown) - set(events)) + len(set(held) - set(spans))
        return Counts(len(events), len(spans), len(spectra), lost, doubled, wrong)
