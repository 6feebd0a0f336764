"""A damaged row is left out of its list; the rest is served, and health reports it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from auscult.app.store.connection import StoreOpenError
from auscult.app.store.database import DashboardStore
from auscult.app.store.sqlite import SqliteFile
from tests.app import messages as m
from tests.waiting import eventually


@pytest.fixture
def filled(dashboard, gateway):
    """A dashboard with two machines, three events and two labels."""
    gateway.say_hello("pump-3", "fan-1")
    now = m.now_ms()
    ids = [m.ulid() for _ in range(3)]
    for n, event_id in enumerate(ids):
        gateway.publish(m.event("pump-3", event_id, started_ms=now - n, updated_ms=now))
    gateway.publish(m.lesson("pump-3", ids[0], "label-0001"))
    gateway.publish(m.lesson("pump-3", ids[1], "label-0002"))
    for machine in ("pump-3", "fan-1"):
        gateway.publish(m.machine_state(machine))
    eventually(lambda: (dashboard.count("event"), dashboard.count("label")), (3, 2))
    eventually(lambda: len(dashboard.get("/api/v1/machines")["items"]), 2)
    return dashboard, ids


def damage(dashboard, table, column, identity):
    value = '{"truncated": '
    sql = f"UPDATE {table} SET {column} = ? WHERE id = ?"
    dashboard.dashboard.store.write(lambda db: db.execute(sql, (value, identity)))


def ids_of(dashboard, path, **params):
    return [item["id"] for item in dashboard.get(path, **params)["items"]]


def test_the_rest_of_each_list_is_served(filled, caplog):
    dashboard, (first, second, third) = filled
    damage(dashboard, "event", "message", second)
    damage(dashboard, "label", "lesson", "label-0002")
    damage(dashboard, "machine", "state", "plant~gw1~fan-1")
    assert ids_of(dashboard, "/api/v1/events") == [first, third]
    assert ids_of(dashboard, "/api/v1/labels") == ["label-0001"]
    assert ids_of(dashboard, "/api/v1/machines") == ["plant~gw1~pump-3"]
    assert dashboard.client.get("/api/v1/report").status_code == 200
    table = dashboard.client.get("/api/v1/exports/events.csv").text
    assert first in table
    assert second not in table
    assert dashboard.client.get(f"/api/v1/events/{second}").status_code == 404
    health = dashboard.get("/api/health")
    assert (health["status"], health["damaged_rows"]) == ("degraded", 3)
    logged = [r.getMessage() for r in caplog.records if "can't be read" in r.getMessage()]
    assert len(logged) == 3, "each row once"


def test_pages_continue_behind_a_damaged_row(filled):
    dashboard, (first, second, third) = filled
    damage(dashboard, "event", "message", second)
    page = dashboard.get("/api/v1/events", limit=2)
    assert [event["id"] for event in page["items"]] == [first]
    rest = dashboard.get("/api/v1/events", limit=2, cursor=page["next_cursor"])
    assert [event["id"] for event in rest["items"]] == [third]


def test_damage_of_the_file_is_reported(tmp_path, caplog):
    store = DashboardStore(SqliteFile(tmp_path / "dashboard.db"))
    store.write(lambda db: db.execute("CREATE TABLE bulk (id INTEGER PRIMARY KEY, x TEXT)"))
    rows = [(n, f"row{n:04}" + "x" * 500) for n in range(200)]
    for row in rows:
        store.write(lambda db, row=row: db.execute("INSERT INTO bulk VALUES (?, ?)", row))
    store.close()
    path = tmp_path / "dashboard.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    page = data.index(b"row0100") // 8192 * 8192
    data[page : page + 8192] = bytes(8192)
    path.write_bytes(data)
    again = DashboardStore(SqliteFile(path))
    assert again.engine.damage.count == 1
    assert "the database is damaged" in caplog.text
    again.close()


def test_a_name_in_the_schema_that_is_no_text_is_damage(tmp_path):
    path = tmp_path / "dashboard.db"
    DashboardStore(SqliteFile(path)).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    # SQLite quotes the name in its message, which Python can't decode
    path.write_bytes(path.read_bytes().replace(b"tableevent", b"tableeve\xff\x81"))
    with pytest.raises(StoreOpenError, match="restore a backup"):
        DashboardStore(SqliteFile(path))


@pytest.mark.parametrize("name", [b"eve\xff\x81", b"eventy"])
def test_a_damaged_schema_met_by_a_request_gives_503_and_degraded_health(dashboard, name):
    with closing(sqlite3.connect(dashboard.dashboard.store.engine.path)) as db:
        if name.isascii():  # as if all places that name the table had changed
            db.execute(f"ALTER TABLE event RENAME TO {name.decode()}")
        else:
            db.execute("PRAGMA writable_schema = ON")
            db.execute(
                "UPDATE sqlite_schema SET name = CAST(? AS TEXT) WHERE name = 'event'", [name]
            )
            (version,) = db.execute("PRAGMA schema_version").fetchone()
            db.execute(f"PRAGMA schema_version = {version + 1}")  # connections read it again
            db.commit()
    answer = dashboard.client.get("/api/v1/events")
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
    health = dashboard.client.get("/api/health").json()
    assert health["status"] in ("degraded", "failing"), "failing once something is to be written"
    assert health["damaged_rows"] == 1


@pytest.mark.parametrize(
    ("table", "column"), [("event", "message"), ("event", "machine_id"), ("machine", "state")]
)
def test_a_text_that_is_none_ends_neither_lists_nor_storing(filled, gateway, table, column):
    dashboard, (first, *_) = filled
    with closing(sqlite3.connect(dashboard.dashboard.store.engine.path)) as db:
        flipped = f"CAST(substr({column}, 1, 3) || x'ff' || substr({column}, 5) AS TEXT)"
        row = f"(SELECT min(rowid) FROM {table})"
        db.execute(f"UPDATE {table} SET {column} = {flipped} WHERE rowid = {row}")
        db.commit()
    rest = {
        path: len(dashboard.get(f"/api/v1/{path}")["items"])
        for path in ("events", "machines", "labels")
    }
    assert rest == {"events": 2 if table == "event" else 3, "machines": 2, "labels": 2}
    assert dashboard.client.get("/api/v1/report").status_code == 200
    assert dashboard.get("/api/health")["status"] == "degraded"
    later = [m.ulid(), first]
    for machine, event_id in zip(("fan-1", "pump-3"), later, strict=True):
        gateway.publish(m.event(machine, event_id, started_ms=m.now_ms(), updated_ms=m.now_ms()))
    sql = f"SELECT count(*) FROM event WHERE id = '{later[0]}'"
    eventually(lambda: dashboard.dashboard.store.read().execute(sql).fetchone(), (1,))


def test_a_damaged_page_met_by_a_request_gives_503_and_degraded_health(filled, monkeypatch):
    dashboard, _ = filled

    def damaged(*_: object, **__: object) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    monkeypatch.setattr("auscult.app.api.events.events.view_page", damaged)
    answer = dashboard.client.get("/api/v1/events")
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
    assert dashboard.get("/api/health")["status"] == "degraded"


@pytest.mark.parametrize(
    ("table", "column", "change"),
    [
        ("event", "message", "replace(message, '\"peak_evidence\"', '\"peak_evidenbe\"')"),
        ("event", "machine_id", "'plant~gw1~fan-1'"),
        ("event", "started_ms", "started_ms - 65536"),
        ("event", "alarm_state", "'shelved'"),
        ("label", "verdict", "'confirmed_fault'"),
        ("label", "machine_id", "'plant~gw1~fan-1'"),
        ("label", "lesson", "replace(lesson, '0', '1')"),
    ],
)
def test_a_value_that_changed_on_the_disk_is_reported_not_shown(filled, table, column, change):
    dashboard, (first, *_) = filled
    identity = {"event": first, "label": "label-0001"}[table]
    path = f"/api/v1/{table}s"
    others = [each for each in ids_of(dashboard, path) if each != identity]
    sql = f"UPDATE {table} SET {column} = {change} WHERE id = ?"
    dashboard.dashboard.store.write(lambda db: db.execute(sql, (identity,)))
    assert ids_of(dashboard, path) == others
    assert dashboard.get("/api/health")["damaged_rows"] == 1


def test_a_label_that_comes_again_does_not_make_a_damaged_one_good(filled, gateway):
    dashboard, (first, *_) = filled
    sql = "UPDATE label SET note = 'flipped' WHERE id = 'label-0001'"
    dashboard.dashboard.store.write(lambda db: db.execute(sql))
    later = m.ulid()
    gateway.publish(m.lesson("pump-3", first, "label-0001"))
    gateway.publish(m.event("pump-3", later, started_ms=m.now_ms(), updated_ms=m.now_ms()))
    eventually(lambda: dashboard.count("event"), 4)
    assert ids_of(dashboard, "/api/v1/labels") == ["label-0002"]
