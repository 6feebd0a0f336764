"""`auscult updates` at the dashboard's console."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from auscult.app.command.main import cli
from auscult.app.store import rollouts
from auscult.app.store.database import DashboardStore
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.app.store.sqlite import SqliteFile
from auscult.app.views import UpdateBundle
from tests.app import messages as m

PLATFORM = "x86_64-3.11"
Run = Callable[..., Result]


@pytest.fixture
def updates(tmp_path: Path) -> Run:
    """Run the command on a dashboard that has a bundle and four gateways of two sites."""
    store = DashboardStore(SqliteFile(tmp_path / "data" / "dashboard.db"))
    bundle = UpdateBundle(
        sha256="ab" * 32, version="2.0", platform=PLATFORM, size=12_340_000, actor="ada",
        added_ms=m.now_ms(),
    )  # fmt: skip
    store.write(lambda db: rollouts.add_bundle(db, bundle))
    for site, gateway in (("north", "gw1"), ("north", "gw2"), ("south", "gw3"), ("south", "gw4")):
        said = m.status(version="1.0", platform=PLATFORM, updatable=True)
        origin = Origin(site, gateway, m.now_ms())
        store.write(lambda db, origin=origin, said=said: store_message(db, origin, said))
    store.close()
    config = tmp_path / "dashboard.toml"
    config.write_text('[dashboard]\ndata_dir = "data"\n')

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["updates", arguments[0], "-c", str(config), *arguments[1:]])

    return run


def test_a_rollout_is_begun_listed_and_ended(updates: Run) -> None:
    begun = updates("start", "2.0", "--stages", "1,50%,100%")
    assert begun.exit_code == 0, begun.output
    *stages, last = begun.output.splitlines()
    names = [line.partition(": ")[2].split(", ") for line in stages]
    assert [line.partition(":")[0] for line in stages] == ["stage 1", "stage 2", "stage 3"]
    assert [len(one) for one in names] == [1, 1, 2]
    assert {name for one in names for name in one} == {
        "north~gw1", "north~gw2", "south~gw3", "south~gw4"
    }  # fmt: skip
    rollout = last.split()[1]
    listed = updates("list").output.splitlines()
    assert listed[0] == f"bundle 2.0 for {PLATFORM}, 12.3 MB"
    assert listed[1] == f"rollout {rollout}: 2.0, running, stage 1"
    assert listed[2].split() == ["stage", "1", names[0][0], "waiting"]
    assert len(listed) == 6
    busy = updates("start", "2.0", "--gateway", names[0][0])
    assert busy.exit_code == 1
    assert updates("cancel", rollout).exit_code == 0
    assert f"rollout {rollout}: 2.0, cancelled" in updates("list").output
    assert updates("resume", rollout).exit_code == 1


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (["--site", "south"], {"south~gw3", "south~gw4"}),
        (["--gateway", "north~gw2"], {"north~gw2"}),
        (["--gateway", "north~gw2", "--site", "south"], {"north~gw2", "south~gw3", "south~gw4"}),
    ],
)
def test_a_rollout_takes_the_gateways_that_are_named(updates: Run, chosen, expected) -> None:
    begun = updates("start", "2.0", *chosen)
    assert begun.exit_code == 0, begun.output
    stages = begun.output.splitlines()[:-1]
    assert {name for line in stages for name in line.partition(": ")[2].split(", ")} == expected


def test_a_version_without_a_bundle_is_refused(updates: Run) -> None:
    refused = updates("start", "3.0")
    assert refused.exit_code == 1
    assert "3.0" in refused.stderr


@pytest.mark.parametrize("content", [None, b"\xb6 no text", b"ab" * 31, b"no key"])
def test_a_key_that_is_none_is_named(updates: Run, tmp_path: Path, content: bytes | None) -> None:
    key = tmp_path / "release.pub"
    if content is not None:
        key.write_bytes(content)
    config = tmp_path / "dashboard.toml"
    config.write_text(config.read_text() + "[dashboard.updates]\nfolder='u'\naddress='http://b'\n")
    refused = updates("add", str(tmp_path / "some.bundle"), "--key", str(key))
    assert refused.exit_code == 1, refused.output
    assert f"--key {key}: neither a public key" in refused.stderr


def test_a_configuration_without_a_database_makes_none(updates: Run, tmp_path: Path) -> None:
    (tmp_path / "dashboard.toml").write_text('[dashboard]\ndata_dir = "dat"\n')
    refused = updates("list")
    assert refused.exit_code == 1
    assert f"no database {tmp_path / 'dat' / 'dashboard.db'}: check" in refused.stderr
    assert not (tmp_path / "dat").exists()


def test_waits_are_given_in_hours(updates: Run, tmp_path: Path) -> None:
    assert updates("start", "2.0", "--wait", "0.5", "--timeout", "3.5").exit_code == 0
    store = DashboardStore(SqliteFile(tmp_path / "data" / "dashboard.db"))
    (rollout,) = rollouts.view_all(store.read())
    assert (rollout.wait_s, rollout.timeout_s) == (30 * 60, 3.5 * 60 * 60)
    store.close()
