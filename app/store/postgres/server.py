"""A PostgreSQL server as the place of the store.

Writers take turns, as they do on a file: a transaction that writes holds the advisory lock of its
turn until it ends. All that is received of a machine has one turn, and all that people do has
another, so that what reads before it writes is as safe here as there. What a commit has changed is
announced to the other processes by NOTIFY, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import errors
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from auscult.app.store.connection import (
    Cursor,
    Database,
    Engine,
    OnChanged,
    StoreOpenError,
    StoreUnavailableError,
    Values,
    WritableDatabase,
)
from auscult.app.store.postgres.notices import CHANNEL, Listener, notices
from auscult.app.store.postgres.statements import defined, native
from auscult.app.store.postgres.tables import NUMBERED, migrate
from auscult.errors import UnusableSettingError

TROUBLE = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError)
"""Away, full, shut down, a standby: the database fails, not the statement."""
TAKEN = (errors.InsufficientPrivilege, errors.UndefinedTable, errors.UndefinedColumn)
"""Rights or tables were removed: nothing can be stored until they are restored."""
CONNECTION = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
    "application_name": "auscult-dashboard",
}
"""A server that vanishes is noticed within half a minute."""
WRITER = "-c lock_timeout=10s -c idle_in_transaction_session_timeout=60s"
"""Longer than any transaction of the dashboard: a longer wait is an error, and a process that hangs
within a transaction loses its turn."""
READ_ONLY = "-c default_transaction_read_only=on"
READERS = 8
"""Connections by which a process reads; PostgreSQL's usual limit is 100 for all."""
READER_WAIT_S = 5.0
"""How long a reader waits for a connection before the database counts as away. The pool retries no
longer either: its retries become rare, and it would still wait after the server is back."""
WRITING = 8420_00
"""Number of the advisory lock of turn 0; those of the other turns follow."""
TURNS = 1 + 16
"""With this many, a few workers rarely wait for one another."""


class PostgresDatabase(WritableDatabase):
    """The connection that writes; it reconnects after a failure."""

    dialect = "postgresql"

    def __init__(self, conninfo: str) -> None:
        super().__init__()
        self._conninfo = conninfo
        self._connection = self._connect()

    def execute(self, sql: str, values: Values = ()) -> Cursor:
        return self._connection.execute(*native(sql, values), binary=True)

    def query(self, sql: str, values: Values = ()) -> Iterator[dict[str, Any]]:
        return _named(self._connection.execute(*native(sql, values), binary=True))

    def define(self, sql: str) -> None:
        self._connection.execute(defined(sql))

    def _savepoint(self) -> AbstractContextManager[Any]:
        return self._connection.transaction()

    def begin(self, turn: int) -> None:
        if self._connection.closed:
            self._connection = self._connect()
        self._connection.execute("BEGIN")
        self.execute("SELECT pg_advisory_xact_lock(?)", (WRITING + turn,))

    def commit(self) -> None:
        for notice in notices(self.changes):
            self.execute("SELECT pg_notify(?, ?)", (CHANNEL, notice))
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        try:
            self._connection.execute("ROLLBACK")
        except TROUBLE:
            self._connection.close()

    def give_back(self) -> None:
        """Do nothing: the server's autovacuum does."""

    def release_memory(self) -> None:
        """Do nothing: the server has its own memory."""

    def renumber(self) -> None:
        for table, column in NUMBERED:
            self.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column}))"
                f" FROM {table}"
            )

    def is_trouble(self, error: Exception) -> bool:
        # an OperationalError too, but of what was asked, however often
        limit = isinstance(error, errors.ProgramLimitExceeded)
        return isinstance(error, (*TROUBLE, *TAKEN)) and not limit

    def close(self) -> None:
        self._connection.close()

    @property
    def pid(self) -> int:
        """Return the server's process of this connection; notices from it are our own."""
        return 0 if self._connection.closed else self._connection.info.backend_pid

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._conninfo, autocommit=True, options=WRITER)


class PostgresReader(Database):
    """Reads by whichever connection is free, a statement at a time: for any thread."""

    def __init__(self, pool: ConnectionPool) -> None:
        super().__init__()
        self._pool = pool

    def execute(self, sql: str, values: Values = ()) -> Cursor:
        return self._run(sql, values)

    def query(self, sql: str, values: Values = ()) -> Iterator[dict[str, Any]]:
        return _named(self._run(sql, values))

    def _run(self, sql: str, values: Values) -> psycopg.Cursor[Any]:
        try:
            with self._pool.connection() as connection:
                return connection.execute(*native(sql, values), binary=True)
        except errors.ReadOnlySqlTransaction:
            raise
        except TROUBLE as error:
            raise StoreUnavailableError(_said(error)) from error


