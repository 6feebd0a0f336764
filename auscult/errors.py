"""The errors that a caller can mend; each message names value, limit and remedy."""

from __future__ import annotations

from collections.abc import Iterable


class AuscultError(Exception):
    """Base of all of them: ``except auscult.AuscultError`` catches what the library rejects."""


class InputError(AuscultError, ValueError):
    """A value outside its limits, or samples and tables that do not fit together."""


class ConfigurationError(AuscultError):
    """The configuration can't be used; the message is one line: file, key, value, remedy."""


class UnusableSettingError(AuscultError, OSError):
    """A setting names what can't be used on this machine; one line: key, value, remedy."""


class MissingExtraError(AuscultError, ImportError):
    """A package of an extra is not installed; the message names the extra."""


def newer_database(place: object, done: Iterable[str], known: Iterable[str]) -> str | None:
    """Return why a database can't be opened: a newer version changed its tables; else None.

    >>> newer_database("gateway.db", ["first", "second"], ["first"])  # doctest: +ELLIPSIS
    'gateway.db is of a newer version of Auscult, ... (second): install that version ...'
    >>> newer_database("gateway.db", ["first"], ["first", "second"])
    """
    newer = sorted(set(done).difference(known))
    if not newer:
        return None
    return (
        f"{place} is of a newer version of Auscult, which changed its tables ({', '.join(newer)}): "
        "install that version or a later one, or restore a backup of before the update"
    )
