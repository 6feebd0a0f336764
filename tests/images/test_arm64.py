"""The locked packages on arm64: a gateway learns a machine and reports its fault."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.gateway.plant import Reader
from tests.gateway.recorded import FS_HZ, impacts, shaft_noise, write_data_set
from tests.images import arm64
from tests.waiting import wait_until

pytestmark = [pytest.mark.image, pytest.mark.timeout(3600)]
CONFIGURATION = """
[mqtt]
port = {port}
[gateway]
data_dir = "data"
heartbeat_s = 5
[detector]
window_s = 0.25
baseline_windows = 60
[[machines]]
id = "pump"
speed_rpm = 1500
points = [{{ id = "de", kind = "vibration", unit = "g", fs_hz = {fs_hz} }}]
[[sources]]
type = "recordings"
manifest = "{manifest}"
machine = "pump"
pace = 0
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a root of another processor, as root")
@pytest.mark.skipif(shutil.which("mmdebstrap") is None, reason="apt-get install mmdebstrap")
def test_a_gateway_on_arm64_learns_and_reports_a_fault(tmp_path: Path, mosquitto) -> None:
    machine = arm64.make(tmp_path / "arm64")
    recordings = {"healthy": shaft_noise(30, 1, channels=1), "faulty": impacts(20, 2)[:, :1]}
    manifest = write_data_set(tmp_path / "set", recordings, points=("de",))
    config = tmp_path / "gateway.toml"
    config.write_text(CONFIGURATION.format(port=mosquitto.port, fs_hz=FS_HZ, manifest=manifest))
    reader, log = Reader(mosquitto), tmp_path / "gateway.log"
    gateway = machine.start(
        "-m", "auscult.app.command.main", "gateway", "--config", str(config),
        folder=tmp_path, log=log,
    )  # fmt: skip
    try:
        wait_until(
            lambda: reader.of("event") or gateway.poll() is not None,
            timeout_s=1000,
            what="an event from arm64",
        )
        assert gateway.poll() is None, log.read_text()[-2000:]
        assert reader.of("event")[0]["machine"] == "pump"
    finally:
        gateway.kill()
        gateway.wait()
        reader.close()
