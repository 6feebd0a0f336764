"""Readings that could not be sent: kept in SQLite until the host is back, then sent as historical.

Metrics are stored by name: each birth assigns new aliases, so a stored alias would later point at
another metric. They age by running time, which a clock that is set ahead does not change; time
without power does not count.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from auscult.backup import sqlite_file
from auscult.contract.times import DAY_S

log = logging.getLogger(__name__)

PRUNE_EVERY = 256
"""The bounds are enforced each so many additions; until then they are exceeded by as much."""
MARKS = 100
"""The age of readings is known to this part of the longest one."""


@dataclass(frozen=True, slots=True)
class StoredReading:
    """One kept reading: `metric` is its encoded Sparkplug metric, by name, marked historical."""

    row: int
    unit: str | None
    name: str
    datatype: int
    t_ms: int
    metric: bytes


class History:
    """The store; used by one thread only.

    Parameters
    ----------
    file : Path
        SQLite file, made if missing. An unreadable one is renamed to ``*.damaged``.
    max_values : int
        Bound; the oldest go first. 0 keeps nothing.
    max_days : float
        Older readings are dropped.
    clock_s : callable
        Monotonic time.
    """

    def __init__(
        self,
        file: Path,
        max_values: int,
        max_days: float,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_values = max_values
        self._max_age_s = max_days * DAY_S
        self._clock_s = clock_s
        self._marks: deque[tuple[float, int]] = deque()
        """When the history had come to which row."""
        self._since_pruning = 0
        self.dropped = 0
        """How many readings were lost to the bounds since the start."""
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._database = _open(file)
        except sqlite_file.ERRORS:
            aside = file.with_suffix(".damaged")
            log.exception("%s is damaged: renamed to %s, a new one is begun", file, aside.name)
            for suffix in ("", "-wal", "-shm"):
                part = Path(f"{file}{suffix}")
                if part.exists():
                    part.replace(f"{aside}{suffix}")
            self._database = _open(file)
        count_and_last = "SELECT count(*), coalesce(max(id), 0) FROM history"
        count, last_row = self._database.execute(count_and_last).fetchone()
        self._count, self._last_row = int(count), int(last_row)

    @property
    def pending(self) -> int:
        """Return how many readings wait."""
        return self._count

    def add(self, readings: Iterable[StoredReading]) -> None:
        """Keep readings (their `row` does not count); all of them or, after a crash, none."""
        if self._max_values == 0:
            return
        # SQLite would number an emptied table from 1 again: new readings must not look as old.
        rows = [
            (row, r.unit, r.name, r.datatype, r.t_ms, r.metric)
            for row, r in enumerate(readings, self._last_row + 1)
        ]
        try:
            with self._database:
                self._database.executemany(
                    "INSERT INTO history (id, unit, name, datatype, t_ms, metric) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    rows,
                )
        except sqlite3.OperationalError as error:
            # A full disk must not end the session with a host that is there.
            self.lose(len(rows), f"it cannot be written ({error})")
            return
        self._count += len(rows)
        self._last_row += len(rows)
        self._since_pruning += len(rows)
        if self._since_pruning >= PRUNE_EVERY or self._count > self._max_values + PRUNE_EVERY:
            self.prune()

    def oldest(self, limit: int, without: Sequence[str] = ()) -> list[StoredReading]:
        """Return up to `limit` readings in the order of their time.

        Those of the devices in `without` are passed over.
        """
        rows = self._database.execute(
            "SELECT id, unit, name, datatype, t_ms, metric FROM history "
            "WHERE unit IS NULL OR unit NOT IN (SELECT value FROM json_each(?)) "
            "ORDER BY t_ms, id LIMIT ?",
            (json.dumps(list(without)), limit),
        )
        return [StoredReading(*row) for row in rows]

    def remove(self, readings: Sequence[StoredReading]) -> None:
        """Delete readings that were sent."""
        with self._database:
            self._database.executemany(
                "DELETE FROM history WHERE id = ?", [(r.row,) for r in readings]
            )
        self._count -= len(readings)

    def prune(self) -> None:
        """Drop what is too old or too much, and count it."""
        self._since_pruning = 0
        too_old = self._too_old()
        with self._database:
            old = self._database.execute("DELETE FROM history WHERE id <= ?", (too_old,)).rowcount
            surplus = max(0, self._count - old - self._max_values)
            if surplus:
                self._database.execute(
                    "DELETE FROM history WHERE id IN (SELECT id FROM history ORDER BY id LIMIT ?)",
                    (surplus,),
                )
        self._count -= old + surplus
        self.lose(old + surplus, "it is full, or they are too old")

    def _too_old(self) -> int:
        """Note how far the history has come; return the last row that is too old, 0 for none."""
        now_s, row = self._clock_s(), 0
        if not self._marks or now_s - self._marks[-1][0] >= self._max_age_s / MARKS:
            self._marks.append((now_s, self._last_row))
        while now_s - self._marks[0][0] > self._max_age_s:
            row = self._marks.popleft()[1]
        return row

    def lose(self, count: int, reason: str) -> None:
        """Count readings that are lost; the first are logged."""
        if count and not self.dropped:
            log.warning("Sparkplug history drops readings from now on: %s", reason)
        self.dropped += count

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _open(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        with database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS history (id INTEGER PRIMARY KEY, unit TEXT, "
                "name TEXT NOT NULL, datatype INTEGER NOT NULL, t_ms INTEGER NOT NULL, "
                "metric BLOB NOT NULL)"
            )
            database.execute("CREATE INDEX IF NOT EXISTS history_time ON history (t_ms, id)")
    except sqlite_file.ERRORS:
        database.close()
        raise
    return database
