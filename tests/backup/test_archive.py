"""Backups: what is restored is what was there, and a bad file changes nothing."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import threading
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from auscult.backup import archive
from auscult.backup.archive import BackupError
from auscult.host.backups import Backups, BackupSettings

KNOWN = {"x.db": {"one"}}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("auscult.backup.encryption.LOG2_COST", 4)


@pytest.fixture
def data(tmp_path) -> Path:
    folder = tmp_path / "data"
    (folder / "deep").mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(folder / "x.db")) as db, db:
        db.execute("PRAGMA journal_mode = wal")
        db.execute("CREATE TABLE _sqlite_migrations (name TEXT)")
        db.execute("INSERT INTO _sqlite_migrations VALUES ('one')")
        db.execute("CREATE TABLE pair (a INTEGER, b INTEGER)")
    (folder / "deep" / "weights").write_bytes(random.Random(1).randbytes(1_200_000))
    (folder / "lock").touch()
    return folder


def back_up(path: Path, data: Path, passphrase: str | None = None) -> Path:
    archive.write(path, data, "gateway", "plant/gw1", "1.0", passphrase)
    return path


def restore(path: Path, folder: Path, passphrase: str | None = None, **more) -> archive.Contents:
    return archive.restore(path, folder, "gateway", KNOWN, passphrase, **more)


@pytest.mark.parametrize("passphrase", [None, "correct horse"])
def test_a_backup_during_writes_is_consistent(data, tmp_path, passphrase):
    stop = threading.Event()

    def write() -> None:
        with sqlite3.connect(data / "x.db", timeout=30) as db:
            number = 0
            while not stop.is_set():
                with db:
                    db.execute("INSERT INTO pair VALUES (?, 0)", [number])
                    db.execute("UPDATE pair SET b = a WHERE a = ?", [number])
                number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        path = back_up(tmp_path / "one.backup", data, passphrase)
    finally:
        stop.set()
        thread.join()
    assert path.stat().st_mode & 0o077 == 0
    restore(path, tmp_path / "new", passphrase)
    with sqlite3.connect(tmp_path / "new" / "x.db") as db:
        assert db.execute("SELECT count(*) FROM pair WHERE a <> b").fetchone() == (0,)
    restored = (tmp_path / "new" / "deep" / "weights").read_bytes()
    assert restored == (data / "deep" / "weights").read_bytes()
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["deep", "x.db"]


@pytest.mark.parametrize("passphrase", [None, "correct horse"])
def test_no_changed_or_cut_backup_is_restored(data, tmp_path, passphrase):
    whole = back_up(tmp_path / "one.backup", data, passphrase).read_bytes()
    seeded, bad = random.Random(7), tmp_path / "bad.backup"
    rejected = 0
    for trial in range(16):
        changed = bytearray(whole)
        if trial % 4 == 0:
            changed = changed[: seeded.randrange(len(whole))]
        else:
            changed[seeded.randrange(len(whole))] ^= 1 << seeded.randrange(8)
        bad.write_bytes(changed)
        try:
            with archive.opened(bad, passphrase) as (_, contents):
                # zip has bytes without meaning (times, attributes); the content must be the same
                assert contents.files
        except BackupError:
            rejected += 1
            with pytest.raises(BackupError):
                restore(bad, tmp_path / "new", passphrase)
            assert not (tmp_path / "new").exists()
    assert rejected == 16 if passphrase else rejected >= 14


def test_what_can_not_be_restored_is_named(data, tmp_path):
    path = back_up(tmp_path / "one.backup", data)
    with pytest.raises(BackupError, match="holds data: name an empty data_dir, or"):
        restore(path, data)
    with pytest.raises(BackupError, match="backup of a gateway, not of a dashboard"):
        archive.restore(path, tmp_path / "new", "dashboard", KNOWN)
    with pytest.raises(BackupError, match=r"made by auscult 1.0, whose x.db is newer \(one\)"):
        archive.restore(path, tmp_path / "new", "gateway", {"x.db": set()})
    locked = back_up(tmp_path / "two.backup", data, "secret")
    with pytest.raises(BackupError, match="is encrypted: name the file of its passphrase"):
        restore(locked, tmp_path / "other")
    with pytest.raises(BackupError, match="the passphrase is wrong"):
        restore(locked, tmp_path / "other", "Secret")
    with contextlib.closing(sqlite3.connect(data / "x.db")) as db:
        db.execute("BEGIN IMMEDIATE")
        with pytest.raises(BackupError, match="in use"):
            restore(path, data, replace=True)


def test_a_backup_that_unpacks_to_much_is_rejected_before(data, tmp_path, monkeypatch):
    bomb = tmp_path / "bomb.backup"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(archive.LIST, b" " * 40_000_000)
    assert bomb.stat().st_size < 100_000
    tracemalloc.start()
    with pytest.raises(BackupError, match="40000000 bytes, at most 16777216"):
        restore(bomb, tmp_path / "new")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000

    path = back_up(tmp_path / "one.backup", data)
    free = shutil.disk_usage(tmp_path)._replace(free=1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    with pytest.raises(BackupError, match=r"needs 1 MB .* 1 MB are free: make room"):
        restore(path, tmp_path / "new")
    assert not list((tmp_path / "new").iterdir())


@pytest.mark.parametrize("content", [None, (), ("notes.txt",)])
def test_a_folder_without_data_is_not_backed_up(tmp_path, content):
    if content is not None:
        (tmp_path / "data").mkdir()
        for name in content:
            (tmp_path / "data" / name).touch()
    with pytest.raises(BackupError, match=r"no data of a gateway in .*check data_dir"):
        back_up(tmp_path / "elsewhere" / "one.backup", tmp_path / "data")
    assert not (tmp_path / "elsewhere").exists()


def test_whatever_bit_changes_in_compressed_data_is_reported_as_damage(data, tmp_path):
    bad = tmp_path / "bad.backup"
    (data / "deep" / "weights").write_text("".join(f"line {n}\n" for n in range(500)))
    whole = back_up(tmp_path / "one.backup", data).read_bytes()
    seeded = random.Random(1)
    for _ in range(100):
        changed = bytearray(whole)
        changed[seeded.randrange(len(whole))] ^= 1 << seeded.randrange(8)
        bad.write_bytes(changed)
        with contextlib.suppress(BackupError), archive.opened(bad):
            pass


def test_files_keep_the_order_in_which_they_were_written(data, tmp_path):
    """Of the proofs of events the oldest go first, whatever their names say."""
    for number, name in enumerate(("c.proof", "a.proof", "b.proof")):
        (data / name).touch()
        os.utime(data / name, ns=(0, 1_700_000_000_000_000_000 + number))
    restore(back_up(tmp_path / "one.backup", data), tmp_path / "new")
    restored = sorted((tmp_path / "new").glob("*.proof"), key=lambda path: path.stat().st_mtime_ns)
    assert [path.name for path in restored] == ["c.proof", "a.proof", "b.proof"]


def test_replaced_data_is_kept_aside(data, tmp_path):
    path = back_up(tmp_path / "one.backup", data)
    (data / "new").write_text("since")
    restore(path, data, replace=True)
    (before,) = data.glob("before-*")
    assert (before / "new").read_text() == "since"
    assert not (data / "new").exists()
    again = back_up(tmp_path / "two.backup", data)
    with archive.opened(again) as (_, contents):
        assert set(contents.files) == {"x.db", "deep/weights"}


def test_backups_by_schedule_keep_the_newest(data, tmp_path):
    settings = BackupSettings(folder=tmp_path / "kept", every_hours=0.01, keep=2)
    numbers = iter(range(10))

    def make(path: Path, _passphrase: str | None) -> None:
        path.parent.mkdir(exist_ok=True)
        shutil.copy(back_up(tmp_path / "one", data), path.with_stem(f"gw-{next(numbers)}"))
        path.touch()

    backups = Backups(settings, "gw", make, threading.Event())
    assert backups.make_if_due(settings.folder) is not None
    assert backups.make_if_due(settings.folder) is None, "the newest is not old enough"


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "database"])
def test_what_is_no_plain_file_is_rejected(data, tmp_path, kind):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "shadow").write_text("root:*:20228")
    planted = data / "deep" / ("y.db" if kind == "database" else "planted")
    if kind == "pipe":
        os.mkfifo(planted)
    else:
        planted.symlink_to(secret if kind == "folder" else secret / "shadow")
    with pytest.raises(BackupError, match=rf"deep/{planted.name} is a link or a device: .* remove"):
        back_up(tmp_path / "one.backup", data)
    assert not (tmp_path / "one.backup").exists()


def test_a_data_folder_may_be_a_link_itself(data, tmp_path):
    (tmp_path / "other disk").symlink_to(data)
    path = back_up(tmp_path / "one.backup", tmp_path / "other disk")
    assert set(restore(path, tmp_path / "new").files) == {"deep/weights", "x.db"}
