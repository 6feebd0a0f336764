"""Reports in one line which extra a command needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from auscult.errors import MissingExtraError


@contextmanager
def needs(command: str, extra: str) -> Iterator[None]:
    """Name the extra when an import below finds a package missing.

    Raises
    ------
    MissingExtraError
        One line: command, missing package, remedy.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "auscult"):
            raise
        raise MissingExtraError(
            f"{command} needs the package {package}, which is not installed: "
            f"pip install 'auscult[{extra}]'"
        ) from error
