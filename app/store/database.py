"""The dashboard's database: jobs that write, one after the other, and connections that read."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar
from zlib import crc32

from auscult.app.store import scope
from auscult.app.store.connection import Database, Engine, OnChanged, WritableDatabase
from auscult.app.store.writer import Writer

Result = TypeVar("Result")


def _ignore(_changes: object) -> None:
    pass


class DashboardStore:
    """The dashboard's database.

    Parameters
    ----------
    engine : Engine
        Where it is.
    on_changed : callable
        Gets the changes of each commit; it must be quick.

    Raises
    ------
    StoreError
        If it can't be opened.
    """

    def __init__(self, engine: Engine, on_changed: OnChanged = _ignore) -> None:
        self.engine = engine
        self._writer = Writer(engine.writer(), on_changed)

    def write(self, job: Callable[[WritableDatabase], Result]) -> Result:
        """Run `job` in a transaction on the writer's thread and return its result once committed.

        Raises
        ------
        StoreUnavailableError
            If the database is full, locked, damaged or away; nothing of `job` was stored.
        """
        return self._writer.submit(job).result()

    def submit(self, job: Callable[[WritableDatabase], Result], turn: int = 0) -> Future[Result]:
        """Do as `write`, without waiting: jobs of different turns don't wait for one another.

        See `turn_of`. The future raises what `write` would.
        """
        return self._writer.submit(job, turn)

    def turn_of(self, name: str) -> int:
        """Return in which turn all is written that is received of a machine or gateway."""
        others = self.engine.turns - 1
        return 1 + crc32(name.encode()) % others if others else 0

    def read(self) -> Database:
        """Return a connection for this thread that only reads, what the caller may read."""
        return scope.of_caller(self.engine.reader())

    def release_memory(self) -> None:
        """Free what the writer keeps of the database: with time, it fills its cache.

        Raises
        ------
        StoreUnavailableError
            As `write`.
        """
        self.write(lambda db: db.release_memory())

    @property
    def trouble(self) -> str | None:
        """Return why the database can't be written now, None if it can."""
        return self._writer.trouble or self.engine.missing()

    def close(self) -> None:
        """Finish what is queued and close all connections."""
        self._writer.close()
        self.engine.close()
