"""Memory that a program freed, and that the C library keeps."""

from __future__ import annotations

import ctypes
from typing import Final

M_ARENA_MAX: Final = -8
M_MMAP_THRESHOLD: Final = -3
"""Of glibc's `mallopt`."""
LARGE_BYTES: Final = 131_072
"""What glibc itself begins with."""


def share_one_arena() -> None:
    """Let all threads allocate from one pool; call it before the program starts threads.

    glibc gives each thread its own, which keeps what its thread freed: 5 MB of a gateway at 1
    point, 19 MB at 128. Threads rarely wait for the pool, because Python runs one of them at a
    time.
    """
    try:
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
    except (AttributeError, OSError):
        return  # another C library


def return_large_blocks() -> None:
    """Let large blocks go back to the system when they are freed; call it at the start.

    glibc does so only until the first is freed: from then on, blocks of its size come from the
    pool, which keeps them in pieces. Answers with a day's trend left it 15 MB instead of 3.
    """
    try:
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
    except (AttributeError, OSError):
        return  # another C library


def return_free_memory() -> None:
    """Return memory that was freed to the system; glibc keeps it else (24 MB at 256 points)."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return  # another C library
