"""Alarms as a technician handles them: the page asks, the gateway decides, the page shows it."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from auscult.contract.learning import BaselinePart, Checkpoints
from auscult.contract.parts import SuppressionPart
from auscult.contract.payloads import Acknowledgement
from tests.app.conftest import RunningDashboard
from tests.app.messages import (
    FakeGateway,
    acknowledge,
    event,
    handling,
    machine_state,
    now_ms,
    ulid,
)
from tests.e2e.conftest import SCREENSHOTS, OpenPage
from tests.e2e.pages import serious
from tests.e2e.plant import BEARING

pytestmark = pytest.mark.e2e


class Handled:
    """A gateway whose alarms people can handle; it reports the results."""

    def __init__(self, gateway: FakeGateway, *machines: str) -> None:
        self._gateway = gateway
        self.machine_of = {ulid(): machine for machine in machines}
        gateway.answer = self._answer
        gateway.say_hello(*machines)
        for event_id, machine in self.machine_of.items():
            gateway.publish(self._event(event_id, handling("unacknowledged")))
            gateway.publish(machine_state(machine, "alarm", event_id=event_id))

    def _event(self, event_id: str, how: Any) -> Any:
        machine = self.machine_of[event_id]
        return event(machine, event_id, reasons=(BEARING,), handling=how, started_ms=1)

    def _answer(self, name: str, command: dict[str, Any]) -> Acknowledgement | None:
        args, actor = command["args"], command["actor"]
        if name == "acknowledge":
            how = handling(
                "acknowledged", 1, acknowledged_ms=now_ms(), acknowledged_by=actor,
                comment=args["comment"],
            )  # fmt: skip
            self._publish(self._event(args["event_id"], how))
        if name == "shelve":
            until_ms = now_ms() + 1000 * args["duration_s"]
            shelf = SuppressionPart(
                kind="shelved", reason=args["reason"], actor=actor, since_ms=now_ms(),
                until_ms=until_ms,
            )  # fmt: skip
            self._of_machine(args["machine"], handling("shelved", 2, until_ms=until_ms), shelf)
        if name == "label":
            work = SuppressionPart(
                kind="planned_work", reason="", actor=actor, since_ms=now_ms(),
                until_ms=now_ms() + 1000 * args["work_s"], event_id=args["event_id"],
            )  # fmt: skip
            machine = self.machine_of[args["event_id"]]
            self._of_machine(machine, handling("planned_work", 2), work)
        if name in ("unshelve", "finish_work"):
            how = handling("acknowledged", 3, acknowledged_ms=now_ms(), acknowledged_by=actor)
            self._of_machine(args["machine"], how, None)
        return acknowledge(name, command)

    def _of_machine(self, machine: str, how: Any, shelf: SuppressionPart | None) -> None:
        for event_id, mine in self.machine_of.items():
            if mine == machine:
                self._publish(self._event(event_id, how))
                self._publish(machine_state(machine, "alarm", event_id=event_id, suppression=shelf))

    def _publish(self, message: Any) -> None:
        # answers are made in the link's own thread, which must not wait for itself
        threading.Thread(target=self._gateway.publish, args=(message,)).start()


def groups(page: Page) -> Any:
    return page.get_by_role("group", name="Alarms")


def confirm(page: Page, **fields: str) -> None:
    dialog = page.get_by_role("dialog")
    for label, value in {"name": "Eva", **fields}.items():
        box = "Your name" if label == "name" else label.capitalize()
        dialog.get_by_role("textbox", name=box).fill(value)
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog).to_have_count(0)


def test_many_alarms_are_acknowledged_with_one_comment(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    Handled(gateway, "pump-1", "pump-2")
    page = open_page("/")
    page.goto("/alarms")
    expect(page.get_by_text("2 alarms wait for you.")).to_be_visible()
    page.get_by_label("Select all").check()
    page.get_by_role("button", name="Acknowledge (2)").click()
    confirm(page, comment="bearings are ordered")
    expect(page.get_by_text("No alarm waits for you.")).to_be_visible()
    groups(page).get_by_role("button", name="Acknowledged").click()
    expect(page.get_by_text("by Eva: bearings are ordered")).to_have_count(2)
    asked = [command["args"]["comment"] for _, command in gateway.commands]
    assert asked == ["bearings are ordered"] * 2


def test_a_shelf_needs_a_reason_and_can_be_ended(open_page: OpenPage, gateway: FakeGateway) -> None:
    Handled(gateway, "pump-1")
    page = open_page("/alarms", viewport="phone")
    page.get_by_role("button", name="Shelve", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="24 h").click()
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog.get_by_text("Please give a reason")).to_be_visible()
    confirm(page, reason="seal is changed on Monday")
    expect(page.get_by_text("No alarm waits for you.")).to_be_visible()
    groups(page).get_by_role("button", name="Shelved").click()
    (_, command), = gateway.commands  # fmt: skip
    assert command["args"]["duration_s"] == 86_400
    page.get_by_role("button", name="End shelving").click()
    confirm(page)
    expect(page.get_by_text("No machine’s alarms are shelved.")).to_be_visible()


def test_planned_work_is_named_with_its_end_and_reported_finished(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    handled = Handled(gateway, "pump-1")
    page = open_page(f"/cases/{next(iter(handled.machine_of))}", viewport="phone")
    page.get_by_role("radio", name="Planned work").check(force=True)
    page.get_by_label("The work").select_option("is finished in 4 h")
    page.get_by_role("textbox", name="Your name").fill("Tom")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Planned work by Tom since")).to_be_visible()
    said = page.locator("main").inner_text().casefold()
    for other in ("no fault", "unchanged:", "not acknowledged", "within its baseline"):
        assert other not in said
    page.get_by_role("button", name="Work finished").click()
    confirm(page, name="Tom")
    expect(page.get_by_role("button", name="Work finished")).to_have_count(0)
    assert len(gateway.arguments_of("finish_work")) == 1
    assert gateway.arguments_of("label")[0]["work_s"] == 4 * 3600
    expect(page.get_by_text("Work finished Tom")).to_be_visible()


def test_a_rejection_is_shown_and_the_alarm_is_unchanged(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    Handled(gateway, "pump-1")

    def refuse(name: str, command: dict[str, Any]) -> Acknowledgement:
        return Acknowledgement(
            ts=now_ms(), id=command["id"], command=name, ok=False, reason="it has become worse"
        )

    gateway.answer = refuse
    page = open_page("/alarms")
    page.get_by_role("button", name="Acknowledge", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Your name").fill("Eva")
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog.get_by_text("Machine pump-1: refused. it has become worse")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("One alarm waits for you.")).to_be_visible()


def test_an_approval_says_when_it_was_asked_and_what_led_to_it(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    over = event("pump-3", ulid(), "end", reasons=(BEARING,), handling=handling("acknowledged"))
    gateway.publish(over)
    gateway.publish(
        Checkpoints(
            ts=now_ms(), machine="pump-3", active="c", candidate=None, shadow=None,
            checkpoints=(), waiting=(),
            baselines=(BaselinePart(id="b", since_ms=now_ms() - 2 * 3_600_000, active=True),),
        )
    )  # fmt: skip
    gateway.publish(machine_state("pump-3", "learning", awaiting_approval=True))
    page = open_page("/")
    asks = page.get_by_role("region", name="Needs someone").get_by_role("article")
    expect(asks).to_contain_text("an engineer must approve it")
    expect(asks).to_contain_text(re.compile(r"asked .+ by gw1"))
    expect(asks.get_by_role("link", name="Approve…")).to_be_visible()
    assert serious(page) == []
    page.screenshot(path=SCREENSHOTS / "approval.png")
    asks.get_by_role("link", name="Case").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Outer-race defect")
