"""The command as a user calls it: exit codes, one-line errors, help for each command."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest


def auscult(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "auscult.app.command.main", *arguments],
        capture_output=True, text=True, timeout=60, check=False,
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
    path.write_text(f"[{command}]\ndata_dir = 'data'\n", encoding="utf-8")
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
