"""A real dashboard server in a thread, and a gateway that is made of messages."""

from __future__ import annotations

import os
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher

from auscult.app.http.server import server
from auscult.app.people import passwords
from auscult.app.people.access import CODE_FILE
from auscult.app.settings import DashboardSettings
from auscult.app.store.connection import Engine
from auscult.app.store.database import DashboardStore
from auscult.app.store.postgres.server import PostgresServer
from auscult.app.store.sqlite import SqliteFile
from auscult.link.broker import BrokerSettings
from tests.app.messages import FakeGateway
from tests.app.postgres import Cluster
from tests.conftest import Mosquitto
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

SHIPPED_HASHER = passwords.HASHER
# the tests sign people in some hundred times; each would take a tenth of a second of both cores
passwords.HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of http:// addresses: each would load the authorities of this computer."""


DATED_1970 = dict.fromkeys(
    ("keep_trend_details_days", "keep_trends_days", "keep_events_days"), 36_500
)
"""Many tests send trends of the first hours of Unix time; their age does not delete them."""


class RunningDashboard:
    """A dashboard that listens on a port of its own; login is off unless a test asks for it."""

    def __init__(self, data_dir: Path, broker: BrokerSettings, **settings: Any) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        settings = {"login": "off", **DATED_1970, **settings}
        self.server = server(DashboardSettings(data_dir=data_dir, port=port, **settings), broker)
        self._thread = threading.Thread(target=self.server.run)
        self._thread.start()
        wait_until(lambda: self.server.started or not self._thread.is_alive(), what="server")
        assert self.server.started
        self.client = client_of(self)

    @property
    def dashboard(self) -> Any:
        return self.server.config.app.state.dashboard

    def get(self, path: str, **params: Any) -> Any:
        """Return the JSON of a GET that must succeed."""
        response = self.client.get(path, params=params)
        assert response.status_code == 200, response.text
        return response.json()

    def count(self, table: str) -> int:
        db = self.dashboard.store.read()
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def wait_connected(self) -> None:
        wait_until(lambda: self.get("/api/health")["broker"] == "connected", what="broker")

    def stop(self) -> None:
        self.client.close()
        self.server.should_exit = True
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive(), "the server does not stop"


DATABASES = ("sqlite", pytest.param("postgresql", marks=pytest.mark.nightly))
"""What tests are repeated on; test_postgres.py and test_workers.py test PostgreSQL at each push."""


@pytest.fixture
def database() -> str:
    """What dashboards store in; a module may ask for both, AUSCULT_TEST_DATABASE sets the rest."""
    return os.environ.get("AUSCULT_TEST_DATABASE", "sqlite")


@pytest.fixture
def dashboards(
    request: pytest.FixtureRequest, tmp_path: Path, mosquitto: Mosquitto, database: str
) -> Iterator[Callable[..., RunningDashboard]]:
    """`dashboards(**settings)` starts a dashboard on the one database of the test."""
    running: list[RunningDashboard] = []
    place: dict[str, Any] = {}
    if database == "postgresql":
        place["database"] = request.getfixturevalue("cluster").database()

    def start(**settings: Any) -> RunningDashboard:
        settings = {**place, **settings}
        running.append(RunningDashboard(tmp_path / "dashboard", mosquitto.settings, **settings))
        return running[-1]

    yield start
    for dashboard in running:
        dashboard.stop()


@pytest.fixture
def dashboard(dashboards: Callable[..., RunningDashboard]) -> RunningDashboard:
    """A dashboard that is connected to the broker."""
    running = dashboards()
    running.wait_connected()
    return running


@pytest.fixture
def gateway(mosquitto: Mosquitto) -> Iterator[FakeGateway]:
    """A gateway on the same broker."""
    fake = FakeGateway(mosquitto.settings)
    yield fake
    fake.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server of our own."""
    running = Cluster()
    yield running
    running.remove()


@pytest.fixture(params=DATABASES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """An empty place for a store: a file, then a database of a real server."""
    if request.param == "sqlite":
        return SqliteFile(tmp_path / "store" / "dashboard.db")
    return PostgresServer(request.getfixturevalue("cluster").database())


@pytest.fixture
def again(engine: Engine) -> Callable[[], Engine]:
    """`again()` is the same place, as another process would open it."""

    def same() -> Engine:
        if isinstance(engine, SqliteFile):
            return SqliteFile(engine.path)
        assert isinstance(engine, PostgresServer)
        return PostgresServer(engine.url)

    return same


@pytest.fixture
def opened_store(engine: Engine) -> Iterator[DashboardStore]:
    """A new store of its own."""
    store = DashboardStore(engine)
    yield store
    store.close()


class WallClock:
    """The wall clock of this process; the monotonic one stays as it is."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead_s = 0
        seconds, nanoseconds = time.time, time.time_ns
        monkeypatch.setattr(time, "time", lambda: seconds() + self.ahead_s)
        monkeypatch.setattr(time, "time_ns", lambda: nanoseconds() + self.ahead_s * 10**9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    return WallClock(monkeypatch)


PASSWORD = "correct horse battery"
OTHER = "staple, in any weather"


@pytest.fixture
def closed(dashboards: Callable[..., RunningDashboard]) -> RunningDashboard:
    """A dashboard that asks for login."""
    return dashboards(login="required")


@pytest.fixture
def administered(closed: RunningDashboard) -> RunningDashboard:
    """The same with an administrator `ada`, who is signed in as `closed.client`."""
    return administer(closed)


def administer(running: RunningDashboard) -> RunningDashboard:
    """Make the administrator `ada` and sign in as her."""
    body = {"name": "ada", "password": PASSWORD, "code": code(running)}
    answer = running.client.post("/api/v1/session/first-administrator", json=body)
    assert answer.status_code == 204, answer.text
    return running


def code(running: RunningDashboard) -> str:
    return (running.dashboard.settings.data_dir / CODE_FILE).read_text().strip()


def account(running: RunningDashboard, name: str, role: str, password: str = PASSWORD) -> None:
    body = {"name": name, "role": role, "password": password}
    answer = running.client.post("/api/v1/people", json=body)
    assert answer.status_code == 201, answer.text


def client_of(
    running: RunningDashboard, name: str | None = None, password: str = PASSWORD
) -> httpx.Client:
    client = httpx.Client(
        base_url=running.url, timeout=DEADLINE_S, verify=NO_TLS,
        event_hooks={"request": [_wait_for_answer]},
    )  # fmt: skip
    if name is not None:
        answer = client.post("/api/v1/session", json={"name": name, "password": password})
        assert answer.status_code == 204, answer.text
    return client


def _wait_for_answer(request: httpx.Request) -> None:
    """Have commands wait for their answer as long as they may: a busy machine takes a while."""
    if request.method != "GET" and "wait_s" not in request.url.params:
        request.url = request.url.copy_add_param("wait_s", "30")
