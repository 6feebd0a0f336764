"""Damage of files: flipped bits, lost and foreign sectors, torn ends.

A flip models worn flash memory. A lost sector reads as zeros or as noise. A stale sector is a
write that the device confirmed and dropped. A torn file ends in the middle of a write.
"""

from __future__ import annotations

import struct
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


def unsynced(data: bytes, chance: Random) -> bytes:
    """Lose and reorder writes of a WAL behind its last fsync, as a power cut may.

    Another transaction is begun behind the last: of its frames any were written, torn, or not.
    """
    (page_bytes,) = struct.unpack_from(">I", data, 8)
    step = 24 + page_bytes
    frames = [data[at : at + step] for at in range(32, len(data) - step + 1, step)]
    begun = []
    for frame in chance.choices(frames, k=chance.randrange(1, 8)):
        # only the last frame of a transaction says that it is one
        frame = frame[:4] + bytes(4) + frame[8:]
        written = chance.choice([frame, bytes(step), frame[: chance.randrange(step)]])
        begun.append(written.ljust(step, b"\0"))
    return data + b"".join(begun)


DAMAGES: dict[str, Damage] = {
    "flip": flip, "zero": zero, "noise": noise, "swap": swap, "tear": tear
}  # fmt: skip


def _sector(data: bytes, chance: Random, made: Callable[[int], bytes]) -> bytes:
    start = chance.randrange(max(1, (len(data) + SECTOR - 1) // SECTOR)) * SECTOR
    length = min(SECTOR, len(data) - start)
    return data[:start] + made(length) + data[start + length :]
