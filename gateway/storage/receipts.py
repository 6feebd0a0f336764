"""Receipts: a receiver's confirmation that it has stored messages, stronger than the broker's.

A broker confirms messages that it has only in memory; if it is killed, they are lost. So where a
receiver sends receipts, a message stays in the outbox until its receipt comes. Messages without a
receipt are sent again, in their order, while the receiver is active; an absent receiver gets them
when it returns.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store

KNOWN_S = 30 * 86_400.0
"""After this time without receipts the receiver is gone; the broker's confirmation counts again."""
RESEND_S = (20.0, 3600.0)
"""First and longest wait for a receipt; it doubles while none comes."""
MAX_RESENDS = 10
"""After this many attempts (hours, with an active receiver) a message is discarded."""
LAST = "receiver_heard_s"
NOTED_EACH_S = 600.0


class Receiver:
    """The receiver that sends receipts; any thread may call it.

    Parameters
    ----------
    store : Store
        Keeps over restarts that there is a receiver.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        rows = store.read("SELECT value FROM counters WHERE name = ?", [LAST])
        self._receipt_s = float(rows[0][0]) if rows else 0.0
        self._noted_s = self._receipt_s
        self._last_s = float("-inf")

    @property
    def known(self) -> bool:
        """Whether there is a receiver that sends receipts."""
        return time.time() - self._receipt_s < KNOWN_S

    def active_since(self, monotonic_s: float) -> bool:
        """Whether a receipt came after this moment."""
        return self._last_s > monotonic_s

    def take(self, ids: Iterable[str]) -> None:
        """Process a receipt: remove the messages that it names."""
        self._receipt_s, self._last_s = time.time(), time.monotonic()
        note = self._receipt_s - self._noted_s > NOTED_EACH_S
        if note:
            self._noted_s = self._receipt_s
        done = [(one,) for one in ids]
        receipt_s = int(self._receipt_s)

        def work(db: Database) -> None:
            db.conn.executemany("DELETE FROM outbox WHERE receipt_id = ?", done)
            if note:
                db.execute("INSERT OR REPLACE INTO counters VALUES (?, ?)", [LAST, receipt_s])

        if done or note:
            self._store.write(work)


class Overdue:
    """Watches the oldest sent message without a receipt.

    Examples
    --------
    >>> watch = Overdue()
    >>> [watch.look(7, now_s) for now_s in (0, 19, 21, 60, 62)]
    [False, False, True, False, True]
    >>> watch.look(8, 63), watch.resends
    (False, 0)
    """

    def __init__(self) -> None:
        self._oldest: int | None = None
        self.since_s = 0.0
        self._pause_s = RESEND_S[0]
        self.resends = 0

    def look(self, oldest: int | None, now_s: float) -> bool:
        """Return whether it is time to send again."""
        if oldest != self._oldest:
            self._oldest, self.since_s = oldest, now_s
            self._pause_s, self.resends = RESEND_S[0], 0
            return False
        if oldest is None or now_s - self.since_s < self._pause_s:
            return False
        self.since_s = now_s
        self._pause_s = min(2 * self._pause_s, RESEND_S[1])
        self.resends += 1
        return True
