"""Watches a folder: each file is read when it is whole, and once, across restarts."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from auscult.contract.machines import MachineSettings
from auscult.contract.message import NS_PER_S
from auscult.contract.said import Said
from auscult.durable import write_durably
from auscult.file_hash import sha256_of
from auscult.gateway.files.reading import FORMATS, Meaning, read_signals
from auscult.gateway.files.records import FileError, Signal
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.sources.contract import (
    Bursts,
    Source,
    SourceContext,
    SourceError,
    SourceKind,
    SourceProblem,
)
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.folder.settings import FolderSource
from auscult.gateway.sources.folder.taken import TakenFiles
from auscult.gateway.sources.inlet import Inlet

log = logging.getLogger(__name__)

LOOK_S = 0.5
REJECTED = "rejected"
"""Folder for files that can't be used, each with a text that says why."""
PARTIAL = (".part", ".partial", ".tmp", ".crdownload", "~")
"""Endings that programs give to files that they still write."""
BLOCK_SAMPLES = 2**18
"""Samples of a block: a file of an hour must not need the inlet's whole memory at once."""
MAX_BEGUN = 3
"""So often the reading of a file may be cut short by the end of the program; then the file is the
likely cause, such as one that needs more memory than there is."""
FUTURE_NS = 60 * 1_000_000_000
"""A stamp may be so far ahead: the clock of the computer that wrote the file may differ."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """The state of a file at the last look, and since when it is like that (monotonic)."""

    size: int
    changed_ns: int
    since_s: float


class FolderWatcher(Source):
    """A `Source` that takes files.

    A file is read when it is unchanged for ``settle_s``. One that can't be read is tried again
    until it is unchanged for ``give_up_s``, then moved to the folder `rejected` with its reason.
    One whose reading was cut short `MAX_BEGUN` times by the end of the program is moved there too.
    Files are taken in the order of their times. A kill between the last block and the note of it
    takes that one file again.

    Raises
    ------
    SourceError
        If the folder is missing.
    """

    def __init__(self, settings: FolderSource, context: SourceContext) -> None:
        if not settings.folder.is_dir():
            raise SourceError(
                "folder_unreadable", path=str(settings.folder), detail="no such folder"
            )
        self._settings = settings
        self._own = context.folder
        self._units = {p: context.point(p).unit for p in settings.feeds}
        self._feed = Feed(self.name)
        self._seen: dict[str, _Seen] = {}
        self._end_ns = context.stream_end_ns
        self._set_aside = 0

    @property
    def name(self) -> str:
        return f"folder:{self._settings.machine}"

    @property
    def status(self) -> Said:
        return self._feed.status

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        own = self._settings
        if own.burst_s is None or own.interval_s is None:
            return {}
        return dict.fromkeys(own.feeds, Bursts(own.burst_s, own.interval_s))

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        with closing(TakenFiles(self._own)) as taken:
            while not stop.is_set():
                for path in self._whole(taken):
                    if stop.is_set():
                        return
                    self._take(path, taken, inlet, stop)
                stop.wait(LOOK_S)

    def _whole(self, taken: TakenFiles) -> list[Path]:
        """Find files that are new and unchanged for `settle_s`, oldest first."""
        found: list[tuple[int, str, Path]] = []
        seen: dict[str, _Seen] = {}
        now_s = time.monotonic()
        try:
            paths = list(self._settings.folder.glob(self._settings.pattern))
            self._feed.clear("folder")
        except OSError as error:
            said = Said(
                "folder_unreadable", {"path": str(self._settings.folder), "detail": str(error)}
            )
            self._feed.note("folder", said)
            return []
        for path in paths:
            if not self._wanted(path):
                continue
            try:
                stat = path.stat()
            except OSError:
                continue
            name = self._name(path)
            if taken.unchanged(name, stat.st_size, stat.st_mtime_ns):
                continue
            before = self._seen.get(name)
            if before is None or (before.size, before.changed_ns) != (
                stat.st_size, stat.st_mtime_ns,
            ):  # fmt: skip
                before = _Seen(stat.st_size, stat.st_mtime_ns, now_s)
            seen[name] = before
            if now_s - before.since_s >= self._settings.settle_s:
                found.append((stat.st_mtime_ns, name, path))
        self._seen = seen
        return [path for _, _, path in sorted(found)]

    def _wanted(self, path: Path) -> bool:
        parts = path.relative_to(self._settings.folder).parts
        return (
            not any(part.startswith(".") for part in parts)
            and parts[0] != REJECTED
            and path.suffix.lower() in FORMATS
            and not path.name.endswith(PARTIAL)
            and path.is_file()
        )

    def _name(self, path: Path) -> str:
        return _text(str(path.relative_to(self._settings.folder)))

    def _take(self, path: Path, taken: TakenFiles, inlet: Inlet, stop: threading.Event) -> None:
        name = self._name(path)
        seen = self._seen[name]
        begun = taken.begin(name, seen.size, seen.changed_ns)
        if begun >= MAX_BEGUN:
            self._reject(path, taken, FileError("file_ends_program", path=str(path), times=begun))
            taken.end(name)
            return
        try:
            digest = sha256_of(path)
            if taken.holds(name, digest):
                taken.add(name, seen.size, seen.changed_ns, digest)
                return
            signals = self._signals(path)
            t0_ns = self._t0_ns(path, signals[0][1], seen.changed_ns)
        except sqlite3.Error:  # our own list, not the file
            raise
        except Exception as error:  # files hold anything, and one must not stop those behind it
            if time.monotonic() - seen.since_s >= self._settings.give_up_s:
                self._reject(path, taken, error)
            return
        finally:
            taken.end(name)
        for items in self._blocks(signals, t0_ns):
            if not self._feed.deliver(inlet, items, wait=True) and stop.is_set():
                return
        first = signals[0][1]
        self._end_ns = t0_ns + round(first.duration_s * NS_PER_S)
        taken.add(name, seen.size, seen.changed_ns, digest)
        self._seen.pop(name, None)

    def _signals(self, path: Path) -> list[tuple[PointId, Signal]]:
        own = self._settings
        read = {
            s.name: s for s in read_signals(path, Meaning(own.unit, own.fs_hz, own.time, own.rate))
        }
        chosen = []
        for point, channel in own.channels.items():
            if channel not in read:
                raise FileError(
                    "file_no_channel", path=str(path), channel=channel, channels=tuple(read)
                )
            chosen.append((PointId(own.machine, point), read[channel]))
        return chosen

    def _t0_ns(self, path: Path, signal: Signal, changed_ns: int) -> int:
        """Give the time of the first sample.

        Raises
        ------
        FileError
            If it lies in the future, or before what was processed.
        """
        length_ns = round(signal.duration_s * NS_PER_S)
        if self._settings.name_time:
            try:
                moment = datetime.strptime(path.stem, self._settings.name_time)  # noqa: DTZ007
            except ValueError as error:
                raise FileError(
                    "file_name_time", path=str(path), pattern=self._settings.name_time
                ) from error
            t0_ns = round(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * NS_PER_S)
        else:
            t0_ns = changed_ns - length_ns if signal.t0_ns is None else signal.t0_ns
        latest_ns = time.time_ns() + FUTURE_NS
        if t0_ns + length_ns > latest_ns:
            raise FileError("file_in_future", path=str(path))
        # An end in the future is of a clock that was ahead: no file would ever be late enough.
        end_ns = self._end_ns if self._end_ns <= latest_ns else 0
        # Files without a time of their own may overlap a little: they were written one by one.
        slack_ns = length_ns if signal.t0_ns is None and not self._settings.name_time else 0
        if t0_ns + slack_ns < end_ns:
            raise FileError("file_too_old", path=str(path))
        return max(t0_ns, end_ns)

    def _blocks(
        self, signals: list[tuple[PointId, Signal]], t0_ns: int
    ) -> Iterator[list[SampleBlock]]:
        """Return all channels of a piece together; the first piece follows a gap."""
        longest = max(signal.samples.size for _, signal in signals)
        for first in range(0, longest, BLOCK_SAMPLES):
            yield [
                self._feed.block(
                    point,
                    signal.fs_hz,
                    t0_ns + round(first / signal.fs_hz * NS_PER_S),
                    signal.samples[first : first + BLOCK_SAMPLES],
                    self._unit(point, signal),
                    gap=first == 0,
                )
                for point, signal in signals
                if first < signal.samples.size
            ]

    def _unit(self, point: PointId, signal: Signal) -> str:
        """Take samples without a unit in the point's unit; any other unit must agree with it."""
        undeclared = signal.unit in ("as_delivered", "FS") and not self._settings.unit
        return self._units[point] if undeclared else signal.unit

    def _reject(self, path: Path, taken: TakenFiles, error: Exception) -> None:
        name = self._name(path)
        seen = self._seen.pop(name)
        log.warning("%s: %s", self.name, error)
        target = self._settings.folder / REJECTED / path.name
        reason = _text(str(error))
        try:
            target.parent.mkdir(exist_ok=True)
            why = target.with_name(f"{target.name}.reason.txt")
            write_durably(why, f"{reason}\n".encode())  # others read it while it is written
            path.replace(target)
        except OSError as problem:
            # A folder that can't be written: the file stays, and is known as rejected.
            log.warning("%s: can't be moved: %s", path, problem)
        taken.add(name, seen.size, seen.changed_ns, f"rejected:{seen.changed_ns}", reason)
        self._set_aside += 1
        said = Said("files_set_aside", {"count": self._set_aside, "folder": str(target.parent)})
        self._feed.note(REJECTED, said)


def _text(name: str) -> str:
    """Return a name that can be stored: bytes that are no UTF-8 become escapes."""
    return os.fsencode(name).decode(errors="backslashreplace")


class FolderKind(SourceKind[FolderSource]):
    """Files in a watched folder."""

    settings = FolderSource

    def open(self, settings: FolderSource, context: SourceContext) -> FolderWatcher:
        return FolderWatcher(settings, context)

    def problems(self, settings: FolderSource, machine: MachineSettings) -> Iterator[SourceProblem]:
        """Also look whether the folder is there."""
        yield from super().problems(settings, machine)
        if not settings.folder.is_dir():
            detail = {"path": str(settings.folder), "detail": "no such folder"}
            yield SourceProblem(("folder",), Said("folder_unreadable", detail))

    def forbidden(self, settings: FolderSource, recordings_dir: Path) -> SourceProblem | None:
        """Reject a folder outside the one that the gateway's file names."""
        if settings.folder.resolve().is_relative_to(recordings_dir.resolve()):
            return None
        outside = {"manifest": str(settings.folder), "folder": str(recordings_dir)}
        return SourceProblem(("folder",), Said("source_outside_folder", outside))


KIND = FolderKind()
