"""Messages that must not be lost: stored, then sent, and removed when they are delivered.

A message is delivered when a receiver confirms that it stored it (`ReceiptSender`); without a
receiver, when the broker confirms it. The newest of those are kept apart: a first receiver may have
subscribed after the broker confirmed them, and gets them once it is known. There are two lanes,
each in order: events, lessons and acknowledgements go before trends, spectra and clips. When the
outbox is half full, waiting trends are joined into hours; when it is full, or they are too old, the
oldest of the second lane are dropped first, and counted. Messages that the database can't store
(disk full) wait in memory and are sent from there. Messages whose writes fail otherwise are
discarded, logged and counted. An unreadable stored message is moved to its own table, logged and
counted as dropped; those behind it are sent.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

from auscult.contract.payloads import Receipt
from auscult.gateway.storage.coarsen import coarsen
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.outbox_rows import (
    DamagedError,
    count_dropped,
    give_to_receiver,
    keep_for_receiver,
    move_damaged,
    packed,
    unpacked,
)
from auscult.gateway.storage.outgoing import (
    DatabaseWrite,
    Discarded,
    Lane,
    OutboxEntry,
    Outgoing,
    WriteError,
    write_all,
)
from auscult.gateway.storage.receipts import MAX_RESENDS, Overdue, ReceiptSender
from auscult.gateway.storage.store import OWN_FAULTS, Store, StoreError
from auscult.gateway.storage.unsaved import Unsaved
from auscult.host.supervised import Supervised
from auscult.link.link import Link

log = logging.getLogger(__name__)

WINDOW = 500
"""Messages in flight to the broker; enough for a round trip of 100 ms."""
RETRY_S = 2.0
"""Pause before the next attempt to store."""
COARSEN_FROM = 0.5
"""Waiting trends are joined from this share of the bound on: a short outage loses no detail."""
TRIM_TO = 0.95
"""A full outbox is cut to this share of its bound, so that not every message causes a cut."""


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
        self._receiver = ReceiptSender(store)
        self._awaited = False
        self._overdue = {lane: Overdue(self._receiver) for lane in Lane}
        self._holds = bool(store.read("SELECT 1 FROM outbox WHERE held > 0 LIMIT 1"))
        self._store = store
        self._link = link
        self._max_bytes = max_bytes
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._unsaved = Unsaved()
        self._retry_at = 0.0
        self._handed = dict.fromkeys(Lane, 0)
        self._flying = 0
        self._delivered: list[int] = []
        self.thread = Supervised("outbox", self._run, self._stop)

    def start(self) -> None:
        """Start to send; unsent messages of an earlier process go first."""
        self.thread.start()

    def stop(self) -> None:
        """Stop sending; delivered messages are removed, the rest stays."""
        self._stop.set()
        self._wake.set()
        self.thread.join()

    def put(
        self,
        messages: Sequence[Outgoing],
        writes: Sequence[DatabaseWrite] = (),
        on_discarded: Discarded | None = None,
    ) -> Future[None]:
        """Store messages, then send them.

        `writes` are of the same transaction: all is stored, or nothing. The future is done when it
        is stored; on a `StoreError` it stays in memory and is stored later. Any other error, now or
        later, is of a write: messages and writes are discarded, and `on_discarded` gets the error.
        """
        entry = OutboxEntry(list(messages), tuple(writes), on_discarded)
        future = self._store.write(lambda db: self._insert_behind(db, entry))
        future.add_done_callback(lambda done: self._stored(done, entry))
        return future

    def store(self, messages: Sequence[Outgoing], writes: Sequence[DatabaseWrite]) -> None:
        """Store messages and `writes` in one transaction; then send the messages.

        Raises
        ------
        Exception
            A `StoreError`, or the error of a write. Then nothing is stored, kept or sent.
        """
        entry = OutboxEntry(list(messages), tuple(writes))
        self._store.write(lambda db: self._insert_behind(db, entry)).result()
        self._wake.set()

    @property
    def pending(self) -> int:
        """Return the number of messages without a confirmed delivery."""
        stored = self._store.read("SELECT messages FROM outbox_size")[0][0]
        return int(stored) + self._unsaved.messages

    @property
    def dropped(self) -> int:
        """Return the number of messages dropped since the first start."""
        rows = self._store.read("SELECT value FROM counters WHERE name = 'outbox_dropped'")
        return (int(rows[0][0]) if rows else 0) + self._unsaved.dropped

    def connected(self) -> None:
        """Note that the broker is connected, in the network thread."""
        self._receiver.connected()
        self._wake.set()

    def receive(self, receipt: Receipt) -> None:
        """Process a receipt, in the network thread."""
        self._receiver.process(receipt)

    def _insert_behind(self, db: Database, entry: OutboxEntry) -> None:
        # Checked in the writer thread, which also keeps failed messages: so the order holds.
        if self._unsaved:
            raise StoreError("earlier messages wait in memory for the database")
        self._insert(db, entry)

    def _insert(self, db: Database, entry: OutboxEntry) -> None:
        try:
            write_all(entry.writes, db)
        except OWN_FAULTS as error:
            raise WriteError(str(error)) from error
        # A message that is stored again after an unclear failure must not be stored twice.
        now_ns = self._now_ns()
        held = not self._link.connected
        self._holds = self._holds or held
        db.conn.executemany(
            "INSERT OR IGNORE INTO outbox (message_id, receipt_id, lane, topic, payload,"
            " created_ns, held) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (m.message_id, m.receipt_id, m.lane, m.topic, packed(m.payload), now_ns, held)
                for m in entry.messages
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

    def _stored(self, done: Future[None], entry: OutboxEntry) -> None:
        error = done.exception()
        if isinstance(error, StoreError):
            self._unsaved.keep(entry)
        elif isinstance(error, Exception):
            self._unsaved.discard(entry, error)
        self._wake.set()

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
                self._unsaved.send(self._publish_unsaved)
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
        known = self._receiver.known
        if known != self._awaited:
            # A first receiver gets what only the broker has confirmed. Once it is gone, the
            # broker's confirmation counts, from the start.
            if known:
                self._store.write(give_to_receiver).result()
            self._awaited = known
            self._handed = dict.fromkeys(Lane, 0)
        if not known:
            return
        for lane in Lane:
            rows = self._store.read("SELECT min(id) FROM outbox WHERE lane = ?", [int(lane)])
            oldest = rows[0][0]
            if oldest is not None and oldest > self._handed[lane]:
                oldest = None
            watch = self._overdue[lane]
            if watch.look(oldest, self._handed[lane], time.monotonic()):
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
        if not numbers or self._receiver.known:
            return
        try:
            self._store.write(partial(keep_for_receiver, numbers=numbers)).result()
        except StoreError:
            with self._lock:
                self._delivered = numbers + self._delivered
            raise

    def _publish_unsaved(self, message: Outgoing) -> bool:
        return self._publish(message.topic, message.payload, partial(self._arrived, None))

    def _retry_unsaved(self) -> None:
        if not self._unsaved or time.monotonic() < self._retry_at:
            return
        self._retry_at = time.monotonic() + RETRY_S
        taken: list[OutboxEntry] = []
        failed: list[tuple[OutboxEntry, Exception]] = []
        future = self._store.write(partial(self._insert_unsaved, taken=taken, failed=failed))
        future.add_done_callback(lambda done: self._tried_again(done, taken, failed))
        future.result()

    def _insert_unsaved(
        self, db: Database, taken: list[OutboxEntry], failed: list[tuple[OutboxEntry, Exception]]
    ) -> None:
        """Store all that waits in memory; in the writer thread.

        All of it, in one transaction: a busy gateway adds messages faster than they could be stored
        one by one, and would never store before it sends again.
        """
        taken += self._unsaved.remove_all()
        for entry in taken:
            if not entry.messages and not entry.writes:
                continue
            try:
                with db.atomic():
                    self._insert(db, entry)
            except (sqlite3.Error, StoreError):
                raise
            except Exception as error:
                failed.append((entry, error))

    def _tried_again(
        self,
        done: Future[None],
        taken: Sequence[OutboxEntry],
        failed: Sequence[tuple[OutboxEntry, Exception]],
    ) -> None:
        if done.exception() is not None:
            self._unsaved.give_back(taken)
            return
        for entry, error in failed:
            self._unsaved.discard(entry, error)


def _give_up(db: Database, number: int) -> None:
    db.execute("DELETE FROM outbox WHERE id = ?", [number])
    count_dropped(db, 1)
