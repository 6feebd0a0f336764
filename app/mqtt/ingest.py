"""From the broker into the database: nothing is acknowledged before it is committed.

The broker keeps unacknowledged messages, and all messages while the dashboard is away, for its
client id. So a kill at any moment loses nothing, and a repeated message changes nothing.
"""

from __future__ import annotations

import logging
import queue
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial

from auscult.app.identity import gateway_id
from auscult.app.metrics import DashboardMetrics
from auscult.app.mqtt.decode import RejectedError, decode
from auscult.app.store.connection import StoreUnavailableError, WritableDatabase
from auscult.app.store.database import DashboardStore
from auscult.app.store.intake import store_message, store_messages
from auscult.app.store.point_trend import Stored
from auscult.app.store.received import Origin
from auscult.contract.message import now_ms
from auscult.contract.topics import parse_topic
from auscult.link.link import Received

log = logging.getLogger(__name__)

SUBSCRIPTION = "auscult/v1/+/+/#"
GROUP = "auscult"
"""Dashboards that share a database take messages in turn."""
STATUS = "auscult/v1/+/+/status"
"""Goes to each of them: a last will has no time of its own, so only a receiver of
both messages in their order knows that a gateway went offline before it came back."""
QUEUE_SIZE = 5000
"""Messages that may wait in memory; beyond it the connection is read no further."""
MAX_BATCH = 1000
"""Messages that share a commit; bounds how long the first of them waits."""
RETRY_S = (0.5, 5.0)
"""First and longest pause before a batch that could not be stored is tried again; it doubles."""
LOG_EACH_S = 60.0
"""Rejected messages of one kind are logged once in this time, with their number."""


class Ingest:
    """Stores received messages in batches, on a thread of its own.

    Parameters
    ----------
    store : DashboardStore
    metrics : DashboardMetrics
    on_done : callable
        Gets what is stored after each commit, and with None what never can be.
    """

    def __init__(
        self,
        store: DashboardStore,
        metrics: DashboardMetrics,
        on_done: Callable[[list[tuple[Received, Stored | None]]], None],
    ) -> None:
        self._on_done = on_done
        self._store = store
        self._metrics = metrics
        self._queue: queue.Queue[Received] = queue.Queue(QUEUE_SIZE)
        self._stopping = threading.Event()
        self._logged_at: dict[str, float] = {}
        self._rejected_since: dict[str, int] = {}
        self._thread = threading.Thread(target=self._run, name="ingest", daemon=True)

    @property
    def waiting(self) -> int:
        """Return how many messages wait in memory."""
        return self._queue.qsize()

    def start(self) -> None:
        """Begin to store what `receive` is given."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current batch; what is not stored stays with the broker."""
        self._stopping.set()
        self._thread.join()

    def receive(self, received: Received) -> None:
        """Take a message from the network thread; waits while the queue is full."""
        while not self._stopping.is_set():
            try:
                self._queue.put(received, timeout=0.5)
            except queue.Full:
                continue
            return

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                batch = [self._queue.get(timeout=0.2)]
            except queue.Empty:
                continue
            while len(batch) < MAX_BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            self._store_batch(batch)

    def _store_batch(self, batch: list[Received]) -> None:
        at_ms = now_ms()
        decoded = [self._decoded(received, at_ms) for received in batch]
        messages = [one for one in decoded if one is not None]
        for kind, count in Counter(one.schema_name for _, one in messages).items():
            self._metrics.received.labels(kind.rpartition("/")[2]).inc(count)
        if messages and not self._stored(messages):
            return  # stopping: the broker still has them
        for received in batch:
            received.acknowledge()
        self._on_done(
            [
                (received, one[1] if one else None)
                for received, one in zip(batch, decoded, strict=True)
                if not self._quarantined(received)
            ]
        )

    def _quarantined(self, received: Received) -> bool:
        """Tell whether the gateway is not enrolled: it gets no receipt, so it may send again."""
        quarantine = self._store.engine.caps.quarantine
        if quarantine is None:
            return False
        address = parse_topic(received.topic)
        return address is not None and gateway_id(address.site, address.gateway) in quarantine

    def _decoded(self, received: Received, at_ms: int) -> tuple[Origin, Stored] | None:
        try:
            decoded = decode(received.topic, received.payload)
        except RejectedError as error:
            self._reject(error.reason, f"{received.topic[:200]!r}: {error}")
            return None
        if decoded is None:
            return None
        address, message = decoded
        origin = Origin(address.site, address.gateway, at_ms, received.retained, address.path)
        return origin, message

    def _stored(self, messages: list[tuple[Origin, Stored]]) -> bool:
        """Store messages, retrying until it works; False if stopped before."""
        waiting = self._by_turn(messages)
        pause_s = RETRY_S[0]
        while True:
            jobs = {
                turn: self._store.submit(partial(_store_all, messages=some), turn)
                for turn, some in waiting.items()
            }
            for turn, job in jobs.items():
                try:
                    rejected = job.result()
                except StoreUnavailableError:
                    self._metrics.store_failures.inc()
                else:
                    del waiting[turn]
                    for detail in rejected:
                        self._reject("unstorable", detail)
            if not waiting:
                return True
            if self._stopping.wait(pause_s):
                return False
            pause_s = min(2 * pause_s, RETRY_S[1])

    def _by_turn(
        self, messages: list[tuple[Origin, Stored]]
    ) -> dict[int, list[tuple[Origin, Stored]]]:
        """Part messages by turn, in an order of chance: processes begin with different ones."""
        parted: defaultdict[int, list[tuple[Origin, Stored]]] = defaultdict(list)
        for origin, message in messages:
            of = getattr(message, "machine", "")
            parted[self._store.turn_of(f"{origin.site}/{origin.gateway}/{of}")].append(
                (origin, message)
            )
        turns = list(parted)
        random.shuffle(turns)
        return {turn: parted[turn] for turn in turns}

    def _reject(self, reason: str, detail: str) -> None:
        self._metrics.rejected.labels(reason).inc()
        count = self._rejected_since.get(reason, 0) + 1
        self._rejected_since[reason] = count
        now = time.monotonic()
        if now - self._logged_at.get(reason, -LOG_EACH_S) >= LOG_EACH_S:
            log.warning("%d message(s) rejected (%s); the last: %s", count, reason, detail[:500])
            self._logged_at[reason] = now
            self._rejected_since[reason] = 0


def _store_all(db: WritableDatabase, messages: list[tuple[Origin, Stored]]) -> list[str]:
    """Store messages together; if one can't be stored, each by itself, so that it hurts no other.

    Returns what is wrong with those that can't.
    """
    try:
        with db.atomic():
            db.announce(store_messages(db, messages))
    except Exception as error:
        if db.is_trouble(error):
            raise
    else:
        return []
    return [problem for one in messages if (problem := _store_alone(db, one))]


def _store_alone(db: WritableDatabase, one: tuple[Origin, Stored]) -> str | None:
    origin, message = one
    try:
        with db.atomic():
            db.announce(store_message(db, *one))
    except Exception as error:
        if db.is_trouble(error):
            raise
        return f"{message.schema_name} of {origin.site}/{origin.gateway}: {error}"
    return None
