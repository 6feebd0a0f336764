"""The windows of the last hours as z-scores, on disk: a person reports a fault after the fact.

A machine's window is stored each few seconds in a file for each hour. A file is a row of frames,
each with length and checksum: a power cut costs the windows since the last `flush`, and a torn
frame ends its file. The number of files is limited, so the ring is bounded on disk; in memory are
only the windows since the last flush.
"""

from __future__ import annotations

import io
import logging
import struct
import threading
import zlib
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.contract.times import HOUR_NS
from auscult.inflate import inflated
from auscult.models.learning.replay import LARGEST_Z
from auscult.models.records import ScoredWindow

Float32 = NDArray[np.float32]

logger = logging.getLogger(__name__)

RING_FILE = "windows"
"""Files begin with it; the baseline's id and the hour follow."""
EVERY_NS = 5 * 10**9
"""Time between two stored windows of a point: 720 an hour, 170 kB."""
HOURS = 12
BUFFERED = 20_000
"""Most windows in memory, if the disk is full: 5 MB."""
LARGEST_FRAME = 64 * 2**20
"""Ten times what `BUFFERED` windows take; files may come from another computer."""
STATE_BYTES = 32
FRAME = struct.Struct("<4sII")
MAGIC = b"AWR1"


class RingWindow(NamedTuple):
    """A stored window of a point, with its z-scores [shape=(w,)]."""

    point: str
    t_ns: int
    z: Float32
    state: str
    seen: bool


class WindowRing:
    """The ring of one machine on one baseline; `add` never waits, and any thread may call it.

    Parameters
    ----------
    folder : Path
    points : sequence of str
        In the order of the machine's rows.
    slots : int
        Largest number of z-scores of a point; 0 = nothing is stored.
    baseline_id : str
        Files of another baseline are removed: their z-scores mean something else.
    """

    def __init__(self, folder: Path, points: Sequence[str], slots: int, baseline_id: str) -> None:
        self._folder = folder
        self._points = tuple(points)
        self._slots = slots
        self._prefix = f"{RING_FILE}-{baseline_id[:12]}-"
        self._last_ns: dict[str, int] = {}
        self._new: deque[ScoredWindow] = deque(maxlen=BUFFERED)
        self._lock = threading.Lock()
        for path in folder.glob(f"{RING_FILE}-*"):
            if not path.name.startswith(self._prefix):
                path.unlink(missing_ok=True)

    def add(self, windows: Iterable[ScoredWindow]) -> None:
        """Note the windows of a hop, at most one of a point each `EVERY_NS`."""
        for window in windows:
            # A clock that was set back begins again.
            past_ns = abs(window.t_ns - self._last_ns.get(window.point, -EVERY_NS))
            if past_ns >= EVERY_NS and window.z is not None:
                self._last_ns[window.point] = window.t_ns
                self._new.append(window)

    def flush(self) -> None:
        """Write the new windows to disk, and remove the hours farthest from the newest window.

        Raises
        ------
        OSError
            The windows then stay in memory for the next time.
        """
        with self._lock:
            some = list(self._new)
            if not some:
                return
            by_hour: dict[int, list[ScoredWindow]] = {}
            for window in some:
                by_hour.setdefault(window.t_ns // HOUR_NS, []).append(window)
            for hour, windows in by_hour.items():
                frame = self._frame(windows)
                with self._path(hour).open("ab") as file:
                    file.write(frame)
            for _ in some:
                self._new.popleft()
            # Nearest to now: hours that a clock was ahead are no newer than those after it.
            now = some[-1].t_ns // HOUR_NS
            for path in sorted(self._files(), key=lambda path: abs(_hour(path) - now))[HOURS:]:
                path.unlink(missing_ok=True)

    def between(self, start_ns: int, end_ns: int) -> list[RingWindow]:
        """Return the stored windows of a stretch of time, oldest first."""
        with self._lock:
            found = [
                window
                for path in self._files()
                if start_ns - HOUR_NS < _hour(path) * HOUR_NS <= end_ns
                for window in self._read(path)
                if start_ns <= window.t_ns <= end_ns
            ]
            found += [
                RingWindow(w.point, w.t_ns, w.z, w.state, w.seen)
                for w in list(self._new)
                if start_ns <= w.t_ns <= end_ns and w.z is not None
            ]
        return sorted(found, key=lambda window: window.t_ns)

    @property
    def since_ns(self) -> int | None:
        """Return the time of the oldest stored window, None if there is none."""
        with self._lock:
            for path in self._files():
                for window in self._read(path):
                    return window.t_ns
            return min((window.t_ns for window in list(self._new)), default=None)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(f"{self._prefix}*"), key=_hour)

    def _path(self, hour: int) -> Path:
        return self._folder / f"{self._prefix}{hour}"

    @property
    def _row(self) -> np.dtype[np.void]:
        return np.dtype(
            [
                ("t_ns", "i8"),
                ("point", "u2"),
                ("seen", "u1"),
                ("state", f"S{STATE_BYTES}"),
                ("z", "f2", (self._slots,)),
            ]
        )

    def _frame(self, windows: Sequence[ScoredWindow]) -> bytes:
        rows = np.zeros(len(windows), self._row)
        for row, window in zip(rows, windows, strict=True):
            assert window.z is not None  # noqa: S101
            row["t_ns"], row["seen"] = window.t_ns, window.seen
            row["point"] = self._points.index(window.point)
            row["state"] = window.state.encode()[:STATE_BYTES]
            row["z"][: len(window.z)] = np.clip(window.z, -LARGEST_Z, LARGEST_Z)
        buffer = io.BytesIO()
        np.save(buffer, rows, allow_pickle=False)
        body = zlib.compress(buffer.getvalue(), 1)
        return FRAME.pack(MAGIC, len(body), zlib.crc32(body)) + body

    def _read(self, path: Path) -> list[RingWindow]:
        data, at, found = path.read_bytes(), 0, list[RingWindow]()
        while at + FRAME.size <= len(data):
            magic, size, checksum = FRAME.unpack_from(data, at)
            body = data[at + FRAME.size : at + FRAME.size + size]
            if magic != MAGIC or len(body) < size or zlib.crc32(body) != checksum:
                # A power cut tore it; later frames of this hour begin at the next whole one.
                following = data.find(MAGIC, at + 1)
                logger.warning("%s: a stored frame of windows is torn and is skipped", path.name)
                if following < 0:
                    break
                at = following
                continue
            at += FRAME.size + size
            try:
                rows = np.load(io.BytesIO(inflated(body, LARGEST_FRAME)), allow_pickle=False)
            except ValueError as error:
                logger.warning("%s: a frame of windows is skipped: %s", path.name, error)
                continue
            found += [
                RingWindow(
                    self._points[int(row["point"])],
                    int(row["t_ns"]),
                    row["z"].astype(np.float32),
                    row["state"].decode(errors="replace"),
                    bool(row["seen"]),
                )
                for row in rows
            ]
        return found


def _hour(path: Path) -> int:
    return int(path.name.rsplit("-", 1)[1])
