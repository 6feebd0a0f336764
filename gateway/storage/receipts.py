"""Receipts: a receiver's confirmation that it has stored messages, stronger than the broker's.

A broker confirms messages that it has only in memory; if it is killed, they are lost. So where a
receiver sends receipts, a message stays in the outbox until its receipt comes. Messages without a
receipt are sent again, in their order, while the receiver is active; an absent receiver gets them
when it returns.
"""

from __future__ import annotations

import time

from auscult.contract.payloads import Receipt
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store

KNOWN_S = 30 * 86_400.0
"""After this time without receipts the receiver is gone; the broker's confirmation counts again."""
RESEND_S = (20.0, 3600.0)
"""First and longest wait for a receipt; it doubles while none comes."""
RECONNECTED_S = 2.0
"""The same, once, for what was sent before the first receipt on a new connection: a broker that was
killed lost it. A receiver that works through what waits confirms the oldest sooner."""
MAX_RESENDS = 10
"""After this many attempts (hours, with an active receiver) a message is discarded."""
LAST = "receiver_heard_s"
NEWEST = "receipt_newest_ms"
NOTED_EACH_S = 600.0


class ReceiptSender:
    """The receiver that sends receipts; any thread may call it.

    Parameters
    ----------
    store : Store
        Keeps over restarts that there is a receiver.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        rows = store.read("SELECT name, value FROM counters")
        counters = {str(row["name"]): row["value"] for row in rows}
        self._receipt_s = float(counters.get(LAST, 0))
        self._newest_ms = int(counters.get(NEWEST, -1))
        self._noted_s = self._receipt_s
        self._last_s = float("-inf")
        self.first_s: float | None = None
        """Moment of the first receipt on the present connection to the broker, if there was one."""

    def connected(self) -> None:
        """Note a new connection to the broker, whose messages `process` gets from now on."""
        self.first_s = None

    @property
    def known(self) -> bool:
        """Return whether there is a receiver that sends receipts."""
        return time.time() - self._receipt_s < KNOWN_S

    def active_since(self, monotonic_s: float) -> bool:
        """Return whether a receipt came after this moment."""
        return self._last_s > monotonic_s

    def process(self, receipt: Receipt) -> None:
        """Process a receipt: remove the messages that it names.

        A copy of an earlier receipt removes nothing, and does not count as a sign of the receiver:
        it counts if it is newer than all before, or removes a message (a clock was set back).
        """
        came_s, now_s = time.time(), time.monotonic()
        is_new = receipt.ts > self._newest_ms
        if is_new:
            self._newest_ms = receipt.ts
            self._heard(came_s, now_s)
        note = is_new and came_s - self._noted_s > NOTED_EACH_S
        if note:
            self._noted_s = came_s
        done = [(one,) for one in receipt.ids]

        def work(db: Database) -> None:
            removed = db.conn.executemany("DELETE FROM outbox WHERE receipt_id = ?", done).rowcount
            if removed > 0 and not is_new:
                self._heard(came_s, now_s)
            counters = [(NEWEST, self._newest_ms), (LAST, int(self._receipt_s))]
            db.conn.executemany("INSERT OR REPLACE INTO counters VALUES (?, ?)", counters)

        if done or note:
            self._store.write(work)

    def _heard(self, came_s: float, now_s: float) -> None:
        self._receipt_s, self._last_s = came_s, now_s
        if self.first_s is None:
            self.first_s = now_s


class Overdue:
    """Watches the oldest sent message of a lane without a receipt.

    Attributes
    ----------
    resends : int
        How often it was sent again after the full wait.
    """

    def __init__(self, receiver: ReceiptSender) -> None:
        self.resends = 0
        self._receiver = receiver
        self._oldest: int | None = None
        self._since_s = 0.0
        self._pause_s = RESEND_S[0]
        self._first_s: float | None = None
        self._doubtful = 0

    def look(self, oldest: int | None, newest: int, now_s: float) -> bool:
        """Return whether to send again, from the oldest message on.

        Parameters
        ----------
        oldest, newest : int
            Numbers of the oldest message that was sent and has no receipt, and of the newest sent.
        now_s : float
            Monotonic time, seconds.
        """
        if oldest != self._oldest:
            self._oldest, self._since_s = oldest, now_s
            self._pause_s, self.resends = RESEND_S[0], 0
        first_s = self._receiver.first_s
        if first_s is None:
            return False
        if first_s != self._first_s:
            self._first_s, self._since_s = first_s, first_s
            self._doubtful = newest
        if oldest is None:
            return False
        waited_s = now_s - self._since_s
        if oldest <= self._doubtful and waited_s >= RECONNECTED_S:
            self._doubtful = 0
        elif waited_s >= self._pause_s and self._receiver.active_since(self._since_s):
            self._pause_s = min(2 * self._pause_s, RESEND_S[1])
            self.resends += 1
        else:
            return False
        self._since_s = now_s
        return True
