"""Every page on every screen: phone, tablet, desktop, light and dark, by keyboard; and its size."""

from __future__ import annotations

import gzip
import re

import pytest
from playwright.sync_api import expect

from auscult.app import page_files
from tests.app.messages import (
    FakeGateway,
    event,
    handling,
    now_ms,
)
from tests.conftest import wait_until
from tests.e2e import plant
from tests.e2e.conftest import SCREENSHOTS, VIEWPORTS, OpenPage, PublishedPlant
from tests.e2e.pages import (
    ONLY_COLOURS,
    PAGES,
    expect_current,
    serious,
    sideways_px,
)
from tests.e2e.plant import BEARING

pytestmark = pytest.mark.e2e


DIALOGS = {"alarms": "Shelve", "case": "Work order"}
"""Button of a page that opens a dialog, which is examined too."""


SHOW = """(href) => {
  history.pushState(null, '', href);
  dispatchEvent(new PopStateEvent('popstate'));
}"""


@pytest.mark.parametrize("viewport", VIEWPORTS)
def test_every_page_on_every_screen(
    open_plant: OpenPage, published: PublishedPlant, viewport: str
) -> None:
    """No serious finding of axe and no sideways scrolling; takes a screenshot of each."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page = open_plant("/", viewport=viewport)
    found: list[str] = []

    def examine(name: str) -> None:
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=SCREENSHOTS / f"{name}-{viewport}-{theme}.png", full_page=True)
            rules = ONLY_COLOURS if theme == "dark" else {}
            found.extend(f"{name}, {theme}: {one}" for one in serious(page, rules))
        page.emulate_media(color_scheme="light")

    # One visit to the site, as a person makes it: the pages follow each other without a reload.
    for name, path in PAGES.items():
        page.evaluate(SHOW, path.format(event=published.event_id))
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect_current(page, name, viewport)
        expect(page.get_by_text("Loading…")).to_have_count(0)
        if name in ("event", "case"):
            page.get_by_role("radio", name="False alarm").check()
        assert sideways_px(page) <= 0, f"{name} scrolls sideways"
        examine(name)
        if name in DIALOGS:
            page.get_by_role("button", name=DIALOGS[name], exact=True).first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            examine(f"{name}-dialog")
            page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert found == []


@pytest.mark.parametrize(("viewport", "highest_px"), [("desktop", 1400), ("phone", 2200)])
def test_a_case_fits_its_screen(
    open_plant: OpenPage, published: PublishedPlant, viewport: str, highest_px: int
) -> None:
    page = open_plant(f"/cases/{published.event_id}", viewport=viewport)
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    expect(page.get_by_role("radio").first).to_be_visible()
    expect(page.locator(".u-over")).to_have_count(2)
    expect(page.get_by_text("Loading…")).to_have_count(0)
    height_px = page.evaluate("document.documentElement.scrollHeight")
    assert height_px <= highest_px


@pytest.mark.parametrize(("viewport", "highest_px"), [("desktop", 1400), ("phone", 2200)])
def test_an_answered_case_fits_its_screen(
    open_page: OpenPage, gateway: FakeGateway, viewport: str, highest_px: int
) -> None:
    event_id = plant.publish(gateway)
    page = open_page(f"/cases/{event_id}", viewport=viewport)
    expect(page.locator(".u-over")).to_have_count(2)
    page.get_by_role("radio", name="Real fault").check()
    page.get_by_label("Your name").fill("Eva")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Answered: Real fault: Bearing, outer race")).to_be_visible()
    expect(
        page.get_by_label("How urgent, how bad, how sure").get_by_text("Confirmed")
    ).to_be_visible()
    expect(page.get_by_role("heading", name="What the answer changed")).to_be_visible()
    wait_until(lambda: len(gateway.actions) > 1, what="the acknowledgement")
    gateway.publish(
        event(
            "pump-3", event_id, "update", reasons=(BEARING, plant.ISO),
            handling=handling("acknowledged", 1, acknowledged_ms=now_ms(), acknowledged_by="Eva"),
        )
    )  # fmt: skip
    expect(page.get_by_text("Alarm, acknowledged by Eva")).to_be_visible()
    expect(page.get_by_text("Loading…")).to_have_count(0)
    height_px = page.evaluate("document.documentElement.scrollHeight")
    assert height_px <= highest_px
    page.goto("/")
    expect(page.locator("article", has_text="Outer-race defect")).to_contain_text(
        "Real fault, by Eva"
    )


def test_the_first_load_is_small() -> None:
    """Compressed: at most 400 kB of scripts and styles, 150 kB of script before anything shows."""
    files = [f for f in (page_files.FOLDER / "assets").iterdir() if f.suffix in (".js", ".css")]
    size_kb = sum(len(gzip.compress(f.read_bytes())) for f in files) / 1000
    assert size_kb <= 400, f"{size_kb:.0f} kB"
    named = re.findall(r'/assets/([^"]+\.js)', (page_files.FOLDER / "index.html").read_text())
    first_b = sum(
        len(gzip.compress((page_files.FOLDER / "assets" / name).read_bytes())) for name in named
    )
    assert first_b <= 150_000, f"{first_b} B of script before anything is shown"


def test_the_focus_on_a_card_is_drawn_inside_it(open_plant: OpenPage) -> None:
    page = open_plant("/machines?view=cards")
    link = page.get_by_role("link", name="Cooling water pump 3")
    link.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(link).to_be_focused()
    width, offset = link.evaluate(
        """(e) => { const s = getComputedStyle(e, '::after');
        return [parseFloat(s.outlineWidth), parseFloat(s.outlineOffset)]; }"""
    )
    assert width >= 3
    assert offset <= -width, "the list clips what is drawn beyond a card"


def test_keyboard_alone_reaches_an_answer(open_plant: OpenPage, published: PublishedPlant) -> None:
    page = open_plant(f"/events/{published.event_id}")
    fault = page.get_by_role("radio", name="Real fault")
    expect(fault).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(12):
        page.keyboard.press("Tab")
        if fault.evaluate("e => e === document.activeElement"):
            break
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="False alarm")).to_be_checked()
