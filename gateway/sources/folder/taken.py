"""Which files of a folder are being read, were taken or rejected, kept across restarts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS begun (
  name TEXT NOT NULL, size INTEGER NOT NULL, changed_ns INTEGER NOT NULL, times INTEGER NOT NULL,
  PRIMARY KEY (name, size, changed_ns)
);
CREATE TABLE IF NOT EXISTS taken (
  name TEXT NOT NULL, size INTEGER NOT NULL, changed_ns INTEGER NOT NULL, sha256 TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '', PRIMARY KEY (name, sha256)
)
"""


class TakenFiles:
    """One small database; each file is known by its name and its content.

    Parameters
    ----------
    folder : path
        Made when missing.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(folder / "taken.db", isolation_level=None)
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(_SCHEMA)

    def unchanged(self, name: str, size: int, changed_ns: int) -> bool:
        """Return whether this file was dealt with and has not changed since."""
        found = self._db.execute(
            "SELECT 1 FROM taken WHERE name = ? AND size = ? AND changed_ns = ?",
            (name, size, changed_ns),
        )
        return found.fetchone() is not None

    def holds(self, name: str, sha256: str) -> bool:
        """Return whether this content was dealt with under this name."""
        found = self._db.execute(
            "SELECT 1 FROM taken WHERE name = ? AND sha256 = ?", (name, sha256)
        )
        return found.fetchone() is not None

    def begin(self, name: str, size: int, changed_ns: int) -> int:
        """Note that a file is about to be read; return how often this was begun and never ended."""
        found = self._db.execute(
            "INSERT INTO begun VALUES (?, ?, ?, 1)"
            " ON CONFLICT DO UPDATE SET times = times + 1 RETURNING times - 1",
            (name, size, changed_ns),
        )
        return int(found.fetchone()[0])

    def end(self, name: str) -> None:
        """Note that the reading of a file has ended, well or not."""
        self._db.execute("DELETE FROM begun WHERE name = ?", (name,))

    def add(self, name: str, size: int, changed_ns: int, sha256: str, reason: str = "") -> None:
        """Note that a file is dealt with; `reason` says why it was rejected."""
        self._db.execute(
            "INSERT OR REPLACE INTO taken VALUES (?, ?, ?, ?, ?)",
            (name, size, changed_ns, sha256, reason),
        )

    def close(self) -> None:
        """Close the database."""
        self._db.close()
