"""An answer to an event: seen before it is given, sent once, kept while the line is down."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from auscult.contract.payloads import Acknowledgement
from tests.app.conftest import RunningDashboard
from tests.app.messages import (
    READY,
    FakeGateway,
    acknowledge,
    event,
    ignore,
    machine_state,
    point_state,
    ulid,
)
from tests.app.test_faults import QUESTION
from tests.e2e.conftest import SCREENSHOTS, VIEWPORTS, OpenPage
from tests.e2e.pages import (
    MACHINE,
    serious,
    small_targets,
)
from tests.e2e.plant import BEARING, depart
from tests.waiting import eventually, wait_until

pytestmark = pytest.mark.e2e


def answer_as(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Send answer").click()


def test_answer_in_two_taps_and_its_effect(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    event_id = depart(gateway)
    gateway.answer = ignore
    page = open_page("/", viewport="tablet")
    page.get_by_role("link", name="Outer-race defect, Point DE-H").click()

    expect(page.get_by_role("heading", name="Outer-race defect, Point DE-H")).to_be_focused()
    expect(page.get_by_text("82%", exact=True)).to_be_visible()
    page.get_by_role("heading", name="Everything that moved").click()
    expect(page.get_by_role("heading", name="Learned baseline")).to_be_visible()
    expect(page.get_by_role("heading", name="ISO zone")).to_be_visible()
    expect(page.get_by_text("sidebands at shaft speed")).to_be_visible()
    moved = page.get_by_role("cell", name="Outer race (BPFO): prominence")
    expect(moved).to_have_count(1)

    page.get_by_role("radio", name="False alarm").check()
    preview = page.get_by_role("region", name="What this would change")
    expect(preview.get_by_text("Asking the gateway…")).to_be_visible()
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Please give your name")).to_be_visible()
    page.get_by_label("Your name").fill("Eva")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Sent, waiting for the gateway")).to_be_visible()

    wait_until(lambda: gateway.actions, what="the label to reach the gateway")
    name, command = gateway.actions[0]
    assert name == "label"
    assert command["args"] == {
        "event_id": event_id, "verdict": "false_alarm", "note": "",
    } | {k: v for k, v in command["args"].items() if k == "kind" and v is None}  # fmt: skip
    assert command["actor"] == "Eva"
    answer = acknowledge(name, command)
    assert answer is not None
    gateway.publish(answer)

    expect(page.get_by_text(re.compile("^(Learned|Stored; it would ask again)$"))).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Replayed alarms per week")
    expect(row.get_by_role("cell")).to_have_text(["3", "0.2"])
    expect(
        page.get_by_role("row")
        .filter(has_text="Healthy windows above the limit")
        .get_by_role("cell")
    ).to_have_text(["1%", "0.1%"])

    page.goto("/labels")
    ledger = page.get_by_role("row").filter(has_text="Eva")
    expect(ledger).to_contain_text("False alarm")
    expect(ledger).to_contain_text("alarms per week 3 → 0.2")


def test_what_an_answer_would_change_is_seen_before_it_is_given(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    event_id = depart(gateway)
    page = open_page(f"/events/{event_id}", viewport="phone")
    page.get_by_role("radio", name="False alarm").tap()
    preview = page.get_by_role("region", name="What this would change")
    expect(preview.get_by_text("Would be stored; it would ask again.")).to_be_visible()
    row = preview.get_by_role("row").filter(has_text="Replayed alarms per week")
    expect(row.get_by_role("cell")).to_have_text(["3", "0.2"])
    expect(page.get_by_role("button", name="Send answer")).to_be_in_viewport(ratio=1)

    page.get_by_role("radio", name="Not sure").tap()
    expect(preview.get_by_text("It would be stored, and change nothing")).to_be_visible()
    expect(preview.get_by_role("row")).to_have_count(0)
    assert gateway.actions == [], "nothing was answered yet"


def test_a_gateway_that_is_away_holds_no_answer_up(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    event_id = depart(gateway)
    page = open_page(f"/events/{event_id}")
    away = {"status": 424, "title": "Failed Dependency", "detail": "it did not answer"}
    page.route("**/preview?*", lambda route: route.fulfill(status=424, json=away))
    page.get_by_role("radio", name="False alarm").check()
    preview = page.get_by_role("region", name="What this would change")
    expect(preview.get_by_text("The gateway is away or busy")).to_be_visible()
    answer_as(page, "Eva")
    expect(page.get_by_text(re.compile("^(Learned|Stored; it would ask again)$"))).to_be_visible()


def test_a_rejected_answer_has_a_reason(open_page: OpenPage, gateway: FakeGateway) -> None:
    from tests.app.messages import lesson_part

    event_id = depart(gateway)

    def reject(name: str, command: dict[str, object]) -> object:
        answer = acknowledge(name, command)
        assert answer is not None
        return answer.model_copy(update={"lesson": lesson_part(str(command["id"]), accepted=False)})

    gateway.answer = reject  # type: ignore[assignment]
    page = open_page(f"/events/{event_id}")
    page.get_by_role("radio", name="False alarm").check()
    answer_as(page, "Eva")
    expect(page.get_by_text("Not learned")).to_be_visible()
    reason = page.get_by_text("would lose or weaken the confirmed fault of event 1")
    expect(reason.get_by_role("link")).to_have_attribute("href", "/events/01J0LOST")


def test_a_double_tap_is_one_answer(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    event_id = depart(gateway)
    page = open_page(f"/events/{event_id}", viewport="phone")
    page.get_by_role("radio", name="Real fault").tap()
    expect(page.get_by_label("Which fault?")).to_have_value("outer")
    page.get_by_label("Your name").fill("Eva")
    page.get_by_role("button", name="Send answer").dblclick()
    expect(page.get_by_text("Real fault: Bearing, outer race")).to_be_visible()
    labels = dashboard.get("/api/v1/labels")["items"]
    assert [(label["verdict"], label["kind"]) for label in labels] == [("confirmed_fault", "outer")]
    wait_until(lambda: len(gateway.actions) > 1, what="acknowledgement and label")
    sent = {command["id"]: name for name, command in gateway.actions}
    assert sorted(sent.values()) == ["acknowledge", "label"]


def test_a_known_person_needs_two_taps(open_page: OpenPage, gateway: FakeGateway) -> None:
    event_id = depart(gateway)
    page = open_page(f"/events/{event_id}", viewport="phone")
    page.get_by_role("radio", name="Not sure").tap()
    answer_as(page, "Eva")
    page.get_by_role("button", name="Answer again").tap()
    page.get_by_role("radio", name="False alarm").tap()
    send = page.get_by_role("button", name="Send answer")
    expect(send).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("Answering as Eva.")).to_be_visible()
    send.tap()
    # the earlier answer is below it
    answer = page.get_by_role("article").filter(has=page.get_by_text("False alarm", exact=True))
    expect(answer.get_by_text(re.compile("^(Learned|Stored; it would ask again)$"))).to_be_visible()


def test_an_answer_that_got_lost_is_sent_again_by_itself_as_the_same(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    event_id = depart(gateway)
    page = open_page(f"/cases/{event_id}", viewport="phone")
    asked: list[str] = []
    back = False

    def lose(route: Route) -> None:
        asked.append((route.request.post_data_json or {})["id"])
        if len(asked) == 1:
            route.fetch()  # the server stores it, the response is lost
        if back:
            route.continue_()
        else:
            route.abort()

    page.route("**/labels?*", lose)
    page.route("**/api/v1/live", lambda route: route.abort())
    page.get_by_role("radio", name="Not sure").check()
    answer_as(page, "Eva")
    kept = page.get_by_text("1 answer is kept on this device")
    expect(kept).to_be_visible()
    expect(page.get_by_text("Failed to fetch")).to_have_count(0)
    back = True
    page.reload()  # what is kept survives
    page.unroute("**/api/v1/live")
    expect(page.get_by_role("button", name="Answer again")).to_be_visible()
    expect(kept).to_have_count(0)
    assert len(set(asked)) == 1
    assert len(dashboard.get("/api/v1/labels")["items"]) == 1


def test_a_take_back_reads_as_a_take_back(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    event_id = depart(gateway)
    page = open_page(f"/cases/{event_id}")
    page.get_by_role("radio", name="False alarm").check()
    answer_as(page, "Eva")
    page.get_by_role("button", name="Take it back").click()
    page.get_by_role("button", name="Send answer").click()
    history = page.get_by_role("region", name="What happened")
    answered = history.get_by_role("listitem").filter(has_text="taken back by Eva")
    expect(answered).to_contain_text("False alarm")
    expect(answered.get_by_text("False alarm")).to_have_css("text-decoration-line", "line-through")
    expect(history.get_by_text("Answer taken back")).to_be_visible()
    expect(history).not_to_contain_text("Not sure")
    expect(page.get_by_role("radio", name="Not sure")).to_be_visible()  # the question is open
    assert dashboard.get(f"/api/v1/cases/{event_id}")["label"] is None
    for name, viewport in VIEWPORTS.items():
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        page.screenshot(path=SCREENSHOTS / f"take-back-{name}.png", full_page=True)


def test_a_colleagues_answer_leaves_a_half_made_one_in_place(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    event_id = depart(gateway)
    page = open_page(f"/events/{event_id}")
    page.get_by_role("radio", name="Real fault").check()
    page.get_by_label("Your name").fill("Eva")
    colleague = page.request.post(
        f"/api/v1/events/{event_id}/labels",
        data={"id": ulid(), "actor": "Jonas", "verdict": "false_alarm"},
    )
    assert colleague.ok
    expect(page.get_by_text("Jonas answered meanwhile: False alarm.")).to_be_visible()
    expect(page.get_by_role("radio", name="Real fault")).to_be_checked()
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_role("article").filter(has_text="Eva")).to_contain_text("Real fault")
    expect(page.get_by_role("button", name="Answer again")).to_be_visible()


def test_from_a_notification_to_a_right_answer_in_two_taps(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    """A person follows the link of a notification on a phone."""
    event_id = depart(gateway)
    gateway.publish(point_state("pump-3", "NDE-H"))
    page = open_page("/", viewport="phone")
    page.evaluate("localStorage.setItem('auscult.person', 'Eva')")
    page.goto(f"/cases/{event_id}")
    expect(page.get_by_role("heading", name="Outer-race defect, Point DE-H")).to_be_in_viewport()
    question = page.get_by_role("radio", name="Real fault")
    expect(question).to_be_in_viewport()
    question.tap()
    expect(page.get_by_label("Which fault?")).to_have_value("outer")
    page.get_by_role("button", name="Send answer").tap()
    expect(page.get_by_text("Answered: Real fault: Bearing, outer race")).to_be_visible()
    (label,) = dashboard.get("/api/v1/labels")["items"]
    assert (label["event_id"], label["verdict"], label["kind"]) == (
        event_id, "confirmed_fault", "outer",
    )  # fmt: skip


def test_a_question_is_answered_on_the_machines_page(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(machine_state("pump-3", "normal", coverage=READY, questions=(QUESTION,)))
    page = open_page(f"/machines/{MACHINE}", viewport="phone")
    panel = page.get_by_role("region", name="Was this normal?")
    expect(panel.get_by_text("of the warning level and fell again")).to_be_visible()
    normal = panel.get_by_role("button", name="Yes, normal")
    normal.tap()
    expect(normal).to_have_attribute("aria-pressed", "true")
    preview = panel.get_by_role("region", name="What this would change")
    expect(preview.get_by_text("Would be stored; it would ask again.")).to_be_visible()
    assert serious(page) == []
    panel.get_by_role("button", name="Send answer").tap()
    expect(panel.get_by_text("Please give your name")).to_be_visible()
    panel.get_by_label("Your name").fill("Eva")
    panel.get_by_role("button", name="Send answer").tap()
    expect(panel.get_by_text(re.compile("Learned|Stored; it would ask again"))).to_be_visible()
    assert [one["verdict"] for one in dashboard.get("/api/v1/labels")["items"]] == ["false_alarm"]
    # the gateway withdraws what is answered; the answer stays until it is closed
    gateway.publish(machine_state("pump-3", "normal", coverage=READY))
    panel.get_by_role("button", name="Close").tap()
    expect(panel).to_have_count(0)


def test_a_confirmed_fault_is_shown_at_its_place_and_stays_on_a_machine_that_is_normal_again(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    event_id = depart(gateway)
    page = open_page(f"/cases/{event_id}")
    expect(page.locator("header .sketch svg").first).to_be_visible()
    page.get_by_role("radio", name="Real fault").check()
    answer_as(page, "Eva")
    expect(page.get_by_text(re.compile("^Confirmed")).first).to_be_visible()
    gateway.publish(event("pump-3", event_id, "end", condition="normal", reasons=(BEARING,)))
    gateway.publish(machine_state("pump-3", "normal", coverage=READY))
    page.goto(f"/machines/{MACHINE}")
    expect(page.get_by_text("Normal", exact=True).first).to_be_visible()
    page.get_by_role("link", name="confirmed, not repaired").click()
    expect(page.get_by_role("heading", name="Outer-race defect")).to_be_visible()


def test_cases_are_answered_one_after_another_with_one_tap_each(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-1", "pump-2", "pump-3")
    for machine in ("pump-1", "pump-2", "pump-3"):
        gateway.publish(event(machine, ulid(), reasons=(BEARING,)))

    def doubt(name: str, command: dict[str, Any]) -> Acknowledgement | None:
        answer = acknowledge(name, command)
        if answer is None or answer.lesson is None:
            return answer
        opened = replace(answer.lesson, contradicts=("01J0EARLIER",))
        return answer.model_copy(update={"lesson": opened})

    gateway.answer = doubt
    page = open_page("/cases", viewport="phone")
    page.evaluate("localStorage.setItem('auscult.person', 'Eva')")
    page.reload()
    page.get_by_role("button", name="Answer 3 cases one by one").tap()
    expect(page.get_by_text("1 of 3 without an answer")).to_be_visible()
    first = page.url
    page.get_by_role("button", name="False alarm").tap()
    expect(page.get_by_text("1 of 2 without an answer")).to_be_visible()
    assert page.url != first
    expect(page.get_by_role("status").filter(has_text="False alarm")).to_be_visible()
    expect(page.get_by_text("1 event was answered otherwise:")).to_be_visible()
    page.screenshot(path=SCREENSHOTS / "review.png")
    assert serious(page) == []
    assert small_targets(page) == []
    # the keyboard does the same
    page.keyboard.press("4")
    expect(page.get_by_role("status").filter(has_text="Not sure")).to_be_visible()
    expect(page.get_by_text("1 of 1 without an answer")).to_be_visible()
    expect(page.get_by_role("button", name="Real fault")).to_be_enabled()
    page.keyboard.press("1")
    expect(page).to_have_url(re.compile("/cases$"))

    def verdicts() -> list[str]:
        return [given["verdict"] for given in gateway.arguments_of("label")]

    # the page goes ahead as soon as the dashboard has an answer; the gateway gets it after that
    eventually(verdicts, ["false_alarm", "unsure", "confirmed_fault"])
    page.get_by_role("button", name="Take it back").tap()
    expect(page.get_by_text("1 of 1 without an answer")).to_be_visible()
    eventually(verdicts, ["false_alarm", "unsure", "confirmed_fault", "unsure"])
