"""The receiving side: reads files, publishes each message once, and counts what is missing."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path

from auscult.durable import write_durably
from auscult.gateway.outputs.diode.frames import (
    MAX_FILE_BYTES,
    RETAINED,
    SUFFIX,
    DiodeFrameError,
    Numbered,
    last_level,
    unpacked,
)
from auscult.gateway.outputs.diode.sender import opened
from auscult.gateway.outputs.diode.settings import DiodeSettings

log = logging.getLogger(__name__)

LOOK_S = 1.0
MAX_MISSING = 100_000
"""Numbers of a stream that are remembered as missing; older ones count as lost."""
_TABLES = """
CREATE TABLE IF NOT EXISTS stream (
    name TEXT PRIMARY KEY, highest INTEGER NOT NULL, received INTEGER NOT NULL DEFAULT 0,
    repeated INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS missing (
    stream TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (stream, number));
CREATE TABLE IF NOT EXISTS latest (
    topic TEXT PRIMARY KEY, stream TEXT NOT NULL, number INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS about (damaged INTEGER NOT NULL);
INSERT INTO about SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM about);
"""

Publish = Callable[[str, bytes, bool], bool]
"""Topic, payload, retained → whether the broker has it."""


class DiodeReceiver:
    """Imports the files of the diode.

    Parameters
    ----------
    settings : DiodeSettings
    publish : callable
        Returns when the broker has the message, or False.
    """

    def __init__(self, settings: DiodeSettings, publish: Publish) -> None:
        self._folder, self._publish = settings.folder, publish
        self._counts = settings.data_dir / "received.json"
        self._db = opened(settings.data_dir / "receiver.db", _TABLES)
        settings.folder.mkdir(parents=True, exist_ok=True)

    def look(self) -> int:
        """Import all files that are there, in their order; return how many."""
        done = 0
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            if not self._read(path):
                break
            path.unlink()
            done += 1
        if done:
            write_durably(self._counts, json.dumps(self.counts(), indent=1).encode())
        return done

    def counts(self) -> dict[str, object]:
        """Return what was received and what is missing, by stream, and damaged files."""
        streams = {}
        for name, highest, received, repeated in self._db.execute("SELECT * FROM stream"):
            numbers = [
                row[0]
                for row in self._db.execute(
                    "SELECT number FROM missing WHERE stream = ? ORDER BY number", (name,)
                )
            ]
            streams[name] = {
                "highest": highest,
                "received": received,
                "repeated": repeated,
                "missing": highest - received,
                "first_missing": numbers[:20],
            }
        (damaged,) = self._db.execute("SELECT damaged FROM about").fetchone()
        return {"streams": streams, "damaged_files": damaged}

    def run(self, stopping: threading.Event) -> None:
        """Import until it is stopped."""
        while not stopping.wait(LOOK_S):
            self.look()

    def close(self) -> None:
        """Close the numbers."""
        self._db.close()

    def _read(self, path: Path) -> bool:
        """Import one file; False if the broker is away."""
        try:
            with path.open("rb") as file:
                stream, highest, messages = unpacked(file.read(MAX_FILE_BYTES))
        except DiodeFrameError as error:
            log.warning("%s is damaged (%s): discarded", path.name, error)
            with self._db:
                self._db.execute("UPDATE about SET damaged = damaged + 1")
            return True
        for message in messages:
            if not self._import(stream, message):
                return False
        with self._db:
            self._reach(stream, highest)
        return True

    def _import(self, stream: str, message: Numbered) -> bool:
        with self._db:
            self._reach(stream, message.number)
            wanted = self._db.execute(
                "SELECT 1 FROM missing WHERE stream = ? AND number = ?", (stream, message.number)
            ).fetchone()
        if wanted is None:
            with self._db:
                self._db.execute(
                    "UPDATE stream SET repeated = repeated + 1 WHERE name = ?", (stream,)
                )
            return True
        retained = last_level(message.topic) in RETAINED
        newer = self._db.execute(
            "SELECT 1 FROM latest WHERE topic = ? AND stream = ? AND number > ?",
            (message.topic, stream, message.number),
        ).fetchone()
        outdated = retained and newer is not None
        if not outdated and not self._publish(message.topic, message.payload, retained):
            return False
        with self._db:
            self._db.execute(
                "DELETE FROM missing WHERE stream = ? AND number = ?", (stream, message.number)
            )
            self._db.execute("UPDATE stream SET received = received + 1 WHERE name = ?", (stream,))
            if retained and not outdated:
                self._db.execute(
                    "INSERT INTO latest VALUES (?, ?, ?) ON CONFLICT (topic) DO UPDATE SET"
                    " stream = excluded.stream, number = excluded.number",
                    (message.topic, stream, message.number),
                )
        return True

    def _reach(self, stream: str, number: int) -> None:
        """Note that the stream has come so far; all numbers between are missing until they come."""
        self._db.execute("INSERT OR IGNORE INTO stream (name, highest) VALUES (?, 0)", (stream,))
        (highest,) = self._db.execute(
            "SELECT highest FROM stream WHERE name = ?", (stream,)
        ).fetchone()
        if number <= highest:
            return
        first = max(highest + 1, number - MAX_MISSING + 1)
        self._db.executemany(
            "INSERT OR IGNORE INTO missing VALUES (?, ?)",
            ((stream, one) for one in range(first, number + 1)),
        )
        self._db.execute(
            "DELETE FROM missing WHERE stream = ? AND number <= ?", (stream, number - MAX_MISSING)
        )
        self._db.execute("UPDATE stream SET highest = ? WHERE name = ?", (number, stream))
