"""An engineer sets a machine up in the wizard: sources, sensors, back and reload."""

from __future__ import annotations

import hashlib
import re
import threading
from typing import Any

import pytest
from playwright.sync_api import expect

from auscult.contract.inventory import Configuration
from auscult.contract.payloads import Acknowledgement, ProblemPart
from auscult.contract.requests import TrySourceArgs
from auscult.contract.said import Said
from auscult.contract.trials import TrialPart
from auscult.gateway.sources.forms import form_of, source_forms
from auscult.gateway.sources.http_json.source import HttpJsonKind
from auscult.gateway.sources.modbus.settings import ModbusSource
from auscult.gateway.sources.trial import Trials
from auscult.link.broker import BrokerSettings
from tests.app.messages import (
    FakeGateway,
    acknowledge,
    now_ms,
)
from tests.e2e.conftest import SCREENSHOTS, OpenPage
from tests.gateway.sources.peers import modbus_device
from tests.ports import free_port

pytestmark = pytest.mark.e2e


def answer_trial(name: str, command: dict[str, Any]) -> Acknowledgement:
    """Try the source, as a gateway does."""
    asked = TrySourceArgs.model_validate(command["args"])
    trials = Trials(BrokerSettings(), "test", tuple, threading.Event())
    values = trials.run(ModbusSource.model_validate(asked.source), asked.machine)
    trial = TrialPart(values=values, seconds=0.1)
    return acknowledge(name, command).model_copy(update={"trial": trial})


def reject_all(name: str, command: dict[str, Any]) -> Acknowledgement:
    """Reject a configuration with three problems."""
    found = [
        (("sources", 1, "port"), Said("value_at_most", {"limit": 65_535})),
        (("sources", 0, "values", 0), Said("register_refused", {"address": 9, "detail": "x"})),
        (("machines", 0, "id"), Said("machine_in_file", {"machine": "fan-9"})),
    ]
    problems = tuple(ProblemPart(path=path, text=said.text, said=said) for path, said in found)
    changed = {"ok": False, "reason": "3 problems", "problems": problems}
    return acknowledge(name, command).model_copy(update=changed)


