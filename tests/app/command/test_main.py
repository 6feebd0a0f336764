"""The command as a user calls it: exit codes, one-line errors, help for each command."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from annotated_types import Ge, Le
from typer.testing import CliRunner

from auscult.app.command import main
from auscult.app.command.main import cli
from auscult.app.http.serve import serve
from auscult.app.settings import DashboardSettings
from auscult.errors import UnusableSettingError
from auscult.gateway.settings.gateway import DetectorSection
from auscult.gateway.storage.lock import FolderError, locked, usable
from auscult.link.broker import BrokerSettings
from tests.ports import free_port
from tests.waiting import DEADLINE_S


def auscult(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "auscult.app.command.main", *arguments],
        capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip


def test_version() -> None:
    done = auscult("--version")
    assert (done.returncode, done.stdout) == (0, f"auscult {version('auscult')}\n")


@pytest.mark.parametrize("command", ["demo", "gateway", "dashboard", "evaluate", "bench"])
def test_each_command_has_help(command: str) -> None:
    done = auscult(command, "--help")
    assert done.returncode == 0
    assert f"auscult {command}" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["unheard-of"],
        ["gateway"],
        ["bench", "nothing"],
        ["bench", "dsp", "--json", "no-such-folder/x.json"],
        ["evaluate", "x.csv", "--labels", "5"],
        ["demo", "--port", "0"],
    ],
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    done = auscult(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_wrong_pace_of_the_demo_names_its_range() -> None:
    assert "greater than or equal to 0.1" in auscult("demo", "--pace", "0").stderr


def test_benchmarks_are_found_from_any_folder(tmp_path: Path) -> None:
    """The installed command has neither the checkout nor the current folder in its path."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", "import auscult.app.command.main as m; m._benchmarks()"],
        cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE_S, check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["gateway", "dashboard"])
def test_a_bad_configuration_exits_with_2_and_one_line(command: str, tmp_path: Path) -> None:
    path = tmp_path / "auscult.toml"
    path.write_text("[mqtt]\nport = 0\n", encoding="utf-8")
    done = auscult(command, "--config", str(path))
    assert done.returncode == 2
    assert done.stderr.strip().count("\n") == 0
    assert "mqtt.port = 0" in done.stderr


@pytest.mark.parametrize("command", ["gateway", "dashboard"])
def test_a_database_that_can_not_be_opened_is_one_line(command: str, tmp_path: Path) -> None:
    for name in ("gateway.db", "dashboard.db"):
        (tmp_path / "data" / name).mkdir(parents=True)
    path = tmp_path / "auscult.toml"
    port = f"port = {free_port()}\n" if command == "dashboard" else ""
    path.write_text(f"[{command}]\ndata_dir = 'data'\n{port}", encoding="utf-8")
    done = auscult(command, "--config", str(path))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (line,) = [one for one in done.stderr.splitlines() if one.startswith("auscult ")]
    assert str(tmp_path / "data") in line


def test_a_missing_manifest_exits_with_2_and_one_line(tmp_path: Path) -> None:
    done = auscult("evaluate", str(tmp_path / "manifest.csv"))
    assert done.returncode == 2
    assert done.stderr.strip().count("\n") == 0
    assert "manifest.csv" in done.stderr


def _unusable_file(data: Path) -> Path:
    data.write_text("a file")
    return data


def _unusable_lock(data: Path) -> Path:
    (data / "lock").mkdir(parents=True)
    return data / "lock"


@pytest.mark.parametrize("spoil", [_unusable_file, _unusable_lock])
def test_an_unusable_data_folder_is_one_line(spoil: Callable[[Path], Path], tmp_path: Path) -> None:
    place = spoil(tmp_path / "data")
    path = tmp_path / "auscult.toml"
    path.write_text(f"[gateway]\ndata_dir = 'data'\n{MACHINE}", encoding="utf-8")
    done = auscult("gateway", "--config", str(path))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (line,) = [one for one in done.stderr.splitlines() if one.startswith("auscult ")]
    assert "gateway.data_dir" in line
    assert str(place) in line


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_of_another_user_or_read_only_names_the_remedy(code: int, tmp_path: Path) -> None:
    # Tests may run as root, who may write everywhere: the error is raised here.
    with pytest.raises(FolderError, match=r"chown"), usable(tmp_path):
        raise OSError(code, os.strerror(code), str(tmp_path / "lock"))
    with pytest.raises(OSError, match="elsewhere"), usable(tmp_path):
        raise OSError(code, os.strerror(code), "/elsewhere")


