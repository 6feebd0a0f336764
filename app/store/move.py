"""Copies a store to another place, such as from a file to a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from auscult.app.store.connection import (
    Database,
    Engine,
    StoreOpenError,
    StoreUnavailableError,
    WritableDatabase,
)
from auscult.app.store.database import DashboardStore

TABLES = (
    "gateway", "machine", "point", "feature_set", "trend", "spectrum", "run_up", "clip", "event",
    "label", "command", "checkpoints", "configuration", "bearing", "account", "session", "attempt",
    "token", "audit", "age_clock", "machine_case", "case_entry", "case_photo", "prescription",
    "evidence", "channel", "notify_rule", "delivery", "report_schedule",
    "order_system", "enrolment", "bundle", "rollout", "rollout_gateway", "map_place",
    "map_picture", "trouble",
)  # fmt: skip
"""All tables, each after those it refers to; a test compares."""
ROWS_A_JOB = 1000
BYTES_A_JOB = 16_000_000
"""Bounds what is held in memory: a clip can be a megabyte."""

Row = dict[str, Any]


def move(source: Engine, target: Engine, tell: Callable[[str], None]) -> None:
    """Copy all rows of one store to another, which must be empty, and compare their counts.

    The source stays as it is; no dashboard may run on either.

    Raises
    ------
    StoreOpenError
        If either can't be opened, the target holds something, or a count differs.
    """
    old, new = DashboardStore(source), DashboardStore(target)
    try:
        filled = [table for table in TABLES if _count(new.read(), table)]
        if filled:
            raise StoreOpenError(
                f"{', '.join(filled)} already hold rows: move to an empty database"
            )
        for table in TABLES:
            for rows in _pieces(old.read(), table):
                new.write(partial(_insert, table=table, rows=rows))
            moved, there = _count(old.read(), table), _count(new.read(), table)
            if moved != there:
                raise StoreOpenError(
                    f"{table}: {moved} rows here and {there} there: stop all dashboards, create an "
                    "empty database and move again"
                )
            tell(f"{table}: {there} rows")
        new.write(lambda db: db.renumber())
    finally:
        old.close()
        new.close()


def copy(source: Engine, target: Engine) -> None:
    """Copy all rows of one store, as they are at one moment, to an empty one.

    Dashboards may run on the source.

    Raises
    ------
    StoreOpenError
        If either can't be opened or read.
    """
    new = DashboardStore(target)
    try:
        with source.snapshot() as old:
            for table in TABLES:
                for rows in _pieces(old, table):
                    new.write(partial(_insert, table=table, rows=rows))
        new.write(lambda db: db.renumber())
    except StoreUnavailableError as error:
        raise StoreOpenError(str(error)) from error
    finally:
        new.close()
        source.close()


def _count(db: Database, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _pieces(db: Database, table: str) -> Iterator[list[Row]]:
    piece: list[Row] = []
    size = 0
    for row in db.query(f"SELECT * FROM {table}"):
        piece.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, bytes))
        if len(piece) == ROWS_A_JOB or size >= BYTES_A_JOB:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _insert(db: WritableDatabase, table: str, rows: list[Row]) -> None:
    marks = ", ".join("?" for _ in rows[0])
    sql = f"INSERT INTO {table} ({', '.join(rows[0])}) VALUES ({marks})"
    for row in rows:
        db.execute(sql, tuple(row.values()))
