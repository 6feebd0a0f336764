"""Checksums of the rows that people decide by: a flipped bit is noticed instead of shown.

Neither SQLite nor its file has checksums of stored values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias
from zlib import crc32

from auscult.app.store.connection import Database

Table: TypeAlias = Literal["event", "label"]

_COVERED: dict[Table, tuple[str, ...]] = {
    "event": (
        "id", "machine_id", "phase", "peak_condition", "started_ms", "updated_ms", "ended_ms",
        "message", "alarm_state", "alarm_changes", "acknowledged_ms", "lost_ms",
    ),
    "label": (
        "id", "event_id", "machine_id", "verdict", "kind", "note", "actor", "created_ms",
        "answered_ms", "lesson",
    ),
}  # fmt: skip


def seal(db: Database, table: Table, identity: str) -> None:
    """Store the checksum (CRC-32) of a row as it is now; without such a row, do nothing."""
    columns = ", ".join(_COVERED[table])
    for row in list(db.query(f"SELECT {columns} FROM {table} WHERE id = ?", (identity,))):
        db.execute(
            f"UPDATE {table} SET checksum = ? WHERE id = ?", (_checksum(table, row), identity)
        )


def seal_all(db: Database) -> None:
    """Store the checksums of all rows: the migration of older data."""
    for table in _COVERED:
        for (identity,) in db.execute(f"SELECT id FROM {table}").fetchall():
            seal(db, table, identity)


def expect_intact(table: Table, row: Mapping[str, Any]) -> None:
    """Raise ValueError if a row is not what was stored; it may have other columns besides."""
    if row["checksum"] != _checksum(table, row):
        raise ValueError("its checksum does not match")


def _checksum(table: Table, row: Mapping[str, Any]) -> int:
    return crc32(json.dumps([row[column] for column in _COVERED[table]]).encode())
