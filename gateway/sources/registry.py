"""The installed kinds of source, and the packages of vendors that they need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from auscult.contract.said import Rejection
from auscult.gateway.settings.source import SourceSettings, installed_kinds, load_kind
from auscult.gateway.sources.contract import SourceError, SourceKind


def kind_of(settings: SourceSettings) -> SourceKind[Any]:
    """Return the plugin that settings belong to."""
    return cast(SourceKind[Any], load_kind(settings.type))


def kinds() -> Iterator[tuple[str, SourceKind[Any] | Rejection]]:
    """Yield every installed kind by name; for one that can't be loaded, the reason."""
    for name in installed_kinds():
        try:
            yield name, cast(SourceKind[Any], load_kind(name))
        except Rejection as error:
            yield name, error


@contextmanager
def vendor(package: str, extra: str) -> Iterator[None]:
    """Report a package that is missing, or a library that it does not find, with the remedy.

    Raises
    ------
    SourceError
        For an import inside the block that fails.
    """
    try:
        yield
    except (ImportError, OSError) as error:
        if isinstance(error, ModuleNotFoundError):
            raise SourceError("package_missing", package=package, extra=extra) from error
        raise SourceError("library_missing", package=package, detail=str(error)) from error
