"""Messages that must not be lost: stored, then sent, and removed when they are delivered.

A message is delivered when a receiver confirms that it stored it (`Receiver`); without a receiver,
when the broker confirms it. There are two lanes, each in order: events, lessons and
acknowledgements go before trends, spectra and clips. When the outbox is half full, waiting trends
are joined into hours; when it is full, or they are too old, the oldest of the second lane are
dropped first, and counted. Messages that the database can't store (disk full) wait in memory and
are sent from there. An unreadable stored message is moved to its own table, logged and counted
as dropped; those behind it are sent.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from auscult.gateway.messages.link import Link
from auscult.gateway.messages.payloads import Receipt
from auscult.gateway.storage.coarsen import coarsen
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.outbox_rows import (
    DamagedError,
    count_dropped,
    move_damaged,
    packed,
    unpacked,
)
from auscult.gateway.storage.receipts import MAX_RESENDS, Overdue, Receiver
from auscult.gateway.storage.store import Store, StoreError
from auscult.gateway.supervised import Supervised

log = logging.getLogger(__name__)

WINDOW = 500
"""Messages in flight to the broker; enough for a round trip of 100 ms."""
UNSAVED_MAX = 5_000
"""Messages kept in memory while the database fails; the oldest are dropped first."""
RETRY_S = 2.0
"""Pause before the next attempt to store."""
COARSEN_FROM = 0.5
"""Waiting trends are joined from this share of the bound on: a short outage loses no detail."""
TRIM_TO = 0.95
"""A full outbox is cut to this share of its bound, so that not every message causes a cut."""


class Lane(IntEnum):
    """Lanes of messages; the first is sent first and dropped last."""

    EVENT = 0
    TREND = 1


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send; `receipt_id` is the id inside its payload, which a receipt names."""

    message_id: str
    topic: str
    payload: bytes
    lane: Lane
    receipt_id: str = ""


Work = Callable[[Database], None]


class WorkError(Exception):
    """Work violates a rule of the database: a repetition would fail too."""


def together(work: Sequence[Work]) -> Work:
    """Join several pieces of work into one transaction."""

    def all_of_it(db: Database) -> None:
        for one in work:
            one(db)

    return all_of_it


@dataclass(slots=True)
class _Unsaved:
    """Messages that the database could not store, with the work of their transaction."""

    messages: list[Outgoing]
    work: Work | None


