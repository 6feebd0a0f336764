"""A live gateway and a browser for other people's programs: `make interop`, by hand.

The programs come from npm into build/interop/; screenshots go to docs/images/ when
`AUSCULT_SCREENSHOTS=1` asks for new ones.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from auscult.gateway.settings.gateway import GatewaySettings
from tests.conftest import Mosquitto
from tests.gateway.plant import Process
from tests.gateway.programs import program
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"


@pytest.fixture
def live(mosquitto: Mosquitto, tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker with a gateway that plays the shipped recordings."""
    points = [{"id": f"a{i}", "kind": "vibration", "unit": "as_delivered", "fs_hz": 4300}
              for i in (1, 2, 3, 4)]  # fmt: skip
    source = {"type": "recordings", "manifest": ROOT / "app/demo/gearbox/manifest.csv",
              "machine": "gearbox", "baseline_share": 0.6, "pace": 4, "repeat": True}  # fmt: skip
    config = GatewaySettings.model_validate(
        {
            "mqtt": {"port": mosquitto.port},
            "gateway": {"data_dir": tmp_path / "gateway", "heartbeat_s": 5},
            "detector": {"window_s": 0.4},
            "machines": [{"id": "gearbox", "name": "Gearbox", "points": points}],
            "sources": [source],
        }
    )
    gateway = Process(config, tmp_path / "gateway.log")
    yield mosquitto
    gateway.terminate()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """`start(package, version, script, *arguments)` installs and runs an npm program.

    Returns its port, which replaces ``PORT`` among the arguments.
    """
    running: list[subprocess.Popen[bytes]] = []

    def run(package: str, version: str, script: str, *arguments: str | Path) -> int:
        folder = ROOT / "build" / "interop" / package.rpartition("/")[2]
        module = folder / "node_modules" / package
        if not module.exists():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                [program("npm"), "install", "--no-audit", "--no-fund", "--no-package-lock",
                 "--prefix", folder, f"{package}@{version}"],
                check=True, timeout=1200,
            )  # fmt: skip
        port = free_port()
        filled = [str(port) if a == "PORT" else str(a) for a in arguments]
        with (tmp_path / "program.log").open("wb") as log:
            popen = subprocess.Popen(
                [program("node"), module / script, *filled], stdout=log, stderr=log, cwd=tmp_path,
                start_new_session=True,
            )  # fmt: skip
        running.append(popen)
        wait_until(
            lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0,
            what=package,
        )
        return port

    yield run
    for popen in running:
        os.killpg(popen.pid, signal.SIGTERM)
        popen.wait(DEADLINE_S)


@pytest.fixture
def page() -> Iterator[Page]:
    """A page in Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield browser.new_page(viewport={"width": 1000, "height": 560})
        browser.close()


def picture(page: Page, name: str) -> None:
    """Take the screenshot of a documentation page, if new ones are asked for."""
    if os.environ.get("AUSCULT_SCREENSHOTS"):
        page.screenshot(path=IMAGES / f"{name}.png")
