"""The sending side: subscribes at the plant's broker, numbers each message, writes files.

Nothing comes back, so that nothing is confirmed: events, lessons and states are written again on a
schedule, and any stretch of numbers on request while the history holds it.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
import threading
import time
from pathlib import Path

from auscult.durable import write_durably
from auscult.gateway.outputs.diode.frames import (
    IMPORTANT,
    NEVER,
    RETAINED,
    SUFFIX,
    Numbered,
    last_level,
    packed,
)
from auscult.gateway.outputs.diode.settings import DiodeSettings
from auscult.link.link import Received

log = logging.getLogger(__name__)

FILE_BYTES = 1_000_000
BATCH_S = 1.0
BOUND_EACH_S = 60.0
_TABLES = """
CREATE TABLE IF NOT EXISTS message (
    number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, payload BLOB NOT NULL,
    at_s REAL NOT NULL, repeats INTEGER NOT NULL DEFAULT 0, due_s REAL);
CREATE INDEX IF NOT EXISTS due ON message (due_s) WHERE due_s IS NOT NULL;
CREATE TABLE IF NOT EXISTS about (stream TEXT NOT NULL, dropped INTEGER NOT NULL DEFAULT 0);
"""


class DiodeSender:
    """Stores messages with their numbers, and writes what is due into files."""

    def __init__(self, settings: DiodeSettings) -> None:
        self._settings = settings
        settings.folder.mkdir(parents=True, exist_ok=True)
        self._db = opened(settings.data_dir / "sender.db", _TABLES)
        self._lock = threading.Lock()
        self._bound_at_s = 0.0
        row = self._db.execute("SELECT stream FROM about").fetchone()
        if row is None:
            self._db.execute("INSERT INTO about (stream) VALUES (?)", (secrets.token_hex(8),))
            self._db.commit()
            row = self._db.execute("SELECT stream FROM about").fetchone()
        self.stream = str(row[0])

    def take(self, message: Received) -> None:
        """Store a message of the broker, then confirm it; safe to call from another thread."""
        if not NEVER.intersection(message.topic.split("/")):
            self.store(message.topic, message.payload, time.time())
        message.acknowledge()

    def store(self, topic: str, payload: bytes, now_s: float) -> None:
        """Give a message its number; a state that did not change since its last one gets none."""
        with self._lock, self._db:
            if last_level(topic) in RETAINED:
                latest = self._db.execute(
                    "SELECT payload FROM message WHERE topic = ? ORDER BY number DESC LIMIT 1",
                    (topic,),
                ).fetchone()
                if latest is not None and latest[0] == payload:
                    return
                # an older state is not sent again
                self._db.execute(
                    "UPDATE message SET due_s = NULL WHERE topic = ? AND repeats > 0", (topic,)
                )
            self._db.execute(
                "INSERT INTO message (topic, payload, at_s, due_s) VALUES (?, ?, ?, ?)",
                (topic, payload, now_s, now_s),
            )

    def resend(self, first: int, last: int) -> int:
        """Write a stretch of numbers again; return how many of them the history holds."""
        with self._lock, self._db:
            return self._db.execute(
                "UPDATE message SET due_s = 0 WHERE number BETWEEN ? AND ?", (first, last)
            ).rowcount

    def write(self, now_s: float) -> int:
        """Write what is due into one file; return the number of messages."""
        with self._lock, self._db:
            if now_s >= self._bound_at_s:
                self._bound_at_s = now_s + BOUND_EACH_S
                self._bound()
            if self._waiting_bytes() > 1e6 * self._settings.waiting_mb:
                return 0
            rows, size = [], 0
            for row in self._db.execute(
                "SELECT number, topic, payload, at_s, repeats FROM message WHERE due_s <= ?"
                " ORDER BY number",
                (now_s,),
            ):
                rows.append(row)
                size += len(row[2])
                if size > FILE_BYTES:
                    break
            if not rows:
                return 0
            highest = self._db.execute("SELECT max(number) FROM message").fetchone()[0]
            messages = [Numbered(*row[:3]) for row in rows]
            name = f"{self.stream}-{time.time_ns():020d}{SUFFIX}"
            write_durably(self._settings.folder / name, packed(self.stream, highest, messages))
            for number, topic, _, at_s, repeats in rows:
                ages = self._settings.repeat_s if last_level(topic) in IMPORTANT else ()
                due_s = max(now_s, at_s + ages[repeats]) if repeats < len(ages) else None
                self._db.execute(
                    "UPDATE message SET due_s = ?, repeats = repeats + 1 WHERE number = ?",
                    (due_s, number),
                )
            return len(rows)

    @property
    def dropped(self) -> int:
        """Return the messages that were discarded before they were written once."""
        return int(self._db.execute("SELECT dropped FROM about").fetchone()[0])

    def run(self, stopping: threading.Event) -> None:
        """Write until it is stopped."""
        while not stopping.wait(BATCH_S):
            while self.write(time.time()):
                pass

    def close(self) -> None:
        """Close the history."""
        self._db.close()

    def _bound(self) -> None:
        """Discard the oldest messages beyond the bound, written ones first."""
        (size,) = self._db.execute(
            "SELECT coalesce(sum(length(payload) + 100), 0) FROM message"
        ).fetchone()
        excess = size - 1e6 * self._settings.history_mb
        rows = self._db.execute(
            "SELECT number, length(payload) + 100, repeats FROM message"
            " ORDER BY due_s IS NOT NULL, repeats = 0, number"
        )
        gone = []
        while excess > 0 and (row := rows.fetchone()) is not None:
            gone.append(row)
            excess -= row[1]
        self._db.executemany("DELETE FROM message WHERE number = ?", ((row[0],) for row in gone))
        unwritten = sum(not row[2] for row in gone)
        self._db.execute("UPDATE about SET dropped = dropped + ?", (unwritten,))

    def _waiting_bytes(self) -> int:
        return sum(p.stat().st_size for p in self._settings.folder.glob(f"*{SUFFIX}"))


def opened(path: Path, tables: str) -> sqlite3.Connection:
    """Open a small database of this room, made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript(tables)
    return db
