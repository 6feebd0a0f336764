"""Lets root act as the owner of a data folder: a backup reaches no more than its owner does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def owner_of(folder: Path) -> os.stat_result:
    """Return who owns a folder, or the nearest one above it that exists."""
    folder = folder.absolute()
    return next(place for place in (folder, *folder.parents) if place.exists()).stat()


@contextmanager
def as_owner(folder: Path) -> Iterator[None]:
    """Let root act as the owner of a folder; changes nothing for other users.

    The rights are those of the whole process: no other thread may need root's meanwhile.

    Raises
    ------
    PermissionError
        If root may not change its user here (no CAP_SETUID).
    """
    owner = owner_of(folder)
    if os.geteuid() != 0 or owner.st_uid == 0:
        yield
        return
    group, groups = os.getegid(), os.getgroups()
    os.setgroups([owner.st_gid])
    try:
        os.setegid(owner.st_gid)
        os.seteuid(owner.st_uid)
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)
