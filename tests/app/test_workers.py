"""Several processes on one database: each message stored once, whoever takes it, whoever dies."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading

import httpx
import psutil
import pytest

from auscult.app.http.serve import serve
from auscult.app.settings import DashboardSettings
from auscult.app.store.database import DashboardStore
from auscult.app.store.postgres.server import PostgresServer
from lab.bench.flood import LISTENING
from tests.app import messages as m
from tests.app.conftest import RunningDashboard
from tests.app.test_live import listening
from tests.ports import free_port
from tests.waiting import DEADLINE_S, eventually

PASSWORD = "correct horse battery"


@pytest.fixture
def url(cluster):
    return cluster.database()


@pytest.fixture
def pair(url, tmp_path, mosquitto):
    """`pair(**settings)` starts two dashboards on one database, as two hosts would."""
    running = []

    def start(**settings):
        for name in ("a", "b"):
            folder = tmp_path / name
            both = {"database": url, "client_id": f"dashboard-{name}", **settings}
            running.append(RunningDashboard(folder, mosquitto.settings, **both))
            running[-1].wait_connected()
        return running

    yield start
    for dashboard in running:
        dashboard.stop()


def taken(dashboard):
    """How many messages this one has received and understood."""
    received = dashboard.dashboard.metrics.received
    return sum(s.value for metric in received.collect() for s in metric.samples)


def test_messages_are_shared_and_each_is_stored_once(pair, gateway):
    first, second = pair()
    before = [taken(first), taken(second)]
    for i in range(100):
        gateway.publish(m.event("pump-3", m.ulid(), id=f"event-{i}"))
        gateway.publish(m.trend("pump-3", "DE-H", 60_000 * i, float(i), id=f"trend-{i}"))
    ids = {f"{kind}-{i}" for kind in ("event", "trend") for i in range(100)}
    eventually(lambda: set(gateway.receipts) >= ids, True)
    eventually(lambda: first.count("event"), 100)
    eventually(lambda: first.count("trend WHERE tier_s = 0"), 100)
    after = [taken(first), taken(second)]
    shares = [now - was for now, was in zip(after, before, strict=True)]
    # the first may still come by the subscription that brings what is retained
    assert 200 <= sum(shares) < 300, "each went to one of them"
    assert min(shares) > 20, "both took their turn"
    hours = second.dashboard.store.read().execute(
        "SELECT sum(windows), count(*) FROM trend WHERE tier_s = 3600"
    )
    assert hours.fetchone() == (60 * 100, 2), "each counts once in its hour"


def test_retained_states_reach_a_worker_that_starts_later(pair, gateway):
    gateway.say_hello("pump-3", "fan-1")
    first, second = pair()
    for dashboard in (first, second):
        eventually(
            lambda dashboard=dashboard: sorted(
                i["machine"] for i in dashboard.get("/api/v1/machines")["items"] if not i["stale"]
            ),
            ["fan-1", "pump-3"],
        )


def test_the_live_stream_of_one_shows_what_the_other_took(pair, gateway):
    first, second = pair()
    ids = [m.ulid() for _ in range(20)]
    with listening(first) as one, listening(second) as other:
        for identity in ids:
            gateway.publish(m.event("pump-3", identity))
        for listener in (one, other):
            eventually(
                lambda listener=listener: {e["id"] for e in listener.of("event")},
                set(ids),
            )


def test_the_answer_reaches_the_waiting_request(pair, gateway):
    first, second = pair()
    gateway.say_hello("pump-3")
    identity = m.ulid()
    gateway.publish(m.event("pump-3", identity))
    eventually(lambda: first.count("event"), 1)
    for n, dashboard in enumerate((first, second) * 3):
        body = {"id": f"label-000{n}", "actor": "eva", "verdict": "false_alarm"}
        answer = dashboard.client.post(
            f"/api/v1/events/{identity}/labels", json=body, params={"wait_s": 20}
        )
        assert answer.json()["state"] == "acknowledged", answer.text


def test_a_lock_and_a_session_hold_for_all(pair):
    first, second = pair(login="required")
    code = (first.dashboard.settings.data_dir / "first-start-code.txt").read_text().strip()
    body = {"name": "ada", "password": PASSWORD, "code": code}
    made = first.client.post("/api/v1/session/first-administrator", json=body)
    assert made.status_code < 300, made.text
    cookie = {"auscult_session": first.client.cookies["auscult_session"]}
    with httpx.Client(base_url=second.url, cookies=cookie) as elsewhere:
        assert elsewhere.get("/api/v1/people").status_code == 200

    def sign_in(dashboard, password):
        body = {"name": "ada", "password": password}
        return dashboard.client.post("/api/v1/session", json=body).status_code

    for n in range(5):
        assert sign_in((first, second)[n % 2], "a wrong password") == 401
    assert [sign_in(d, PASSWORD) for d in (first, second)] == [401, 401], "locked out on both"


def test_signing_out_on_one_worker_ends_the_streams_on_all(pair):
    first, second = pair(login="required")
    code = (first.dashboard.settings.data_dir / "first-start-code.txt").read_text().strip()
    body = {"name": "ada", "password": PASSWORD, "code": code}
    first.client.post("/api/v1/session/first-administrator", json=body)
    cookie = f"auscult_session={first.client.cookies['auscult_session']}"
    with listening(second, Cookie=cookie) as listener:
        assert first.client.delete("/api/v1/session").status_code == 204
        listener.wait_ended()


def _serve(settings, broker):
    serve(settings, broker)


KILLS = 20 if os.environ.get("AUSCULT_CAMPAIGN") == "full" else 2


@pytest.mark.nightly
def test_a_killed_worker_loses_and_doubles_nothing(url, tmp_path, mosquitto, gateway):
    port = free_port()
    settings = DashboardSettings(data_dir=tmp_path, port=port, login="off", database=url, workers=2)
    spawn = multiprocessing.get_context("spawn")
    supervisor = spawn.Process(target=_serve, args=(settings, mosquitto.settings))
    supervisor.start()
    store, enough = None, threading.Event()
    try:
        eventually(lambda: _healthy(port), True)
        store = DashboardStore(PostgresServer(url))
        eventually(lambda: len(_workers(supervisor, store)), 2)

        def replaced(victim):
            now = _workers(supervisor, store)
            return victim not in now and len(now) == 2

        sent, begin_ms = [], m.now_ms()

        def send():
            while not enough.wait(0.005):
                i, t = len(sent), m.now_ms()
                sent.append(m.ulid())
                gateway.publish(m.event("pump-3", sent[-1], started_ms=t, updated_ms=t))
                gateway.publish(m.trend("pump-3", "DE-H", begin_ms + i, float(i)))

        sender = threading.Thread(target=send)
        sender.start()
        for _ in range(KILLS):
            before = len(sent)
            eventually(lambda before=before: len(sent) > before + 100, True)
            victim = min(_workers(supervisor, store))
            os.kill(victim, signal.SIGKILL)
            eventually(lambda victim=victim: replaced(victim), True)
        enough.set()
        sender.join()

        def counts():
            return (
                store.read()
                .execute(
                    "SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM trend"
                    " WHERE tier_s = 0), (SELECT sum(windows) FROM trend WHERE tier_s = 3600)"
                )
                .fetchone()
            )

        eventually(counts, (len(sent), len(sent), 60 * len(sent)))
    finally:
        enough.set()
        supervisor.terminate()
        supervisor.join(DEADLINE_S)
        if store is not None:
            store.close()
    assert supervisor.exitcode == 0


def _healthy(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/api/health", timeout=20).status_code == 200
    except httpx.HTTPError:
        return False


def _workers(supervisor, store):
    """Processes of the workers, once all of them listen."""
    listening = store.read().execute(LISTENING)
    workers = []
    for child in psutil.Process(supervisor.pid).children():
        with contextlib.suppress(psutil.Error):  # one that has just been killed
            if "--multiprocessing-fork" in child.cmdline():
                workers.append(child.pid)
    return workers if listening.fetchone()[0] == len(workers) else []
