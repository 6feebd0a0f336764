"""What SQLite leaves to its user at opening: checks of the file, and space on a full disk.

SQLite ends the write-ahead log (WAL) at the first frame that its checksum refuses, without an
error: it looks like a write that a power cut ended. But a later transaction begins only after the
one before is on the disk. So a whole later transaction behind a bad frame proves that confirmed
data is damaged. Format: https://sqlite.org/fileformat2.html, section 4.
"""

from __future__ import annotations

import sqlite3
import struct
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What Python raises for errors of SQLite: it can't decode those that quote a damaged schema."""

RESERVE_BYTES = 2**20
"""Held back for a start on a full disk: before it reads anything, SQLite writes an index of its
log, 32 KiB for each 4,096 pages."""
CHECKED_BYTES = 64 * 2**20
"""Files up to this size are checked at each start, in about a second on an SD card."""
HEADER = struct.Struct(">8I")
FRAME = struct.Struct(">6I")
GOOD_FRAMES = slice(16, 20)
"""``mxFrame`` in the index of the log: https://sqlite.org/walformat.html, section 2.1."""


def opened(path: Path, open_: Callable[[], T]) -> T:
    """Open a database, also on a full disk.

    Where `open_` fails, the reserve beside the database is given up and `open_` runs once more.
    Where it succeeds, the reserve is made (again) if there is room.

    Raises
    ------
    sqlite3.OperationalError
        If `open_` fails without a reserve too.
    """
    reserve = path.with_suffix(".reserve")
    try:
        result = open_()
    except sqlite3.OperationalError:
        if not reserve.exists():
            raise
        reserve.unlink()
        return open_()
    hold_reserve(path)
    return result


def hold_reserve(path: Path) -> None:
    """Hold back the space of a start on a full disk; without room, do nothing."""
    reserve = path.with_suffix(".reserve")
    try:
        if not reserve.exists() or reserve.stat().st_size < RESERVE_BYTES:
            reserve.write_bytes(bytes(RESERVE_BYTES))
    except OSError:
        with suppress(OSError):  # a disk that became read-only
            reserve.unlink(missing_ok=True)


def recover(path: Path) -> tuple[int, bytes]:
    """Let SQLite recover the WAL of a database that no one has open; a full disk does not matter.

    Returns
    -------
    lost : int
        Confirmed transactions that SQLite dropped. A torn last transaction is none.
    log : bytes
        The WAL before the recovery, where transactions were dropped.

    Raises
    ------
    ERRORS
        If the database can't be opened.
    """
    wal = Path(f"{path}-wal")
    try:
        if not HEADER.size < wal.stat().st_size <= CHECKED_BYTES:
            return 0, b""
        log = wal.read_bytes()
    except FileNotFoundError:  # none, or a reader's last connection has just merged it
        return 0, b""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA schema_version").fetchone()
        index = Path(f"{path}-shm")
        good = index.read_bytes()[GOOD_FRAMES] if index.exists() else b""  # none without WAL mode
    lost = _commits_behind(log, int.from_bytes(good, sys.byteorder))
    return (lost, log) if lost else (0, b"")


def _commits_behind(log: bytes, good: int) -> int:
    """Count the whole transactions of the WAL's present round behind so many good frames."""
    _, _, page_bytes, _, *salts, _, _ = HEADER.unpack_from(log)
    if page_bytes & (page_bytes - 1) or not 512 <= page_bytes <= 65536:
        return 1
    step = FRAME.size + page_bytes
    frames = [FRAME.unpack_from(log, at) for at in range(HEADER.size, len(log) - step + 1, step)]
    ends = sum(bool(size) and [*own] == salts for _, size, *own, _, _ in frames[good:])
    if good or not frames:
        return max(0, ends - 1)  # the first may be a torn, unconfirmed one
    # Nothing is good: a new round over an old one, or a damaged first frame or header.
    old_round = frames[0][2] == (salts[0] - 1) & 0xFFFFFFFF
    return 0 if old_round else max(1, ends - 1) if ends != 1 else 0


def problem(path: Path) -> str:
    """Return the first fault of a database's structure; empty where there is none.

    Raises
    ------
    ERRORS
        If it can't be read at all.
    """
    if not path.exists() or path.stat().st_size > CHECKED_BYTES:
        return ""
    with closing(sqlite3.connect(path)) as connection:
        (first,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return "" if first == "ok" else " ".join(str(first).split())
