"""People, audit, shift report and commissioning in a browser, on the real stack."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from auscult.app.api.example_plant import BUNDLE, ROLLOUT
from auscult.app.views.updates import UpdateList
from auscult.gateway import service
from tests.app.conftest import RunningDashboard, code
from tests.app.messages import FakeGateway
from tests.conftest import Mosquitto
from tests.e2e.conftest import SCREENSHOTS, OpenPage, PublishedPlant
from tests.e2e.pages import serious, sideways_px
from tests.gateway.commands.test_commissioning import empty
from tests.gateway.recorded import shaft_noise, write_data_set
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.e2e

PASSWORD = "correct horse battery"


def sign_in_first(page: Page, dashboard: RunningDashboard) -> None:
    page.get_by_role("textbox", name="Name", exact=True).fill("ada")
    page.get_by_role("textbox", name="Password", exact=True).fill(PASSWORD)
    page.get_by_role("textbox", name=re.compile("^Code")).fill(code(dashboard))
    page.locator("form button").click()


@pytest.mark.parametrize("dashboard", ["required"], indirect=True)
def test_an_administrator_keeps_people_and_tokens(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    page = open_page("/people")
    sign_in_first(page, dashboard)
    expect(page.get_by_role("heading", name="People", exact=True)).to_be_visible()
    add = page.get_by_role("region", name="Add a person")
    add.get_by_role("textbox", name="Name", exact=True).fill("eva")
    add.get_by_role("combobox", name="Role").select_option("viewer")
    add.get_by_label("Password", exact=True).fill(PASSWORD)
    add.get_by_role("button", name="Add a person").click()
    table = page.get_by_role("region", name="People", exact=True)
    row = table.get_by_role("row").filter(has_text="eva")
    expect(row).to_contain_text("active")
    row.get_by_role("combobox", name="Role of eva").select_option("engineer")
    expect(row.get_by_role("combobox", name="Role of eva")).to_have_value("engineer")
    row.get_by_role("button", name="Disable").click()
    expect(row).to_contain_text("disabled")
    row.get_by_role("button", name="Enable").click()
    expect(row).to_contain_text("active")
    row.get_by_role("button", name="New password…").click()
    row.get_by_label("New password of eva").fill("staple, in any weather")
    row.get_by_role("button", name="Save").click()
    expect(row.get_by_label("New password of eva")).to_have_count(0)

    tokens = page.get_by_role("region", name="Tokens of programs")
    tokens.get_by_role("textbox", name="Program").fill("cmms")
    tokens.get_by_role("button", name="Make a token").click()
    expect(tokens.get_by_label(re.compile("shown this once"))).to_have_value(
        re.compile("^auscult_")
    )
    assert serious(page) == []
    page.screenshot(path=SCREENSHOTS / "people.png", full_page=True)
    tokens.get_by_role("button", name="Revoke the token of cmms").click()
    expect(tokens.get_by_role("row").filter(has_text="cmms")).to_contain_text("revoked")

    page.goto("/audit")
    audit = page.get_by_role("region", name="Audit")
    expect(audit.get_by_role("row").nth(1)).to_contain_text("revoke token")
    form = page.get_by_role("form", name="Filter")
    form.get_by_role("combobox", name="What").select_option("make account")
    form.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile(r"action=make\+account"))
    expect(audit.get_by_role("row")).to_have_count(2)
    expect(audit).to_contain_text("eva: viewer")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "make account" in text
    assert "revoke token" not in text, "the table holds what the filter shows"
    assert serious(page) == []
    page.screenshot(path=SCREENSHOTS / "audit.png", full_page=True)


def test_the_shift_report_is_printed_on_one_page(
    open_plant: OpenPage, published: PublishedPlant
) -> None:
    page = open_plant("/report?span=day")
    expect(page.get_by_role("region", name="New")).to_contain_text("Cooling water pump 3")
    sensors = page.get_by_role("region", name="Sensors that need care")
    expect(sensors).to_contain_text("Gearbox line 7")
    expect(page.get_by_role("region", name="Learning")).to_contain_text("Conveyor motor 2")
    assert serious(page) == []
    page.screenshot(path=SCREENSHOTS / "report.png", full_page=True)
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1, "one page"
    (SCREENSHOTS / "report.pdf").write_bytes(printed)
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print or save as PDF")).to_be_hidden()
    expect(page.get_by_role("navigation")).to_have_count(0)


# --- commissioning, with a real gateway ---------------------------------------------------------


@pytest.fixture
def real_gateway(
    mosquitto: Mosquitto, tmp_path: Path, dashboard: RunningDashboard
) -> Iterator[None]:
    """A gateway without a machine, beside recordings that it can read."""
    data_set = write_data_set(tmp_path / "recordings" / "rig", {"healthy": shaft_noise(120, 1)})
    stop = threading.Event()
    own = empty(mosquitto, tmp_path, data_set.parent.parent)
    thread = threading.Thread(target=service.run, args=(own, stop))
    thread.start()
    wait_until(lambda: dashboard.get("/api/v1/gateways")["items"], what="the gateway")
    yield
    stop.set()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()


def test_a_machine_is_set_up_step_by_step(
    open_page: OpenPage, dashboard: RunningDashboard, real_gateway: None
) -> None:
    page = open_page("/commissioning")
    page.get_by_role("button", name="Add a machine").click()
    wizard = page.get_by_role("region", name=re.compile("^Step"))
    wizard.get_by_role("textbox", name="Id").fill("pump-1")
    wizard.get_by_role("textbox", name="Name").fill("Cooling pump")
    wizard.get_by_role("spinbutton", name="Nominal speed, r/min").fill("1500")
    wizard.get_by_role("button", name="Next").click()
    wizard.get_by_role("combobox", name="Signal from").select_option(
        label="rig/manifest.csv · pump · de"
    )
    expect(wizard.get_by_role("spinbutton", name="Sampling rate, Hz")).to_have_value("2000")
    wizard.get_by_role("button", name="Next").click()
    wizard.get_by_role("searchbox", name="Search, e.g. 6205").fill("6205-2RS")
    wizard.get_by_role("button", name="Add 6205-2RS JEM SKF").click()
    own = wizard.get_by_role("group", name="Own bearing")
    own.get_by_role("textbox", name="Name").fill("FAG 22310")
    own.get_by_role("spinbutton", name="BPFO").fill("5.99")
    own.get_by_role("spinbutton", name="BPFI").fill("9.01")
    own.get_by_role("button", name="Add to the catalogue").click()
    expect(wizard.get_by_role("button", name="Remove FAG 22310")).to_be_visible()
    wizard.get_by_role("button", name="Add a shaft").click()
    wizard.get_by_role("spinbutton", name="Speed over that of shaft 1").fill("0.5")
    wizard.get_by_role("button", name="Add a gear pair").click()
    page.screenshot(path=SCREENSHOTS / "commissioning-train.png", full_page=True)
    assert serious(page) == []
    wizard.get_by_role("button", name="Next").click()
    wizard.get_by_role("button", name="Add a limit").click()
    wizard.get_by_role("combobox", name="Feature").fill("loudness")
    wizard.get_by_role("spinbutton", name="Alarm at").fill("7")
    wizard.get_by_role("button", name="Next").click()
    wizard.get_by_role("button", name="Check on the gateway").click()
    expect(wizard.get_by_role("listitem")).to_contain_text("no feature loudness", timeout=30_000)
    wizard.get_by_role("button", name="Back").click()
    wizard.get_by_role("combobox", name="Feature").fill("rms")
    wizard.get_by_role("button", name="Next").click()
    wizard.get_by_role("button", name="Apply").click()
    # from here on the gateway reports the machine
    check = page.get_by_role("region", name="Check", exact=True)
    expect(check).to_contain_text("not clipping: yes", timeout=40_000)
    expect(check).to_contain_text("signal arrives: yes")
    assert serious(page) == []
    page.screenshot(path=SCREENSHOTS / "commissioning-check.png", full_page=True)
    approve = page.get_by_role("button", name="Approve the baseline")
    expect(approve).to_be_visible(timeout=120_000)
    assert dashboard.get("/api/v1/machines")["items"][0]["condition"] == "learning"
    approve.click()
    baseline = page.get_by_role("region", name="Baseline", exact=True)
    expect(baseline).to_contain_text("is monitored against its baseline", timeout=30_000)
    machine = dashboard.get("/api/v1/machines")["items"][0]["id"]
    page.goto(f"/machines/{machine}?tab=setup")
    limits = page.get_by_role("region", name=re.compile("^Fixed limits"))
    limits.get_by_role("button", name="Change the limits").click()
    limits.get_by_role("group", name="Limit 1").get_by_label("Alarm", exact=False).fill("9")
    limits.get_by_label("Your name").fill("Ada")
    limits.get_by_role("button", name="Yes, do it").click()
    expect(limits.get_by_role("row").nth(1)).to_contain_text("9", timeout=40_000)
    limits.get_by_role("button", name="Restore configured limits").click()
    limits.get_by_role("button", name="Yes, do it").click()
    expect(limits.get_by_role("row").nth(1)).to_contain_text("7", timeout=40_000)
    page.goto("/commissioning")
    expect(page.get_by_role("region", name="Machines of this gateway")).to_contain_text(
        "Cooling pump"
    )
    page.screenshot(path=SCREENSHOTS / "commissioning.png", full_page=True)
    page.get_by_role("button", name="Remove Cooling pump").click()
    page.get_by_role("button", name="Yes, do it").click()
    expect(page.get_by_text("No machine yet.")).to_be_visible(timeout=40_000)


def test_a_table_is_checked_then_taken_over(
    open_page: OpenPage, dashboard: RunningDashboard, real_gateway: None
) -> None:
    page = open_page("/commissioning?do=import")
    region = page.get_by_role("region", name="Import a table")
    head = "machine,speed_rpm,point,kind,unit,fs_hz,recordings,recorded_machine,recorded_point\n"
    row = "{},1500,DE,vibration,g,{},rig/manifest.csv,pump,de\n"
    table = region.get_by_role("textbox", name="or paste the table")
    table.fill(head + row.format("fan-1", 2000) + row.format("fan-2", "fast"))
    region.get_by_role("button", name="Check on the gateway").click()
    problem = region.get_by_role("row").nth(1)
    expect(problem).to_contain_text("3")
    expect(problem).to_contain_text("fs_hz")
    page.screenshot(path=SCREENSHOTS / "commissioning-import.png", full_page=True)
    table.fill(head + row.format("fan-1", 2000) + row.format("fan-2", 2000))
    region.get_by_role("button", name="Check on the gateway").click()
    apply = region.get_by_role("button", name="Apply")
    expect(apply).to_be_enabled(timeout=40_000)
    assert serious(page) == []
    apply.click()
    expect(region).to_contain_text("2 machines were taken over", timeout=40_000)
    wait_until(lambda: len(dashboard.get("/api/v1/machines")["items"]) == 2, what="two machines")


def test_a_draft_outlives_the_back_button_and_a_reload(
    open_page: OpenPage, dashboard: RunningDashboard, real_gateway: None
) -> None:
    page = open_page("/commissioning")
    page.get_by_role("button", name="Add a machine").click()
    wizard = page.get_by_role("region", name=re.compile("^Step"))
    wizard.get_by_role("textbox", name="Id").fill("pump-1")
    wizard.get_by_role("textbox", name="Name").fill("Cooling pump")
    wizard.get_by_role("button", name="Next").click()
    points = page.get_by_role("region", name=re.compile("^Step 2"))
    expect(points).to_be_visible()
    page.reload()
    expect(points).to_be_visible()
    page.go_back()
    expect(wizard.get_by_role("textbox", name="Id")).to_have_value("pump-1")
    page.go_back()
    page.get_by_role("button", name="Add a machine").click()
    expect(wizard.get_by_role("textbox", name="Name")).to_have_value("Cooling pump")
    wizard.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Add a machine").click()
    expect(wizard.get_by_role("textbox", name="Id")).to_have_value("")


@pytest.mark.parametrize("dashboard", ["required"], indirect=True)
def test_people_and_updates_on_a_phone(open_page: OpenPage, dashboard: RunningDashboard) -> None:
    page = open_page("/people", viewport="phone", rejected=422)
    sign_in_first(page, dashboard)
    own_role = page.get_by_role("combobox", name="Role of ada")
    expect(own_role).to_have_value("administrator")
    body = {"role": "viewer", "password": PASSWORD, "sites": {"north": "technician"}}
    made = page.request.post(
        f"{dashboard.url}/api/v1/people", data={"name": "eva.of.the.north@plant.example", **body}
    )
    assert made.ok, made.text()
    page.reload()
    page.get_by_role("button", name="Sites…").click()
    expect(page.get_by_role("combobox", name="Role at north").first).to_have_value("technician")
    # without the last site nothing is sent: no site named would be all sites
    page.get_by_role("combobox", name="Role at north").select_option("no access")
    expect(page.get_by_role("button", name="Save sites")).to_be_disabled()
    assert sideways_px(page) <= 0
    assert serious(page) == []
    page.screenshot(path=SCREENSHOTS / "people-phone.png", full_page=True)
    # the last administrator stays one
    own_role.select_option("viewer")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(own_role).to_have_value("administrator")

    updates = UpdateList(open=True, bundles=[BUNDLE], rollouts=[ROLLOUT])
    page.route("**/api/v1/updates", lambda route: route.fulfill(json=updates.model_dump()))
    page.goto("/updates")
    page.get_by_role("button", name="Abort").click()
    expect(page.get_by_role("button", name="Abort the rollout")).to_be_visible()
    assert sideways_px(page) <= 0
    assert serious(page) == []


def test_limits_of_one_machine_are_previewed_for_others_in_words(open_plant: OpenPage) -> None:
    """The page showed keys, JSON and ids."""
    page = open_plant("/commissioning")
    page.get_by_role("button", name="Apply to many").click()
    region = page.get_by_role("region", name="One machine as the template of others")
    region.get_by_role("combobox", name="Template").select_option(label="Conveyor motor 2")
    region.get_by_role("checkbox", name="Limits").uncheck()
    region.get_by_role("checkbox", name="Bearings, gears and train").check()
    region.get_by_role("checkbox", name="Cooling water pump 1").check()
    region.get_by_role("button", name="Preview (1)").click()
    changes = region.get_by_role("row").filter(has_text="Cooling water pump 1")
    belt = "Shaft: 2, Pulley, mm: 200, Belt length, mm: 2000"
    expect(changes).to_contain_text(f"Belts: not given → {belt}")
    expect(changes).to_contain_text("Bearings: not given → 6312")
    expect(region).not_to_contain_text(re.compile(r"[{}\[\]]|_mm|plant~"))
    assert serious(page) == []


def test_a_rule_asks_for_a_way_and_names_one_that_is_off(open_plant: OpenPage) -> None:
    page = open_plant("/notifications")
    rules = page.get_by_role("region", name="Rules")
    expect(rules).to_contain_text("to Shift (switched off)")
    rules.get_by_role("button", name="Add a rule").click()
    way = rules.get_by_role("group", name="Send to").get_by_role("checkbox", name="Shift")
    expect(way).to_be_checked()
    way.uncheck()
    rules.get_by_role("textbox", name="Name").fill("Nights")
    rules.get_by_role("button", name="Save").click()
    expect(way).to_be_focused()
    assert way.evaluate("(box) => box.validity.valueMissing")


def test_a_form_says_what_it_misses_in_the_language_of_the_page(open_plant: OpenPage) -> None:
    page = open_plant("/notifications", language="de-DE")
    ways = page.get_by_role("region", name="Wege zu den Leuten")
    ways.get_by_role("button", name="Weg hinzufügen").click()
    save = ways.get_by_role("button", name="Speichern")
    save.click()
    name = ways.get_by_role("textbox", name="Name")
    expect(name).to_be_focused()
    assert name.evaluate("(field) => field.validationMessage") == "Bitte dieses Feld ausfüllen."
    name.fill("Schicht")
    ways.get_by_label("Server").fill("mail.werk.example")
    sender = ways.get_by_label("Absender")
    sender.fill("werk")
    save.click()
    said = sender.evaluate("(field) => field.validationMessage")
    assert said.startswith("Bitte eine E-Mail-Adresse")


def test_an_entry_of_what_to_check_takes_the_place_of_the_list_on_a_phone(
    open_plant: OpenPage,
) -> None:
    """It opened below a list of two screens: a tap seemed to do nothing."""
    page = open_plant("/prescriptions", viewport="phone")
    page.get_by_role("link", name="Imbalance · fan").click()
    expect(page.get_by_role("heading", name="Imbalance · fan")).to_be_in_viewport()
    page.get_by_role("link", name="All entries").click()
    expect(page.get_by_role("link", name="Imbalance · fan")).to_be_visible()


def test_a_plant_writes_what_to_check_step_by_step(open_plant: OpenPage) -> None:
    """In both languages; the shipped entry returns."""
    page = open_plant("/prescriptions?fault=belt&machine=any")
    entry = page.locator("form")
    steps = entry.get_by_role("group", name=re.compile("^Step"))
    first = steps.nth(0).get_by_role("textbox", name="What · English")
    expect(first).not_to_have_value("")
    shipped, count = first.input_value(), steps.count()
    entry.get_by_role("button", name="Add a step").click()
    own = steps.nth(count)
    own.get_by_role("textbox", name="What · English").fill("Look at the guard | its bolts")
    own.get_by_role("textbox", name="What · German").fill("Schutz ansehen")
    own.get_by_role("spinbutton", name="Minutes").fill("3")
    for place in range(count, 0, -1):
        steps.nth(place).get_by_role("button", name="Move up").click()
    entry.get_by_role("button", name="Save").click()
    expect(entry).to_contain_text("of this plant:")
    page.reload()
    expect(first).to_have_value("Look at the guard | its bolts")
    expect(steps.nth(1).get_by_role("textbox", name="What · English")).to_have_value(shipped)
    assert sideways_px(page) <= 0
    assert serious(page) == []
    page.screenshot(path=SCREENSHOTS / "prescription-desktop.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    assert sideways_px(page) <= 0
    page.screenshot(path=SCREENSHOTS / "prescription-phone.png", full_page=True)
    entry.get_by_role("button", name="Return to the shipped entry").click()
    expect(first).to_have_value(shipped)
    expect(steps).to_have_count(count)
