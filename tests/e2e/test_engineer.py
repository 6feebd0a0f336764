"""What an engineer does on a machine's pages: listens, marks bearings, chooses among versions."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from gateway.messages.learning import CheckpointPart, Checkpoints, ShadowPart
from tests.app.messages import FakeGateway, acknowledge, clip, ignore, metrics, now_ms
from tests.conftest import wait_until
from tests.e2e.conftest import OpenPage

pytestmark = pytest.mark.e2e

MACHINE = "plant~gw1~pump-3"
TONE = (8000 * np.sin(np.arange(40_000) / 20)).astype("<i2").tobytes()


def test_a_machine_is_heard_beside_its_healthy_self(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(clip("pump-3", "DE-H", TONE, fs_hz=8000, kind="healthy"))
    page = open_page(f"/machines/{MACHINE}?point=DE-H")
    listen = page.get_by_role("region", name="Listen")
    expect(listen.get_by_role("button", name="Play: Healthy")).to_be_visible()

    def deliver(name: str, command: dict[str, object]) -> object:
        sent = clip("pump-3", "DE-H", TONE, fs_hz=8000, id=str(command["id"]))
        gateway.send(gateway.topics.clip("pump-3", "DE-H"), sent.payload())
        return acknowledge(name, command)

    gateway.answer = deliver  # type: ignore[assignment]
    listen.get_by_role("button", name="Fetch the last seconds").click()
    expect(listen.get_by_text("louder here is stronger")).to_be_visible()
    listen.get_by_role("button", name="4×").click()
    with page.expect_response(re.compile(r"/clips/.*\.wav\?full_scale=")) as sound:
        listen.get_by_role("button", name="Play: Now").click()
    assert sound.value.ok
    # it plays, or has played already: 5 s of sound at four times its speed
    button = listen.get_by_role("button", name=re.compile("(Play|Pause): Now"))
    expect(button).to_have_attribute("aria-busy", "false")
    expect(listen.get_by_text("It could not be played.")).to_have_count(0)


def test_a_bearings_frequencies_are_marked(look: OpenPage) -> None:
    page = look(f"/machines/{MACHINE}")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    panel.get_by_label("Mark frequencies of").select_option(label="6312")
    lines = panel.get_by_role("list", name="6312")
    expect(lines.get_by_role("listitem").first).to_have_text("BPFO 76 Hz")
    expect(page).to_have_url(re.compile("mark=bearing-0"))
    panel.get_by_role("button", name="Sidebands").click()
    expect(panel.get_by_label("Spacing")).to_have_value("24.67")
    expect(panel.get_by_text("middle 80 % of 12 spectra")).to_be_visible()
    waterfall = page.get_by_role("region", name="Spectra over time")
    expect(waterfall.get_by_role("img", name=re.compile("^14 spectra from"))).to_be_visible()


def test_a_point_is_chosen_on_the_sketch(look: OpenPage) -> None:
    page = look(f"/machines/{MACHINE}")
    sketch = page.get_by_role("region", name="Where it is measured")
    sketch.get_by_role("button", name="Non-drive end, horizontal: Normal").click()
    expect(page).to_have_url(re.compile("point=NDE-H"))


def versions(active: str, candidate: str | None) -> Checkpoints:
    def version(number: int, state: str, **more: object) -> CheckpointPart:
        return CheckpointPart.model_validate({
            "id": f"v{number}", "created_ms": now_ms() - 1000 * number, "state": state,
            "reason": "", "kept": True, "actor": "Eva", **more,
        })  # fmt: skip

    learned = {"verdict": "false_alarm", "event_id": "e1", "before": metrics(),
               "after": metrics(alarms_per_week=0.2)}  # fmt: skip
    second = "candidate" if candidate else "active" if active == "v2" else "rejected"
    first = "active" if active == "v1" else "retired"
    return Checkpoints(
        ts=now_ms(),
        machine="pump-3",
        active=active,
        candidate=candidate,
        shadow=ShadowPart(
            windows=120, windows_needed=500, hours_needed=8, active_beyond=4, candidate_beyond=1
        )
        if candidate
        else None,
        checkpoints=(version(2, second, **learned), version(1, first)),
    )


def test_a_version_on_trial_is_promoted_and_taken_back(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(versions("v1", "v2"))
    page = open_page(f"/machines/{MACHINE}")
    page.get_by_role("link", name="Versions and what they changed").click()
    trial = page.get_by_role("article").filter(has=page.get_by_role("heading", name="On trial"))
    expect(page.get_by_text("120 of 500 windows")).to_be_visible()
    expect(trial.get_by_role("row").filter(has_text="Replayed alarms per week")).to_contain_text(
        "0.2"
    )
    trial.get_by_role("button", name="Let it judge now").click()
    trial.get_by_label("Your name").fill("Ada")
    trial.get_by_role("button", name="Yes, do it").click()
    wait_until(lambda: [name for name, _ in gateway.commands] == ["promote"], 20, "the command")
    assert gateway.commands[0][1]["args"]["checkpoint_id"] == "v2"
    gateway.publish(versions("v2", None))
    active = page.get_by_role("article").filter(has=page.get_by_role("heading", name="Judges now"))
    expect(active.get_by_text("v2", exact=True)).to_be_visible()

    gateway.answer = ignore
    page.get_by_role("button", name="Go back to this").click()
    page.get_by_role("button", name="Yes, do it").click()
    wait_until(
        lambda: [name for name, _ in gateway.commands] == ["promote", "roll_back"],
        20,
        "the command",
    )
