"""Works like the web: addresses, the back button, signing in, the language."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.app.conftest import RunningDashboard, code
from tests.app.messages import (
    FakeGateway,
)
from tests.e2e.conftest import OpenPage, PublishedPlant
from tests.e2e.pages import (
    MACHINE,
    expect_live,
)

pytestmark = pytest.mark.e2e


def test_worst_comes_first_and_a_filter_is_part_of_the_address(open_plant: OpenPage) -> None:
    page = open_plant("/machines")
    headings = page.get_by_role("article").get_by_role("heading")
    expect(headings).to_have_text(
        ["Cooling water pump 3", "Exhaust fan 1", "Gearbox line 7", "Conveyor motor 2",
         "Cooling water pump 1", "Cooling water pump 2"]
    )  # fmt: skip
    page.get_by_role("button", name="Normal").click()
    expect(headings).to_have_text(["Cooling water pump 1", "Cooling water pump 2"])
    page.reload()
    expect(headings).to_have_text(["Cooling water pump 1", "Cooling water pump 2"])


def test_deep_link_and_back(open_plant: OpenPage, published: PublishedPlant) -> None:
    page = open_plant(f"/machines/{MACHINE}?range=8h&view=envelope")
    expect(page.get_by_role("heading", name="Cooling water pump 3")).to_be_visible()
    expect(page.get_by_role("button", name="Envelope spectrum")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_text("How it was measured").press("Enter")  # wherever the plots have moved it
    expect(page.get_by_text("Demodulation band")).to_be_visible()
    page.get_by_role("link", name="Outer-race defect, Drive end, horizontal").click()
    expect(page).to_have_url(f"{published.dashboard.url}/cases/{published.event_id}")
    page.go_back()
    expect(page.get_by_role("button", name="8 h")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_role("button", name="8 h")).to_have_attribute("aria-pressed", "true")


def test_a_machine_whose_id_holds_a_dot_has_an_address_too(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump.3")
    page = open_page("/")
    page.get_by_role("link", name="Machine pump.3").click()
    page.reload()
    expect(page.get_by_role("heading", name="Machine pump.3")).to_be_visible()


@pytest.mark.parametrize("dashboard", ["required"], indirect=True)
def test_first_start_signs_in_and_a_viewer_only_looks(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    gateway.say_hello("pump-3")
    page = open_page("/events")
    page.get_by_role("textbox", name="Name").fill("ada")
    page.get_by_label("Password").fill("a long enough password")
    page.get_by_label("Code").fill(code(dashboard))
    page.get_by_role("button").click()
    expect(page).to_have_url(f"{dashboard.url}/events")
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Machine pump-3").click()
    page.get_by_role("link", name="Set-up", exact=True).click()
    expect(page.get_by_role("button", name="Learn a new baseline")).to_be_visible()
    made = page.request.post(
        "/api/v1/people",
        data={"name": "vera", "role": "viewer", "password": "another long password"},
    )
    assert made.status == 201
    page.get_by_label("Settings").click()
    page.get_by_role("button", name="Sign out").click()

    page.get_by_role("textbox", name="Name").fill("vera")
    page.get_by_label("Password").fill("another long password")
    page.get_by_role("button").click()
    # the gateway is silent by now: its machine is listed by that, not by its name
    expect_live(page)
    page.goto(f"/machines/{MACHINE}?tab=setup")
    expect(page.get_by_text("Engineers can start a new baseline")).to_be_visible()
    expect(page.get_by_role("button", name="Learn a new baseline")).to_have_count(0)


def test_german(open_plant: OpenPage) -> None:
    page = open_plant("/", language="de-DE")
    expect(page.get_by_role("heading", name="Übersicht")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_label("Einstellungen").click()
    page.get_by_label("English").check()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_an_unknown_page_is_named(open_page: OpenPage) -> None:
    page = open_page("/nowhere/at-all")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
