"""The gateway's database: one writer thread with a queue, readers apart (SQLite, WAL).

Waiting jobs are committed together, so that the fsync of each commit costs little. The fsync
keeps confirmed data through a power cut.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from auscult.backup import sqlite_file
from auscult.contract.said import Said
from auscult.durable import close_to_others
from auscult.errors import newer_database
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.salvage import salvage
from auscult.gateway.storage.schema import migrations, steps
from auscult.host.supervised import Supervised

log = logging.getLogger(__name__)

T = TypeVar("T")

FILE_NAME = "gateway.db"
MAX_WAITING_JOBS = 10_000
"""Beyond this number a job is rejected at once."""
MAX_JOBS_PER_COMMIT = 500
BUSY_TIMEOUT_S = 5.0
HEALED_AFTER_S = 30.0
"""Storing counts as working again after this time without failures: on a full disk, small jobs
succeed between failing ones."""


REPAIR_EACH_S = 60.0
"""Pause between two repairs, so that a failing disk does not fill up with damaged files."""
KEPT_DAMAGED = 3
"""Damaged files that are kept for inspection; the oldest are deleted."""


OWN_FAULTS = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
)
"""Faults of a job, not of the database: other jobs of its transaction are stored, and a repetition
would fail too."""


class StoreError(Exception):
    """The database can't be opened, or could not run a job: nothing of the job was stored."""


