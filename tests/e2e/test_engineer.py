"""What an engineer does on a machine's pages: listens, marks bearings, chooses among versions."""

from __future__ import annotations

import base64
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from auscult.contract.inventory import Configuration
from auscult.contract.learning import (
    BaselinePart,
    CheckpointPart,
    Checkpoints,
    DeltaPart,
    ShadowPart,
)
from auscult.contract.machines import MachineSettings
from auscult.contract.payloads import Acknowledgement
from auscult.contract.records import Detectable
from tests.app.conftest import RunningDashboard
from tests.app.messages import (
    FakeGateway,
    acknowledge,
    clip,
    event,
    handling,
    ignore,
    lesson_part,
    metrics,
    now_ms,
    point_state,
    run_up,
    spectrum,
    ulid,
)
from tests.e2e.conftest import SCREENSHOTS, OpenPage
from tests.e2e.pages import MACHINE, serious, sideways_px, small_targets
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e

TONE = (8000 * np.sin(np.arange(40_000) / 20)).astype("<i2").tobytes()


def test_a_clip_plays_beside_a_healthy_one(open_page: OpenPage, gateway: FakeGateway) -> None:
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
    expect(listen.get_by_text("what is louder is stronger")).to_be_visible()
    listen.get_by_role("button", name="4×").click()
    with page.expect_response(re.compile(r"/clips/.*\.wav\?full_scale=")) as sound:
        listen.get_by_role("button", name="Play: Now").click()
    assert sound.value.ok
    # it plays, or has played already: 5 s of sound at four times its speed
    button = listen.get_by_role("button", name=re.compile("(Play|Pause): Now"))
    expect(button).to_have_attribute("aria-busy", "false")
    expect(listen.get_by_text("It could not be played.")).to_have_count(0)


