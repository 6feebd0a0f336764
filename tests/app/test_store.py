"""The database: one writer, independent jobs, and retention."""

from __future__ import annotations

import contextlib
import json
import queue
import sqlite3
import threading
import time
from pathlib import Path

import numpy as np
import psycopg
import pytest
from sqlite_utils import Database

from auscult.app.store import commands, machines, tiers, writer
from auscult.app.store.ages import AgeClock
from auscult.app.store.connection import StoreOpenError, StoreUnavailableError
from auscult.app.store.database import DashboardStore
from auscult.app.store.intake import store_message
from auscult.app.store.postgres import tables
from auscult.app.store.postgres.server import PostgresServer
from auscult.app.store.received import Origin
from auscult.app.store.retention import RetentionPeriods, delete_old
from auscult.app.store.sqlite import SqliteFile, migrations
from auscult.app.store.tiers import TrendSpan
from auscult.contract.said import Said
from auscult.contract.times import DAY_MS
from tests.app import messages as m
from tests.app import pump_events
from tests.app.trend_rows import write_bulk
from tests.waiting import DEADLINE_S

ORIGIN = Origin("plant", "gw1", 0)


def count(store, table):
    return store.read().execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def fill(store, *messages):
    store.write(lambda db: [store_message(db, ORIGIN, message) for message in messages])


def test_a_job_that_fails_is_undone_alone(opened_store):
    gate = threading.Event()
    opened_store.submit(lambda db: gate.wait())  # so that the next three share a commit

    def good(db):
        fill_one(db)
        return "stored"

    def fill_one(db):
        store_message(db, ORIGIN, m.event("pump-3", m.ulid()))

    def bad(db):
        fill_one(db)
        raise ValueError("a fault of the caller")

    def against_the_schema(db):
        fill_one(db)
        db.execute("INSERT INTO event (id) VALUES ('x')")

    futures = [opened_store.submit(job) for job in (good, bad, against_the_schema, good)]
    gate.set()
    assert [f.exception() is None for f in futures] == [True, False, False, True]
    assert isinstance(futures[2].exception(), (sqlite3.IntegrityError, psycopg.IntegrityError))
    assert count(opened_store, "event") == 2
    assert opened_store.trouble is None


def test_an_inventory_that_is_late_or_repeated_changes_nothing(opened_store):
    now_ms = m.now_ms()
    origin = Origin("plant", "gw1", now_ms)
    listed = []
    for made_ms, names in ((0, "ab"), (-1000, "a"), (0, "c"), (1, "bd")):
        inventory = m.inventory(*names, ts=now_ms + made_ms)
        opened_store.write(lambda db, said=inventory: store_message(db, origin, said))
        rows = opened_store.read().execute("SELECT id FROM machine WHERE listed = 1 ORDER BY id")
        listed.append("".join(row[0][-1] for row in rows.fetchall()))
    assert listed == ["ab", "ab", "ab", "bd"]


def test_the_name_plate_is_shown_before_the_first_state(opened_store):
    fill(opened_store, pump_events.inventory())
    plates = {
        i: machines.name_plate(opened_store.read(), f"plant~gw1~{i}") for i in ("pump-3", "x")
    }
    assert plates["x"] == {}
    assert plates["pump-3"]["zones"]["title"] == "ISO 20816-3 group 2, rigid"
    assert [bearing["name"] for bearing in plates["pump-3"]["bearings"]] == ["6205"]


def test_readers_can_not_write(opened_store):
    readonly = (sqlite3.OperationalError, psycopg.errors.ReadOnlySqlTransaction)
    with pytest.raises(readonly, match=r"read-?only"):
        opened_store.read().execute("DELETE FROM event")


def test_a_closed_store_takes_nothing(engine):
    store = DashboardStore(engine)
    store.close()
    with pytest.raises(StoreUnavailableError):
        store.write(lambda db: None)


class _Held(queue.Queue):
    """A queue that a job enters late: its caller was interrupted."""

    held: threading.Event

    def put(self, item, *args, **kwargs):
        if item is not None:
            self.held.set()
            time.sleep(0.3)
        super().put(item, *args, **kwargs)


def test_a_job_given_while_the_store_closes_is_answered(engine, monkeypatch):
    monkeypatch.setattr(_Held, "held", threading.Event(), raising=False)
    monkeypatch.setattr(writer.queue, "Queue", _Held)
    store = DashboardStore(engine)
    done: list[str] = []
    caller = threading.Thread(
        target=lambda: done.append(store.write(lambda db: "stored")), daemon=True
    )
    caller.start()
    _Held.held.wait(DEADLINE_S)
    store.close()
    caller.join(DEADLINE_S)
    assert done == ["stored"]


