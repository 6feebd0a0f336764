"""Damaged rows: one that can't be read is skipped, logged once, and counted in health."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

log = logging.getLogger(__name__)

Row = TypeVar("Row")
Read = TypeVar("Read")


class Damage:
    """The rows of a database that could not be read since the start."""

    def __init__(self) -> None:
        self._rows: set[tuple[str, Any]] = set()
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._rows)

    def readable(
        self,
        table: str,
        rows: Iterable[Row],
        read: Callable[[Row], Read],
        key: Callable[[Row], Any] = lambda row: row["id"],  # type: ignore[index]
    ) -> Iterator[Read]:
        """Give what `read` makes of each row, without the rows that it can't read."""
        for row in rows:
            try:
                made = read(row)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                self._note(table, key(row), error)
            else:
                yield made

    def note_file(self, problem: str) -> None:
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
