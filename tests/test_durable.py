"""The content is on the disk before its name is, and a failure leaves the old file."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from auscult.durable import write_durably


@pytest.fixture
def steps(monkeypatch):
    """What is done to the disk, in its order."""
    done = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor):
        done.append(f"sync {Path(f'/proc/self/fd/{descriptor}').readlink().name}")
        fsync(descriptor)

    def renamed(source, target, **more):
        done.append(f"rename {Path(source).name} {Path(target).name}")
        replace(source, target, **more)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    return done


def test_content_is_on_the_disk_before_the_name_and_the_name_before_the_end(tmp_path, steps):
    path = tmp_path / "state"
    path.write_bytes(b"before")
    write_durably(path, b"after")
    assert path.read_bytes() == b"after"
    assert steps == ["sync .state.tmp", "rename .state.tmp state", f"sync {tmp_path.name}"]


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "state"
    path.write_bytes(b"before")

    def full(descriptor):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=f"no space left: '{path}'"):
        write_durably(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("mode", "expected"), [(0o644, 0o644), (0o600, 0o600), (None, 0o640)])
def test_rights_are_those_asked_for_whatever_the_process_gives(tmp_path, mode, expected):
    (tmp_path / ".key.tmp").touch(0o666)  # of a process that was killed
    before = os.umask(0o027)
    try:
        write_durably(tmp_path / "key", b"secret", mode)
    finally:
        os.umask(before)
    assert (tmp_path / "key").stat().st_mode & 0o777 == expected
