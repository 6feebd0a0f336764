"""Opens the database: one connection that writes, others that only read."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from app.store.schema import migrations
from app.store.writer import Writer

Result = TypeVar("Result")

BUSY_TIMEOUT_S = 5.0
"""How long a connection waits for a lock that another process (a backup) holds."""


PAGE_BYTES = 8192
"""A row of a trend (97 features: 1.2 kB) fits; in SQLite's usual pages of 4096 each would get an
overflow page of its own, and the database be three times the size."""


class StoreError(Exception):
    """The database can't be opened; the message names the file and the remedy."""


class Store:
    """The dashboard's database.

    Writing goes through one thread, so that it never waits for a lock of our own; each thread
    that reads gets a read-only connection of its own.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._readers_lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, check_same_thread=False)
            connection.isolation_level = None
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # only before the first table
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only before the first table
            connection.execute("PRAGMA journal_mode = WAL")
            # FULL: what was acknowledged to the broker must survive a power cut.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            database = Database(connection)
            migrations.apply(database)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"{path}: cannot be opened as the dashboard's database ({error}); check the rights "
                "and the disk, or restore a backup"
            ) from error
        self._writer = Writer(database)

    def write(self, job: Callable[[Database], Result]) -> Result:
        """Run `job` in a transaction on the writer's thread and return its result once committed.

        Raises
        ------
        StoreUnavailableError
            If the database is full, locked or damaged; nothing of `job` was stored.
        """
        return self._writer.submit(job).result()

    def read(self) -> Database:
        """Return this thread's read-only connection."""
        reader: Database | None = getattr(self._local, "reader", None)
        if reader is None:
            uri = f"{self.path.resolve().as_uri()}?mode=ro"
            connection = sqlite3.connect(
                uri, uri=True, timeout=BUSY_TIMEOUT_S, check_same_thread=False
            )
            connection.isolation_level = None
            reader = self._local.reader = Database(connection)
            with self._readers_lock:
                self._readers.append(connection)
        return reader

    @property
    def trouble(self) -> str | None:
        """What is wrong with writing now, or None."""
        return self._writer.trouble

    def close(self) -> None:
        """Finish what is queued and close all connections."""
        self._writer.close()
        with self._readers_lock:
            for connection in self._readers:
                connection.close()
            self._readers.clear()
