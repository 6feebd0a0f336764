"""A lock on the data folder: one process at a time uses it."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE_NAME = "lock"


class InUseError(Exception):
    """Another process uses the data folder; the message has the remedy."""


@contextmanager
def locked(data_dir: Path) -> Iterator[None]:
    """Lock the data folder; the lock ends with the process, even if it is killed.

    Raises
    ------
    InUseError
        If another process holds it.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    with (data_dir / FILE_NAME).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUseError(f"{data_dir} is in use: stop its gateway first") from None
        yield
