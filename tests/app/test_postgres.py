"""What is PostgreSQL's own: text, TimescaleDB, a server that goes away."""

from __future__ import annotations

import contextlib
import logging
import random
import sys
import time
from dataclasses import replace
from functools import partial

import psycopg
import pytest
from psycopg_pool.base import AttemptWithBackoff

from auscult.app.mqtt.ingest import _store_all
from auscult.app.people import audit
from auscult.app.people.audit import Action, AuditFilter
from auscult.app.settings import DashboardSettings
from auscult.app.store import labels, trends
from auscult.app.store.connection import StoreOpenError, StoreUnavailableError
from auscult.app.store.database import DashboardStore
from auscult.app.store.place import place
from auscult.app.store.postgres import server as place_on_server
from auscult.app.store.postgres.notices import CHANNEL, NOTICE_BYTES, notices
from auscult.app.store.postgres.server import PostgresServer
from auscult.app.store.postgres.tables import TIMESCALE_OFFERED, use_timescale
from auscult.app.store.received import Change, Origin
from auscult.app.store.trends import TrendRequest
from auscult.contract.said import Said
from auscult.errors import UnusableSettingError
from tests.app import messages as m
from tests.app.messages import label
from tests.waiting import eventually

ORIGIN = Origin("plant", "gw1", 1)


@pytest.fixture
def database():
    return "postgresql"


@pytest.fixture
def server(cluster):
    store = DashboardStore(PostgresServer(cluster.database()))
    yield store
    store.close()


def test_text_that_postgresql_does_not_know_is_stored_all_the_same(server):
    given = label("l1", "e1", "unsure", note="a\0b 50 % of ? :x")
    server.write(lambda db: labels.add(db, "s~g~m", given))
    stored = labels.view(server.read(), "l1")
    assert stored is not None
    assert stored.note == "a\ufffdb 50 % of ? :x"


def test_names_are_one_in_upper_and_lower_case_and_sorted_by_bytes(server):
    def fill(db):
        for name in ("Eva", "ada", "ünal"):
            db.execute("INSERT INTO bearing VALUES (?, '{}', 'x', 1)", (name,))

    server.write(fill)
    with pytest.raises(psycopg.IntegrityError):
        server.write(lambda db: db.execute("INSERT INTO bearing VALUES ('EVA', '{}', 'x', 1)"))
    server.write(lambda db: db.execute("INSERT INTO gateway (id, site, gateway) VALUES (?, ?, ?)",
                                       ("b", "B", "a")))  # fmt: skip
    found = server.read().execute("SELECT 1 FROM bearing WHERE name = 'eVa'").fetchall()
    assert found == [(1,)]


def test_a_trend_of_more_features_than_an_index_takes_is_stored(server):
    names = [f"{random.getrandbits(160):x}" for _ in range(500)]
    trend = m.trend("pump-3", "DE-H", 60_000, values=dict.fromkeys(names, (0, 1, 2)), units={})
    for _ in range(2):
        assert server.write(partial(_store_all, messages=[(ORIGIN, trend)])) == []
    wanted = TrendRequest("plant~gw1~pump-3", "DE-H", 0, 120_000, 10)
    assert set(trends.view(server.read(), wanted).features) == set(names)
    assert server.read().execute("SELECT count(*) FROM feature_set").fetchone() == (1,)


def test_what_exceeds_a_limit_of_the_server_hurts_no_other(server):
    server.write(lambda db: db.execute("CREATE INDEX ON event (message)"))
    long = f"{random.getrandbits(100_000):x}"
    bad = m.event("pump-3", "bad", reasons=(replace(m.REASON, said=Said("text", {"text": long})),))
    messages = [(ORIGIN, bad), (ORIGIN, m.event("pump-3", "good"))]
    (problem,) = server.write(partial(_store_all, messages=messages))
    assert "index row" in problem
    assert server.read().execute("SELECT id FROM event").fetchall() == [("good",)]


