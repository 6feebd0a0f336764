"""A lock on the data folder: one process at a time uses it."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE_NAME = "lock"
_NEEDED_OF_FILES = os.R_OK | os.W_OK
_NEEDED_OF_FOLDERS = _NEEDED_OF_FILES | os.X_OK


class InUseError(Exception):
    """Another process uses the data folder; the message has the remedy."""


class FolderError(Exception):
    """The data folder can't be used; the message has the file, the cause and the remedy."""


@contextmanager
def usable(data_dir: Path) -> Iterator[None]:
    """Report errors of files in the data folder as `FolderError`; others pass."""
    try:
        yield
    except OSError as error:
        if not isinstance(error.filename, str | Path):
            raise
        path, folder = Path(error.filename).absolute(), data_dir.absolute()
        if folder != path and folder not in path.parents and path not in folder.parents:
            raise
        raise FolderError(
            f"gateway.data_dir = {str(data_dir)!r}: {path}: {error.strerror}: {_remedy(error)}"
        ) from error


def _remedy(error: OSError) -> str:
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return (
            f"let user id {os.geteuid()} own the folder and all files in it (chown -R), on a file "
            "system that is not read-only"
        )
    if error.errno == errno.ENOSPC:
        return "free space on its disk"
    return "name a folder of the gateway's own, and restore what is damaged in it from a backup"


@contextmanager
def locked(data_dir: Path) -> Iterator[None]:
    """Lock the data folder; the lock ends with the process, even if it is killed.

    Raises
    ------
    InUseError
        If another process holds it.
    PermissionError
        If a file or folder in it belongs to another user.
    """
    data_dir.mkdir(0o700, parents=True, exist_ok=True)
    with (data_dir / FILE_NAME).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUseError(f"{data_dir} is in use: stop its gateway first") from None
        for path in data_dir.iterdir():
            # Else a file of another user would end the gateway later, when it is needed.
            if not os.access(path, _NEEDED_OF_FOLDERS if path.is_dir() else _NEEDED_OF_FILES):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        yield
