"""Works like the web: addresses, the back button, a lost connection, every reader and screen."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.app.messages import FakeGateway, machine_state
from tests.conftest import wait_until
from tests.e2e import plant
from tests.e2e.conftest import AXE, SCREENSHOTS, VIEWPORTS, Dashboard

pytestmark = pytest.mark.e2e

MACHINE = "plant~gw1~pump-3"


@pytest.fixture
def event_id(gateway: FakeGateway, dashboard: Dashboard) -> str:
    """The whole plant, told; its open event."""
    told = plant.tell(gateway)
    wait_until(
        lambda: (
            len(dashboard.get("/api/v1/machines")["items"]) == len(plant.CASES)
            and dashboard.get(f"/api/v1/machines/{MACHINE}/points/DE-H/spectra")["items"]
        ),
        20,
        "the plant to arrive",
    )
    return told


def test_worst_comes_first_and_a_filter_is_part_of_the_address(
    open_page: Callable[..., Page], event_id: str
) -> None:
    page = open_page("/")
    headings = page.get_by_role("article").get_by_role("heading")
    expect(headings).to_have_text(
        ["Cooling water pump 3", "Exhaust fan 1", "Gearbox line 7", "Conveyor motor 2",
         "Cooling water pump 1", "Cooling water pump 2"]
    )  # fmt: skip
    page.get_by_role("button", name="Normal").click()
    expect(headings).to_have_text(["Cooling water pump 1", "Cooling water pump 2"])
    page.reload()
    expect(headings).to_have_text(["Cooling water pump 1", "Cooling water pump 2"])


def test_deep_link_and_back(open_page: Callable[..., Page], event_id: str) -> None:
    page = open_page(f"/machines/{MACHINE}?range=8h&view=envelope")
    expect(page.get_by_role("heading", name="Cooling water pump 3")).to_be_visible()
    expect(page.get_by_role("button", name="Envelope spectrum")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.get_by_text("Demodulation band")).to_be_visible()
    page.get_by_role("link", name="Look and answer").click()
    expect(page).to_have_url(f"{page.url.split('/events')[0]}/events/{event_id}")
    page.go_back()
    expect(page.get_by_role("button", name="8 h")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_role("button", name="8 h")).to_have_attribute("aria-pressed", "true")


def test_the_cursor_finds_the_peak(open_page: Callable[..., Page], event_id: str) -> None:
    page = open_page(f"/machines/{MACHINE}")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    canvas = panel.locator(".u-over")
    box = canvas.bounding_box()
    assert box is not None
    # 1600 lines of 1.25 Hz: the first peak of the test spectrum is at 20 × 1.25 = 25 Hz
    canvas.click(position={"x": box["width"] * 27 / 2000, "y": box["height"] / 2})
    expect(panel.get_by_text("25 Hz", exact=True)).to_be_visible()
    panel.get_by_role("application").press("ArrowRight")
    expect(panel.get_by_text("26.3 Hz", exact=True)).to_be_visible()


def test_a_lost_connection_is_visible_and_recovers(
    open_page: Callable[..., Page], gateway: FakeGateway, dashboard: Dashboard, event_id: str
) -> None:
    page = open_page("/")
    expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()
    dashboard.stop()
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible()
    expect(page.get_by_text("Cooling water pump 3")).to_be_visible()

    gateway.publish(machine_state("pump-1", "warning"))
    dashboard.start()
    expect(page.get_by_text("Connection is back")).to_be_visible(timeout=30_000)
    card = page.get_by_role("article").filter(has_text="Cooling water pump 1")
    expect(card.get_by_text("Warning", exact=True)).to_be_visible()


@pytest.mark.slow
def test_a_silent_server_is_noticed(
    open_page: Callable[..., Page], dashboard: Dashboard, event_id: str
) -> None:
    page = open_page("/")
    expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()
    dashboard.signal(signal.SIGSTOP)
    expect(page.get_by_text("No connection to the dashboard since")).to_be_visible(timeout=30_000)
    dashboard.signal(signal.SIGCONT)
    expect(page.get_by_text("Connection is back")).to_be_visible(timeout=30_000)


def test_a_silent_gateway_leaves_no_verdict_that_may_not_hold(
    open_page: Callable[..., Page], gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    page = open_page("/")
    card = page.get_by_role("article").filter(has_text="Machine pump-3")
    expect(card.get_by_text("Normal", exact=True)).to_be_visible()
    # the dashboard of these tests calls a state stale after 10 s
    expect(card.get_by_text("No news", exact=True)).to_be_visible(timeout=20_000)


def test_german(open_page: Callable[..., Page], event_id: str) -> None:
    page = open_page("/", language="de-DE")
    expect(page.get_by_role("heading", name="Übersicht")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_label("Einstellungen").click()
    page.get_by_label("English").check()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_keyboard_alone_reaches_an_answer(open_page: Callable[..., Page], event_id: str) -> None:
    page = open_page(f"/events/{event_id}")
    expect(page.get_by_role("radio", name="Real fault")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.get_by_role("radio", name="Real fault").evaluate(
            "e => e === document.activeElement"
        ):
            break
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="False alarm")).to_be_checked()


PAGES = {
    "overview": "/",
    "machine": f"/machines/{MACHINE}?range=8h",
    "events": "/events",
    "event": "/events/{event}",
    "labels": "/labels",
    "gateways": "/gateways",
    "lost": "/nowhere",
}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("viewport", VIEWPORTS)
def test_every_page_on_every_screen(
    open_page: Callable[..., Page], event_id: str, viewport: str, dark: bool
) -> None:
    """No serious finding of axe, no sideways scrolling; a picture of each for people to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page = open_page("/", viewport=viewport, dark=dark)
    found = []
    for name, path in PAGES.items():
        page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/", 3)[2]
                  + path.format(event=event_id))  # fmt: skip
        page.wait_for_load_state("load")
        expect(page.get_by_text("Loading…")).to_have_count(0)
        if name == "event":
            page.get_by_role("radio", name="False alarm").check()
        page.evaluate("document.fonts.ready")
        page.screenshot(
            path=SCREENSHOTS / f"{name}-{viewport}-{'dark' if dark else 'light'}.png",
            full_page=True,
        )
        page.evaluate(AXE.read_text())
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        found += [
            f"{name}: {violation['id']}: {violation['nodes'][0]['html'][:120]}"
            for violation in result["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0, f"{name} scrolls sideways by {overflow} px"
    assert found == []
