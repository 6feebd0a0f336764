"""The gateway's database file: transactions, damage, a full disk."""

from __future__ import annotations

import logging
import resource
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from auscult.gateway.storage.schema import migrations
from auscult.gateway.storage.store import FILE_NAME, Store, StoreError


def count(value: int = 1):
    def work(db: Database) -> None:
        db.execute("INSERT INTO counters VALUES ('n', ?)", [value])

    return work


def test_what_is_written_can_be_read(store: Store):
    store.write(count(7)).result()
    assert [tuple(r) for r in store.read("SELECT value FROM counters WHERE name = ?", ["n"])] == [
        (7,)
    ]


def test_a_failing_job_leaves_nothing_and_harms_no_other(store: Store):
    def fail(db: Database) -> None:
        count()(db)
        raise ValueError("half done")

    bad, good = store.write(fail), store.write(count(2))
    with pytest.raises(ValueError, match="half done"):
        bad.result()
    good.result()
    assert store.read("SELECT value FROM counters")[0][0] == 2


def test_a_violated_constraint_is_a_store_error(store: Store):
    store.write(count()).result()
    with pytest.raises(StoreError):
        store.write(count()).result()
    assert not store.failing


def test_migrations_are_applied_once_and_kept(tmp_path: Path):
    Store(tmp_path).close()
    again = Store(tmp_path)
    again.write(count()).result()
    again.close()
    db = Database(sqlite3.connect(tmp_path / FILE_NAME))
    assert migrations.pending(db) == []
    assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_database_of_a_newer_version_is_refused_and_unchanged(tmp_path: Path):
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        file.execute("INSERT INTO _sqlite_migrations VALUES (999, 'gateway', 'of_2031', '')")
        file.commit()
    before = (tmp_path / FILE_NAME).read_bytes()
    config = tmp_path / "auscult.toml"
    config.write_text('[gateway]\ndata_dir = "."\n', encoding="utf-8")
    command = [sys.executable, "-m", "auscult.app.command.main", "gateway", "-c", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    (line,) = (one for one in done.stderr.splitlines() if one.startswith("auscult gateway: "))
    assert "gateway.db is of a newer version of Auscult" in line
    assert "(of_2031): install that version" in line
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_closing_finishes_what_waits_and_then_refuses(tmp_path: Path):
    store = Store(tmp_path)
    futures = [
        store.write(lambda db, n=n: db.execute("INSERT INTO counters VALUES (?, 1)", [f"n{n}"]))
        for n in range(200)
    ]
    store.close()
    assert all(f.exception(0) is None for f in futures)
    with pytest.raises(StoreError):
        store.write(count()).result()


def test_a_file_that_is_no_database_is_renamed(tmp_path: Path, caplog):
    (tmp_path / FILE_NAME).write_bytes(b"damaged " * 1000)
    store = Store(tmp_path)
    store.write(count()).result()
    store.close()
    assert "damaged" in caplog.text
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1


def test_a_full_disk_is_logged_once_and_heals(tmp_path: Path, caplog, monkeypatch):
    """A file-size limit stands for the full disk."""
    caplog.set_level(logging.INFO)
    store = Store(tmp_path)
    store.write(count()).result()
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limit[1]))
        big = b"x" * 400_000
        for n in range(3):
            with pytest.raises(StoreError):
                store.write(
                    lambda db, n=n: db.execute(
                        "INSERT INTO commands VALUES (?, '', '', 0, ?, NULL)", [f"c{n}", big]
                    )
                ).result()
        assert store.failing
        assert store.read("SELECT value FROM counters")[0][0] == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, ignored)
    assert store.write(lambda db: 1).result() == 1
    assert store.failing, "one success says little"
    monkeypatch.setattr("auscult.gateway.storage.store.HEALED_AFTER_S", 0)
    store.write(
        lambda db: db.execute("INSERT INTO commands VALUES ('c', '', '', 0, ?, NULL)", [big])
    ).result()
    assert not store.failing
    store.close()
    assert caplog.text.count("nothing can be stored") == 1
    assert caplog.text.count("storing works again") == 1


def test_nothing_confirmed_is_lost_by_kill(tmp_path: Path):
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from auscult.gateway.storage.store import Store
        store = Store(Path(sys.argv[1]))
        for n in range(10_000):
            store.write(lambda db: db.execute(
                "INSERT INTO counters VALUES (?, 1)", [f"n{n}"])).result()
            print(n, flush=True)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 50:
            process.kill()
            break
    confirmed = 51 + len(process.stdout.readlines())
    process.wait()
    store = Store(tmp_path)
    assert confirmed <= store.read("SELECT count(*) FROM counters")[0][0] <= confirmed + 1
    store.close()
