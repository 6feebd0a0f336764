"""How much a file holds once it is unpacked: known before its content is read."""

from __future__ import annotations

import mmap
import struct
import zipfile
from pathlib import Path
from typing import Final

import psutil

from auscult.gateway.files.records import FileError
from auscult.inflate import inflated_bytes

SHARE: Final = 4
"""A file is in memory as its numbers and as float32 samples, beside the program."""
OWN_GROUP: Final = Path("/proc/self/cgroup")
GROUPS: Final = Path("/sys/fs/cgroup")
"""Where Linux states the limits of a container or service; cgroup v2."""
MB: Final = 1_000_000
COMPRESSED: Final = 15
"""Data type of a compressed element; MAT-File Format (MathWorks), level 5, table 1-1."""
MAT_HEAD: Final = 128
DZ_HEAD: Final = struct.Struct("<4s4xQQ2sBxIQQ")
"""Head of a compressed block; ASAM MDF 4.1, clause 6.24."""
DEFLATE: Final = (0, 1)


def most_bytes() -> int:
    """Return the largest content: a quarter of the memory that this process may use."""
    limits = [psutil.virtual_memory().total]
    try:
        name = OWN_GROUP.read_text(encoding="ascii").rpartition("::")[2].strip()
        group = GROUPS / name.lstrip("/")
        for folder in (group, *group.parents):
            stated = folder / "memory.max"
            if stated.is_file() and (text := stated.read_text(encoding="ascii").strip()).isdigit():
                limits.append(int(text))
    except (OSError, ValueError):
        pass  # no such system
    return min(limits) // SHARE


def check_size(path: Path, size: int) -> None:
    """Raise a `FileError` for a file whose content is larger than the memory allows."""
    most = most_bytes()
    if size > most:
        raise FileError("file_too_large", path=str(path), size=size // MB, limit=most // MB)


def check_zip(path: Path) -> None:
    """Check the sizes in the directory of a zip; its reader stops there."""
    with zipfile.ZipFile(path) as archive:
        check_size(path, sum(member.file_size for member in archive.infolist()))


def check_mat(path: Path) -> None:
    """Unpack the compressed elements of a MATLAB file (level 5) without keeping them."""
    most, size = most_bytes(), 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[126:128] not in (b"IM", b"MI"):
            return  # level 4 is not compressed
        tag = struct.Struct("<II" if data[126:128] == b"IM" else ">II")
        at = MAT_HEAD
        while at + tag.size <= len(data) and size <= most:
            kind, length = tag.unpack_from(data, at)
            at += tag.size
            content = memoryview(data[at : at + length])
            size += inflated_bytes(content, most) if kind == COMPRESSED else length
            at += length
    check_size(path, size)


def check_mdf(path: Path) -> None:
    """Unpack the compressed blocks of an MDF 4 file without keeping them."""
    most, size = most_bytes(), 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(b"##DZ")
        while 0 <= at <= len(data) - DZ_HEAD.size and size <= most:
            *_, kind, _, stated, packed = DZ_HEAD.unpack_from(data, at)
            at += DZ_HEAD.size
            content = memoryview(data[at : at + packed])
            size += inflated_bytes(content, most) if kind in DEFLATE else stated
            at = data.find(b"##DZ", at)
    check_size(path, size)
