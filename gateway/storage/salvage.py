"""Copies the readable rows of a damaged database into a new one."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from auscult.backup import sqlite_file
from auscult.gateway.storage.database import Database

log = logging.getLogger(__name__)

DERIVED = {"outbox_size", "_sqlite_migrations"}
"""Tables that the new database fills itself."""


def salvage(damaged: Path, target: Database) -> int:
    """Copy rows table by table, in the caller's transaction; returns how many.

    Each table is read from its begin, and behind a damaged page from its end. Rows between two
    damaged pages are lost.
    """
    copied = 0
    with closing(sqlite3.connect(damaged)) as source, suppress(*sqlite_file.ERRORS):
        for table in target.table_names():
            if table not in DERIVED:
                copied += _copy(source, target, table)
    return copied


def _copy(source: sqlite3.Connection, target: Database, table: str) -> int:
    # Ages go by the rows; an integer key is the row itself.
    columns = ["rowid", *(column.name for column in target[table].columns)]
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    copied = 0
    for row in _rows(source, table, names):
        with suppress(sqlite3.Error):  # a value that the table refuses
            copied += target.execute(
                f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})",  # noqa: S608 - ours
                row,
            ).rowcount
    return copied


def _rows(source: sqlite3.Connection, table: str, names: str) -> Iterator[tuple[Any, ...]]:
    last = None
    for order in ("ASC", "DESC"):
        query = f"SELECT rowid, {names} FROM {table} NOT INDEXED ORDER BY rowid {order}"  # noqa: S608
        try:
            for rowid, *row in source.execute(query):
                if order == "DESC" and last is not None and rowid <= last:
                    return
                if order == "ASC":
                    last = rowid
                yield tuple(row)
        except sqlite_file.ERRORS as error:
            log.error("table %s: rows are lost (%s)", table, error)
        else:
            return