class Store:
    """The database file of one gateway.

    Opening it checks and migrates its tables. A damaged file, also one found later, is renamed
    (``gateway.db.damaged-…``), and its readable rows are copied into a new one, so that the gateway
    keeps running.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        self.path = folder / FILE_NAME
        self._jobs: queue.Queue[_Job | None] = queue.Queue(MAX_WAITING_JOBS)
        self._readers = threading.local()
        self._failing = False
        self._failed_s = 0.0
        self._closed = False
        self.loss: Said | None = None
        """What was lost when the database was opened or repaired; None if nothing was."""
        self._damage = ""
        self._repaired_s = float("-inf")
        self._generation = 0
        self._replacing = threading.RLock()
        self._kept_open: sqlite3.Connection | None = None
        self._prepare()
        self._stop = threading.Event()
        self.thread = Supervised("store", self._write_all, self._stop)
        self.thread.start()

    @property
    def failing(self) -> bool:
        """Return whether transactions fail (disk full, damaged …)."""
        return self._failing

    def write(self, job: Callable[[Database], T]) -> Future[T]:
        """Run `job` in the writer thread, in a transaction of its own.

        The future is done when the transaction is on the disk; a failure is a `StoreError`.
        """
        future: Future[T] = Future()
        if self._closed:
            future.set_exception(StoreError("the database is closed"))
            return future
        try:
            self._jobs.put_nowait(_Job(job, future))
        except queue.Full:
            future.set_exception(StoreError("too many jobs wait for the database"))
        return future

    def read(self, query: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return the rows of a query; it sees all earlier commits.

        Raises
        ------
        StoreError
            If the database can't be read.
        """
        generation = self._generation
        try:
            return list(self._reader().execute(query, parameters))
        except sqlite_file.ERRORS as error:
            self._note_damage(error, generation)
            raise StoreError(f"{self.path}: {error}") from error

    def _reader(self) -> sqlite3.Connection:
        """Return this thread's connection to the present file."""
        if getattr(self._readers, "generation", None) != self._generation:
            with self._replacing:
                connection = _connect(self.path)
                connection.row_factory = sqlite3.Row
                connection.execute("PRAGMA query_only = on")
                self._readers.connection, self._readers.generation = connection, self._generation
        found: sqlite3.Connection = self._readers.connection
        return found

    def close(self) -> None:
        """Finish the waiting jobs, then close."""
        self._closed = True
        self._jobs.put(None)
        self._stop.set()
        self.thread.join()
        if self._kept_open is not None:
            self._kept_open.close()
        sqlite_file.hold_reserve(self.path)

    def _prepare(self) -> None:
        if self.path.exists() and not self.path.stat().st_size:
            self.loss = Said("store_empty", {"path": str(self.path)})
            log.error("%s", self.loss)
        try:
            damage = sqlite_file.opened(self.path, self._open)
        except sqlite_file.ERRORS as error:
            if isinstance(error, sqlite3.OperationalError):
                raise StoreError(f"{self.path}: {error}") from error
            damage = str(error)
        if damage:
            self._replace(damage)
        close_to_others(self.path)

    def _open(self) -> str:
        """Recover, migrate and check the file; return its damage, if any."""
        self._recover()
        self._migrate()
        damage = sqlite_file.problem(self.path)
        self._keep_open()
        return damage

    def _keep_open(self) -> None:
        """Keep the index of the log on the disk: on a full disk, it could not be written again."""
        self._kept_open = sqlite3.connect(self.path, check_same_thread=False)
        self._kept_open.execute("PRAGMA schema_version").fetchone()

    def _recover(self) -> None:
        lost, wal = sqlite_file.recover(self.path)
        if lost:
            kept = self.path.with_suffix(f".db-wal.damaged-{time.time_ns()}")
            kept.write_bytes(wal)
            self.loss = Said("store_log_damaged", {"path": kept.name, "count": lost})
            log.error("%s", self.loss)

    def _replace(self, damage: str) -> None:
        """Put a new database in the place of the damaged one, with the rows that can be read."""
        with self._replacing:
            if self._kept_open is not None:
                self._kept_open.close()
            aside = self.path.with_suffix(f".db.damaged-{time.time_ns()}")
            Path(f"{self.path}-shm").unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                Path(f"{self.path}-wal").rename(f"{aside}-wal")
            self.path.rename(aside)
            self._migrate()
            self._keep_open()
            with contextlib.closing(_connect(self.path)) as connection:
                db = Database(connection)
                with db.atomic():
                    rows = salvage(aside, db)
            self._generation += 1
            self._repaired_s = time.monotonic()
        code = "store_salvaged" if rows else "store_damaged"
        self.loss = Said(code, {"path": aside.name} | ({"count": rows} if rows else {}))
        log.error("%s is damaged (%s): %s", self.path, damage, self.loss)
        stems = {file.name[: len(aside.name)] for file in self.path.parent.glob("*.db.damaged-*")}
        for stem in sorted(stems)[:-KEPT_DAMAGED]:
            for file in self.path.parent.glob(f"{stem}*"):
                file.unlink()

    def _note_damage(self, error: Exception, generation: int) -> None:
        """Have the writer repair the file, where an error says that it is damaged."""
        due = time.monotonic() - self._repaired_s >= REPAIR_EACH_S
        if not _is_damage(error) or self._damage or generation != self._generation or not due:
            return
        self._damage = str(error)
        with contextlib.suppress(queue.Full):
            self._jobs.put_nowait(_Job(lambda _: None, Future()))  # wakes the writer

    def _migrate(self) -> None:
        with contextlib.closing(_connect(self.path)) as connection:
            db = Database(connection)
            done = (step.name for step in migrations.applied(db))
            if problem := newer_database(self.path, done, steps()):
                raise StoreError(problem)
            connection.execute("PRAGMA journal_mode = wal")
            migrations.apply(db)

    def _write_all(self) -> None:
        ended = False
        while not ended:
            with contextlib.closing(_connect(self.path)) as connection:
                connection.execute("PRAGMA synchronous = full")
                ended = self._commit_until_closed(Database(connection))
            if self._damage:
                damage, self._damage = self._damage, ""
                self._replace(damage)

    def _commit_until_closed(self, db: Database) -> bool:
        """Commit what comes; False where the file must be repaired first."""
        while not self._damage:
            jobs: list[_Job] = []
            job = self._jobs.get()
            while job is not None:
                jobs.append(job)
                if len(jobs) == MAX_JOBS_PER_COMMIT or self._jobs.empty():
                    break
                job = self._jobs.get_nowait()
            if jobs:
                try:
                    self._commit(db, jobs)
                except Exception as error:
                    # Its supervisor restarts the thread with a new connection.
                    for failed in jobs:
                        failed.fail(StoreError(f"{self.path}: {error}"))
                    if job is None:
                        self._jobs.put(None)
                    raise
            if job is None:
                return True
        return False

    def _commit(self, db: Database, jobs: list[_Job]) -> None:
        try:
            with db.atomic():
                for job in jobs:
                    job.run(db)
        except sqlite_file.ERRORS as error:
            if not self._failing:
                log.error("%s: nothing can be stored (%s); decisions continue", self.path, error)
            self._failing = True
            self._failed_s = time.monotonic()
            self._note_damage(error, self._generation)
            for job in jobs:
                job.fail(StoreError(f"{self.path}: {error}"))
            return
        if self._failing and time.monotonic() - self._failed_s >= HEALED_AFTER_S:
            log.info("%s: storing works again", self.path)
            self._failing = False
        for job in jobs:
            job.done()


class _Job:
    """Work for a transaction, and the future of its result."""

    def __init__(self, work: Callable[[Database], Any], future: Future[Any]) -> None:
        self._work = work
        self._future = future
        self._result: Any = None
        self._error: Exception | None = None

    def run(self, db: Database) -> None:
        """Run the work; keep its own error for the caller, raise the database's."""
        try:
            with db.atomic():
                self._result = self._work(db)
        except OWN_FAULTS as error:
            self._error = StoreError(str(error))
        except sqlite3.Error:
            raise
        except Exception as error:
            self._error = error

    def done(self) -> None:
        if self._error is not None:
            self._future.set_exception(self._error)
        else:
            self._future.set_result(self._result)

    def fail(self, error: StoreError) -> None:
        self._future.set_exception(error)


def _is_damage(error: Exception) -> bool:
    """Return whether the file is damaged, rather than full, locked or missing."""
    return type(error) in (sqlite3.DatabaseError, UnicodeDecodeError)


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)
