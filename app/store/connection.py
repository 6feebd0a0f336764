"""What a connection to the database can do, whichever database it is.

Every statement is written once, in the SQL that SQLite and PostgreSQL have in common: values as
`?` or `:name`, `ON CONFLICT`, `RETURNING`, row values; text compares byte by byte; truth that is
stored is 0 or 1, and compared with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from operator import itemgetter
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

from auscult.app.store.caps import Caps
from auscult.app.store.damage import Damage
from auscult.app.store.received import Change

Record = TypeVar("Record")
Values: TypeAlias = Sequence[Any] | dict[str, Any]
OnChanged: TypeAlias = Callable[[list[Change]], None]


class StoreOpenError(Exception):
    """The database can't be opened; the message names it and the remedy."""


class StoreUnavailableError(Exception):
    """Nothing can be stored or read now (disk full, locked, away)."""


class Cursor(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """Return how many rows were written."""

    def fetchone(self) -> Any:
        """Return the next row, None if there is none."""

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Database(ABC):
    """A connection to read by."""

    base = ""
    """Before a table's name: the table itself, where a WITH query has the same name."""

    def __init__(self) -> None:
        self.damage = Damage()
        self.caps = Caps()
        self.remembered: dict[tuple[str, ...], int] = {}
        """Numbers of rows that never change and stay, until something is undone."""

    @abstractmethod
    def execute(self, sql: str, values: Values = ()) -> Cursor:
        """Run one statement; its rows are tuples."""

    @abstractmethod
    def query(self, sql: str, values: Values = ()) -> Iterator[dict[str, Any]]:
        """Give a statement's rows by the names of their columns."""

    def records(
        self,
        table: str,
        read: Callable[[dict[str, Any]], Record],
        sql: str,
        values: Values = (),
        *,
        key: str = "id",
    ) -> Iterator[Record]:
        """Give what `read` makes of each row of a statement; damaged rows are left out."""
        return self.damage.readable(table, self.query(sql, values), read, itemgetter(key))


class WritableDatabase(Database):
    """The connection that writes."""

    dialect: ClassVar[Literal["sqlite", "postgresql"]]
    """Used only where the tables are defined, for the differences of the two."""

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[Change] = []
        """Announced in this transaction."""

    def announce(self, changes: Iterable[Change]) -> None:
        """Announce these changes to all pages, once this transaction is committed."""
        self.changes.extend(changes)

    @abstractmethod
    def define(self, sql: str) -> None:
        """Run a definition that is written with SQLite's types."""

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """Undo what is done within, and nothing else, if it raises."""
        try:
            with self._savepoint():
                yield
        except BaseException:
            self.remembered.clear()
            raise

    @abstractmethod
    def _savepoint(self) -> AbstractContextManager[Any]: ...

    @abstractmethod
    def begin(self, turn: int) -> None:
        """Begin a transaction, the only one with this turn until it ends."""

    @abstractmethod
    def commit(self) -> None:
        """End the transaction; what it wrote survives a power cut."""

    @abstractmethod
    def rollback(self) -> None:
        """Undo the transaction, if there is one."""

    @abstractmethod
    def give_back(self) -> None:
        """Return some space of deleted rows to the file system."""

    @abstractmethod
    def release_memory(self) -> None:
        """Free what this connection keeps of the database in memory."""

    @abstractmethod
    def renumber(self) -> None:
        """Continue numbering after the greatest number, after rows were inserted with their own."""

    @abstractmethod
    def is_trouble(self, error: Exception) -> bool:
        """Tell whether the database itself fails, not the statement."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""


class Engine(ABC):
    """A place of the store: opens connections to it."""

    def __init__(self) -> None:
        self.damage = Damage()
        """Shared by all connections."""
        self.caps = Caps()

    @abstractmethod
    def writer(self) -> WritableDatabase:
        """Return the connection that writes, to tables that are up to date.

        Raises
        ------
        StoreOpenError
            If the database can't be opened.
        """

    @abstractmethod
    def reader(self) -> Database:
        """Return a connection for the calling thread that only reads."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Database]:
        """Give a connection that reads all as it is at one moment."""

    @abstractmethod
    def listen(self, on_changed: OnChanged, on_gap: Callable[[], None]) -> None:
        """Pass on what other processes announce; `on_gap` when some of it may be missed."""

    def missing(self) -> str | None:
        """Return why the database that was opened is no longer there, None if it is."""
        return None

    @abstractmethod
    def size_bytes(self) -> float:
        """Return how large the database is."""

    turns: ClassVar[int]
    """Transactions that may write side by side; 1 = one process writes, one after the other."""

    @abstractmethod
    def close(self) -> None:
        """Close what was opened for readers and listeners."""
