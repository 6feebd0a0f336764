"""Cursors: where a page ended, as an opaque word that the next request gives back."""

from __future__ import annotations

import base64
import binascii

from auscult.contract.said import Rejection


class CursorError(Rejection):
    """A cursor that this server never gave."""


def encode(time_ms: int, identity: str) -> str:
    """Return the word for a place in a list that is ordered by time, then id.

    >>> decode(encode(1_700_000_000_000, "01HF"))
    [1700000000000, '01HF']
    """
    return base64.urlsafe_b64encode(f"{time_ms}:{identity}".encode()).decode().rstrip("=")


def decode(cursor: str) -> list[int | str]:
    """Take a cursor apart.

    Raises
    ------
    CursorError
        If this server did not give it.
    """
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        time, colon, identity = text.partition(":")
        if colon and 0 <= int(time) < 1 << 62:
            return [int(time), identity]
    except (binascii.Error, ValueError):
        pass
    raise CursorError("cursor_unknown")
