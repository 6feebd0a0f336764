"""Checksums of the rows that people decide by, and of their rights: a flipped bit is noticed.

Neither SQLite nor its file has checksums of stored values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias
from zlib import crc32

from auscult.app.store.connection import Database

Table: TypeAlias = Literal["event", "label", "account", "session", "token"]

_COVERED: dict[Table, tuple[str, ...]] = {
    # the key first
    "event": (
        "id", "machine_id", "phase", "peak_condition", "started_ms", "updated_ms", "ended_ms",
        "message", "alarm_state", "alarm_changes", "acknowledged_ms", "lost_ms",
    ),
    "label": (
        "id", "event_id", "machine_id", "verdict", "kind", "note", "actor", "created_ms",
        "answered_ms", "lesson",
    ),
    "account": ("name", "role", "sites", "password_hash", "disabled", "created_ms"),
    "session": ("token_hash", "account", "created_ms"),
    "token": (
        "id", "token_hash", "name", "role", "sites", "actor", "created_ms", "expires_ms",
        "revoked_ms",
    ),
}  # fmt: skip


def seal(db: Database, table: Table, identity: str) -> None:
    """Store the checksum (CRC-32) of a row as it is now; without such a row, do nothing."""
    columns, key = _COVERED[table], _COVERED[table][0]
    sql = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} = ?"
    for row in list(db.query(sql, (identity,))):
        db.execute(
            f"UPDATE {table} SET checksum = ? WHERE {key} = ?", (_checksum(table, row), identity)
        )


def seal_all(db: Database, tables: Iterable[Table]) -> None:
    """Store the checksums of all rows of some tables: the migration of older data."""
    for table in tables:
        key = _COVERED[table][0]
        for (identity,) in db.execute(f"SELECT {key} FROM {table}").fetchall():
            seal(db, table, identity)


def expect_intact(table: Table, row: Mapping[str, Any]) -> None:
    """Raise ValueError if a row is not what was stored; it may have other columns besides."""
    if row["checksum"] != _checksum(table, row):
        raise ValueError("its checksum does not match")


def _checksum(table: Table, row: Mapping[str, Any]) -> int:
    return crc32(json.dumps([row[column] for column in _COVERED[table]]).encode())
