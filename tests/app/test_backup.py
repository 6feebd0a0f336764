"""Backups of the dashboard: from either database into either."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.app.store.database import DashboardStore
from auscult.app.store.intake import store_message
from auscult.app.store.move import TABLES
from auscult.app.store.postgres.server import PostgresServer
from auscult.app.store.received import Origin
from auscult.app.store.sqlite import SqliteFile
from tests.app import messages as m


def auscult(*args: object) -> str:
    done = CliRunner().invoke(cli, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return done.output


def rows(store: DashboardStore) -> dict[str, list[tuple]]:
    read = store.read().execute
    return {t: sorted(map(repr, read(f"SELECT * FROM {t}").fetchall())) for t in TABLES}


@pytest.fixture
def place(cluster, tmp_path):
    """Give a configuration and an empty store by kind."""

    def make(kind: str, name: str) -> tuple[Path, object]:
        folder = tmp_path / name
        folder.mkdir()
        url = cluster.database() if kind == "postgresql" else None
        (folder / "auscult.toml").write_text(
            f'[dashboard]\ndata_dir = "data"\n{f"database = {url!r}" if url else ""}\n'
        )
        engine = PostgresServer(url) if url else SqliteFile(folder / "data" / "dashboard.db")
        return folder / "auscult.toml", engine

    return make


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("sqlite", "sqlite"),
        ("postgresql", "sqlite"),
        ("sqlite", "postgresql"),
        ("postgresql", "postgresql"),
    ],
)
def test_all_is_there_after_a_restore(place, tmp_path, source, target):
    config, engine = place(source, "old")
    store = DashboardStore(engine)
    messages = (
        m.status(), m.inventory("pump-3"), m.event("pump-3", "e1"), m.spectrum("pump-3", "DE-H"),
        m.clip("pump-3", "DE-H"), m.lesson("pump-3", "e1", "l1"),
        *[m.trend("pump-3", "DE-H", i * 60_000, float(i)) for i in range(1100)],
    )  # fmt: skip
    store.write(lambda db: [store_message(db, Origin("plant", "gw1", 1_000), o) for o in messages])
    key = auscult("commands-key", "-c", config)
    said = auscult("backup", "dashboard", "-c", config, tmp_path / "x.backup")  # it runs
    assert "verified" in said
    before = rows(store)
    store.close()
    new_config, new_engine = place(target, "new")
    auscult("restore", "dashboard", "-c", new_config, tmp_path / "x.backup")
    restored = DashboardStore(new_engine)
    assert rows(restored) == before
    restored.close()
    assert auscult("commands-key", "-c", new_config) == key
