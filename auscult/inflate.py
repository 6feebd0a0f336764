"""Unpacks zlib data up to a bound: a kilobyte can unpack to a megabyte, and that again."""

from __future__ import annotations

import zlib
from typing import Final

from auscult.errors import InputError

PIECE_BYTES: Final = 2**20


class InflateError(InputError):
    """Data that are damaged, cut, or larger than the bound."""


def inflated(data: bytes, most: int) -> bytes:
    """Return unpacked data of at most `most` bytes.

    Raises
    ------
    InflateError
        If they are damaged, cut, or larger.

    Examples
    --------
    >>> inflated(zlib.compress(bytes(9)), 9) == bytes(9)
    True
    >>> inflated(zlib.compress(bytes(10)), 9)
    Traceback (most recent call last):
    auscult.inflate.InflateError: the compressed data hold more than 9 bytes
    """
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise InflateError(f"the compressed data are damaged: {error}") from None
    if len(content) > most:
        raise InflateError(f"the compressed data hold more than {most} bytes")
    if not unpacker.eof:
        raise InflateError("the compressed data are cut")
    return content


def inflated_bytes(data: memoryview, most: int) -> int:
    """Return how many bytes the data unpack to, or a number above `most`; keeps none of them.

    Examples
    --------
    >>> inflated_bytes(memoryview(zlib.compress(bytes(10_000_000))), 2**30)
    10000000
    >>> 999 < inflated_bytes(memoryview(zlib.compress(bytes(10_000_000))), 999) < 10_000_000
    True
    """
    unpacker, size = zlib.decompressobj(), 0
    while not unpacker.eof and size <= most:
        try:
            piece = unpacker.decompress(data, PIECE_BYTES)
        except zlib.error:
            break  # whoever reads it will say so
        data = memoryview(unpacker.unconsumed_tail)
        if not piece and not data:
            break
        size += len(piece)
    return size
