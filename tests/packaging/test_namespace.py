"""The rooms are reached as `auscult.…` only, and each tool sees each of their files once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("app", "dsp", "gateway", "models")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_a_link_below_the_namespace(room: str) -> None:
    link = ROOT / "auscult" / room
    assert link.is_symlink()
    assert link.resolve() == ROOT / room


@pytest.mark.parametrize("statement", ["import {}", "from {} import x", "import {}.x as x"])
@pytest.mark.parametrize("room", ROOMS)
def test_the_linter_rejects_the_short_name(statement: str, room: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--select=TID251", "--output-format=concise", "-"],
        input=statement.format(room) + "\n", capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert "TID251" in done.stdout


def test_examples_are_collected_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq", "--disable-warnings", "auscult"],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    files = Counter(line.rpartition(":")[0] for line in done.stdout.splitlines() if ".py:" in line)
    assert len(files) > 20
    assert all(file.startswith("auscult/") for file in files)
    assert len({(ROOT / file).resolve() for file in files}) == len(files)