def test_opening_again_keeps_all(engine, again):
    first = DashboardStore(engine)
    fill(first, m.event("pump-3", "e1"))
    first.close()
    second = DashboardStore(again())
    assert count(second, "event") == 1
    second.close()


def test_a_database_of_a_newer_version_is_refused_and_unchanged(engine, again):
    DashboardStore(engine).close()
    later = again()
    db = later.writer()
    db.begin(0)
    if db.dialect == "sqlite":
        db.execute("INSERT INTO _sqlite_migrations VALUES (999, 'dashboard', 'of_2031', '')")
    else:
        db.execute("INSERT INTO migration VALUES ('of_2031', 0)")
    db.commit()
    db.close()
    later.close()
    with pytest.raises(
        StoreOpenError, match=r"newer version of Auscult.*\(of_2031\): install that"
    ):
        again().writer()


def test_a_failed_migration_leaves_a_file_unchanged(tmp_path):
    path = tmp_path / "dashboard.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        migrations.apply(Database(connection), stop_before="searched_by")
        connection.execute("INSERT INTO gateway (id, site, gateway, status) VALUES (1, 1, 1, '{')")
        connection.commit()
        before = list(connection.iterdump())
        with pytest.raises(StoreOpenError, match="malformed JSON"):
            DashboardStore(SqliteFile(path))
        assert list(connection.iterdump()) == before
        connection.execute("UPDATE gateway SET status = NULL")
        connection.commit()
    DashboardStore(SqliteFile(path)).close()


def test_an_answer_that_an_early_gateway_sent_as_text_is_kept(tmp_path):
    path = tmp_path / "dashboard.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        migrations.apply(Database(connection), stop_before="answers_by_code_only")
        for identity, reason, said in (
            ("text", "no such feature", None),
            ("both", "done", '{"code": "command_failed", "values": {}}'),
            ("none", "", None),
        ):
            connection.execute(
                "INSERT INTO command (id, gateway_id, machine_id, name, actor, args, created_ms,"
                " expires_ms, state, reason, said) VALUES (?, 's~g', 's~g~m', 'shelve', 'eva',"
                " '{}', 1, 2, 'refused', ?, ?)",
                (identity, reason, said),
            )
        connection.commit()
    store = DashboardStore(SqliteFile(path))
    answers = [commands.view(store.read(), identity) for identity in ("text", "both", "none")]
    store.close()
    assert [one.said for one in answers] == [
        Said("text", {"text": "no such feature"}), Said("command_failed"), None
    ]  # fmt: skip


def test_a_failed_migration_leaves_a_server_unchanged(cluster, monkeypatch):
    def half_done(db):
        db.define("ALTER TABLE event ADD COLUMN new TEXT")
        db.execute("UPDATE event SET missing = 1")

    engine = PostgresServer(cluster.database())
    DashboardStore(engine).close()
    with monkeypatch.context() as patched:
        patched.setattr(tables, "STEPS", [*tables.STEPS, half_done])
        with pytest.raises(StoreOpenError, match="missing"):
            DashboardStore(PostgresServer(engine.url))
    store = DashboardStore(PostgresServer(engine.url))
    assert "new" not in next(store.read().query(COLUMNS))["names"]
    store.close()


COLUMNS = """SELECT string_agg(column_name, ' ') AS names FROM information_schema.columns
    WHERE table_name = 'event'"""


def test_a_file_is_written_ahead(tmp_path):
    store = DashboardStore(SqliteFile(tmp_path / "dashboard.db"))
    assert store.read().execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store.close()


def test_old_rows_are_deleted_and_open_events_are_kept(opened_store):
    now = 100 * DAY_MS
    old, new = 10 * DAY_MS, 99 * DAY_MS

    def event(identity, t, **more):
        return m.event("pump-3", identity, started_ms=t, updated_ms=t, **more)

    fill(
        opened_store,
        m.trend("pump-3", "DE-H", old),
        m.trend("pump-3", "DE-H", new),
        event("old-open", old),
        event("old-closed", old, phase="end", ended_ms=old),
        event("new-closed", new, phase="end", ended_ms=new),
        m.lesson("pump-3", "old-open", "label-1", ts=old),
        m.lesson("pump-3", "old-closed", "label-2", ts=old),
        *[m.spectrum("pump-3", "DE-H", id=f"s{i}", window_ms=i) for i in range(5)],
        m.spectrum("pump-3", "DE-H", id="of-old-open", window_ms=0, event_id="old-open"),
        m.spectrum("pump-3", "DE-H", id="of-old-closed", window_ms=0, event_id="old-closed"),
    )
    gone = delete_old(
        opened_store, RetentionPeriods(50, 50, 50, spectra_per_point=2, clips_per_point=2), now
    )
    assert gone == 3 + 1 + 1 + 3 + 1

    def ids(table, column="id"):
        return {r[0] for r in opened_store.read().execute(f"SELECT {column} FROM {table}")}

    assert ids("trend WHERE tier_s = 0", "start_ms") == {new}
    assert ids("event") == {"old-open", "new-closed"}
    assert ids("label") == {"label-1"}
    assert ids("spectrum") == {"s3", "s4", "of-old-open"}
    assert delete_old(opened_store, RetentionPeriods(50, 50, 50, 2, 2), now) == 0


