"""The live stream: typed events as things change, and no memory growth by slow clients."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from auscult.app import live
from auscult.app.api import live as stream
from auscult.app.live import Hub
from auscult.app.people import sessions
from auscult.app.people.access import CODE_FILE
from auscult.app.store.received import Change
from auscult.app.views import LIVE_VIEWS, SentCommand
from tests.app import messages as m
from tests.waiting import DEADLINE_S, eventually, wait_until


def test_a_client_that_was_closed_gets_nothing_new():
    client = live.LiveClient()
    client.offer(live.LiveEvent("machine", "1", "{}"))
    client.close()
    client.offer(live.LiveEvent("machine", "2", "{}"))

    async def received() -> list[str]:
        return [event.id async for event in client]

    assert asyncio.run(received()) == ["1"]


class Listener:
    """Reads server-sent events in a thread."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self.events: list[tuple[str, str, dict]] = []
        self.status = 0
        self._client = httpx.Client(timeout=DEADLINE_S)
        self._thread = threading.Thread(target=self._read, args=(url, headers), daemon=True)
        self._thread.start()

    def kinds(self) -> list[str]:
        return [kind for kind, _, _ in self.events]

    def of(self, kind: str) -> list[dict]:
        return [data for k, _, data in self.events if k == kind]

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def wait_ended(self) -> None:
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self.wait_ended()
        self._client.close()

    def _read(self, url: str, headers: dict[str, str]) -> None:
        fields: dict[str, str] = {}
        try:
            with self._client.stream("GET", url, headers=headers) as response:
                self.status = response.status_code
                self.headers = response.headers
                stream = response.extensions["network_stream"]
                self._socket = stream.get_extra_info("socket")
                for line in response.iter_lines():
                    if not line and fields:
                        data = json.loads(fields["data"])
                        self.events.append((fields["event"], fields["id"], data))
                        fields = {}
                    elif line and not line.startswith(":"):
                        key, _, value = line.partition(": ")
                        fields[key] = value
        except (httpx.HTTPError, httpx.StreamError, RuntimeError):
            pass


@contextmanager
def listening(dashboard, **headers: str) -> Iterator[Listener]:
    listener = Listener(f"{dashboard.url}/api/v1/live", headers)
    eventually(lambda: len(listener.events) > 0, True)
    yield listener
    listener.close()


def test_every_change_is_a_live_event(dashboard, gateway):
    event_id = m.ulid()
    with listening(dashboard) as listener:
        assert listener.headers["content-type"].startswith("text/event-stream")
        assert listener.kinds() == ["hello"]
        gateway.say_hello("pump-3")
        gateway.publish(m.machine_state("pump-3", "learning", coverage=m.COVERAGE))
        gateway.publish(m.event("pump-3", event_id))
        eventually(lambda: {"gateway", "machine", "point", "event"} <= set(listener.kinds()), True)
        eventually(lambda: listener.of("machine")[-1]["coverage"]["fraction"], 0.4)
        body = {"id": "label-0001", "actor": "eva", "verdict": "false_alarm"}
        dashboard.client.post(f"/api/v1/events/{event_id}/labels", json=body)
        eventually(lambda: [d["state"] for d in listener.of("label")][-1:], ["acknowledged"])
        eventually(lambda: [d["state"] for d in listener.of("command")][-1:], ["acknowledged"])
        assert listener.of("label")[-1]["lesson"]["accepted"] is True
        for kind, _, data in listener.events[1:]:
            LIVE_VIEWS[kind].model_validate(data)
        ids = [identity for _, identity, _ in listener.events]
        assert len(set(ids)) == len(ids)
    eventually(lambda: dashboard.dashboard.hub.clients, 0)


def test_a_returning_client_gets_a_resync(dashboard):
    with listening(dashboard, **{"Last-Event-ID": "1-1"}) as listener:
        assert listener.kinds() == ["resync"]


