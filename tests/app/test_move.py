"""Moving a store from a file to a server."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.app.people import audit
from auscult.app.people.audit import Action
from auscult.app.store import events, machines, trends
from auscult.app.store.connection import StoreOpenError
from auscult.app.store.database import DashboardStore
from auscult.app.store.intake import store_message
from auscult.app.store.move import TABLES, _pieces, move
from auscult.app.store.postgres.server import PostgresServer
from auscult.app.store.received import Origin
from auscult.app.store.sqlite import SqliteFile
from auscult.app.store.trends import TrendRequest
from tests.app import messages as m

ORIGIN = Origin("plant", "gw1", 1_000)


@pytest.fixture
def file(tmp_path):
    place = SqliteFile(tmp_path / "dashboard.db")
    store = DashboardStore(place)
    store.write(
        lambda db: [
            store_message(db, ORIGIN, message)
            for message in (
                m.status(), m.inventory("pump-3"), m.event("pump-3", "e1"),
                m.spectrum("pump-3", "DE-H"), m.clip("pump-3", "DE-H"),
                m.lesson("pump-3", "e1", "l1"),
                *[m.trend("pump-3", "DE-H", i * 60_000, float(i)) for i in range(1500)],
            )
        ]
    )  # fmt: skip
    store.write(lambda db: audit.add(db, Action(1, "eva", "", "label", "e1")))
    store.close()
    return place


def test_all_is_there_afterwards(file, cluster, tmp_path):
    url = cluster.database()
    config = tmp_path / "auscult.toml"
    config.write_text(f'[dashboard]\ndatabase = "{url}"\ndata_dir = "."\n')
    done = CliRunner().invoke(cli, ["move-store", "--config", str(config)])
    assert done.exit_code == 0, done.output
    assert "trend: 1527 rows" in done.output.splitlines()
    old, new = DashboardStore(SqliteFile(file.path)), DashboardStore(PostgresServer(url))
    for read in (
        lambda db: events.view_detail(db, "e1"),
        lambda db: machines.name_plate(db, "plant~gw1~pump-3"),
        lambda db: trends.view(db, TrendRequest("plant~gw1~pump-3", "DE-H", 0, 10**9, 500)),
    ):
        kept = read(old.read())
        assert kept is not None
        assert read(new.read()) == kept
    new.write(lambda db: audit.add(db, Action(2, "eva", "", "label", "e2")))
    numbers = new.read().execute("SELECT number FROM audit ORDER BY number").fetchall()
    assert numbers == [(1,), (2,)], "numbers continue"
    old.close()
    new.close()
    again = CliRunner().invoke(cli, ["move-store", "--config", str(config)])
    assert again.exit_code == 1
    assert "move to an empty database" in again.output


def test_all_tables_are_moved(opened_store):
    have = (
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
        if isinstance(opened_store.engine, SqliteFile)
        else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    )
    names = {row[0] for row in opened_store.read().execute(have)}
    assert names - {"_sqlite_migrations", "migration", "sqlite_sequence"} == set(TABLES)


def test_nothing_is_moved_onto_something(file, tmp_path):
    with pytest.raises(StoreOpenError, match="move to an empty database"):
        move(SqliteFile(file.path), SqliteFile(file.path), print)


def test_large_rows_are_moved_few_at_a_time(file, monkeypatch):
    monkeypatch.setattr("auscult.app.store.move.BYTES_A_JOB", 5000)
    store = DashboardStore(file)
    bulk = list(_pieces(store.read(), "trend"))
    vals = [sum(len(row["vals"]) for row in rows) for rows in bulk]
    assert sum(map(len, bulk)) == 1527
    assert max(vals) < 5100
    store.close()
