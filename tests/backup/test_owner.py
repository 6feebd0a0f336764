"""Root backs up and restores a folder of the service's user with that user's rights only."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from auscult.app.command import backup as command
from auscult.backup import archive
from auscult.backup.archive import BackupError
from auscult.backup.owner import as_owner

OTHER_USER = 65534
KNOWN = {"x.db": {"one"}}

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root acts as someone else")


@pytest.fixture
def place() -> Iterator[Path]:
    """Give a folder that other users reach, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="auscult-owner-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def data(place: Path) -> Path:
    folder = place / "data"
    (folder / "deep").mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(folder / "x.db")) as db, db:
        db.execute("PRAGMA journal_mode = wal")
        db.execute("CREATE TABLE _sqlite_migrations (name TEXT)")
        db.execute("INSERT INTO _sqlite_migrations VALUES ('one')")
    (folder / "deep" / "weights").write_bytes(b"1" * 1000)
    (folder / "key").write_bytes(b"own")
    (folder / "key").chmod(0o600)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, OTHER_USER, OTHER_USER)
    folder.chmod(0o700)
    return folder


def back_up(place: Path, data: Path) -> Path:
    path = place / "roots" / "one.backup"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    archive.write(path, data, "gateway", "plant/gw1", "1.0", own_process=True)
    return path


def test_what_the_owner_can_not_read_is_not_backed_up(place, data):
    (data / "of root").write_text("root:*:20228")
    (data / "of root").chmod(0o600)
    with pytest.raises(BackupError, match="Permission denied"):
        back_up(place, data)
    assert (os.geteuid(), os.getegid()) == (0, 0)


def test_a_link_that_appears_while_files_are_copied_is_not_followed(place, data, monkeypatch):
    """The lists of files are made, then the owner exchanges a file and a folder of them."""
    secret = place / "secret"
    secret.mkdir(mode=0o700)
    (secret / "weights").write_text("root:*:20228")
    listed = archive._plain_files

    def exchanged(*args: object) -> object:
        found = listed(*args)
        if (data / "deep").is_dir() and not (data / "deep").is_symlink():
            (data / "deep").rename(data / "before-deep")
            (data / "deep").symlink_to(secret)
        return found

    monkeypatch.setattr(archive, "_plain_files", exchanged)
    with pytest.raises(BackupError, match=r"Permission denied|is a link"):
        back_up(place, data)


def test_a_restore_writes_as_the_owner(place, data):
    path = back_up(place, data)
    before = place / "etc"
    before.mkdir()
    (data / ".restoring").symlink_to(before)
    with pytest.raises(BackupError, match="File exists"):
        archive.restore(path, data, "gateway", KNOWN, replace=True)
    assert list(before.iterdir()) == []
    (data / ".restoring").unlink()
    archive.restore(path, data, "gateway", KNOWN, replace=True)
    restored = [data / "x.db", data / "key", data / "deep" / "weights"]
    assert {one.stat().st_uid for one in restored} == {OTHER_USER}
    assert (data / "key").read_bytes() == b"own"


def test_what_root_restores_belongs_to_the_owner_of_the_folder(place, data):
    path, folder = back_up(place, data), place / "new"
    folder.mkdir()
    os.chown(folder, OTHER_USER, OTHER_USER)
    archive.restore(path, folder, "gateway", KNOWN)
    archive.restore(path, folder, "gateway", KNOWN, replace=True)
    assert {one.stat().st_uid for one in folder.rglob("*")} == {OTHER_USER}


def test_root_follows_no_configuration_of_someone_else(place, data):
    config = place / "etc" / "gateway.toml"
    config.parent.mkdir()
    config.touch()
    command._check_trust(config, data)
    os.chown(config, OTHER_USER, OTHER_USER)
    command._check_trust(config, data)
    for folder in (place / "secret", place / "missing" / "data"):
        with pytest.raises(
            BackupError, match=r"belongs to user id 65534, and .* to 0: root follows"
        ):
            command._check_trust(config, folder)
    os.chown(config, 0, 0)
    os.chown(config.parent, OTHER_USER, OTHER_USER)
    with pytest.raises(BackupError, match="root follows"):
        command._check_trust(config, place / "secret")


def test_the_rights_come_back_after_an_error(data):
    with contextlib.suppress(ZeroDivisionError), as_owner(data):
        assert os.geteuid() == OTHER_USER
        _ = 1 / 0
    assert (os.geteuid(), os.getegid()) == (0, 0)