def test_files_of_another_user_are_named_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "learning").mkdir()
    may = os.access
    monkeypatch.setattr("os.access", lambda path, mode: path.name != "learning" and may(path, mode))
    refused = pytest.raises(FolderError, match="learning: Permission denied")
    with refused, usable(tmp_path), locked(tmp_path):
        pytest.fail("it started")


MACHINE = """
[[machines]]
id = "pump"
[[machines.points]]
id = "de"
kind = "vibration"
unit = "g"
fs_hz = 25600
"""

BROKEN = {
    "limit": (f'{MACHINE}limits = [{{feature = "loudness", alarm = 5}}]', "loudness"),
    "nested": (f"x = {'[' * 5000}{']' * 5000}", "nested too deeply"),
    "nested table": (f"{'a.' * 3000}a = 1", "unknown key"),
    "digits": (f"[mqtt]\nport = {'9' * 6000}", "digits"),
    "hexadecimal digits": (f"[mqtt]\nport = 0x{'F' * 6000}", "mqtt.port"),
    "null": ('[gateway]\ndata_dir = "a\\u0000b"', "gateway.data_dir"),
    "bytes": ("\x00\x01", "not valid TOML"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_configuration_is_one_line_and_exit_code_2(broken: str, tmp_path: Path) -> None:
    text, named = BROKEN[broken]
    path = tmp_path / "auscult.toml"
    path.write_text(text, encoding="utf-8")
    done = auscult("gateway", "--config", str(path))
    assert done.returncode == 2, done.stderr[-500:]
    assert "Traceback" not in done.stderr
    (line,) = [one for one in done.stderr.splitlines() if one.startswith("auscult:")]
    assert str(path) in line
    assert named in line
    assert len(line) < 1000


def test_a_port_in_use_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = _dashboard_refuses(tmp_path, f"port = {port}\n")
    assert f"dashboard.port = {port}" in line
    assert "another port" in line


@pytest.mark.parametrize("host", ["no such host", "192.0.2.1", "a..b", "x" * 300])
def test_a_bad_host_is_one_line_and_exit_code_2(host: str, tmp_path: Path) -> None:
    assert "dashboard.host" in _dashboard_refuses(tmp_path, f'host = "{host}"\n')


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"dashboard": {"commands_key_file": "no-key"}}, "no-key holds no key"),
        ({"dashboard": {"enrolment": {"folder": "nowhere", "broker": "b"}}}, "no ca.crt and no ca"),
        ({"mqtt": {"tls": {"ca_file": "no.crt"}}}, "tls.ca_file"),
    ],
)
def test_files_that_a_dashboard_can_not_use_end_its_start(
    settings: dict[str, Any], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("no-key").write_text("no key")
    dashboard = {"data_dir": "data", "port": free_port(), **settings.get("dashboard", {})}
    with pytest.raises(UnusableSettingError, match=named):
        serve(
            DashboardSettings.model_validate(dashboard),
            BrokerSettings.model_validate(settings.get("mqtt", {})),
        )


def _dashboard_refuses(folder: Path, lines: str) -> str:
    path = folder / "auscult.toml"
    path.write_text(f"[dashboard]\ndata_dir = 'data'\n{lines}", encoding="utf-8")
    done = auscult("dashboard", "--config", str(path))
    assert done.returncode == 2, done.stderr[-500:]
    assert "Traceback" not in done.stderr
    (line,) = [one for one in done.stderr.splitlines() if one.startswith("auscult")]
    return line


@pytest.mark.parametrize(("rule", "worded"), [(Ge, "greater"), (Le, "less")])
def test_windows_of_recordings_have_the_bounds_of_a_gateways(rule: type, worded: str) -> None:
    (bound,) = [
        getattr(one, rule.__name__.lower())
        for one in DetectorSection.model_fields["window_s"].metadata
        if isinstance(one, rule)
    ]
    beyond = bound * (0.99 if rule is Ge else 1.01)
    said = CliRunner().invoke(cli, ["evaluate", "x.csv", "--window-s", str(beyond)]).output
    assert f"{worded} than or equal to {bound}" in " ".join(said.split())


def test_this_machine_is_sized_without_the_benchmarks_of_the_checkout(monkeypatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(main, "_bench_box", lambda _path: asked.append("box"))
    monkeypatch.setattr(main, "_benchmarks", lambda: lambda topic, _path: asked.append(topic))
    assert all(CliRunner().invoke(cli, ["bench", one]).exit_code == 0 for one in ("box", "dsp"))
    assert asked == ["box", "dsp"]
