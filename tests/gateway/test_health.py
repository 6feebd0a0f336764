"""The state of the clock: the kernel's bound of its error, and the running time services."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from auscult.gateway.health import clock_state


def test_a_running_time_service_and_the_error_of_the_clock_are_seen(tmp_path: Path) -> None:
    sleep = shutil.which("sleep")
    assert sleep
    shutil.copy(sleep, tmp_path / "ptp4l")
    process = subprocess.Popen([tmp_path / "ptp4l", "60"])
    try:
        seen = clock_state()
    finally:
        process.kill()
        process.wait()
    assert "PTP (ptp4l)" in seen.services
    assert seen.largest_error_ms is not None
    assert 0 <= seen.largest_error_ms <= 16_000  # NTP_PHASE_LIMIT
    assert "PTP (ptp4l)" not in clock_state().services