def test_values_of_a_modbus_device_and_a_push_are_commissioned(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(Configuration(ts=now_ms(), version="v1", forms=source_forms(())))
    page = open_page("/commissioning?do=add", viewport="phone")
    page.get_by_label("Id", exact=True).fill("fan-9")
    page.get_by_role("button", name="Next").click()
    point = page.get_by_role("group", name="Point 1")
    point.get_by_role("combobox", name="Signal from").select_option("modbus")
    device = page.get_by_role("group", name="The Modbus device")
    device.get_by_role("combobox", name="Device").select_option("banner-qm30vt2")
    device.get_by_role("textbox", name="Address").fill("10.0.0.7")
    point.get_by_role("combobox", name=re.compile("^Register")).select_option("z_velocity_rms")
    expect(point.get_by_role("combobox", name="Quantity")).to_have_value("velocity_rms")
    expect(point.get_by_role("textbox", name="Unit of the value")).to_have_value("mm/s")
    point.get_by_role("spinbutton", name="One value each, s").fill("60")
    page.get_by_role("button", name="Add a point").click()
    pushed = page.get_by_role("group", name="Point 2")
    pushed.get_by_role("textbox", name="Id", exact=True).fill("T")
    pushed.get_by_role("combobox", name="Signal from").select_option("http")
    pushed.get_by_role("combobox", name="Quantity").select_option("temperature")
    pushed.get_by_role("textbox", name="Unit of the value").fill("°C")
    pushed.get_by_role("spinbutton", name="One value each, s").fill("60")
    page.get_by_role("button", name="Make a token").click()
    token = page.get_by_role("group", name="Values by HTTP").get_by_role("status").locator("code")
    expect(token).to_have_text(re.compile("^[0-9a-f]{64}$"))
    gateway.answer = answer_trial  # type: ignore[assignment]
    found = device.get_by_role("status")
    port = free_port()
    device.get_by_role("textbox", name="Address").fill("127.0.0.1")
    device.get_by_role("spinbutton", name="Port").fill(str(port))
    device.get_by_role("button", name="Show what arrives").click()
    expect(found).to_contain_text("it refuses the connection; check the port", timeout=20_000)
    with modbus_device(port, {5201: 1250}):
        device.get_by_role("button", name="Show what arrives").click()
        expect(found).to_contain_text(re.compile(r"DE-H 1\.25.mm/s read as 1\.25 · quality good"))
    gateway.answer = acknowledge
    device.get_by_role("textbox", name="Address").fill("10.0.0.7")
    page.get_by_role("button", name="Add a tachometer").click()
    page.screenshot(path=SCREENSHOTS / "commissioning-values-phone.png", full_page=True)
    page.get_by_role("button", name="Remove the tachometer").click()
    given = token.text_content() or ""
    # quick clicks at one place, one too many: each reaches the next step, and nothing is applied
    box = page.get_by_role("button", name="Next").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for number in range(1, 5):
        page.mouse.down(click_count=number)
        page.mouse.up(click_count=number)
    expect(page.get_by_role("heading", name=re.compile("^Step 5"))).to_be_visible()
    assert gateway.arguments_of("configure") == []
    gateway.answer = reject_all
    page.get_by_role("button", name="Apply").click()
    wrong = page.get_by_role("list").filter(has_text="register 9 is rejected")
    expect(wrong.get_by_role("button")).to_have_text(
        ["Points · Values by HTTP · Port", "Points · DE-H", "Machine · Id"]
    )
    wrong.get_by_role("button", name="Points · Values by HTTP · Port").click()
    expect(page.get_by_role("spinbutton", name="Port").last).to_be_focused()
    page.screenshot(path=SCREENSHOTS / "commissioning-problems-phone.png")
    wrong.get_by_role("button", name="Machine · Id").click()
    expect(page.get_by_label("Id", exact=True)).to_be_focused()
    gateway.answer = acknowledge
    gateway.commands.clear()
    for _ in range(4):
        page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("heading", name="fan-9")).to_be_visible()
    (asked,) = gateway.arguments_of("configure")
    modbus, http = asked["sources"]
    assert (modbus["host"], modbus["register_map"]) == ("10.0.0.7", "banner-qm30vt2")
    assert modbus["values"] == [{"point": "DE-H", "register_name": "z_velocity_rms"}]
    assert http["token_sha256"] == hashlib.sha256(given.encode()).hexdigest()


def test_a_kind_that_the_page_does_not_know_is_set_up_by_its_form(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    form = form_of("http_json", HttpJsonKind(), allowed=False)
    gateway.publish(Configuration(ts=now_ms(), version="v1", forms=(form,)))
    page = open_page("/commissioning?do=add", viewport="phone")
    page.get_by_label("Id", exact=True).fill("fan-9")
    page.get_by_role("button", name="Next").click()
    point = page.get_by_role("group", name="Point 1")
    point.get_by_role("combobox", name="Signal from").select_option("http_json")
    point.get_by_role("textbox", name=re.compile("^Path to the value")).fill("apower")
    point.get_by_role("combobox", name="Quantity").select_option("power")
    point.get_by_role("textbox", name="Unit of the value").fill("W")
    point.get_by_role("spinbutton", name="One value each, s").fill("60")
    device = page.get_by_role("group", name="The device with JSON over HTTP")
    address = device.get_by_role("textbox", name="Address of the JSON")
    expect(address).to_have_value("http://")
    page.get_by_role("button", name="Next").click()
    expect(address).to_be_focused()  # it names no host
    address.fill("http://10.0.0.9/status")
    device.get_by_role("spinbutton", name="Longest wait, s").fill("3")
    for _ in range(3):
        page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("heading", name="fan-9")).to_be_visible()
    (asked,) = gateway.arguments_of("configure")
    assert asked["sources"] == [{
        "type": "http_json",
        "machine": "fan-9",
        "url": "http://10.0.0.9/status",
        "timeout_s": 3,
        "values": [{"point": "power", "path": "apower"}],
    }]  # fmt: skip