class PostgresSnapshot(Database):
    """Reads within one transaction, by cursors of the server, so that no table fills the memory."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        super().__init__()
        self._connection = connection

    def execute(self, sql: str, values: Values = ()) -> Cursor:
        return self._connection.execute(*native(sql, values), binary=True)

    def query(self, sql: str, values: Values = ()) -> Iterator[dict[str, Any]]:
        with self._connection.cursor(name="backup") as cursor:
            cursor.execute(*native(sql, values), binary=True)
            names = [column.name for column in cursor.description or ()]
            for row in cursor:
                yield dict(zip(names, row, strict=True))


class PostgresServer(Engine):
    """A database on a server.

    Parameters
    ----------
    url : str
        ``postgresql://user@host:port/database``, in all forms that libpq takes.
    password_file : Path or None
        Its first line is the password.

    Raises
    ------
    UnusableSettingError
        If the address is malformed, or the file can't be read.
    """

    turns = TURNS

    def __init__(self, url: str, password_file: Path | None = None) -> None:
        super().__init__()
        self.url = url
        self._conninfo = _conninfo(url, password_file)
        self._pool = ConnectionPool(
            self._conninfo,
            kwargs={"autocommit": True, "options": READ_ONLY},
            min_size=1,
            max_size=READERS,
            timeout=READER_WAIT_S,
            reconnect_timeout=READER_WAIT_S,
            check=ConnectionPool.check_connection,
            open=False,
        )
        self._reader = PostgresReader(self._pool)
        self._reader.damage = self.damage
        self._writer: PostgresDatabase | None = None
        self._listener: Listener | None = None

    def writer(self) -> WritableDatabase:
        try:
            self._writer = PostgresDatabase(self._conninfo)
            migrate(self._writer, self.url)
        except (StoreOpenError, psycopg.Error) as error:
            if self._writer is not None:
                self._writer.close()  # with what a migration has begun, and its locks
            if isinstance(error, StoreOpenError):
                raise
            raise StoreOpenError(
                f"{self.url}: cannot be opened as the dashboard's database ({_said(error)}); check "
                "that the server runs, that the database is there in UTF-8, and that it is the "
                "user's own"
            ) from error
        self._writer.caps = self.caps
        self._pool.open()
        return self._writer

    def reader(self) -> Database:
        return self._reader

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        try:
            with psycopg.connect(self._conninfo, options=READ_ONLY) as connection:
                connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
                yield PostgresSnapshot(connection)
        except psycopg.Error as error:
            raise StoreUnavailableError(_said(error)) from error

    def listen(self, on_changed: OnChanged, on_gap: Callable[[], None]) -> None:
        self._listener = Listener(self._conninfo, self._own_pid, on_changed, on_gap)
        self._listener.start()

    def size_bytes(self) -> float:
        sql = "SELECT pg_database_size(current_database())"
        return float(self.reader().execute(sql).fetchone()[0])

    def close(self) -> None:
        if self._listener is not None:
            self._listener.stop()
        self._pool.close()

    def _own_pid(self) -> int:
        return self._writer.pid if self._writer is not None else 0


def _conninfo(url: str, password_file: Path | None) -> str:
    try:
        secret = {}
        if password_file is not None:
            secret["password"] = password_file.read_text(encoding="utf-8").partition("\n")[0]
        return make_conninfo(url, **CONNECTION, **secret)
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableSettingError(
            f"[dashboard] database_password_file: cannot be read ({error}); give a file whose "
            "first line is the password"
        ) from error
    except psycopg.Error as error:
        raise UnusableSettingError(
            f"[dashboard] database = {url!r}: {_said(error)}; write "
            "postgresql://user@host:5432/database"
        ) from error


def _named(cursor: psycopg.Cursor[Any]) -> Iterator[dict[str, Any]]:
    names = [column.name for column in cursor.description or ()]
    return (dict(zip(names, row, strict=True)) for row in cursor)


def _said(error: Exception) -> str:
    """Return the server's message on one line."""
    return " ".join(str(error).split())
