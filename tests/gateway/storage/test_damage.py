"""A damaged database file: reported, repaired from its readable rows, and never served silently."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from auscult.backup import sqlite_file
from auscult.gateway.storage.outbox_rows import DamagedError, packed, unpacked
from auscult.gateway.storage.store import Store, StoreError
from tests.waiting import wait_until

ROWS = 300


def insert(number: int, size: int = 600):
    return lambda db: db.execute(
        "INSERT INTO outbox (message_id, lane, topic, payload, created_ns)"
        " VALUES (?, 0, 't', ?, 1)",
        [f"m{number}", packed(b'{"n":%d,"x":"%s"}' % (number, b"x" * size))],
    )


def filled(folder: Path, rows: int = ROWS) -> Store:
    store = Store(folder)
    for number in range(rows):
        future = store.write(insert(number, 300))
    future.result()
    return store


def checkpointed(store: Store) -> None:
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def destroy_page_of(path: Path, text: bytes) -> None:
    data = bytearray(path.read_bytes())
    page = data.index(text) // 4096 * 4096
    data[page : page + 4096] = bytes(4096)
    path.write_bytes(data)


def names(store: Store) -> list[str]:
    return [row[0] for row in store.read("SELECT message_id FROM outbox ORDER BY id")]


def test_readable_rows_of_a_damaged_file_are_kept(tmp_path, caplog):
    store = filled(tmp_path)
    checkpointed(store)
    store.close()
    destroy_page_of(store.path, b'"n":150,')
    again = Store(tmp_path)
    kept = names(again)
    assert again.loss is not None
    assert again.loss.code == "store_salvaged"
    assert 250 <= len(kept) < ROWS
    assert {kept[0], kept[-1]} == {"m0", "m299"}
    [(messages,)] = again.read("SELECT messages FROM outbox_size")
    assert messages == len(kept)
    again.write(insert(1000)).result()
    again.close()
    third = Store(tmp_path)
    assert third.loss is None
    assert names(third) == [*kept, "m1000"]
    third.close()


def test_a_name_in_the_schema_that_is_no_text_is_damage(tmp_path):
    store = filled(tmp_path, 1)
    checkpointed(store)
    store.close()
    # SQLite quotes the name in its message, which Python can't decode
    data = store.path.read_bytes()
    store.path.write_bytes(data.replace(b"tableoutbox", b"tableoutb\xff\x81"))
    again = Store(tmp_path)
    assert again.loss is not None
    assert again.loss.code == "store_damaged"
    again.write(insert(1)).result()
    assert names(again) == ["m1"]
    again.close()


def test_rows_behind_the_damage_keep_their_order(tmp_path):
    store = Store(tmp_path)
    for number in range(ROWS):
        row = [f"c{number}", "", "", 0, b"%03d" % number * 100]
        store.write(
            lambda db, row=row: db.execute("INSERT INTO commands VALUES (?, ?, ?, ?, ?, NULL)", row)
        ).result()
    checkpointed(store)
    store.close()
    destroy_page_of(store.path, b"150" * 100)
    again = Store(tmp_path)
    kept = [int(row[0][1:]) for row in again.read("SELECT id FROM commands ORDER BY rowid")]
    again.close()
    assert kept == sorted(kept)
    assert (kept[0], kept[-1]) == (0, ROWS - 1)
    assert len(kept) < ROWS


def test_damage_found_while_running_is_repaired(tmp_path):
    store = filled(tmp_path)
    checkpointed(store)
    destroy_page_of(store.path, b'"n":150,')

    def repaired() -> bool:
        try:
            names(store)
            store.read("SELECT payload FROM outbox")
        except StoreError:
            return False
        return store.loss is not None

    wait_until(repaired, what="the database is repaired")
    store.write(insert(1000)).result()
    assert {"m0", "m299", "m1000"} <= set(names(store))
    store.close()


@pytest.mark.parametrize(("at", "lost"), [(0.4, True), (0.999, False)])
def test_a_damaged_log_is_reported_but_not_a_torn_end(tmp_path, at, lost):
    store = Store(tmp_path / "a")
    for number in range(20):
        store.write(insert(number)).result()
    copy = Path(shutil.copytree(tmp_path / "a", tmp_path / "b"))
    store.close()
    wal = copy / "gateway.db-wal"
    data = bytearray(wal.read_bytes())
    data[int(at * len(data))] ^= 1
    wal.write_bytes(data)
    again = Store(copy)
    assert (again.loss is not None) == lost
    if lost:
        assert again.loss is not None
        assert again.loss.code == "store_log_damaged"
        assert again.loss.values["count"] == 20 - len(names(again)) - 1
        assert list(copy.glob("*-wal.damaged-*"))
    again.close()


def test_an_undamaged_log_is_not_reported(tmp_path):
    store = Store(tmp_path / "a")
    for number in range(700):  # beyond a checkpoint: old frames lie behind the new ones
        store.write(insert(number, 4000))
    store.write(insert(1000)).result()
    copy = Path(shutil.copytree(tmp_path / "a", tmp_path / "b"))
    store.close()
    assert sqlite_file.recover(copy / "gateway.db") == (0, b"")


@pytest.mark.parametrize("stop", ["ordered", "power cut"])
def test_it_opens_on_a_full_disk(tmp_path, stop):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "auscult-test", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this user can't mount a file system")
    try:
        store = filled(disk / "a")
        files = {f.name: f.read_bytes() for f in (disk / "a").iterdir() if f.suffix != ".db-shm"}
        store.close()
        if stop == "power cut":
            for name, body in files.items():
                (disk / "a" / name).write_bytes(body)
        fill(disk)
        again = Store(disk / "a")
        fill(disk)
        assert len(names(again)) == ROWS
        assert again.loss is None
        with pytest.raises(StoreError, match="full"):
            again.write(insert(1000, 1_000_000)).result()
        (disk / "other").unlink()
        again.write(insert(1001)).result()
        again.close()
        assert (disk / "a" / "gateway.reserve").exists()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> None:
    """Have another program take all free space of a disk."""
    with (disk / "other").open("ab", buffering=0) as other, contextlib.suppress(OSError):
        while True:
            other.write(bytes(4096))


def test_a_flipped_bit_in_a_short_payload_is_noticed():
    stored = packed(b'{"value": 1.25}')
    assert unpacked(stored) == b'{"value": 1.25}'
    for position in range(len(stored)):
        damaged = bytearray(stored)
        damaged[position] ^= 1
        with pytest.raises(DamagedError):
            unpacked(bytes(damaged))


def test_a_log_that_another_reader_merges_meanwhile_is_no_damage(tmp_path, monkeypatch):
    path = tmp_path / "one.db"
    Path(f"{path}-wal").write_bytes(bytes(5000))

    def merged(_: Path) -> bytes:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_bytes", merged)
    assert sqlite_file.recover(path) == (0, b"")
