"""The errors that a caller can mend; each message names value, limit and remedy."""

from __future__ import annotations


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
