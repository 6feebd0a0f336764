"""Discards old data: messages that waited too long, and events that ended long ago.

Age is running time of the gateway (monotonic clock): a wall clock that jumps ahead by years makes
no data old. Time without power does not count, so data is kept longer rather than shorter. The
outbox is also bounded by its size.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from auscult.contract.times import DAY_S
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.outbox_rows import count_dropped

SAVE_S = 60.0
"""Interval at which running time is stored."""


class Retention:
    """Discards what is too old; its `apply` is a job of the store, to be done now and then.

    Parameters
    ----------
    outbox_days, event_days : int
        Running time after which a waiting message, or an event that has ended, is discarded.
    clock_s : callable
        Monotonic time.
    """

    def __init__(
        self, outbox_days: int, event_days: int, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._outbox_days, self._event_days = outbox_days, event_days
        self._clock_s = clock_s
        self._saved_s = clock_s()

    def apply(self, db: Database) -> None:
        """Count running time and discard what has become too old, in the caller's transaction."""
        elapsed_s = self._clock_s() - self._saved_s
        if elapsed_s < SAVE_S:
            return
        self._saved_s += elapsed_s
        db.execute(
            "INSERT INTO counters VALUES ('running_s', ?)"
            " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            [round(elapsed_s)],
        )
        (now_s,) = db.execute("SELECT value FROM counters WHERE name = 'running_s'").fetchone()
        newest = _mark(db, "outbox", now_s, self._outbox_days)
        gone = db.execute("DELETE FROM outbox WHERE id <= ?", [newest]).rowcount
        count_dropped(db, gone)
        # An event that is stored again gets a new row: its age counts from its last change.
        newest = _mark(db, "events", now_s, self._event_days)
        db.execute("DELETE FROM events WHERE rowid <= ? AND ended_ns IS NOT NULL", [newest])
        # SQLite numbers an emptied table from 1 again: new events must not look as old as those.
        db.execute(
            "DELETE FROM ages WHERE name = 'events'"
            " AND row > (SELECT coalesce(max(rowid), 0) FROM events)"
        )
        db.execute("DELETE FROM alarms WHERE event_id NOT IN (SELECT event_id FROM events)")


def _mark(db: Database, table: str, now_s: int, days: int) -> int:
    """Note once a day how far a table has come; return the row that is `days` old, 0 if none is."""
    (last_s,) = db.execute("SELECT max(running_s) FROM ages WHERE name = ?", [table]).fetchone()
    if last_s is None or now_s - last_s >= DAY_S:
        db.execute(
            f"INSERT INTO ages SELECT ?, ?, coalesce(max(rowid), 0) FROM {table}",  # noqa: S608 - ours
            [table, now_s],
        )
    oldest_s = now_s - days * DAY_S
    (row,) = db.execute(
        "SELECT max(row) FROM ages WHERE name = ? AND running_s <= ?", [table, oldest_s]
    ).fetchone()
    db.execute("DELETE FROM ages WHERE name = ? AND running_s < ?", [table, oldest_s - DAY_S])
    return row or 0
