"""Backups by schedule, of gateway and dashboard: the setting, and the thread that makes them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pydantic import Field

from auscult.backup.archive import BackupError
from auscult.contract.section import ConfiguredPath, Section
from auscult.host.supervised import Supervised

log = logging.getLogger(__name__)

LOOK_S = 60.0
HOUR_S = 3600.0
SUFFIX = ".backup"


class BackupSettings(Section):
    """Backups by schedule."""

    folder: ConfiguredPath | None = Field(
        default=None,
        description="Folder of the backups, best on another disk; left out = none by schedule",
    )
    every_hours: float = Field(
        default=24, ge=0.01, le=8760, description="Time between backups, hours"
    )
    keep: int = Field(default=7, ge=1, le=10_000, description="Backups that are kept")
    passphrase_file: ConfiguredPath | None = Field(
        default=None,
        description="File whose first line encrypts the backups; without it they can be read by "
        "whoever has them, with all keys and password hashes in them. Keep a copy elsewhere",
    )

    @property
    def passphrase(self) -> str | None:
        """Return the passphrase, None without a file.

        Raises
        ------
        BackupError
            If the file can't be read or is empty.
        """
        return None if self.passphrase_file is None else read_passphrase(self.passphrase_file)


def read_passphrase(path: Path) -> str:
    """Return the first line of a file.

    Raises
    ------
    BackupError
        If it can't be read or is empty.
    """
    try:
        line = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"{path}: the passphrase can't be read: {error}") from error
    if not line:
        raise BackupError(f"{path}: the first line is empty: write a passphrase there")
    return line


class Backups:
    """Makes backups by schedule, and deletes the oldest beyond the number to keep.

    Parameters
    ----------
    settings : BackupSettings
    name : str
        Beginning of the files' names.
    make : callable
        Writes a backup to a path, with a passphrase or without.
    stop : threading.Event
    """

    def __init__(
        self,
        settings: BackupSettings,
        name: str,
        make: Callable[[Path, str | None], object],
        stop: threading.Event,
    ) -> None:
        self._settings = settings
        self._name = name
        self._make = make
        self._stop = stop
        self.thread = Supervised("backup", self._run, stop)

    def start(self) -> None:
        """Begin, if backups are set."""
        if self._settings.folder is not None:
            self.thread.start()

    def _run(self) -> None:
        assert self._settings.folder is not None  # noqa: S101
        while True:
            self.make_if_due(self._settings.folder)
            if self._stop.wait(LOOK_S):
                return

    def make_if_due(self, folder: Path) -> Path | None:
        """Make a backup if the newest is old enough; return its path.

        Raises
        ------
        BackupError
        """
        kept = self._kept(folder)
        age_s = time.time() - kept[-1].stat().st_mtime if kept else float("inf")
        # a newer file than now: the clock was set back, so its age says nothing
        if 0 <= age_s < self._settings.every_hours * HOUR_S:
            return None
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        path = folder / f"{self._name}-{now}{SUFFIX}"
        self._make(path, self._settings.passphrase)
        log.info("backup %s: %d bytes", path, path.stat().st_size)
        for old in self._kept(folder)[: -self._settings.keep]:
            old.unlink()
        return path

    def _kept(self, folder: Path) -> list[Path]:
        """Return the backups, the oldest first by the time they were written."""
        found = folder.glob(f"{self._name}-*{SUFFIX}")
        return sorted(found, key=lambda path: path.stat().st_mtime_ns)
