"""The one thread that writes: queued jobs share a transaction, so that many cost one commit."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeAlias, TypeVar

from app.store.connection import StoreUnavailableError, Told, WritableDatabase

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_Entry: TypeAlias = tuple[Callable[[WritableDatabase], Any], Future[Any]]

MAX_JOBS_A_COMMIT = 64
"""Bounds how long one commit can keep the first of its jobs waiting."""
QUEUE_SIZE = 1000
"""Callers wait for their result, so more jobs than threads never queue up."""


class Writer:
    """Runs jobs on the writing connection, several to a transaction.

    A job that raises is undone alone. If the database itself fails, the whole transaction is
    undone and every job in it learns so. `on_changed` gets what a commit has changed.
    """

    def __init__(self, database: WritableDatabase, on_changed: Told) -> None:
        self._database = database
        self._on_changed = on_changed
        self._jobs: queue.Queue[tuple[Callable[[WritableDatabase], Any], Future[Any]] | None] = (
            queue.Queue(QUEUE_SIZE)
        )
        self._trouble: str | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """Why the last transaction failed, None if it did not."""
        return self._trouble

    def submit(self, job: Callable[[WritableDatabase], Result]) -> Future[Result]:
        """Queue a job; the future is done when its transaction is committed."""
        future: Future[Result] = Future()
        if self._closed:
            future.set_exception(StoreUnavailableError("the database is closed"))
        else:
            self._jobs.put((job, future))
        return future

    def close(self) -> None:
        """Run what is queued, stop the thread and close the connection."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            self._thread.join()
            self._database.close()

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            batch = [first]
            last = False
            while len(batch) < MAX_JOBS_A_COMMIT and not last:
                try:
                    entry = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if entry is None:
                    last = True
                else:
                    batch.append(entry)
            self._commit(batch)
            if last:
                return

    def _commit(self, batch: list[_Entry]) -> None:
        database = self._database
        outcomes: list[tuple[Future[Any], Any, Exception | None]] = []
        database.changes.clear()
        try:
            database.begin()
            for job, future in batch:
                outcomes.append((future, *self._attempt(job)))
            database.commit()
        except Exception as error:
            database.rollback()
            self._failed(error)
            for _, future in batch:
                future.set_exception(StoreUnavailableError(str(error)))
            return
        self._succeeded()
        for future, result, problem in outcomes:
            if problem is None:
                future.set_result(result)
            else:
                future.set_exception(problem)
        if database.changes:
            self._on_changed(database.changes.copy())

    def _attempt(self, job: Callable[[WritableDatabase], Any]) -> tuple[Any, Exception | None]:
        announced = len(self._database.changes)
        try:
            with self._database.atomic():
                return job(self._database), None
        except Exception as error:
            if self._database.is_trouble(error):
                raise
            del self._database.changes[announced:]
            return None, error

    def _failed(self, error: Exception) -> None:
        if self._trouble is None:
            log.error("the database takes nothing now: %s; check disk space and locks", error)
        self._trouble = str(error)

    def _succeeded(self) -> None:
        if self._trouble is not None:
            log.info("the database takes data again")
            self._trouble = None
