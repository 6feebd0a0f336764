"""A real browser on the real stack: Mosquitto, `auscult dashboard`, and the built page."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from auscult.app import page_files
from tests.app.conftest import RunningDashboard
from tests.app.messages import FakeGateway
from tests.conftest import Mosquitto
from tests.e2e import plant
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

SCREENSHOTS = Path(__file__).parents[2] / "artefacts" / "screenshots"

PATIENCE_MS = 60_000
"""Time limit of browser steps on a shared machine, ms."""
expect.set_options(timeout=PATIENCE_MS)

STALE_AFTER_S = 3600
"""When the dashboard of a test calls a gateway silent: later than the busiest machine needs."""

VIEWPORTS = {
    "phone": {"width": 390, "height": 844},
    "tablet": {"width": 820, "height": 1180},
    "desktop": {"width": 1440, "height": 900},
}
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run Debian's Chromium; Playwright's own browsers are never downloaded."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail("chromium is missing: install the system package 'chromium'")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with chromium() as launched:
        yield launched


class Watched:
    """A browser context that records requests off the site and console errors."""

    def __init__(self, context: BrowserContext, host: str, rejected: int | None) -> None:
        self.context = context
        self.outside: list[str] = []
        self.errors: list[str] = []
        self._host = host
        # a stopped server, a silent gateway (424), and what a test has the server reject
        statuses = [424, *([rejected] if rejected else [])]
        self._expected = ("net::ERR_", *(f"status of {status}" for status in statuses))
        context.on("request", self._requested)
        context.on("console", self._logged)
        context.on("weberror", lambda e: self.errors.append(str(e.error)))

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(text in message.text for text in self._expected):
            self.errors.append(message.text)

    def _requested(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob") and url.netloc != self._host:
            self.outside.append(request.url)


class Dashboard:
    """`auscult dashboard` in its own process, to stop, freeze and start again."""

    def __init__(self, folder: Path, broker_port: int, stale_after_s: int = STALE_AFTER_S) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._log = folder / "dashboard.log"
        self._config = folder / "auscult.toml"
        self.data_dir = folder / "data"
        self._config.write_text(
            f"[mqtt]\nport = {broker_port}\n[dashboard]\nport = {port}\nlogin = 'off'\n"
            f"data_dir = '{self.data_dir}'\nstale_after_s = {stale_after_s}\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "auscult.app.command.main",
            "dashboard",
            "-c",
            str(self._config),
        ]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_until(self._connected, what="the dashboard to start")

    def _connected(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()
        try:
            return bool(self.get("/api/health")["broker"] == "connected")
        except httpx.TransportError:
            return False

    def get(self, path: str, **params: Any) -> Any:
        """Return the JSON of a GET that must succeed."""
        return httpx.get(self.url + path, params=params).raise_for_status().json()

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(DEADLINE_S)
            self._process = None


def start_process(folder: Path, broker: Mosquitto, **settings: Any) -> Dashboard:
    """Start `auscult dashboard` with its files in this folder."""
    _require_page()
    folder.mkdir()
    running = Dashboard(folder, broker.port, **settings)
    running.start()
    return running


def _require_page() -> None:
    if not page_files.built():
        pytest.fail("the page is not built: run 'make web'")


@pytest.fixture
def dashboard(
    request: pytest.FixtureRequest, tmp_path: Path, mosquitto: Mosquitto
) -> Iterator[RunningDashboard]:
    """A dashboard that is connected to the broker; parametrised with its `login`.

    It runs in a thread: a process of its own takes ten times as long to start.
    """
    _require_page()
    login = getattr(request, "param", "off")
    running = RunningDashboard(
        tmp_path / "dashboard", mosquitto.settings, login=login, stale_after_s=STALE_AFTER_S
    )
    running.wait_connected()
    yield running
    running.stop()


@pytest.fixture
def gateway(mosquitto: Mosquitto) -> Iterator[FakeGateway]:
    """A gateway made of messages."""
    fake = FakeGateway(mosquitto.settings)
    yield fake
    fake.stop()


OpenPage = Callable[..., Page]


def open_pages(browser: Browser, url: str) -> Iterator[OpenPage]:
    watched: list[Watched] = []

    def open_path(
        path: str = "/",
        viewport: str = "desktop",
        dark: bool = False,
        language: str = "en-GB",
        offline_shell: bool = False,
        rejected: int | None = None,
    ) -> Page:
        context = browser.new_context(
            viewport=VIEWPORTS[viewport],  # type: ignore[arg-type]
            device_scale_factor=2 if viewport == "phone" else 1,
            has_touch=viewport != "desktop",
            color_scheme="dark" if dark else "light",
            locale=language,
            timezone_id="Europe/Berlin",
            reduced_motion="reduce",
            service_workers="allow" if offline_shell else "block",
            base_url=url,
        )
        context.set_default_timeout(PATIENCE_MS)
        watched.append(Watched(context, urlsplit(url).netloc, rejected))
        page = context.new_page()
        page.goto(path)
        return page

    yield open_path
    for one in watched:
        one.context.close()
        assert one.outside == [], "a request left the site"
        assert one.errors == []


@pytest.fixture
def open_page(browser: Browser, dashboard: RunningDashboard) -> Iterator[OpenPage]:
    """`open_page(path, viewport=…, dark=…, …)` opens the page in a browser of its own.

    When the test ends, no request may have left the site, and the console must hold no error:
    a breach of the Content-Security-Policy would be one.
    """
    yield from open_pages(browser, dashboard.url)


@dataclass(frozen=True)
class PublishedPlant:
    """A dashboard with the plant of `tests.e2e.plant`, for tests that change nothing."""

    dashboard: Dashboard
    event_id: str


@contextmanager
def published_at(folder: Path) -> Iterator[PublishedPlant]:
    """Publish the plant to a dashboard whose files are in this folder."""
    broker = Mosquitto(folder)
    broker.start()
    running = start_process(folder / "dashboard", broker)
    gateway = FakeGateway(broker.settings)
    event_id = plant.publish(gateway)
    wait_until(lambda: plant.arrived(running.get), what="the plant to arrive")
    plant.furnish(running.url)
    yield PublishedPlant(running, event_id)
    gateway.stop()
    running.stop()
    broker.stop()


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublishedPlant]:
    """The plant, published once, for tests that change nothing."""
    with published_at(tmp_path_factory.mktemp("plant")) as one:
        yield one


@pytest.fixture
def open_plant(browser: Browser, published: PublishedPlant) -> Iterator[OpenPage]:
    """As `open_page`, on the published plant."""
    yield from open_pages(browser, published.dashboard.url)
