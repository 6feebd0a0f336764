"""The age of stored rows by running time: a wrong wall clock deletes nothing.

Data are made while the dashboard runs, so running time bounds the database as well as calendar time
does. After downtime rows stay longer than configured, never shorter.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from auscult.app.store.connection import WritableDatabase
from auscult.app.store.database import DashboardStore

log = logging.getLogger(__name__)

JUMP_MS = 2 * 86_400_000
"""A wall clock this far ahead of the age is reported."""


class AgeClock:
    """Gives the time that ages are taken from: it advances as long as the dashboard runs.

    Parameters
    ----------
    store : DashboardStore
        Keeps the time over restarts; several processes advance it together.
    monotonic : callable
        Seconds of running time.
    """

    def __init__(
        self, store: DashboardStore, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._monotonic = monotonic
        self._last_s = monotonic()
        self._reported = False

    def advance(self, now_ms: int) -> int:
        """Add the running time since the last call; return the time, never after `now_ms`."""
        at_s = self._monotonic()
        ran_ms = int(1000 * (at_s - self._last_s))
        age_ms = self._store.write(lambda db: _advance(db, now_ms, ran_ms))
        self._last_s = at_s
        if now_ms - age_ms > JUMP_MS and not self._reported:
            self._reported = True
            log.warning(
                "the clock is %.0f days ahead of the running time of the stored data: rows are "
                "deleted only after they have aged while the dashboard runs; check the clock if "
                "the dashboard was not down for so long",
                (now_ms - age_ms) / 86_400_000,
            )
        return min(age_ms, now_ms)


def _advance(db: WritableDatabase, now_ms: int, ran_ms: int) -> int:
    row = db.execute("SELECT age_ms, wall_ms FROM age_clock").fetchone()
    if row is None:
        (heard_ms,) = db.execute("SELECT max(heard_ms) FROM gateway").fetchone()
        age_ms = min(now_ms, heard_ms or now_ms)
        db.execute("INSERT INTO age_clock (age_ms, wall_ms) VALUES (?, ?)", (age_ms, now_ms))
        return age_ms
    age_ms, wall_ms = row
    # the wall clock bounds it too: another process may have added the same time
    age_ms += max(0, min(ran_ms, now_ms - wall_ms))
    db.execute("UPDATE age_clock SET age_ms = ?, wall_ms = ?", (age_ms, now_ms))
    return int(age_ms)
