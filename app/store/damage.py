"""Damaged rows: one that can't be read is skipped, logged once, and counted in health."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from auscult.contract.message import MAX_TIME_MS
from auscult.contract.said import Rejection

log = logging.getLogger(__name__)

Row = TypeVar("Row")
Read = TypeVar("Read")


_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, Rejection)


class Damage:
    """The rows of a database that could not be read since the start."""

    def __init__(self) -> None:
        self._rows: set[tuple[str, Any]] = set()
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """Return how many there are."""
        return len(self._rows)

    def readable(
        self,
        table: str,
        rows: Iterable[Row],
        read: Callable[[Row], Read],
        key: Callable[[Row], Any] = lambda row: row["id"],  # type: ignore[index]
    ) -> Iterator[Read]:
        """Give what `read` makes of each row, without the rows that it can't read.

        A row whose time (a column `*_ms`) is before 1970 or after 2262 is one of them. All rows
        have the same columns.
        """
        times: list[str] | None = None
        for row in rows:
            if times is None:
                times = _times_in(row)
            try:
                for column in times:
                    _expect_time(column, row[column])  # type: ignore[index]
                made = read(row)
            except _UNREADABLE as error:
                self._note(table, key(row), error)
            else:
                yield made

    def decoded(self, table: str, identity: Any, text: str | None) -> dict[str, Any]:
        """Return a stored JSON object that rows of other tables are shown with, such as a name.

        One that can't be read counts as empty: an event is shown without its machine's name.
        """
        stored = self.readable(table, [text or "{}"], _object, lambda _: identity)
        return next(stored, {})

    def report_file(self, problem: str) -> None:
        """Note damage of the file itself: rows may be missing or wrong."""
        with self._lock:
            known = ("", problem) in self._rows
            self._rows.add(("", problem))
        if not known:
            log.error("the database is damaged: %s; restore a backup", problem)

    def _note(self, table: str, identity: Any, error: Exception) -> None:
        with self._lock:
            known = (table, identity) in self._rows
            self._rows.add((table, identity))
        if not known:
            log.error(
                "row %r of table %s can't be read (%s); it is left out: restore a backup",
                identity, table, str(error)[:200],
            )  # fmt: skip


def _times_in(row: object) -> list[str]:
    return [name for name in row if name.endswith("_ms")] if isinstance(row, Mapping) else []


def _expect_time(column: str, value: int | None) -> None:
    if value is not None and not 0 <= value < MAX_TIME_MS:
        raise ValueError(f"{column} = {value} is no time")


def _object(text: str) -> dict[str, Any]:
    stored = json.loads(text)
    if not isinstance(stored, dict):
        raise TypeError("it is no JSON object")
    return stored