class Outbox:
    """Stores messages and sends them in order.

    Parameters
    ----------
    store : Store
    link : Link
    max_bytes : int
        Bound of topics and (compressed) payloads together.
    now_ns : callable
        UTC time, ns.
    """

    def __init__(
        self,
        store: Store,
        link: Link,
        max_bytes: int,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._now_ns = now_ns
        self._receiver = Receiver(store)
        self._awaited = self._receiver.known
        self._overdue = {lane: Overdue() for lane in Lane}
        self._holds = bool(store.read("SELECT 1 FROM outbox WHERE held > 0 LIMIT 1"))
        self._store = store
        self._link = link
        self._max_bytes = max_bytes
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._unsaved: deque[_Unsaved] = deque()
        self._retry_at = 0.0
        self._handed = dict.fromkeys(Lane, 0)
        self._flying = 0
        self._delivered: list[int] = []
        self._dropped_in_memory = 0
        self.thread = Supervised("outbox", self._run, self._stop)

    def start(self) -> None:
        """Start to send; unsent messages of an earlier process go first."""
        self.thread.start()

    def stop(self) -> None:
        """Stop sending; delivered messages are removed, the rest stays."""
        self._stop.set()
        self._wake.set()
        self.thread.join()

    def put(self, messages: Sequence[Outgoing], work: Work | None = None) -> Future[None]:
        """Store messages, then send them.

        `work` is done in the same transaction: both are stored, or neither. The future is done
        when they are stored; on a `StoreError` the messages stay in memory and are stored later.
        Any other error is of `work`; then the messages are discarded too.
        """
        future = self._store.write(lambda db: self._insert_behind(db, messages, work))
        future.add_done_callback(lambda done: self._stored(done, messages, work))
        return future

    @property
    def pending(self) -> int:
        """Number of messages without a confirmed delivery."""
        stored = self._store.read("SELECT messages FROM outbox_size")[0][0]
        with self._lock:
            return int(stored) + sum(len(entry.messages) for entry in self._unsaved)

    @property
    def dropped(self) -> int:
        """Number of messages dropped since the first start."""
        rows = self._store.read("SELECT value FROM counters WHERE name = 'outbox_dropped'")
        return (int(rows[0][0]) if rows else 0) + self._dropped_in_memory

    def connected(self) -> None:
        """Note that the broker is connected."""
        self._wake.set()

    def receive(self, receipt: Receipt) -> None:
        """Process a receipt, in the network thread."""
        self._receiver.take(receipt.ids)

    def _insert_behind(self, db: Database, messages: Sequence[Outgoing], work: Work | None) -> None:
        # Checked in the writer thread, which also keeps failed messages: so the order holds.
        if self._unsaved:
            raise StoreError("earlier messages wait in memory for the database")
        self._insert(db, messages, work)

    def _insert(self, db: Database, messages: Sequence[Outgoing], work: Work | None) -> None:
        if work is not None:
            try:
                work(db)
            except sqlite3.IntegrityError as error:
                raise WorkError(str(error)) from error
        # A message that is stored again after an unclear failure must not be stored twice.
        now_ns = self._now_ns()
        held = not self._link.connected
        self._holds = self._holds or held
        db.conn.executemany(
            "INSERT OR IGNORE INTO outbox (message_id, receipt_id, lane, topic, payload,"
            " created_ns, held) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (m.message_id, m.receipt_id, m.lane, m.topic, packed(m.payload), now_ns, held)
                for m in messages
            ],
        )
        self._trim(db)

    def _trim(self, db: Database) -> None:
        (size,) = db.execute("SELECT bytes FROM outbox_size").fetchone()
        if size > COARSEN_FROM * self._max_bytes:
            coarsen(db, Lane.TREND, self._now_ns())
            (size,) = db.execute("SELECT bytes FROM outbox_size").fetchone()
        if size <= self._max_bytes:
            return
        goal = TRIM_TO * self._max_bytes
        dropped = 0
        for lane in sorted(Lane, reverse=True):
            while size > goal:
                cut = db.execute(
                    "DELETE FROM outbox WHERE id IN"
                    " (SELECT id FROM outbox WHERE lane = ? ORDER BY id LIMIT 20)",
                    [int(lane)],
                ).rowcount
                if cut <= 0:
                    break
                dropped += cut
                (size,) = db.execute("SELECT bytes FROM outbox_size").fetchone()
        count_dropped(db, dropped)

    def _stored(self, done: Future[None], messages: Iterable[Outgoing], work: Work | None) -> None:
        if isinstance(done.exception(), StoreError):
            with self._lock:
                self._keep(_Unsaved(list(messages), work))
        elif done.exception() is not None:
            log.error("a message could not be stored", exc_info=done.exception())
        self._wake.set()

    def _keep(self, entry: _Unsaved) -> None:
        self._unsaved.append(entry)
        while sum(len(kept.messages) for kept in self._unsaved) > UNSAVED_MAX:
            self._dropped_in_memory += len(self._unsaved.popleft().messages)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(RETRY_S)
            self._wake.clear()
            # The store has logged its failure; its messages are sent when it works again.
            with suppress(StoreError):
                self._remove_delivered()
            with suppress(StoreError):
                self._retry_unsaved()
                if self._link.connected:
                    self._let_go()
                    self._look_for_lost()
                    self._send_stored()
            if self._link.connected:
                self._send_unsaved()
        with suppress(StoreError):
            self._remove_delivered()

    def _let_go(self) -> None:
        """Release the messages that were held while the broker was away."""
        if self._holds:
            self._holds = False
            self._store.write(
                lambda db: db.execute("UPDATE outbox SET held = 0 WHERE held > 0")
            ).result()

    def _look_for_lost(self) -> None:
        """Send again, from the oldest sent message whose receipt is overdue."""
        known, self._awaited = self._receiver.known, self._receiver.known or self._awaited
        if self._awaited and not known:
            # No receiver sends receipts any more: the broker's confirmation counts, from the start.
            self._awaited = False
            self._handed = dict.fromkeys(Lane, 0)
        if not known:
            return
        for lane in Lane:
            rows = self._store.read("SELECT min(id) FROM outbox WHERE lane = ?", [int(lane)])
            oldest = rows[0][0]
            if oldest is not None and oldest > self._handed[lane]:
                oldest = None
            watch = self._overdue[lane]
            since_s = watch.since_s
            if watch.look(oldest, time.monotonic()) and self._receiver.active_since(since_s):
                if watch.resends > MAX_RESENDS:
                    log.error("a message was sent %d times and never received", MAX_RESENDS)
                    self._store.write(partial(_give_up, number=oldest)).result()
                self._handed[lane] = oldest - 1

    def _send_stored(self) -> None:
        for lane in Lane:
            with self._lock:
                free = WINDOW - self._flying
            if free <= 0:
                return
            rows = self._store.read(
                "SELECT id, topic, payload FROM outbox WHERE lane = ? AND id > ? AND held = 0"
                " ORDER BY id LIMIT ?",
                [int(lane), self._handed[lane], free],
            )
            for number, topic, stored in rows:
                try:
                    payload = unpacked(stored)
                except DamagedError as error:
                    self._store.write(partial(move_damaged, number=number, why=str(error))).result()
                    continue
                if not self._publish(topic, payload, partial(self._arrived, number)):
                    return
                self._handed[lane] = number
            if len(rows) == free:
                # More may wait in this lane; the next acknowledgement wakes this thread.
                return

    def _publish(self, topic: str, payload: bytes, on_delivered: Callable[[], None]) -> bool:
        with self._lock:
            self._flying += 1
        taken = self._link.publish(topic, payload, on_delivered=on_delivered)
        if not taken:
            with self._lock:
                self._flying -= 1
        return taken

    def _arrived(self, number: int | None) -> None:
        with self._lock:
            self._flying -= 1
            if number is not None and not self._receiver.known:
                self._delivered.append(number)
        self._wake.set()

    def _remove_delivered(self) -> None:
        with self._lock:
            numbers, self._delivered = self._delivered, []
        if not numbers:
            return
        try:
            self._store.write(
                lambda db: db.conn.executemany(
                    "DELETE FROM outbox WHERE id = ?", [(n,) for n in numbers]
                )
            ).result()
        except StoreError:
            with self._lock:
                self._delivered = numbers + self._delivered
            raise

    def _send_unsaved(self) -> None:
        with self._lock:
            entries = list(self._unsaved)
        for entry in entries:
            while entry.messages:
                message = entry.messages[0]
                if not self._publish(message.topic, message.payload, partial(self._arrived, None)):
                    return
                entry.messages.pop(0)

    def _retry_unsaved(self) -> None:
        if not self._unsaved or time.monotonic() < self._retry_at:
            return
        self._retry_at = time.monotonic() + RETRY_S
        taken: list[_Unsaved] = []
        future = self._store.write(partial(self._insert_unsaved, taken=taken))
        future.add_done_callback(lambda done: self._return_unsaved(done, taken))
        future.result()

    def _insert_unsaved(self, db: Database, taken: list[_Unsaved]) -> None:
        """Store all that waits in memory; in the writer thread.

        All of it, in one transaction: a busy gateway adds messages faster than they could be stored
        one by one, and would never store before it sends again.
        """
        with self._lock:
            taken += self._unsaved
            self._unsaved.clear()
        for entry in taken:
            if not entry.messages and entry.work is None:
                continue
            try:
                with db.atomic():
                    self._insert(db, tuple(entry.messages), entry.work)
            except (sqlite3.Error, StoreError):
                raise
            except Exception:
                log.exception("a message could not be stored")

    def _return_unsaved(self, done: Future[None], taken: Sequence[_Unsaved]) -> None:
        if done.exception() is not None:
            with self._lock:
                self._unsaved.extendleft(reversed(taken))


def _give_up(db: Database, number: int) -> None:
    db.execute("DELETE FROM outbox WHERE id = ?", [number])
    count_dropped(db, 1)
