"""The one thread that writes: queued jobs share a transaction, so that many cost one commit."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from auscult.app.store.connection import OnChanged, StoreUnavailableError, WritableDatabase

log = logging.getLogger(__name__)

Result = TypeVar("Result")

MAX_JOBS = 64
"""Bounds how long one commit can keep the first of its jobs waiting."""
QUEUE_SIZE = 1000
"""Callers wait for their result, so the queue holds no more jobs than threads."""


@dataclass(frozen=True, slots=True)
class _Entry:
    job: Callable[[WritableDatabase], Any]
    turn: int
    future: Future[Any]


class Writer:
    """Runs jobs on the writing connection, those of one turn together in a transaction.

    A job that raises is undone alone. If the database itself fails, the whole transaction is
    undone and every job in it fails. `on_changed` gets what a commit has changed.
    """

    def __init__(self, database: WritableDatabase, on_changed: OnChanged) -> None:
        self._database = database
        self._on_changed = on_changed
        self._jobs: queue.Queue[_Entry | None] = queue.Queue(QUEUE_SIZE)
        self._ended = False
        self._trouble: str | None = None
        self._closed = False
        self._order = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """Return why the last transaction failed, None if it succeeded."""
        return self._trouble

    def submit(self, job: Callable[[WritableDatabase], Result], turn: int = 0) -> Future[Result]:
        """Queue a job; the future is done when its transaction is committed."""
        future: Future[Result] = Future()
        with self._order:  # a job behind the end mark would never be run
            if self._closed:
                future.set_exception(StoreUnavailableError("the database is closed"))
            else:
                self._jobs.put(_Entry(job, turn, future))
        return future

    def close(self) -> None:
        """Run what is queued, stop the thread and close the connection."""
        with self._order:
            if self._closed:
                return
            self._closed = True
            self._jobs.put(None)
        self._thread.join()
        self._database.close()

    def _run(self) -> None:
        entry = self._jobs.get()
        while entry is not None:
            batch = [entry]
            entry = self._next()
            while entry is not None and entry.turn == batch[0].turn and len(batch) < MAX_JOBS:
                batch.append(entry)
                entry = self._next()
            self._commit(batch)
            if entry is None and not self._ended:
                entry = self._jobs.get()

    def _next(self) -> _Entry | None:
        """Return a waiting entry, None if there is none."""
        try:
            entry = self._jobs.get_nowait()
        except queue.Empty:
            return None
        self._ended = entry is None
        return entry

    def _commit(self, batch: list[_Entry]) -> None:
        database = self._database
        outcomes: list[tuple[Future[Any], Any, Exception | None]] = []
        database.changes.clear()
        try:
            database.begin(batch[0].turn)
            outcomes += [(entry.future, *self._attempt(entry.job)) for entry in batch]
            database.commit()
        except Exception as error:
            database.remembered.clear()
            database.rollback()
            self._failed(error)
            for entry in batch:
                entry.future.set_exception(StoreUnavailableError(str(error)))
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
            log.error("the database can't be written: %s; check disk space and locks", error)
        self._trouble = str(error)

    def _succeeded(self) -> None:
        if self._trouble is not None:
            log.info("the database can be written again")
            self._trouble = None
