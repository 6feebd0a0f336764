"""The store in a file of SQLite: one connection writes, each thread that reads has its own."""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

from auscult.app.store.connection import (
    Cursor,
    Database,
    Engine,
    OnChanged,
    StoreOpenError,
    Values,
    WritableDatabase,
)
from auscult.app.store.schema import STEPS, Step
from auscult.backup import sqlite_file
from auscult.durable import close_to_others
from auscult.errors import newer_database
from auscult.lean import without

with without("pandas"):  # 35 MB, which sqlite-utils would load where it is installed
    import sqlite_utils
    from sqlite_utils import Migrations

BUSY_TIMEOUT_S = 5.0
"""How long a connection waits for a lock that another process (a backup) holds."""
PAGE_BYTES = 8192
"""A row of a trend (97 features: 1.2 kB) fits; in SQLite's usual pages of 4096 each would get an
overflow page of its own, and the database be three times the size."""
CACHE_KB = 16_000
"""Of the writer: a batch of trends changes some 600 pages, 5 MB. In SQLite's usual 2 MB it would
write and read them again within the transaction."""
READER_CACHE_KB = 200
"""Each commit of the writer empties a reader's cache, so a larger one (2 MB is usual) makes no
query faster, and each of up to 46 threads would hold one."""
PAGES_GIVEN_BACK = 2000
"""To the file system in one transaction: bounds how long messages wait for it."""


def _present() -> None:
    return None


