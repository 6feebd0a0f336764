"""Settings of machines whose detector a test makes by hand."""

from __future__ import annotations

from typing import Any

from auscult.contract.machines import MachineSettings, PointSettings


def settings_of(machine: str, **settings: Any) -> MachineSettings:
    """Return the settings of a machine with one point."""
    point = PointSettings(id="de", kind="vibration", unit="g", fs_hz=1000)
    return MachineSettings(id=machine, points=(point,), **settings)
