"""The dashboard's memory: one pool for all threads, and what is freed goes back to the system."""

from __future__ import annotations

import _sqlite3
import ctypes
import itertools
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

from auscult.app import dashboard as dashboard_module
from auscult.app.http import serve
from auscult.app.settings import DashboardSettings
from auscult.app.store import trends
from auscult.app.store.database import DashboardStore
from auscult.app.store.point_trend import StoredTrend
from auscult.app.store.received import Origin
from auscult.link.broker import BrokerSettings
from tests.app import messages as m
from tests.gateway.product import Auscult
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

ARENA_BYTES = 1 << 26
"""glibc reserves so much address space, aligned, for each further pool."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""As the unit and the image set them: numpy's threads begin with its import, and have a pool."""
FREED = """
import psutil
from auscult.memory import return_free_memory
blocks = [bytes(2000) for _ in range(50_000)]
kept = blocks[::1000]
del blocks
full = psutil.Process().memory_info().rss
return_free_memory()
print(full - psutil.Process().memory_info().rss)
"""
LARGE = """
import psutil
from auscult.memory import return_large_blocks
{call}
first = b"1" * 4_000_000
del first
blocks = [b"1" * 1_000_000 for _ in range(50)]
behind = b"1" * 100_000
full = psutil.Process().memory_info().rss
blocks.clear()
print(full - psutil.Process().memory_info().rss)
"""


def pools(pid: int) -> int:
    """Count the pools of a process beside the first."""
    spans = [
        [int(end, 16) for end in line.split()[0].split("-")]
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines()
        if len(line.split()) == 5  # of no file
    ]
    begins = {end: start for start, end in spans}
    return sum(
        end % ARENA_BYTES == 0 and begins.get(start) == end - ARENA_BYTES for start, end in spans
    )


def test_threads_of_the_dashboard_share_one_pool(tmp_path: Path) -> None:
    port = free_port()
    config = (
        f'[mqtt]\nport = {free_port()}\n[dashboard]\nport = {port}\ndata_dir = "data"\n'
        'login = "off"\n'
    )
    running = Auscult("dashboard", tmp_path, config, ONE_THREAD)

    def answered() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/machines") as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    try:
        wait_until(answered, what="the dashboard")
        readers = [threading.Thread(target=answered) for _ in range(8)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        assert pools(running.process.pid) <= 1, "one may have been begun by a library's import"
    finally:
        running.stop()


def test_freed_memory_goes_back_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 50e6, "of 100 MB"


@pytest.mark.parametrize(("call", "returned"), [("", False), ("return_large_blocks()", True)])
def test_large_blocks_go_back_at_once(call: str, returned: bool) -> None:
    command = [sys.executable, "-c", LARGE.format(call=call)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (int(done.stdout) > 40e6) == returned, "of 50 MB"


def test_the_dashboard_has_large_blocks_returned(monkeypatch, tmp_path) -> None:
    called = threading.Event()
    monkeypatch.setattr(serve, "return_large_blocks", called.set)
    settings = DashboardSettings(data_dir=tmp_path, host="no host")
    with pytest.raises(serve.UnusableSettingError):
        serve.serve(settings, BrokerSettings())
    assert called.is_set()


def test_the_dashboard_returns_what_it_freed(monkeypatch, request) -> None:
    returned = threading.Event()
    monkeypatch.setattr(dashboard_module, "RETURN_EACH_S", 0.05)
    monkeypatch.setattr(dashboard_module, "return_free_memory", returned.set)
    request.getfixturevalue("dashboard")
    wait_until(returned.is_set, what="memory to be returned")


def sqlite_bytes() -> int:
    """Return what SQLite holds in this process."""
    used = ctypes.CDLL(_sqlite3.__file__).sqlite3_memory_used
    used.restype = ctypes.c_int64
    return int(used())


def fill_and_read(store: DashboardStore, reading: threading.Barrier) -> list[threading.Thread]:
    """Write 20 MB, and read them in threads that continue for as long as the test."""
    store.write(lambda db: db.execute("CREATE TABLE big (x BLOB)"))
    for _ in range(20):
        store.write(lambda db: db.execute("INSERT INTO big VALUES (randomblob(1000000))"))

    def read() -> None:
        store.read().execute("SELECT max(x) FROM big").fetchall()
        reading.wait()
        reading.wait()

    threads = [threading.Thread(target=read) for _ in range(reading.parties - 1)]
    for thread in threads:
        thread.start()
    reading.wait()
    return threads


def test_a_full_disk_is_not_over_because_memory_was_freed(monkeypatch, request) -> None:
    """A job that writes nothing succeeds on a full disk."""
    returned, freed = threading.Semaphore(0), threading.Event()
    monkeypatch.setattr(dashboard_module, "RETURN_EACH_S", 0.05)
    monkeypatch.setattr(dashboard_module, "return_free_memory", returned.release)
    request.getfixturevalue("dashboard")
    monkeypatch.setattr(DashboardStore, "trouble", "database or disk is full")
    assert returned.acquire(timeout=DEADLINE_S)  # what had begun before is over
    while returned.acquire(blocking=False):
        pass
    monkeypatch.setattr(DashboardStore, "release_memory", lambda _: freed.set())
    for _ in range(3):
        assert returned.acquire(timeout=DEADLINE_S)
    assert not freed.is_set()


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_batches_of_any_size_share_a_few_statements(opened_store) -> None:
    """A connection keeps 128 statements, and one that writes 100 rows takes 100 kB."""
    begun, origin, minute = sqlite_bytes(), Origin("plant", "gw1", 0), itertools.count()
    for size in range(1, 101):
        batch = [
            (origin, StoredTrend.from_message(m.trend("pump-3", "DE-H", next(minute) * 60_000)))
            for _ in range(size)
        ]
        opened_store.write(lambda db, batch=batch: trends.store(db, batch))
    opened_store.release_memory()
    assert sqlite_bytes() - begun < 0.8e6, "2.2 MB with a statement for each number of rows"


@pytest.mark.parametrize("by_the_dashboard", [False, True])
def test_the_database_is_not_kept_in_memory(monkeypatch, request, by_the_dashboard) -> None:
    """Each connection fills its cache as the database grows: 20 MB in three hours at 64 points."""
    monkeypatch.setattr(dashboard_module, "RETURN_EACH_S", 0.05 if by_the_dashboard else 3600)
    store = request.getfixturevalue("dashboard").dashboard.store
    begun = sqlite_bytes()
    reading = threading.Barrier(5)
    threads = fill_and_read(store, reading)
    try:
        if not by_the_dashboard:
            assert sqlite_bytes() - begun > 16e6, "the writer's"
            store.release_memory()
        wait_until(lambda: sqlite_bytes() - begun < 2e6, what="memory to be freed")
    finally:
        reading.wait()
        for thread in threads:
            thread.join()
