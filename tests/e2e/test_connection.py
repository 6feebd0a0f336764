"""Without a connection: a stopped or silent server, a silent gateway, a page opened offline."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.app.messages import (
    FakeGateway,
    machine_state,
    now_ms,
)
from tests.conftest import Mosquitto
from tests.e2e.conftest import Dashboard, OpenPage, start_process
from tests.e2e.pages import (
    expect_live,
)
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture
def dashboard(
    request: pytest.FixtureRequest, tmp_path: Path, mosquitto: Mosquitto
) -> Iterator[Dashboard]:
    """`auscult dashboard` in a process of its own, which a test may stop or freeze."""
    running = start_process(tmp_path / "dashboard", mosquitto, **getattr(request, "param", {}))
    yield running
    running.stop()


def test_a_tablet_keeps_its_settings_in_reach(open_page: OpenPage, dashboard: Dashboard) -> None:
    page = open_page("/", viewport="tablet", language="de-DE")
    expect_live(page)
    dashboard.stop()
    expect(page.get_by_text("Verbindung verloren", exact=True)).to_be_visible()
    settings = page.get_by_label("Einstellungen", exact=True)
    expect(settings).to_be_in_viewport(ratio=1)


def test_a_lost_connection_is_visible_and_recovers(
    open_page: OpenPage, gateway: FakeGateway, dashboard: Dashboard
) -> None:
    gateway.say_hello("pump-1")
    page = open_page("/")
    card = page.get_by_role("article").filter(has_text="Machine pump-1")
    expect(card.get_by_text("Normal", exact=True)).to_be_visible()
    expect_live(page)
    dashboard.stop()
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible()
    expect(card).to_be_visible()

    gateway.publish(machine_state("pump-1", "warning"))
    dashboard.start()
    expect(page.get_by_text("Connection is back")).to_be_visible(timeout=30_000)
    expect(card.get_by_text("Warning", exact=True)).to_be_visible()


def test_machines_show_with_the_first_answer_although_the_stream_asks_again(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-1")
    page = open_page("/")
    expect_live(page)
    requests: list[Route] = []

    def answer(route: Route) -> None:
        requests.append(route)
        if len(requests) == 2:
            requests[0].continue_()

    page.route("**/api/v1/machines", answer)
    page.reload()
    expect(page.get_by_role("link", name="Machine pump-1")).to_be_visible()
    assert len(requests) == 2


def test_a_page_that_was_not_loaded_opens_when_the_connection_is_back(
    open_page: OpenPage, gateway: FakeGateway, dashboard: Dashboard
) -> None:
    gateway.say_hello("pump-1")
    page = open_page("/")
    expect_live(page)
    machine = page.get_by_role("link", name="Machine pump-1")
    expect(machine).to_be_visible()
    dashboard.stop()
    machine.click()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    dashboard.start()
    expect(page.get_by_role("heading", name="Machine pump-1")).to_be_visible()


@pytest.mark.slow
def test_a_silent_server_is_noticed(open_page: OpenPage, dashboard: Dashboard) -> None:
    page = open_page("/")
    expect_live(page)
    dashboard.signal(signal.SIGSTOP)
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible(timeout=30_000)
    dashboard.signal(signal.SIGCONT)
    expect(page.get_by_text("Connection is back")).to_be_visible(timeout=30_000)


@pytest.mark.slow
@pytest.mark.parametrize("dashboard", [{"stale_after_s": 10}], indirect=True)
def test_a_silent_gateway_leaves_no_verdict_that_may_not_hold(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    page = open_page("/")
    expect_live(page)
    gateway.say_hello("pump-3")
    card = page.get_by_role("article").filter(has_text="Machine pump-3")
    expect(card.get_by_text("Normal", exact=True)).to_be_visible()
    silent = card.get_by_role("link", name=re.compile("^No message for"))
    expect(silent).to_be_visible()
    expect(card.get_by_text("Normal", exact=True)).to_have_count(0)
    # one word for its gateway on every page: the overview called it online, the gateways' page not
    expect(page.get_by_text("gateway offline")).to_be_visible()
    expect(page.get_by_text("Gateway gw1 is offline: its machines have no news.")).to_be_visible()
    silent.click()
    expect(page.get_by_text("Its gateway gw1 is offline: check power")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Gateways").click()
    expect(page.get_by_text("Offline", exact=True)).to_be_visible()


def test_without_a_server_the_page_opens_and_shows_nothing_old(
    open_page: OpenPage, gateway: FakeGateway, dashboard: Dashboard
) -> None:
    gateway.say_hello("pump-1")
    page = open_page("/", offline_shell=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()  # now by way of the service worker, which keeps what the page is made of
    expect(page.get_by_role("article").filter(has_text="Machine pump-1")).to_be_visible()
    kept = page.evaluate(
        """caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name))))
        .then((all) => Promise.all(all.map((cache) => cache.keys())))
        .then((keys) => keys.flat().map((request) => new URL(request.url).pathname))"""
    )
    assert "/" in kept
    # pages follow one by one, the audit last
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some((e) => e.name.includes('/Audit-'))"
    )
    assert not [path for path in kept if path.startswith("/api")]
    dashboard.stop()
    page.goto("/cases")
    expect(page.get_by_role("heading", name="Cases", exact=True)).to_be_visible()
    banner = page.get_by_text("No connection to the dashboard since")
    expect(banner).to_contain_text("No machine is shown until it is back")
    since = banner.inner_text()
    page.wait_for_timeout(1100)  # the banner names the second
    page.reload()
    expect(banner).to_have_text(since)
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(0)


SHELL_IS_KEPT = """async () => {
  const kept = await Promise.all(['/', ...[...document.scripts].map((s) => s.src)]
    .map((path) => caches.match(path)));
  const files = async () => (await (await caches.open('auscult-shell-1')).keys()).length;
  const before = await files();
  await new Promise((done) => setTimeout(done, 2000));
  const worker = navigator.serviceWorker.controller;
  return Boolean(worker) && kept.length > 1 && kept.every(Boolean) && before === await files();
}"""


def test_after_a_first_visit_the_page_opens_without_a_server(
    open_page: OpenPage, dashboard: Dashboard
) -> None:
    page = open_page("/", offline_shell=True)
    # `wait_for_function` takes a promise for true, so the answers are waited for here
    wait_until(lambda: page.evaluate(SHELL_IS_KEPT), what="the worker to keep the page")
    dashboard.stop()
    page.reload()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible()
    expect(page.get_by_text("Failed to fetch")).to_have_count(0)


def test_ages_follow_the_servers_clock(open_page: OpenPage, gateway: FakeGateway) -> None:
    gateway.say_hello("pump-3")
    page = open_page("/")
    age = page.get_by_text("last message")
    expect(age).to_contain_text("s ago")
    page.clock.set_fixed_time(now_ms() + 3_600_000)
    page.reload()
    expect(age).to_contain_text("s ago")
