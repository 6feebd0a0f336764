"""A technician's way: a machine learns, runs, departs, is worked on; each step seen live."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.app.conftest import RunningDashboard
from tests.app.messages import (
    COVERAGE,
    READY,
    FakeGateway,
    event,
    inventory,
    machine_state,
    now_ms,
    point_state,
    spectrum,
    status,
    trend,
    ulid,
)
from tests.e2e.conftest import OpenPage
from tests.e2e.plant import BEARING, depart
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e


def test_learning_to_alarm_is_seen_live(open_page: OpenPage, gateway: FakeGateway) -> None:
    page = open_page("/")
    expect(page.get_by_text("No machine has reported yet.")).to_be_visible()

    gateway.publish(status())
    gateway.publish(inventory("pump-3"))
    gateway.publish(machine_state("pump-3", "learning", coverage=COVERAGE))
    card = page.get_by_role("article").filter(has_text="Machine pump-3")
    expect(card.get_by_text("Learning", exact=True)).to_be_visible()
    expect(card.get_by_text("40%")).to_be_visible()
    expect(card.get_by_text("120 more windows")).to_be_visible()

    gateway.publish(machine_state("pump-3", "normal", coverage=READY))
    expect(card.get_by_text("Normal", exact=True)).to_be_visible()
    expect(page.get_by_text("No machine needs attention")).to_be_visible()

    depart(gateway)
    expect(page.get_by_role("heading", name="1 machine needs someone")).to_be_visible()
    expect(card.get_by_role("link", name="Outer-race defect")).to_be_visible()
    expect(page).to_have_title("(1) Overview · Auscult")


def test_an_event_opens_at_the_point_that_moved_most(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    event_id = ulid()
    gateway.say_hello("pump-3")
    # both points saturate; the diagnosis names none, as of a machine with several shafts
    diagnosis = replace(BEARING, point=None, contributions=())
    little = replace(BEARING.contributions[2], share=0.5)
    at_nde = replace(BEARING, point="NDE-H", fault=None, contributions=(little,))
    at_de = replace(BEARING, fault=None)
    reasons = (at_nde, diagnosis, at_de)
    gateway.publish(event("pump-3", event_id, reasons=reasons, points=("NDE-H", "DE-H")))
    gateway.publish(machine_state("pump-3", "alarm", reasons=reasons, event_id=event_id))
    for point in ("NDE-H", "DE-H"):
        gateway.publish(point_state("pump-3", point, "alarm", evidence=3.0))
        start_ms = now_ms() - 120_000
        evidence = {"values": {"evidence": (2.0, 3.0, 3.0)}, "units": {"evidence": ""}}
        gateway.publish(trend("pump-3", point, start_ms, **evidence))
        gateway.publish(spectrum("pump-3", point, event_id=event_id))
    page = open_page(f"/events/{event_id}")
    expect(page.get_by_role("heading", name="Course of the event at Point DE-H")).to_be_visible()
    spectra = page.get_by_role("region", name="Spectra around the event")
    shown = spectra.get_by_label("Spectra around the event").locator("option:checked")
    expect(shown).to_contain_text("Point DE-H")
    page.get_by_role("link", name="Machine pump-3").click()
    sketch = page.get_by_role("region", name="Where it is measured")
    expect(sketch.get_by_role("button", pressed=True)).to_have_accessible_name("Point DE-H: Alarm")


def test_machines_are_placed_on_the_map(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    gateway.say_hello("pump-3")
    page = open_page("/map")
    region = page.get_by_role("region", name="Map of the plant")
    link = region.get_by_role("link", name="pump-3")
    expect(link).to_be_visible()
    page.get_by_role("button", name="Arrange").click()
    marker = region.get_by_role("button", name="pump-3")
    marker.hover()
    page.mouse.down()
    box = region.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.3 * box["height"], steps=4)
    page.mouse.up()

    def places() -> list[tuple[float, float]]:
        return [(one["x"], one["y"]) for one in dashboard.get("/api/v1/map")["places"]]

    wait_until(places, what="the place to be stored")
    [(x, y)] = places()
    assert (x, y) == (pytest.approx(0.25, abs=0.01), pytest.approx(0.3, abs=0.02))
    marker.press("ArrowRight")
    marker.press("ArrowRight")
    marker.press("Shift+ArrowUp")
    moved = (pytest.approx(x + 0.04, abs=0.002), pytest.approx(y - 0.004, abs=0.002))
    wait_until(lambda: places() == [moved], what="the arrow keys to be stored")
    page.get_by_role("button", name="Done").click()
    depart(gateway)
    expect(link).to_have_attribute("href", re.compile("^/cases/"))
    link.click()
    expect(page.get_by_role("heading", name="Outer-race defect")).to_be_visible()
