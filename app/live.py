"""The hub of the live stream: changes in from any thread, events out to each page that listens."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from auscult.app.identity import parts
from auscult.app.store.received import Change
from auscult.app.views import View
from auscult.contract.message import now_ms

log = logging.getLogger(__name__)

JOIN_S = 0.1
"""The first change is sent at once; further ones within this time are joined."""
CLIENT_QUEUE = 500
"""Events that may wait for one client; beyond it the client gets a `resync`."""
PENDING_LIMIT = 5000
"""Changes that may wait to be joined; beyond it all clients get a `resync`."""


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One server-sent event: ``data`` is JSON."""

    kind: str
    id: str
    data: str
    site: str | None = None
    """Of what changed; None = nothing of a site."""


class LiveClient:
    """One page that listens: iterate to get its events, of these sites only (None = all)."""

    def __init__(self, sites: frozenset[str] | None = None) -> None:
        self._sites = sites
        self._events: deque[LiveEvent] = deque()
        self._arrived = asyncio.Event()
        self._closed = False

    def offer(self, event: LiveEvent) -> None:
        """Queue an event of its sites; if too many wait, they are dropped for one `resync`."""
        if self._closed:
            return
        if self._sites is not None and event.site is not None and event.site not in self._sites:
            return
        if len(self._events) >= CLIENT_QUEUE:
            self._events.clear()
            event = LiveEvent("resync", event.id, "{}")
        self._events.append(event)
        self._arrived.set()

    def close(self) -> None:
        """End the iteration once the queue is empty."""
        self._closed = True
        self._arrived.set()

    async def __aiter__(self) -> AsyncIterator[LiveEvent]:
        while True:
            while self._events:
                yield self._events.popleft()
            if self._closed:
                return
            self._arrived.clear()
            await self._arrived.wait()


class Hub:
    """Sends all clients what changed.

    Parameters
    ----------
    view : callable
        Gives the current view of what changed, None if it is gone; called in a worker thread.
    """

    def __init__(self, view: Callable[[Change], View | None]) -> None:
        self._view = view
        self._clients: set[LiveClient] = set()
        self._pending: dict[Change, None] = {}
        self._lost = False
        self._lock = threading.Lock()
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._count = 0
        self._epoch = now_ms()

    @property
    def clients(self) -> int:
        """Return how many pages listen."""
        return len(self._clients)

    def changed(self, changes: Iterable[Change]) -> None:
        """Note changes; any thread may call it."""
        with self._lock:
            if not self._clients:
                return
            self._pending.update(dict.fromkeys(changes))
            if len(self._pending) > PENDING_LIMIT:
                self._pending.clear()
                self._lost = True
            if not self._pending and not self._lost:
                return
        self._loop.call_soon_threadsafe(self._wake.set)

    def missed(self) -> None:
        """Send all clients a `resync`: changes may be lost; any thread may call it."""
        with self._lock:
            self._lost = True
        self._loop.call_soon_threadsafe(self._wake.set)

    @contextmanager
    def subscribe(
        self, returning: bool, sites: frozenset[str] | None = None
    ) -> Iterator[LiveClient]:
        """Listen as long as the context lasts; a returning client gets a `resync`."""
        client = LiveClient(sites)
        client.offer(self._event("resync" if returning else "hello", "{}"))
        with self._lock:
            self._clients.add(client)
        try:
            yield client
        finally:
            with self._lock:
                self._clients.discard(client)

    async def run(self) -> None:
        """Pass changes on until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            with self._lock:
                changes, self._pending = list(self._pending), {}
                lost, self._lost = self._lost, False
            if lost:
                self._send("resync", "{}")
            for kind, data, site in await asyncio.to_thread(self._views, changes):
                self._send(kind, data, site)
            await asyncio.sleep(JOIN_S)

    def close(self) -> None:
        """End all streams; browsers that may still listen reconnect by themselves."""
        for client in list(self._clients):
            client.close()

    def end_streams(self) -> None:
        """Do as `close`, from any thread: a client's right to listen may have ended."""
        self._loop.call_soon_threadsafe(self.close)

    def _views(self, changes: list[Change]) -> list[tuple[str, str, str]]:
        views: list[tuple[str, str, str]] = []
        for change in changes:
            try:
                view = self._view(change)
            except Exception:
                log.exception("%s can't be sent to live clients", change)
            else:
                if view is not None:
                    views.append((change.kind, view.model_dump_json(), _site(view)))
        return views

    def _send(self, kind: str, data: str, site: str | None = None) -> None:
        event = self._event(kind, data, site)
        for client in list(self._clients):
            client.offer(event)

    def _event(self, kind: str, data: str, site: str | None = None) -> LiveEvent:
        self._count += 1
        return LiveEvent(kind, f"{self._epoch}-{self._count}", data, site)


def _site(view: View) -> str:
    """Return the site of a view: the ids of machines and gateways begin with it."""
    for name in ("machine_id", "gateway_id", "id"):
        if (identity := getattr(view, name, None)) is not None:
            return parts(identity)[0]
    raise TypeError(f"{type(view).__name__} has no site")
