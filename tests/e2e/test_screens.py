"""Every page on every screen: phone, tablet, desktop, light and dark, by keyboard; and its size."""

from __future__ import annotations

import gzip
import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from auscult.app import page_files
from tests.app.conftest import RunningDashboard
from tests.app.messages import (
    READY,
    FakeGateway,
    event,
    handling,
    machine_state,
    now_ms,
    status,
)
from tests.e2e import plant
from tests.e2e.conftest import SCREENSHOTS, VIEWPORTS, OpenPage, PublishedPlant
from tests.e2e.pages import (
    ONLY_COLOURS,
    PAGES,
    expect_current,
    serious,
    settled_px,
    sideways_px,
    small_targets,
)
from tests.e2e.plant import BEARING
from tests.waiting import wait_until

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
    """No serious finding of axe, no sideways scrolling, room for a finger; takes screenshots."""
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
        if viewport != "desktop":
            found.extend(f"{name}, too small for a glove: {one}" for one in small_targets(page))
        examine(name)
        if name in DIALOGS:
            page.get_by_role("button", name=DIALOGS[name], exact=True).first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            examine(f"{name}-dialog")
            page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert found == []


HIGHEST_PX = {"desktop": 1400, "phone": 2150}
WAITS = {"en-GB": "Loading…", "de-DE": "Lädt …"}


@pytest.mark.parametrize("viewport", HIGHEST_PX)
def test_a_case_fits_its_screen(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard, viewport: str
) -> None:
    """From the alarm to the finding, in both languages, below the notice of a clock."""
    event_id = plant.publish(gateway)
    gateway.publish(status(clock_synchronised=False))
    pages = {
        language: open_page(f"/cases/{event_id}", viewport=viewport, language=language)
        for language in WAITS
    }
    found: dict[str, int] = {}

    def measure(state: str, *said: tuple[str, str]) -> None:
        """Measure once the head and the history say the state: the history is loaded later."""
        for (language, page), (text, entry) in zip(pages.items(), said, strict=True):
            expect(page.get_by_text(text).first).to_be_visible()
            expect(page.get_by_role("listitem").filter(has_text=entry).first).to_be_visible()
            expect(page.locator(".u-over")).to_have_count(2)
            expect(page.get_by_text(WAITS[language])).to_have_count(0)
            found[f"{state}, {language}"] = settled_px(page)

    def send(phase: str, **more: Any) -> None:
        gateway.publish(
            event(
                "pump-3", event_id, phase, reasons=(BEARING, plant.ISO), started_ms=started_ms,
                **more,
            )
        )  # fmt: skip

    measure("open", ("Alarm, not acknowledged", "Opened"), ("Alarm, nicht quittiert", "Eröffnet"))
    started_ms = dashboard.get(f"/api/v1/events/{event_id}")["started_ms"]
    english = pages["en-GB"]
    english.get_by_role("radio", name="Real fault").check()
    english.get_by_label("Your name").fill("Eva")
    english.get_by_role("button", name="Send answer").click()
    expect(english.get_by_text("Answered: Real fault: Bearing, outer race")).to_be_visible()
    facts = english.get_by_label("How urgent, how bad, how sure")
    expect(facts.get_by_text("Confirmed")).to_be_visible()
    wait_until(lambda: len(gateway.actions) > 1, what="the acknowledgement")
    seen: dict[str, Any] = {"acknowledged_ms": now_ms(), "acknowledged_by": "Eva"}
    send("update", handling=handling("acknowledged", 1, **seen))
    for page, name in zip(
        pages.values(), ("What the answer changed", "Was die Antwort geändert hat"), strict=True
    ):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    measure(
        "answered",
        ("Alarm, acknowledged by Eva", "Acknowledged"),
        ("Alarm, quittiert von Eva", "Quittiert"),
    )
    row = open_page("/", viewport=viewport).locator("article", has_text="Outer-race defect")
    expect(row).to_contain_text("Real fault, by Eva")
    send("end", condition="normal", handling=handling("normal", 2, **seen))
    gateway.publish(machine_state("pump-3", "normal", coverage=READY))
    measure("over", ("Over for now", "Ended"), ("Zurzeit vorbei", "Zu Ende"))
    finding = {"result": "fault_repaired", "kind": "outer", "text": "worn, replaced"}
    body = {"finding": finding, "actor": "Eva"}
    httpx.post(f"{dashboard.url}/api/v1/cases/{event_id}/close", json=body).raise_for_status()
    measure("closed", ("Closed by Eva", "Closed"), ("Abgeschlossen von Eva", "Abgeschlossen"))
    assert {name: px for name, px in found.items() if px > HIGHEST_PX[viewport]} == {}


def test_the_first_load_is_small() -> None:
    """Compressed: at most 400 kB of scripts and styles, 110 kB before anything shows."""
    assets = page_files.FOLDER / "assets"
    compressed_b = {
        file.name: len(gzip.compress(file.read_bytes()))
        for file in assets.iterdir()
        if file.suffix in (".js", ".css")
    }
    assert sum(compressed_b.values()) <= 400_000
    first = re.findall(r'/assets/([^"]+)', (page_files.FOLDER / "index.html").read_text())
    words_b = max(size for name, size in compressed_b.items() if re.match("(en|de)-", name))
    first_b = sum(compressed_b.get(name, 0) for name in first) + words_b
    assert first_b <= 110_000, f"{first_b} B before anything is shown"


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
