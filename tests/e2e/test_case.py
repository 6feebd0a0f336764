"""The work on a case: taken, written on, closed, and whether the repair was good."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from auscult.contract.parts import RepairPart
from auscult.contract.said import Said
from tests.app.conftest import RunningDashboard
from tests.app.messages import (
    READY,
    FakeGateway,
    event,
    handling,
    machine_state,
    now_ms,
    trend,
)
from tests.app.test_repair_check import too_old
from tests.e2e.conftest import OpenPage, PublishedPlant
from tests.e2e.pages import MACHINE, serious
from tests.e2e.plant import BEARING, MINUTE_MS, depart, overheat
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e


def test_a_case_is_taken_written_on_and_closed(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    event_id = depart(gateway)
    page = open_page(f"/cases/{event_id}")
    page.evaluate("localStorage.setItem('auscult.person', 'Eva')")
    page.reload()
    page.get_by_role("button", name="Assign").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Who").fill("Jonas")
    dialog.get_by_label("Due").fill("2030-01-02")
    dialog.get_by_role("button", name="Assign").click()
    expect(dialog).to_have_count(0)  # what is behind it takes no text before
    expect(page.get_by_text("Jonas has it, due")).to_be_visible()
    happened = page.get_by_role("region", name="What happened")
    happened.get_by_label("Write a note").fill("louder since noon")
    happened.get_by_role("button", name="Add", exact=True).click()
    expect(happened.get_by_text("louder since noon")).to_be_visible()
    picture = page.screenshot()
    happened.get_by_label("Add a photo").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": picture}
    )
    expect(happened.get_by_role("img")).to_be_visible()
    gateway.publish(event("pump-3", event_id, "end", condition="normal", reasons=(BEARING,)))
    gateway.publish(machine_state("pump-3", "normal", coverage=READY))
    page.get_by_role("button", name="Close", exact=True).click()
    # what was found is learned from: nothing is assumed
    dialog.get_by_role("button", name="Close", exact=True).click()
    expect(dialog.get_by_text("Please choose what was found.")).to_be_visible()
    dialog.get_by_label("What was found").select_option(label="Fault found and repaired")
    dialog.get_by_role("button", name="avoided").click()
    dialog.get_by_role("button", name="8 h", exact=True).click()
    dialog.get_by_role("button", name="Close", exact=True).click()
    # the finding is offered as the answer
    expect(page.get_by_role("radio", name="Real fault")).to_be_checked()
    (closed,) = dashboard.get("/api/v1/cases", which="closed")["items"]
    assert (closed["finding"]["result"], closed["assignee"]) == ("fault_repaired", "Jonas")
    assert (closed["finding"]["stop"], closed["finding"]["stop_h"]) == ("avoided", 8)
    # the finding stays in view, and nothing is left to check
    found = "Fault found and repaired: Bearing, outer race"
    facts = page.get_by_label("How urgent, how bad, how sure")
    expect(facts.get_by_text(found)).to_be_visible()
    expect(happened.get_by_text(found)).to_be_visible()
    expect(page.get_by_role("heading", name="Check first")).to_have_count(0)
    # so does whether the work removed the fault
    said = Said("repair_gone", {"windows": 20})
    repair = RepairPart(
        event_id=event_id, since_ms=now_ms(), windows=20, windows_needed=20, result="gone",
        said=said,
    )  # fmt: skip
    gateway.publish(machine_state("pump-3", "normal", coverage=READY, repair=repair))
    expect(page.get_by_text("The fault is gone: 20 windows after the work")).to_be_visible()
    page.goto("/cases?state=closed")
    row = page.get_by_role("article")
    expect(row).to_contain_text(found)
    expect(row).to_contain_text("Eva")
    expect(row).not_to_contain_text("No one yet")
    page.goto(f"/machines/{MACHINE}")
    expect(page.get_by_text("✓ The fault is gone: 20 windows after the work")).to_be_visible()
    unchanged = Said("repair_unchanged", {"windows": 20})
    update = {"result": "unchanged", "reason": unchanged.text, "said": unchanged}
    worse = repair.model_copy(update=update)
    gateway.publish(machine_state("pump-3", "alarm", coverage=READY, repair=worse))
    expect(page.get_by_text("⚠ The fault is unchanged: 20 windows after the work")).to_be_visible()


def close_as_repaired(page: Page) -> None:
    page.get_by_role("button", name="Close", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("What was found").select_option(label="Fault found and repaired")
    dialog.get_by_role("button", name="Close", exact=True).click()
    expect(dialog).to_have_count(0)


def test_a_check_that_the_gateway_rejects_is_sent_again(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    event_id = depart(gateway)
    over: dict[str, Any] = {"condition": "normal", "reasons": (BEARING,)}
    gateway.publish(event("pump-3", event_id, "end", handling=handling("normal", 1), **over))
    gateway.publish(machine_state("pump-3", "normal", coverage=READY))
    gateway.answer = too_old
    page = open_page(f"/cases/{event_id}")
    page.evaluate("localStorage.setItem('auscult.person', 'Eva')")
    page.reload()
    close_as_repaired(page)
    expect(page.get_by_text("The repair is not checked:")).to_contain_text("check_repair")
    gateway.answer = lambda *_: None
    page.get_by_role("button", name="Check the repair again").click()
    expect(page.get_by_text("it checks the repair when it is back")).to_be_visible()


def test_a_case_about_a_temperature_shows_value_and_limit_and_no_spectrum(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    event_id = overheat(gateway)
    page = open_page(f"/cases/{event_id}")
    expect(page.get_by_role("heading", name="Temperature beyond its alarm limit")).to_be_visible()
    facts = page.get_by_label("How urgent, how bad, how sure")
    expect(facts.get_by_text("42 °C", exact=True)).to_be_visible()
    expect(facts.get_by_text("7 K above the alarm limit of 35 °C")).to_be_visible()
    expect(facts.get_by_text("A limit of the plant decides")).to_be_visible()
    trend = page.get_by_role("region", name="Trend and forecast")
    expect(trend.get_by_text("Temperature, Bearing")).to_be_visible()
    expect(page.get_by_text("Look at cooling and surroundings")).to_be_visible()
    for absent in ("ISO zone", "spectrum", "Cavitation", "torque wrench"):
        expect(page.get_by_text(absent)).to_have_count(0)
    expect(page.get_by_role("heading", name="Listen")).to_have_count(0)
    page.goto(f"/machines/{MACHINE}?point=TB")
    expect(page.get_by_role("heading", name="Trend")).to_be_visible()
    for absent in ("Spectrum", "Spectra over time", "Time signal", "Listen"):
        expect(page.get_by_role("heading", name=absent)).to_have_count(0)


def test_machines_that_depart_together_are_one_row_until_someone_splits_them(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    machines = ("pump-1", "pump-2", "pump-3")
    gateway.say_hello(*machines)
    for machine in machines:
        gateway.publish(event(machine, f"e-{machine}", reasons=(BEARING,)))
        gateway.publish(machine_state(machine, "alarm", event_id=f"e-{machine}"))
    page = open_page("/")
    page.evaluate("localStorage.setItem('auscult.person', 'Eva')")
    row = page.get_by_text("3 machines of Hall 2 since")
    expect(row).to_be_visible()
    inside = page.get_by_role("article")
    expect(inside).to_have_count(0)
    row.click()
    expect(inside).to_have_count(3)
    assert serious(page) == []
    page.goto("/cases/e-pump-2")
    together = page.get_by_role("region", name="3 machines of Hall 2 since")
    expect(together.get_by_role("link")).to_have_count(2)
    assert serious(page) == []
    together.get_by_role("button", name="Split").click()
    expect(together).to_have_count(0)
    expect(page.get_by_text("Split from a common cause")).to_be_visible()
    page.goto("/")
    expect(inside).to_have_count(3)
    expect(row).to_have_count(0)


def test_a_case_shows_what_was_found_at_a_sister_machine(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    gateway.say_hello("pump-1", "pump-3")
    month_ago = now_ms() - 30 * 24 * 3_600_000
    gateway.publish(
        event("pump-1", "e-before", "end", started_ms=month_ago, updated_ms=month_ago,
              ended_ms=month_ago, condition="normal", reasons=(BEARING,),
              handling=handling("normal", 1))
    )  # fmt: skip
    gateway.publish(event("pump-3", "e-now", reasons=(BEARING,)))
    wait_until(lambda: len(dashboard.get("/api/v1/events")["items"]) == 2, what="both events")
    finding = {"result": "fault_repaired", "kind": "outer", "text": "6205 changed, seat was worn"}
    body = {"actor": "Eva", "finding": finding, "stop": "avoided", "stop_h": 6}
    dashboard.client.post("/api/v1/cases/e-before/close", json=body).raise_for_status()
    page = open_page("/cases/e-now", viewport="phone")
    earlier = page.get_by_role("region", name="Earlier cases and what was found")
    expect(earlier.get_by_text("Machine pump-1, sister machine")).to_be_visible()
    for found in ("same fault, same place", "6205 changed, seat was worn", "stop avoided: 6 h"):
        expect(earlier.get_by_text(found)).to_be_visible()
    assert serious(page) == []
    page.goto(f"/machines/{MACHINE}?tab=history")
    earlier.get_by_role("link").click()
    expect(page).to_have_url(re.compile("/cases/e-before"))


def test_many_cases_are_filtered_and_given_to_one_person_at_once(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    machines = [f"pump-{i}" for i in range(1, 8)]
    gateway.say_hello(*machines)
    for machine in machines:
        gateway.publish(event(machine, f"e-{machine}", reasons=(BEARING,)))
    page = open_page("/cases")
    page.evaluate("localStorage.setItem('auscult.person', 'Eva')")
    page.reload()
    expect(page.get_by_role("button", name="Assign: 7")).to_be_visible()
    page.get_by_label("Filter").fill("pump-3")
    expect(page.get_by_role("button", name="Assign: 1")).to_be_visible()
    page.get_by_label("Filter").fill("pump")
    page.get_by_role("button", name="Assign: 7").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Who").fill("Jonas")
    dialog.get_by_role("button", name="Assign").click()
    expect(dialog).to_have_count(0)
    cases = dashboard.get("/api/v1/cases", which="active")["items"]
    assert {one["assignee"] for one in cases} == {"Jonas"}


def test_the_first_verdict_is_within_six_tabs(
    open_plant: OpenPage, published: PublishedPlant
) -> None:
    page = open_plant(f"/cases/{published.event_id}")
    verdict = page.get_by_role("radio", name="Real fault")
    expect(verdict).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the answer")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(verdict).to_be_focused()


def test_the_top_bar_finds_a_machine_from_any_page(open_plant: OpenPage) -> None:
    page = open_plant("/events")
    find = page.get_by_role("searchbox", name="Find a machine or a case")
    find.fill("pump 3")
    found = page.get_by_role("search").get_by_role("link", name="Cooling water pump 3")
    expect(found).to_be_visible()
    find.press("Escape")
    expect(found).to_have_count(0)
    find.fill("pump 3")
    find.press("Enter")
    expect(page.get_by_role("heading", name="Cooling water pump 3")).to_be_visible()


def test_a_note_is_marked_in_the_plots_and_withdrawn(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-1", "pump-3")
    for machine in ("pump-1", "pump-3"):
        for minute in range(30):
            gateway.publish(trend(machine, "DE-H", now_ms() - (30 - minute) * MINUTE_MS))
    page = open_page(f"/machines/{MACHINE}?point=DE-H", viewport="phone")
    page.evaluate("localStorage.setItem('auscult.person', 'Eva')")
    page.reload()
    notes = page.get_by_role("region", name="Notes")
    notes.get_by_label("Write a note").fill("coupling rubs")
    notes.get_by_label("Mark it in the plots of Point DE-H").check()
    notes.get_by_label("Frequency in Hz").fill("49.3")
    notes.get_by_role("button", name="Add", exact=True).click()
    expect(notes.get_by_text("DE-H, 49.3\N{NO-BREAK SPACE}Hz")).to_be_visible()
    compare = page.get_by_label("Compare with")
    compare.select_option(label="Machine pump-1")
    expect(page.get_by_text("Dashed: Machine pump-1.")).to_be_visible()
    compare.select_option(label="30 days earlier")
    expect(page.get_by_text("30 days earlier: no value")).to_be_visible()
    assert serious(page) == []
    withdraw = notes.get_by_role("button", name="Withdraw")
    assert (withdraw.bounding_box() or {"height": 0})["height"] >= 44
    withdraw.click()
    expect(notes.get_by_text("taken back by Eva")).to_be_visible()


def test_a_week_has_room_for_some_machines_and_says_what_lies_beyond(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    dashboard.dashboard.settings = dashboard.dashboard.settings.model_copy(
        update={"cases_a_week": 1}
    )
    machines = ("pump-1", "pump-3")
    gateway.say_hello(*machines)
    for n, machine in enumerate(machines):
        ago_ms = n * 7_200_000  # hours apart, so that no common cause joins them
        began = event(machine, f"e-{machine}", reasons=(BEARING,), started_ms=now_ms() - ago_ms)
        gateway.publish(began)
        gateway.publish(machine_state(machine, "alarm", event_id=f"e-{machine}"))
    page = open_page("/")
    rows = page.get_by_role("region", name="Needs someone")
    expect(rows.get_by_role("article")).to_have_count(2)
    line = rows.get_by_text("1 machine a week ends here")
    expect(line).to_be_visible()
    expect(rows).to_contain_text(
        re.compile(r"pump-1[\s\S]*ends here\s*· below this line: 1 machine[\s\S]*pump-3")
    )