def test_the_form_of_a_machine_asks_for_each_setting_of_its_running_state(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(Configuration(ts=now_ms(), version="v1"))
    page = open_page("/commissioning?do=add", viewport="phone")
    page.get_by_label("Id", exact=True).fill("fan-9")
    page.get_by_role("spinbutton", name="Nominal speed, r/min").fill("1500")
    healthy = page.get_by_role("group", name="Healthy period")
    expect(healthy.get_by_role("spinbutton")).to_have_count(0)
    more = healthy.get_by_text("More: False events accepted")
    more.click()
    after_start = healthy.get_by_role("spinbutton", name="Left out after a start, s")
    expect(after_start).to_have_value("0")
    expect(after_start).to_have_accessible_description(re.compile("nothing is decided"))
    after_start.fill("4000")
    more.click()
    page.get_by_role("button", name="Next").click()
    expect(after_start).to_be_focused()  # at most one hour
    after_start.fill("30")
    healthy.get_by_role("checkbox", name="The signal shows whether it runs").uncheck()
    healthy.get_by_role("spinbutton", name="Learn at least, windows").fill("200")
    page.screenshot(path=SCREENSHOTS / "commissioning-machine-phone.png", full_page=True)
    for _ in range(4):
        page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("heading", name="fan-9")).to_be_visible()
    (asked,) = gateway.arguments_of("configure")
    (machine,) = asked["machines"]
    assert (machine["start_s"], machine["running_from_signal"]) == (30, False)
    assert (machine["baseline_windows"], machine["approve_baseline"]) == (200, True)
    assert machine["speed_rpm"] == 1500
    assert "support" not in machine  # not given


def test_a_machine_with_sensors_over_mqtt_is_commissioned(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(Configuration(ts=now_ms(), version="v1"))
    page = open_page("/commissioning?do=add")
    page.get_by_label("Id", exact=True).fill("fan-9")
    page.get_by_role("button", name="Next").click()
    # a gateway of 0.3 sends no forms
    expect(page.get_by_text("Update this gateway to set up sources of values")).to_be_visible()
    point = page.get_by_role("group", name="Point 1")
    point.get_by_label("Signal from").select_option("mqtt")
    point.get_by_label("MQTT topic").fill("sensors/fan-9/de")
    point.get_by_label("Burst, s").fill("2")
    point.get_by_label("Interval of bursts, s").fill("600")
    page.get_by_role("button", name="Add a process value").click()
    tag = page.get_by_role("group", name="Process value 1")
    tag.get_by_label("MQTT topic").fill("plc/fan-9")
    tag.get_by_label("Where in the JSON").fill("/speed")
    tag.get_by_label("Times").fill("60")
    for _ in range(3):
        page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("heading", name="fan-9")).to_be_visible()
    (asked,) = gateway.arguments_of("configure")
    assert asked["sources"] == [{
        "type": "mqtt",
        "machine": "fan-9",
        "waveforms": [
            {"point": "DE-H", "topic": "sensors/fan-9/de", "burst_s": 2, "interval_s": 600}
        ],
        "tags": [{"name": "speed_rpm", "topic": "plc/fan-9", "pointer": "/speed", "scale": 60,
                  "offset": 0}],
        "stale_after_s": 300,
    }]  # fmt: skip


def test_back_and_reload_keep_what_the_wizard_has(open_plant: OpenPage) -> None:
    page = open_plant("/commissioning?do=add")
    page.get_by_label("Id", exact=True).fill("fan-9")
    page.get_by_role("button", name="Next").click()
    page.get_by_role("group", name="Point 1").get_by_label("Direction").select_option("axial")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("BPFO").fill("3.1")
    page.get_by_role("button", name="Add a gear pair").click()
    page.get_by_label("Driven teeth").fill("57")
    page.reload()
    expect(page.get_by_label("Driven teeth")).to_have_value("57")
    expect(page.get_by_label("BPFO")).to_have_value("3.1")
    page.go_back()
    point = page.get_by_role("group", name="Point 1")
    expect(point.get_by_label("Direction")).to_have_value("axial")
    page.go_back()
    expect(page.get_by_label("Id", exact=True)).to_have_value("fan-9")
    page.get_by_role("link", name="Overview").click()
    page.go_back()
    page.go_forward()
    page.go_back()
    expect(page.get_by_label("Id", exact=True)).to_have_value("fan-9")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Add a machine").click()
    expect(page.get_by_label("Id", exact=True)).to_have_value("")