def test_a_stale_machine_is_a_live_event(dashboards, gateway):
    dashboard = dashboards(stale_after_s=10)
    dashboard.wait_connected()
    with listening(dashboard) as listener:
        gateway.publish(m.status())
        gateway.publish(m.machine_state("pump-3"))
        eventually(lambda: [d["stale"] for d in listener.of("machine")][-1:], [False])
        gateway.publish(m.status(state="offline"))
        eventually(lambda: [d["stale"] for d in listener.of("machine")][-1:], [True])


def test_the_stream_ends_when_the_server_stops(dashboards):
    dashboard = dashboards()
    dashboard.server.config.timeout_graceful_shutdown = None  # no stream is cut
    with listening(dashboard) as listener:
        dashboard.stop()
        listener.wait_ended()


def command(identity: str) -> SentCommand:
    return SentCommand(
        id=identity, gateway_id="g", machine_id="m", name="label", actor="eva", args={},
        created_ms=0, expires_ms=0, state="sent",
    )  # fmt: skip


async def up_to(client: live.LiveClient, last: str) -> list[str]:
    """Return what a client gets up to a command: its id, of other events the kind."""
    got: list[str] = []
    async with asyncio.timeout(DEADLINE_S):
        async for event in client:
            got.append(json.loads(event.data).get("id", event.kind))
            if got[-1] == last:
                break
    return got


def test_a_slow_client_gets_a_resync_and_holds_little(monkeypatch):
    monkeypatch.setattr(live, "JOIN_S", 0)
    monkeypatch.setattr(live, "CLIENT_QUEUE", 10)

    async def scenario():
        hub = Hub(lambda change: command(change.id))
        task = asyncio.create_task(hub.run())
        with hub.subscribe(returning=False) as slow, hub.subscribe(returning=False) as quick:
            for i in range(100):
                hub.changed([Change("command", str(i))])
                await up_to(quick, str(i))
            hub.close()
            got = [event async for event in slow]
        task.cancel()
        return got

    got = asyncio.run(scenario())
    assert "resync" in [e.kind for e in got]
    assert len(got) <= 10, "it holds little"
    assert got[-1].kind == "resync" or json.loads(got[-1].data)["id"] == "99"


def test_too_many_changes_at_once_are_one_resync(monkeypatch):
    monkeypatch.setattr(live, "PENDING_LIMIT", 100)

    async def scenario():
        hub = Hub(lambda change: command(change.id))
        with hub.subscribe(returning=False) as client:
            hub.changed(Change("command", str(i)) for i in range(1000))
            task = asyncio.create_task(hub.run())
            got = await up_to(client, "resync")
            hub.changed([Change("command", "after")])
            got += await up_to(client, "after")
        task.cancel()
        return got

    assert asyncio.run(scenario()) == ["hello", "resync", "after"]


def test_changes_that_follow_quickly_are_joined():
    async def scenario():
        views: list[str] = []

        def view(change):
            views.append(change.id)
            return command(change.id)

        hub = Hub(view)
        task = asyncio.create_task(hub.run())
        with hub.subscribe(returning=False) as client:
            for _ in range(500):
                hub.changed([Change("machine", "m")])
            await up_to(client, "m")
        hub.changed([Change("machine", "no listener")])
        with hub.subscribe(returning=False) as client:
            hub.changed([Change("machine", "last")])
            await up_to(client, "last")
        task.cancel()
        return views

    assert asyncio.run(scenario()) == ["m", "last"]


@pytest.mark.parametrize("fault", [RuntimeError("a bug")])
def test_a_fault_in_one_view_does_not_end_the_stream(fault):
    async def scenario():
        def view(change):
            if change.id == "bad":
                raise fault
            return command(change.id)

        hub = Hub(view)
        task = asyncio.create_task(hub.run())
        with hub.subscribe(returning=False) as client:
            hub.changed([Change("command", "bad"), Change("command", "good")])
            got = await up_to(client, "good")
            hub.changed([Change("command", "later")])
            got += await up_to(client, "later")
        task.cancel()
        return got

    assert asyncio.run(scenario()) == ["hello", "good", "later"]


