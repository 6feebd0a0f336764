"""`auscult account reset`: access is restored from the server's console."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.app.people import accounts, attempts, passwords, sessions
from auscult.app.store.database import DashboardStore
from auscult.app.store.sqlite import SqliteFile
from auscult.app.views.roles import Role


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "auscult.toml"
    file.write_text('[dashboard]\ndata_dir = "data"\n')
    return file


def reset(config: Path, name: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["account", "reset", name, "--config", str(config)])
    return result.exit_code, result.output


def test_the_only_administrator_gets_in_again(config):
    store = DashboardStore(SqliteFile(config.parent / "data" / "dashboard.db"))
    store.write(lambda db: accounts.add(db, "ada", Role.ADMINISTRATOR, "lost-password", 0))
    while store.write(lambda db: attempts.begin(db, "ada", "10.0.4.17", 1000)):
        pass
    code, output = reset(config, "ADA")
    assert code == 0
    password = output.partition("password is ")[2].split()[0]
    assert passwords.weakness(password, "ada") is None
    stored = sessions.credentials(store.read(), "ada")
    assert stored is not None
    assert passwords.matches(password, stored.password_hash)
    assert store.write(lambda db: attempts.begin(db, "ada", "10.0.4.17", 1000)), "unlocked"
    (action,) = store.read().execute("SELECT action FROM audit").fetchone()
    assert action == "reset account"
    store.close()


def test_an_unknown_account_is_reported(config):
    code, output = reset(config, "unknown-1")
    assert code == 1
    assert "there is no account" in output
