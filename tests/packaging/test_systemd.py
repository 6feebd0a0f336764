"""The systemd units verify."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = sorted((Path(__file__).parents[2] / "docker" / "systemd").glob("*.service"))


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_a_unit_verifies_and_is_confined(unit, tmp_path):
    text = unit.read_text().replace("/opt/auscult/current/bin/auscult", "/bin/true")
    (tmp_path / unit.name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / unit.name],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert unit.name not in done.stderr, done.stderr