def test_a_stream_ends_with_the_right_to_listen(dashboards):
    running = dashboards(login="required")
    code = (running.dashboard.settings.data_dir / CODE_FILE).read_text().strip()
    body = {"name": "ada", "password": "correct horse battery", "code": code}
    running.client.post("/api/v1/session/first-administrator", json=body)
    cookie = f"auscult_session={running.client.cookies['auscult_session']}"
    with listening(running, Cookie=cookie) as listener:
        assert running.client.delete("/api/v1/session").status_code == 204
        listener.wait_ended()
    refused = httpx.get(f"{running.url}/api/v1/live", headers={"Cookie": cookie})
    assert refused.status_code == 401


def test_a_stream_ends_with_its_token_or_session(administered, clock, monkeypatch):
    session = administered.dashboard.store.read().execute("SELECT created_ms FROM session")
    until_ms = session.fetchone()[0] + sessions.LIFE_MS
    body = {"name": "wall", "expires_ms": until_ms}
    secret = administered.client.post("/api/v1/tokens", json=body).json()["secret"]
    cookie = f"auscult_session={administered.client.cookies['auscult_session']}"
    # a stream sees its end near, and looks then
    monkeypatch.setattr(stream, "now_ms", lambda: until_ms - 200)
    with (
        listening(administered, Authorization=f"Bearer {secret}") as wall,
        listening(administered, Cookie=cookie) as page,
    ):
        clock.ahead_s = sessions.LIFE_MS // 1000 + 1
        wall.wait_ended()
        page.wait_ended()


def test_an_open_page_counts_as_use_of_its_session(administered, clock, monkeypatch):
    monkeypatch.setattr(stream, "CHECK_S", 0.2)
    cookie = {"Cookie": f"auscult_session={administered.client.cookies['auscult_session']}"}
    most_of_it_s = 3 * sessions.IDLE_MS // 4000

    def asked() -> int:
        return httpx.get(f"{administered.url}/api/v1/machines", headers=cookie).status_code

    def used_ms() -> int:
        rows = administered.dashboard.store.read().execute("SELECT seen_ms FROM session")
        return rows.fetchone()[0]

    with listening(administered, **cookie) as page:
        for _ in range(2):
            clock.ahead_s += most_of_it_s
            wait_until(lambda: used_ms() > m.now_ms() - 60_000, what="someone watches it")
        assert page.running
        assert asked() == 200, "a click does not lead to the sign-in"
    eventually(lambda: administered.dashboard.hub.clients, 0)
    clock.ahead_s += 2 * most_of_it_s
    assert asked() == 401, "the page was closed"


def test_a_stream_ends_with_a_session_that_ended_without_notice(administered, monkeypatch):
    monkeypatch.setattr(stream, "CHECK_S", 0.2)
    cookie = f"auscult_session={administered.client.cookies['auscult_session']}"
    with listening(administered, Cookie=cookie) as page:
        administered.dashboard.store.write(lambda db: db.execute("DELETE FROM session", ()))
        page.wait_ended()


def test_the_store_closes_after_what_still_reads_it(dashboards, monkeypatch):
    """A cancelled task leaves its call running in a thread; a closed connection would crash it."""
    running = dashboards()
    store, hub = running.dashboard.store, running.dashboard.hub
    began, closed, close = threading.Event(), threading.Event(), store.close
    too_early: list[bool] = []

    def slow(_):
        began.set()
        too_early.append(closed.wait(1.0))

    monkeypatch.setattr(hub, "_view", slow)
    monkeypatch.setattr(store, "close", lambda: (closed.set(), close()))
    with hub.subscribe(returning=False):
        hub.changed([Change("command", "1")])
        assert began.wait(30)
        running.stop()
    assert (too_early, closed.is_set()) == ([False], True)
