"""Damage of files: flipped bits, lost and foreign sectors, torn ends.

A flip models worn flash memory. A lost sector reads as zeros or as noise. A stale sector is a
write that the device confirmed and dropped. A torn file ends in the middle of a write.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

SECTOR = 512

Damage = Callable[[bytes, Random], bytes]


def flip(data: bytes, chance: Random) -> bytes:
    """Change one bit."""
    position = chance.randrange(len(data))
    changed = data[position] ^ (1 << chance.randrange(8))
    return data[:position] + bytes([changed]) + data[position + 1 :]


def zero(data: bytes, chance: Random) -> bytes:
    """Replace a sector by zeros."""
    return _sector(data, chance, lambda n: bytes(n))


def noise(data: bytes, chance: Random) -> bytes:
    """Replace a sector by noise."""
    return _sector(data, chance, chance.randbytes)


def swap(data: bytes, chance: Random) -> bytes:
    """Put the content of another sector where one was: a misdirected write."""
    source = chance.randrange(max(1, len(data) // SECTOR)) * SECTOR
    return _sector(data, chance, lambda n: data[source : source + n].ljust(n, b"\0"))


def tear(data: bytes, chance: Random) -> bytes:
    """Cut the file."""
    return data[: chance.randrange(len(data))]


DAMAGES: dict[str, Damage] = {
    "flip": flip, "zero": zero, "noise": noise, "swap": swap, "tear": tear
}  # fmt: skip


def _sector(data: bytes, chance: Random, made: Callable[[int], bytes]) -> bytes:
    start = chance.randrange(max(1, (len(data) + SECTOR - 1) // SECTOR)) * SECTOR
    length = min(SECTOR, len(data) - start)
    return data[:start] + made(length) + data[start + length :]
