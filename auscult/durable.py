"""Files that a power cut leaves as they were or as they should be, never in part."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path


def write_durably(
    path: Path,
    content: bytes,
    mode: int | None = None,
    owner: tuple[int, int] | None = None,
) -> None:
    """Replace a file by content that is on the disk first.

    Parameters
    ----------
    path : Path
    content : bytes
    mode : int, optional
        Rights of the file; by default those that the process gives to new files.
    owner : tuple of int, optional
        User and group of the file; by default those of the process.

    Raises
    ------
    OSError
        If the disk is full or the folder not writable; the file stays the same.
    """
    aside = path.with_name(f".{path.name}.tmp")
    aside.unlink(missing_ok=True)
    rights = 0o666 if mode is None else mode & 0o700
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if owner is not None:
            os.chown(aside, *owner)
        if mode is not None:
            aside.chmod(mode)
        aside.replace(path)
    except OSError as error:
        if error.filename is None:  # a full disk: writing names no file
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        aside.unlink(missing_ok=True)
    sync_folder(path.parent)


def close_to_others(path: Path) -> None:
    """Take the rights of other users from a database and the files beside it, which it makes again.

    A file of another user stays as it is.
    """
    for one in path.parent.glob(f"{path.name}*"):
        with suppress(FileNotFoundError, PermissionError):
            one.chmod(one.stat().st_mode & 0o770)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a network share that has no such call
            raise
    finally:
        os.close(descriptor)
