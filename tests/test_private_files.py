"""Data folders and databases are for their user only, also without the systemd units."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auscult.app.store.database import DashboardStore
from auscult.app.store.sqlite import SqliteFile
from auscult.gateway.storage.store import Store as GatewayStore


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(folder: Path) -> dict[str, int]:
    return {one.name: one.stat().st_mode & 0o007 for one in (folder, *folder.glob("*.db*"))}


@pytest.mark.parametrize("kind", ["gateway", "dashboard"])
def test_others_have_no_rights_to_data(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "data"

    def opened():
        if kind == "gateway":
            return GatewayStore(folder)
        return DashboardStore(SqliteFile(folder / "dashboard.db"))

    store = opened()
    assert set(rights(folder).values()) == {0}
    assert f"{kind}.db" in rights(folder)
    store.close()
    database = folder / f"{kind}.db"
    database.chmod(0o644)  # as an earlier version made it
    opened().close()
    assert rights(folder)[database.name] == 0