def test_the_point_stays_while_another_gets_worse(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(point_state("pump-3", "DE-H", evidence=0.3))
    gateway.publish(point_state("pump-3", "NDE-H", evidence=0.1))
    wait_until(lambda: dashboard.get("/api/v1/machines")["items"], what="the machine")
    points = f"/api/v1/machines/{MACHINE}"
    wait_until(lambda: len(dashboard.get(points)["point_states"]) == 2, what="both points")
    page = open_page(f"/machines/{MACHINE}?tab=setup")
    limits = page.get_by_role("region", name=re.compile("^Fixed limits"))
    limits.get_by_role("button", name="Change the limits").click()
    limits.get_by_role("group", name="Limit 1").get_by_label("Alarm", exact=False).fill("9")
    title = limits.get_by_role("heading").inner_text()
    gateway.publish(point_state("pump-3", "NDE-H", "alarm", evidence=12.0))
    table = page.get_by_role("region", name="Measuring points")
    expect(table.get_by_text("Alarm", exact=True)).to_be_visible()
    expect(limits.get_by_role("heading")).to_have_text(title)
    value = limits.get_by_role("group", name="Limit 1").get_by_label("Alarm", exact=False)
    expect(value).to_have_value("9")


def test_a_live_message_does_not_load_the_pictures_again(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(point_state("pump-3", "DE-H", evidence=0.1))
    page = open_page(f"/machines/{MACHINE}?point=DE-H")
    trends = page.get_by_role("region", name="Feature trends")
    expect(trends.get_by_role("heading").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    place = page.get_by_role("region", name="Where it is measured")
    for condition, shown in (("alarm", "Alarm"), ("normal", "Normal"), ("alarm", "Alarm")):
        gateway.publish(point_state("pump-3", "DE-H", condition))
        expect(place.get_by_role("button", name=f"Point DE-H: {shown}", exact=True)).to_be_visible()
    again = [
        url for url in loaded if url.split("?")[0].endswith(("/trend", "/waterfall", "/clips"))
    ]
    assert len(again) <= 3, "no more than the panels' own timers"


def test_a_bearings_frequencies_are_marked(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}")
    # the fault in a line, not the sentence of how it was found
    fault = "Outer-race defect, Drive end, horizontal"
    expect(page.get_by_role("link", name=fault, exact=True)).to_be_visible()
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


def test_two_points_have_an_orbit_and_a_phase(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}?point=DE-H", rejected=422)
    page.locator("summary", has_text="Orbit and phase of two points").press("Enter")
    expect(page.get_by_role("img", name="Orbit at 1× of Drive end")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="−80°")).to_contain_text("1×")
    page.get_by_label("Compare at").fill("320")
    page.get_by_label("Compare at").press("Enter")
    expect(page.get_by_role("row").filter(has_text="320")).to_contain_text("Line")
    # a machine whose points have no signals yet
    page.goto("/machines/plant~gw1~pump-1")
    page.locator("summary", has_text="Orbit and phase of two points").press("Enter")
    expect(page.get_by_text("have no signals of the same time; fetch both")).to_be_visible()


def test_the_least_changes_that_would_be_found_are_a_table(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    gateway.say_hello("pump-3")
    found = (
        Detectable("DE-H", "step", "×", "velocity_rms_mm_s", 1.6, 1.3, 1.3),
        Detectable("DE-H", "outer", "g", "6205", None, 0.41, 0.4),
    )
    gateway.publish(point_state("pump-3", "DE-H"))
    gateway.publish(Checkpoints(ts=now_ms(), machine="pump-3", active="a", detectable=found))
    known = f"/api/v1/machines/{MACHINE}"  # 404 before the first message
    wait_until(lambda: dashboard.client.get(known).json().get("detectable"), what="both")
    for language, title, value, cells in (
        ("en-GB", "What this machine’s", "Vibration vel", ["not found", "0.41 g", "0.4 g"]),
        ("de-DE", "Was die Sensoren", "Schwinggeschw", ["nicht gefunden", "0,41 g", "0,4 g"]),
    ):
        page = open_page(f"/machines/{MACHINE}?tab=setup", viewport="phone", language=language)
        table = page.get_by_role("region", name=title)
        step, race = (table.get_by_role("row").filter(has_text=text) for text in (value, "6205"))
        expect(step).not_to_contain_text("mm s")
        expect(step.get_by_role("cell").nth(2)).to_have_text(re.compile(r"^× 1[.,]6$"))
        expect(race.get_by_role("cell")).to_have_text(
            [re.compile(".+"), re.compile("6205"), *cells]
        )
        assert sideways_px(page) <= 0
        assert serious(page) == []
        table.screenshot(path=SCREENSHOTS / f"detectable-{language}.png")


def test_a_run_up_is_drawn_with_an_earlier_one_beneath(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(run_up("pump-3", "DE-H", start_ms=now_ms() - 3_600_000, rising=False))
    gateway.publish(run_up("pump-3", "DE-H"))
    run_ups = f"/api/v1/machines/{MACHINE}/points/DE-H/run-ups"

    def listed() -> list[object]:
        """Return none before the first message: the point is not known."""
        found: list[object] = dashboard.client.get(run_ups).json().get("items", [])
        return found

    wait_until(lambda: len(listed()) == 2, what="both")
    page = open_page(f"/machines/{MACHINE}?point=DE-H", viewport="phone")
    panel = page.locator("details").filter(has_text="Run-ups and coast-downs")
    panel.locator("summary").press("Enter")
    expect(panel.get_by_role("row").filter(has_text="1000")).to_contain_text("96.5")
    expect(panel.get_by_role("img", name="Amplitude of 1× over the speed")).to_be_visible()
    expect(panel.get_by_role("img", name="Polar plot of 1×")).to_be_visible()
    panel.get_by_label("Compare with", exact=True).select_option(index=1)
    expect(panel.get_by_text("Dashed: the one it is compared with.")).to_be_visible()
    panel.get_by_role("group", name="Axis of the cascade").get_by_text("Hz").click()
    expect(panel.get_by_role("img", name=re.compile("^Cascade: 2 spectra"))).to_be_visible()
    assert sideways_px(page) <= 0
    assert small_targets(page) == []
    assert serious(page) == []


def test_the_live_check_measures_by_itself(
    open_page: OpenPage, gateway: FakeGateway, dashboard: RunningDashboard
) -> None:
    gateway.say_hello("pump-3")
    gateway.publish(Configuration(ts=now_ms(), version="v1"))

    def measure(name: str, command: dict[str, Any]) -> Acknowledgement | None:
        if name == "request_spectrum":
            gateway.publish(spectrum("pump-3", command["args"]["point"], window_ms=now_ms()))
        return acknowledge(name, command)

    gateway.answer = measure
    page = open_page("/")
    page.clock.install()
    page.goto("/commissioning?do=check&machine=pump-3")
    panel = page.get_by_role("region", name="Spectrum and envelope")
    expect(panel.get_by_text("A new one is measured every 10 s")).to_be_visible()
    page.clock.run_for(11_000)
    spectra = f"/api/v1/machines/{MACHINE}/points/DE-H/spectra"
    wait_until(lambda: dashboard.get(spectra)["items"], what="a spectrum that was asked for")
    page.clock.run_for(3_000)
    panel.get_by_text("How it was measured").press("Enter")
    expect(panel.get_by_text("Sampling rate")).to_be_visible()
    for _ in range(40):
        page.clock.run_for(10_000)
    expect(panel.get_by_text("Repeated measuring has ended")).to_be_visible()
    assert len(gateway.commands) <= 30


def test_a_point_is_chosen_on_the_sketch(open_plant: OpenPage) -> None:
    page = open_plant(f"/machines/{MACHINE}")
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
    page = open_page(f"/machines/{MACHINE}?tab=history")
    page.get_by_role("link", name="Versions and what they changed").click()
    trial = page.get_by_role("article").filter(has=page.get_by_role("heading", name="On trial"))
    expect(page.get_by_text("120 of 500 windows")).to_be_visible()
    expect(trial.get_by_role("row").filter(has_text="Replayed alarms per week")).to_contain_text(
        "0.2"
    )
    trial.get_by_role("button", name="Activate it now").click()
    trial.get_by_label("Your name").fill("Ada")
    trial.get_by_role("button", name="Yes, do it").click()
    wait_until(lambda: [name for name, _ in gateway.commands] == ["promote"], what="the command")
    assert gateway.commands[0][1]["args"]["checkpoint_id"] == "v2"
    gateway.publish(versions("v2", None))
    active = page.get_by_role("article").filter(has=page.get_by_role("heading", name="Active now"))
    expect(active.get_by_text("v2", exact=True)).to_be_visible()

    gateway.answer = ignore
    page.get_by_role("button", name="Go back to this").click()
    page.get_by_role("button", name="Yes, do it").click()
    wait_until(
        lambda: [name for name, _ in gateway.commands] == ["promote", "roll_back"],
        what="the command",
    )


def test_a_kept_baseline_can_be_gone_back_to(open_page: OpenPage, gateway: FakeGateway) -> None:
    kept = (
        BaselinePart(id="b2", since_ms=now_ms() - 1000, active=True),
        BaselinePart(id="b1", since_ms=now_ms() - 9_000_000, active=False),
    )
    gateway.say_hello("pump-3")
    gateway.publish(versions("v1", None).model_copy(update={"baselines": kept}))
    page = open_page(f"/machines/{MACHINE}/models")
    baselines = page.get_by_role("region", name="Healthy periods")
    baselines.get_by_role("button", name=re.compile("^Go back to this: learned")).click()
    expect(baselines.get_by_text("you can return")).to_be_visible()
    baselines.get_by_label("Your name").fill("Ada")
    baselines.get_by_role("button", name="Yes, do it").click()
    expect(baselines.get_by_label("Your name")).to_have_count(0)
    assert gateway.arguments_of("roll_back") == [{"machine": "pump-3", "baseline_id": "b1"}]


def test_an_alarm_that_is_over_is_acknowledged_on_its_machine(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    event_id = ulid()
    gateway.say_hello("pump-3")
    over = {"ended_ms": now_ms(), "condition": "normal", "handling": handling("returned")}
    gateway.publish(event("pump-3", event_id, "end", **over))
    page = open_page(f"/machines/{MACHINE}?tab=setup")
    panel = page.get_by_role("region", name="Alarm: Over, not acknowledged")
    panel.get_by_role("button", name="Acknowledge", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Your name").fill("Ada")
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog).to_have_count(0)
    (asked,) = gateway.arguments_of("acknowledge")
    assert asked["event_id"] == event_id
    over["handling"] = handling("normal", 1)
    gateway.publish(event("pump-3", event_id, "end", **over))
    expect(page.get_by_role("region", name="Alarm", exact=True)).to_be_visible()


def test_fixed_limits_are_set_and_a_rejection_is_shown(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    gateway.say_hello("pump-3")
    page = open_page(f"/machines/{MACHINE}?point=DE-H&tab=setup")
    panel = page.get_by_role("region", name="Fixed limits: Point DE-H")
    expect(panel.get_by_text("No fixed limits.")).to_be_visible()
    panel.get_by_role("button", name="Change the limits").click()
    limit = panel.get_by_role("group", name="Limit 1")
    limit.get_by_label("Feature").select_option("velocity_rms_mm_s")
    limit.get_by_label("Warning, mm/s").fill("7.1")
    limit.get_by_label("Alarm, mm/s").fill("4.5")
    expect(limit.get_by_text("The warning must be reached before the alarm.")).to_be_visible()
    panel.get_by_label("Your name").fill("Ada")
    panel.get_by_role("button", name="Yes, do it").click()
    expect(panel.get_by_text("Look at the limits marked above.")).to_be_visible()
    assert gateway.commands == []

    def refuse(name: str, command: dict[str, Any]) -> Acknowledgement:
        return Acknowledgement(
            ts=now_ms(), id=command["id"], command=name, ok=False, reason="no such feature"
        )

    gateway.answer = refuse
    limit.get_by_label("Alarm, mm/s").fill("11")
    panel.get_by_role("button", name="Yes, do it").click()
    expect(panel.get_by_text("The gateway refused: no such feature")).to_be_visible()
    gateway.answer = acknowledge
    panel.get_by_role("button", name="Yes, do it").click()
    expect(limit).to_have_count(0)
    asked = gateway.arguments_of("set_limits")[-1]
    assert asked["limits"] == [
        {"feature": "velocity_rms_mm_s", "warning": 7.1, "alarm": 11, "direction": "above"}
    ]
    panel.get_by_role("button", name="Change the limits").click()
    limit.get_by_label("Feature").select_option(label="RMS of a band with own edges")
    limit.get_by_label("From, Hz").fill("500")
    limit.get_by_label("To, Hz").fill("400")
    limit.get_by_label("Warning").fill("0.2")
    expect(limit.get_by_text("The lower edge must be below the upper edge.")).to_be_visible()
    limit.get_by_label("To, Hz").fill("2000")
    panel.get_by_role("button", name="Yes, do it").click()
    expect(limit).to_have_count(0)
    asked = gateway.arguments_of("set_limits")[-1]
    assert asked["limits"][0]["feature"] == "rms_500_2000hz"


def test_the_iso_group_of_a_commissioned_machine_is_chosen(
    open_page: OpenPage, gateway: FakeGateway
) -> None:
    points = [{"id": "DE-H", "kind": "vibration", "unit": "g", "fs_hz": 25_600}]
    machine = MachineSettings.model_validate({"id": "pump-3", "points": points})
    source = {"type": "mqtt", "machine": "pump-3", "waveforms": [{"point": "DE-H", "topic": "a"}]}
    gateway.say_hello("pump-3")
    gateway.publish(
        Configuration(ts=now_ms(), version="v1", machines=(machine,), sources=(source,))
    )
    page = open_page(f"/machines/{MACHINE}?tab=setup")
    zones = page.get_by_role("region", name="ISO zones")
    zones.get_by_role("button", name="Choose group and foundation").click()
    zones.get_by_label("ISO group or class").select_option("group2")
    zones.get_by_label("Foundation (ISO 20816-3)").select_option("rigid")
    zones.get_by_label("Your name").fill("Ada")
    zones.get_by_role("button", name="Yes, do it").click()
    expect(zones.get_by_label("Foundation (ISO 20816-3)")).to_have_count(0)
    (asked,) = gateway.arguments_of("configure")
    (changed,) = asked["machines"]
    assert (changed["iso_class"], changed["support"]) == ("group2", "rigid")
    assert asked["sources"][0]["waveforms"][0]["topic"] == "a", "the source is unchanged"


def test_a_delta_is_taken_along_and_brought_in(open_page: OpenPage, gateway: FakeGateway) -> None:
    data = bytes(range(256)) * 40

    def does(name: str, command: dict[str, Any]) -> Acknowledgement:
        part = DeltaPart(
            id="d1", checkpoint_id="000002-b", baseline_id="b1", spec_id="s", labels=2, key="aa",
            data=base64.b64encode(data).decode(),
        )  # fmt: skip
        brought = name == "import_delta"
        return Acknowledgement(
            ts=now_ms(), id=command["id"], command=name, ok=True, reason="accepted: it fits",
            lesson=lesson_part(command["id"]) if brought else None,
            delta=None if brought else part,
        )  # fmt: skip

    gateway.say_hello("pump-3")
    gateway.publish(versions("v1", None))
    gateway.answer = does
    page = open_page(f"/machines/{MACHINE}/models")
    deltas = page.get_by_role("region", name="Exchange with other machines")
    with page.expect_download() as download:
        deltas.get_by_role("button", name="Download the delta").click()
    assert download.value.suggested_filename == "pump-3-000002-b.delta"
    assert download.value.path().read_bytes() == data

    chooser = deltas.get_by_label("Import a delta")
    chooser.set_input_files({"name": "x.delta", "mimeType": "", "buffer": b"1" * 300_000})
    expect(deltas.get_by_text("This file has 293 kB")).to_be_visible()
    chooser.set_input_files({"name": "x.delta", "mimeType": "", "buffer": data})
    deltas.get_by_label("Your name").fill("Ada")
    deltas.get_by_role("button", name="Yes, do it").click()
    expect(deltas.get_by_text("Learned", exact=True)).to_be_visible()
    (asked,) = gateway.arguments_of("import_delta")
    assert base64.b64decode(asked["delta"]) == data