def test_a_wrong_clock_deletes_nothing_that_has_not_aged(engine, again, caplog):
    start = 1000 * DAY_MS
    keep = RetentionPeriods(30, 50, 50, spectra_per_point=2, clips_per_point=2)
    store = DashboardStore(engine)
    ended = m.event("pump-3", "e", phase="end", started_ms=start, updated_ms=start, ended_ms=start)
    store.write(lambda db: store_message(db, Origin("plant", "gw1", start), m.status(ts=start)))
    fill(store, m.trend("pump-3", "DE-H", start), ended)
    ran_s = 0.0
    clock = AgeClock(store, lambda: ran_s)

    def tidy(wall_ms):
        return delete_old(store, keep, clock.advance(wall_ms))

    years = 6 * 365 * DAY_MS
    assert [tidy(start), tidy(start + years), tidy(start + 2 * years)] == [0, 0, 0]
    assert "days ahead" in caplog.text
    assert tidy(start) == 0, "the clock is set right"
    ran_s += 31 * 86_400
    assert tidy(start + 31 * DAY_MS) == 1, "details are kept for 30 days"
    ran_s += 20 * 86_400
    store.close()
    store = DashboardStore(again())
    clock = AgeClock(store, lambda: ran_s)
    assert tidy(start + 60 * DAY_MS) == 0, "aged by 31 days only: it was down since"
    ran_s += 20 * 86_400
    assert tidy(start + 80 * DAY_MS) == 4, "hour, day, event and its case"
    store.close()


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_row_of_a_trend_takes_little_more_than_its_values(opened_store):
    """A row that fits no page gets one of its own: that was three times the size."""
    names = json.dumps({f"feature_{i:03}": "g" for i in range(97)})
    values = np.zeros((3, 97), "<f4")

    def write(db):
        numbers = [machines.known_point(db, ORIGIN, "m", point) for point in "abc"]
        entries = [
            (number, TrendSpan(start, start + 60_000, 60, 0, names, values))
            for start in range(0, 600 * 60_000, 60_000)
            for number in numbers
        ]
        write_bulk(db, tiers.AS_SENT, entries)
        return len(entries)

    def pragma(name):
        return opened_store.read().execute(f"PRAGMA {name}").fetchone()[0]

    pages_empty = pragma("page_count")
    rows = opened_store.write(write)
    size = (pragma("page_count") - pages_empty) * pragma("page_size")
    assert size / rows < 1.5 * values.nbytes


def test_a_thread_that_ends_leaves_no_connection_behind(tmp_path):
    store = DashboardStore(SqliteFile(tmp_path / "dashboard.db"))
    store.read()

    def descriptors():
        return len(list(Path("/proc/self/fd").iterdir()))

    before = descriptors()
    for _ in range(50):
        thread = threading.Thread(target=lambda: store.read().execute("SELECT 1").fetchone())
        thread.start()
        thread.join()
    assert descriptors() <= before + 2
    store.close()


def test_a_file_that_is_removed_while_it_is_open_takes_nothing(tmp_path):
    path = tmp_path / "dashboard.db"
    store = DashboardStore(SqliteFile(path))
    fill(store, m.event("pump-3", m.ulid()))
    path.rename(tmp_path / "elsewhere.db")
    assert "removed or replaced" in store.trouble
    with pytest.raises(StoreUnavailableError, match="removed or replaced"):
        fill(store, m.event("pump-3", m.ulid()))
    (tmp_path / "elsewhere.db").rename(path)
    fill(store, m.event("pump-3", m.ulid()))
    assert store.trouble is None
    assert count(store, "event") == 2
    store.close()


def test_an_empty_file_is_not_taken_for_a_new_database(tmp_path):
    path = tmp_path / "dashboard.db"
    path.touch()
    with pytest.raises(StoreOpenError, match="0 bytes"):
        DashboardStore(SqliteFile(path))
    path.unlink()
    DashboardStore(SqliteFile(path)).close()