def test_while_a_table_or_right_is_gone_nothing_is_given_up(server):
    job = partial(_store_all, messages=[(ORIGIN, m.event("pump-3", "e1"))])
    server.write(lambda db: db.execute("ALTER TABLE event RENAME TO moved"))
    with pytest.raises(StoreUnavailableError, match="event"):
        server.write(job)
    server.write(lambda db: db.execute("ALTER TABLE moved RENAME TO event"))
    assert server.write(job) == []


def test_a_writer_that_hangs_in_a_transaction_loses_its_turn(cluster):
    store = DashboardStore(PostgresServer(cluster.database()))
    limit = "idle_in_transaction_session_timeout"
    assert store.write(lambda db: db.execute(f"SHOW {limit}").fetchone()) == ("1min",)

    def hang(db):
        db.execute(f"SET LOCAL {limit} = '50ms'")
        time.sleep(1)
        db.execute("SELECT 1")

    with pytest.raises(StoreUnavailableError):
        store.write(hang)
    assert store.write(lambda db: db.execute("SELECT 1").fetchone()) == (1,)
    store.close()


@pytest.mark.parametrize("text", ["ÜBERHOLT", "überholt", "Ü"])
def test_the_audit_is_searched_for_other_letters_too(opened_store, text):
    action = Action(1, "eva", "", "label", "ÜBERHOLT, überholt")
    opened_store.write(lambda db: audit.add(db, action))
    assert len(audit.view_page(opened_store.read(), AuditFilter(text=text), 10, None).items) == 1


class Offered:
    """A connection to a server that offers TimescaleDB: notes what it is sent."""

    def __init__(self, fails=False):
        self.sent = []
        self.fails = fails

    def execute(self, sql, values=()):
        self.sent.append(sql)
        if self.fails and sql != TIMESCALE_OFFERED:
            raise psycopg.errors.InsufficientPrivilege("permission denied")
        return self

    def fetchone(self):
        return (1,)

    def atomic(self):
        return contextlib.nullcontext()


def test_where_timescale_is_offered_trends_are_a_hypertable(caplog):
    offered = Offered()
    use_timescale(offered)
    assert offered.sent[1] == "CREATE EXTENSION IF NOT EXISTS timescaledb"
    assert offered.sent[2].startswith("SELECT create_hypertable('trend', 'start_ms'")
    use_timescale(Offered(fails=True))
    assert "trends stay in a plain table" in caplog.text


def test_trends_are_plain_where_timescale_is_not_offered(server):
    kind = "SELECT relkind::text FROM pg_class WHERE relname = 'trend'"
    assert server.read().execute(kind).fetchone() == ("r",)
    index = "SELECT indexdef FROM pg_indexes WHERE indexname = 'trend_end'"
    assert "USING brin" in server.read().execute(index).fetchone()[0]


@pytest.mark.parametrize("url", ["postgresql://[", "postgresql://host/db?no_such=1"])
def test_a_malformed_address_is_one_clear_error(url):
    with pytest.raises(UnusableSettingError, match=r"\[dashboard\] database = ") as caught:
        PostgresServer(url)
    assert "\n" not in str(caught.value)


def test_without_the_extra_one_line_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "auscult.app.store.postgres.server")
    with pytest.raises(UnusableSettingError, match=r"pip install 'auscult\[postgres\]'"):
        place(DashboardSettings(database="postgresql:///x"))


def test_a_password_file_is_read_and_missed(cluster, tmp_path):
    secret = tmp_path / "password"
    secret.write_text("said once\n")
    DashboardStore(PostgresServer(cluster.database(), secret)).close()
    with pytest.raises(UnusableSettingError, match="database_password_file"):
        PostgresServer("postgresql:///x", tmp_path / "none")


def test_a_server_that_is_not_there_is_one_clear_error(tmp_path):
    server = PostgresServer(f"postgresql:///x?host={tmp_path}")
    with pytest.raises(
        StoreOpenError, match="cannot be opened as the dashboard's database"
    ) as caught:
        DashboardStore(server)
    assert "\n" not in str(caught.value)
    server.close()


