"""Rows of the outbox: payloads packed for the disk, damaged rows, dropped rows."""

from __future__ import annotations

import json
import logging
import zlib

from auscult.gateway.storage.database import Database

log = logging.getLogger(__name__)

PACK_FROM_BYTES = 500
"""Shorter payloads are stored as they are."""
ZLIB_MARK = b"\0"
"""First byte of a compressed payload; no JSON begins with it."""
KEPT_DAMAGED = 100
"""Number of unreadable messages that are kept for inspection."""


class DamagedError(ValueError):
    """A stored payload is damaged."""


def packed(payload: bytes) -> bytes:
    """Compress a payload for the disk: a trend of 5.3 kB takes 1.8 kB."""
    return ZLIB_MARK + zlib.compress(payload) if len(payload) > PACK_FROM_BYTES else payload


def unpacked(stored: bytes) -> bytes:
    """Restore a payload.

    Raises
    ------
    DamagedError
        If it is not what was stored: zlib's checksum, or a short payload that is no JSON.
    """
    if stored[:1] == ZLIB_MARK:
        try:
            return zlib.decompress(stored[1:])
        except zlib.error as error:
            raise DamagedError(str(error)) from error
    if stored[:1] == b"{":
        try:
            json.loads(stored)
        except ValueError as error:
            raise DamagedError(f"no JSON: {error}") from error
    return stored


def move_damaged(db: Database, number: int, why: str) -> None:
    """Move an unreadable message to `outbox_damaged`; the newest of these are kept."""
    (topic,) = db.execute("SELECT topic FROM outbox WHERE id = ?", [number]).fetchone()
    log.error(
        "outbox: message %d on %s can't be read (%s): moved to outbox_damaged", number, topic, why
    )
    db.execute(
        "INSERT OR REPLACE INTO outbox_damaged (id, message_id, topic, payload, created_ns, error)"
        " SELECT id, message_id, topic, payload, created_ns, ? FROM outbox WHERE id = ?",
        [why, number],
    )
    db.execute("DELETE FROM outbox WHERE id = ?", [number])
    db.execute(
        "DELETE FROM outbox_damaged WHERE id NOT IN"
        " (SELECT id FROM outbox_damaged ORDER BY id DESC LIMIT ?)",
        [KEPT_DAMAGED],
    )
    count_dropped(db, 1)


def count_dropped(db: Database, number: int) -> None:
    """Count messages that will never be sent, in the caller's transaction."""
    db.execute(
        "INSERT INTO counters VALUES ('outbox_dropped', ?)"
        " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
        [number],
    )