@contextmanager
def _decoded_errors() -> Iterator[None]:
    """Raise what Python makes of an error that quotes a damaged schema as that error."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(error.object.decode(errors="backslashreplace")) from None


def is_damage(error: Exception) -> bool:
    """Tell whether an error of SQLite means a damaged file."""
    # Subclasses blame the statement; but all tables and columns that ours name were there.
    return type(error) is sqlite3.DatabaseError or "no such " in str(error)


class SqliteDatabase(WritableDatabase):
    """A connection to the file."""

    dialect = "sqlite"
    base = "main."

    def __init__(
        self, database: sqlite_utils.Database, missing: Callable[[], str | None] = _present
    ) -> None:
        super().__init__()
        self._database = database
        self._missing = missing

    def execute(self, sql: str, values: Values = ()) -> Cursor:
        with _decoded_errors():
            cursor: Cursor = self._database.execute(sql, values)
        return cursor

    def query(self, sql: str, values: Values = ()) -> Iterator[dict[str, Any]]:
        with _decoded_errors():
            rows: Iterator[dict[str, Any]] = self._database.query(sql, values)
        return rows

    def define(self, sql: str) -> None:
        self._database.execute(sql)

    def _savepoint(self) -> AbstractContextManager[Any]:
        block: AbstractContextManager[Any] = self._database.atomic()
        return block

    def begin(self, turn: int) -> None:  # noqa: ARG002 - there is but one
        if problem := self._missing():
            raise sqlite3.OperationalError(problem)
        self._database.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._database.execute("COMMIT")

    def rollback(self) -> None:
        if self._database.conn.in_transaction:
            self._database.execute("ROLLBACK")

    def give_back(self) -> None:
        self.execute(f"PRAGMA incremental_vacuum({PAGES_GIVEN_BACK})").fetchall()

    def release_memory(self) -> None:
        self.execute("PRAGMA shrink_memory")

    def renumber(self) -> None:
        """Do nothing: SQLite continues after the greatest number by itself."""

    def is_trouble(self, error: Exception) -> bool:
        failing = isinstance(error, sqlite3.OperationalError | sqlite3.InternalError)
        return failing or is_damage(error)

    def close(self) -> None:
        self._database.conn.close()


class SqliteFile(Engine):
    """A database file, which one process writes."""

    turns = 1

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self._local = threading.local()
        self._readers: WeakSet[SqliteDatabase] = WeakSet()
        """Each belongs to its thread: when the thread ends, its connection closes."""
        self._readers_lock = threading.Lock()
        self._inode = 0

    def writer(self) -> WritableDatabase:
        try:
            self.path.parent.mkdir(0o700, parents=True, exist_ok=True)
            if self.path.is_file() and self.path.stat().st_size == 0:
                raise StoreOpenError(
                    f"{self.path} is empty (0 bytes): restore a backup, or delete the file to "
                    "begin with an empty database"
                )
            database = sqlite_file.opened(self.path, self._open)
        except (*sqlite_file.ERRORS, OSError) as error:
            raise StoreOpenError(
                f"{self.path}: cannot be opened as the dashboard's database ({error}); check the "
                "rights and the disk, or restore a backup"
            ) from error
        close_to_others(self.path)
        writer = SqliteDatabase(database, self.missing)
        writer.caps = self.caps
        return writer

    def _open(self) -> sqlite_utils.Database:
        """Recover, migrate and check the file; return the writer's connection."""
        self._recover()
        connection = sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S, check_same_thread=False)
        connection.isolation_level = None
        connection.text_factory = self._text
        database = sqlite_utils.Database(connection)
        done = (step.name for step in migrations.applied(database))
        if problem := newer_database(self.path, done, (step.__name__ for step in STEPS)):
            connection.close()
            raise StoreOpenError(problem)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # only before the first table
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only before the first table
        connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")  # negative: kB, not pages
        connection.execute("PRAGMA journal_mode = WAL")
        # FULL: what was acknowledged to the broker must survive a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        migrations.apply(database)
        self._inode = self.path.stat().st_ino
        if found := sqlite_file.problem(self.path):
            self.damage.report_file(found)
        return database

    def _text(self, stored: bytes) -> str:
        """Decode a stored text; one that is damaged must not end a whole list or transaction."""
        try:
            return stored.decode()
        except UnicodeDecodeError:
            text = stored.decode(errors="replace")
            self.damage.report_file(f"the stored text {text[:80]!r} is no UTF-8")
            return text

    def _recover(self) -> None:
        lost, log = sqlite_file.recover(self.path)
        if lost:
            kept = self.path.with_suffix(f".db-wal.damaged-{time.time_ns()}")
            kept.write_bytes(log)
            self.damage.report_file(f"{lost} transactions of its log are lost ({kept} keeps it)")

    def missing(self) -> str | None:
        try:
            there = self.path.stat().st_ino == self._inode
        except OSError:
            there = False
        if there:
            return None
        return f"{self.path} was removed or replaced; restore it and restart the dashboard"

    def reader(self) -> Database:
        reader: SqliteDatabase | None = getattr(self._local, "reader", None)
        if reader is None:
            uri = f"{self.path.resolve().as_uri()}?mode=ro"
            connection = sqlite3.connect(
                uri, uri=True, timeout=BUSY_TIMEOUT_S, check_same_thread=False
            )
            connection.isolation_level = None
            connection.text_factory = self._text
            connection.execute(f"PRAGMA cache_size = -{READER_CACHE_KB}")
            reader = SqliteDatabase(sqlite_utils.Database(connection))
            weakref.finalize(reader, connection.close)
            reader.damage = self.damage
            self._local.reader = reader
            with self._readers_lock:
                self._readers.add(reader)
        return reader

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        reader = self.reader()
        reader.execute("BEGIN")
        try:
            yield reader
        finally:
            reader.execute("ROLLBACK")

    def listen(self, on_changed: OnChanged, on_gap: Callable[[], None]) -> None:
        """Do nothing: no other process writes."""

    def size_bytes(self) -> float:
        return sum(f.stat().st_size for f in self.path.parent.glob(f"{self.path.name}*"))

    def close(self) -> None:
        with self._readers_lock:
            for reader in list(self._readers):
                reader.close()


migrations = Migrations("dashboard")


def _migration(step: Step) -> None:
    @migrations(name=step.__name__)
    def apply(database: sqlite_utils.Database) -> None:
        step(SqliteDatabase(database))


for _step in STEPS:
    _migration(_step)