def test_notices_are_split_to_the_size_that_postgresql_accepts():
    changes = [Change("event", m.ulid()) for _ in range(500)]
    received = list(notices(changes))
    assert 1 < len(received) < 10
    assert max(map(len, received)) <= NOTICE_BYTES + 100


def test_a_change_of_one_process_reaches_the_other(server):
    received, gaps = [], []
    other = DashboardStore(PostgresServer(server.engine.url))
    other.engine.listen(received.extend, lambda: gaps.append(1))
    server.write(lambda db: db.announce([Change("event", "e1")]))
    eventually(lambda: received, [Change("event", "e1")])
    other.write(lambda db: db.announce([Change("event", "own")]))

    def fail(db):
        db.announce([Change("event", "undone")])
        raise ValueError("undone")

    with pytest.raises(ValueError, match="undone"):
        server.write(fail)
    server.write(lambda db: db.announce([Change("event", "e2")]))
    eventually(lambda: received, [Change("event", "e1"), Change("event", "e2")])
    assert gaps == []
    other.close()


def test_what_others_notify_ends_no_listening(server):
    received, gaps = [], []
    other = DashboardStore(PostgresServer(server.engine.url))
    other.engine.listen(received.extend, lambda: gaps.append(1))
    malformed = ("hello", "1", "[1]", '[["event"]]', '[["event", "e", "", "new"]]')
    for payload in malformed:
        server.write(partial(_notify, payload=payload))
    server.write(lambda db: db.announce([Change("event", "e1")]))
    eventually(lambda: received, [Change("event", "e1")])
    assert len(gaps) == len(malformed)
    other.close()


def _notify(db, payload):
    db.execute("SELECT pg_notify(?, ?)", (CHANNEL, payload))


def test_reading_continues_as_soon_as_the_server_is_back(cluster, server, monkeypatch):
    server.close()
    monkeypatch.setattr(place_on_server, "READER_WAIT_S", 1.0)
    # as after a long outage: the pool's pauses double
    monkeypatch.setattr(AttemptWithBackoff, "INITIAL_DELAY", 100.0)
    store = DashboardStore(PostgresServer(server.engine.url))
    assert store.read().execute("SELECT 1").fetchone() == (1,)
    cluster.stop()
    try:
        for _ in range(3):
            with pytest.raises(StoreUnavailableError):
                store.read().execute("SELECT 1")
    finally:
        cluster.start()
    eventually(lambda: _answers(store), True)
    store.close()


def _answers(store):
    try:
        return store.read().execute("SELECT 1").fetchone() == (1,)
    except StoreUnavailableError:
        return False


def test_a_server_that_goes_away_loses_nothing(cluster, dashboard, gateway, caplog):
    caplog.set_level(logging.INFO, "auscult.app.store.writer")
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 1)
    store = dashboard.dashboard.store
    cluster.stop("immediate")
    try:
        for _ in range(30):
            gateway.publish(m.event("pump-3", m.ulid()))
        eventually(lambda: store.trouble is not None, True)
        with pytest.raises(StoreUnavailableError):
            store.read().execute("SELECT 1")
        assert dashboard.client.get("/api/health").status_code == 503
        answer = dashboard.client.get("/api/v1/events")
        assert answer.status_code == 503
        assert answer.json()["code"] == "store_unavailable"
        metrics = dashboard.client.get("/metrics")
        assert metrics.status_code == 200
        assert "auscult_dashboard_store_failures_total" in metrics.text
    finally:
        cluster.start()
    eventually(lambda: dashboard.client.get("/api/health").status_code, 200)
    eventually(lambda: dashboard.count("event"), 31)
    assert not any(task.done() for task in dashboard.dashboard._tasks), "all continue"
    written = [r.levelname for r in caplog.records if r.name == "auscult.app.store.writer"]
    assert written == ["ERROR", "INFO"], "once each"
