"""Cases: events that follow one another are one matter with a place, an urgency, a history."""

from __future__ import annotations

import io
from functools import partial

import pytest
from PIL import Image

from auscult.app.cases import compose
from auscult.app.store import cases, evidence, labels
from auscult.app.store.freshness import Freshness
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.gateway.messages.inventory import (
    BearingPart,
    Inventory,
    MachinePart,
    PointPart,
    ZonesPart,
)
from auscult.gateway.messages.parts import Level, ReasonPart
from auscult.gateway.messages.payloads import Acknowledgement, Contribution
from auscult.gateway.messages.said import Said
from tests.app import messages as m
from tests.app.conftest import eventually

HOUR = 3_600_000
T = 1_800_000_000_000
ORIGIN = Origin("plant", "gw1", T)
PUMP = "plant~gw1~pump-3"
NOW = Freshness(T, 180_000)


def moved(feature: str, sigma: float, **more: object) -> Contribution:
    return Contribution(
        feature=feature, value=2.0, baseline=1.0, unit="m/s²", sigma=sigma, share=0.5,
        change_db=6.0, title=feature, **more,
    )  # fmt: skip


def departs(point: str, *moves: Contribution) -> ReasonPart:
    return ReasonPart(
        kind="learned", condition="alarm", text="departs", point=point, value=3.0,
        contributions=moves, said=Said("departs"),
    )  # fmt: skip


OUTER = ReasonPart(
    kind="learned", condition="alarm", text="outer race", fault="outer", confidence=0.94,
    matched=("BPFO 1×", "BPFO 2×"), missing=("BPFO sidebands",),
    said=Said("bearing_fault", {
        "bearing": "6205", "hz": 88.5, "order": 3.58, "speed_rpm": 1482.0, "db": 21.0,
    }),
)  # fmt: skip
SEEN = (
    departs("M_NDE", moved("rms", 40.0), moved("bpfo_level", 3.5)),
    departs("P_DE", moved("rms", 12.0), moved("bpfo_level", 30.0, low_hz=80.0, high_hz=96.0)),
    OUTER,
)
"""The motor's evidence saturates first and its r.m.s. moves more, but the pump has the lines."""


def inventory() -> Inventory:
    return Inventory(
        ts=T,
        machines=(
            MachinePart(
                id="pump-3", name="Feed pump P-101", area="Boiler house", speed_rpm=1482,
                bearings=(BearingPart(name="6205", bpfo=3.58),),
                zones=ZonesPart(title="ISO 20816-3 group 2, rigid", ab=1.4, bc=2.8, cd=4.5),
                points=tuple(
                    PointPart(id=i, name=n, kind="vibration", unit="g", fs_hz=25_600)
                    for i, n in (("M_NDE", "Motor, free end"), ("P_DE", "Pump, drive end"))
                ),
            ),
        ),
    )  # fmt: skip


def event(name: str, started_ms: int, ended_ms: int | None = None, **more: object):
    return m.event(
        "pump-3", name, "start" if ended_ms is None else "end", ts=T, started_ms=started_ms,
        updated_ms=ended_ms or started_ms, ended_ms=ended_ms,
        **{"reasons": SEEN, "points": ("M_NDE", "P_DE"), **more},
    )  # fmt: skip


def stored(store, *messages) -> None:
    store.write(lambda db: [store_message(db, ORIGIN, one) for one in messages])


def by_case(store) -> dict[str, list[str]]:
    rows = store.read().execute("SELECT case_id, id FROM event ORDER BY started_ms, id")
    found: dict[str, list[str]] = {}
    for case, identity in rows:
        found.setdefault(case, []).append(identity)
    return found


def test_events_that_follow_within_a_day_are_one_case(opened_store):
    stored(
        opened_store,
        inventory(),
        event("e1", T - 100 * HOUR, T - 99 * HOUR),
        event("e2", T - 80 * HOUR, T - 79 * HOUR),
        event("e3", T - 30 * HOUR, T - 29 * HOUR),
        event("e4", T - 6 * HOUR),
        event("e4", T - 6 * HOUR),
    )
    assert by_case(opened_store) == {"e1": ["e1", "e2"], "e3": ["e3", "e4"]}


def test_old_events_get_the_same_cases_by_the_migration(opened_store):
    stored(opened_store, inventory(), *(event(f"e{i}", T - i * 20 * HOUR, T - i * 20 * HOUR + 9)
                                        for i in (9, 8, 5, 4, 1)))  # fmt: skip
    before = by_case(opened_store)
    assert [len(events) for events in before.values()] == [2, 2, 1]

    def again(db):
        db.execute("UPDATE event SET case_id = NULL")
        db.execute("DELETE FROM machine_case")
        cases.place_all(db)

    opened_store.write(again)
    assert by_case(opened_store) == before


def test_place_fault_and_picture_follow_the_fault_and_not_what_saturated_first(opened_store):
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        m.point_state("pump-3", "P_DE", ts=T,
                      levels={"velocity_rms_mm_s": Level(value=3.8, unit="mm/s")}),
        event("e1", T - HOUR),
        m.spectrum("pump-3", "M_NDE", event_id="e1", kind="envelope", window_ms=T - 100),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="spectrum", window_ms=T - 200),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="envelope", window_ms=T - 300, id="s-env"),
    )  # fmt: skip
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.text == "outer-race defect, Pump, drive end, bearing 6205"
    assert (case.location.point, case.location.source) == ("P_DE", "moved_most")
    assert (case.confidence, case.signs_found, case.signs_sought) == (0.94, 2, 3)
    assert case.picture is not None
    assert case.picture.spectrum_id == "s-env"
    assert (case.picture.feature, case.picture.line_hz) == ("bpfo_level", 88.5)
    assert [g.point for g in case.points] == ["P_DE", "M_NDE", None]
    assert case.urgency.zone is not None
    assert (case.urgency.zone.zone, case.urgency.level) == ("C", "weeks")
    assert case.check_first is not None
    assert (case.check_first.fault, bool(case.check_first.source)) == ("outer", True)


def test_the_sentence_of_the_plant_is_true(opened_store):
    stored(opened_store, m.inventory("pump-3", "fan-1"), m.machine_state("fan-1", ts=T))

    def status():
        return compose.view_active(opened_store.read(), Freshness(T, 10**12)).status

    stored(opened_store, m.status(ts=T), m.machine_state("pump-3", ts=T))
    assert status().text == "all 2 machines are within the baseline"
    stored(opened_store, event("e1", T - HOUR))
    assert (status().text, status().quiet) == ("1 machine needs someone", 1)
    # over, but a person has not seen it: the sentence still counts it
    stored(opened_store, event("e1", T - HOUR, T, handling=m.handling("returned", 1)))
    assert status().needs_someone == 1
    done = m.handling("normal", 2, acknowledged_ms=T, acknowledged_by="eva")
    stored(opened_store, event("e1", T - HOUR, T + 1, handling=done))
    assert (status().needs_someone, status().in_hand) == (0, 1)


def jpeg(exif: bool = True, size: tuple[int, int] = (3000, 2000)) -> bytes:
    picture = Image.new("RGB", size, (200, 120, 10))
    tags = Image.Exif()
    if exif:
        tags[0x010F] = "PhoneMaker"
        tags.get_ifd(0x8825)[1] = "N"
        tags[0x0112] = 6  # turned
    target = io.BytesIO()
    picture.save(target, "JPEG", exif=tags, comment=b"at home")
    return target.getvalue()


@pytest.fixture
def case(dashboard, gateway):
    gateway.publish(inventory())
    gateway.publish(m.event("pump-3", "e1", reasons=SEEN, points=("M_NDE", "P_DE")))
    eventually(lambda: len(dashboard.get("/api/v1/cases")["items"]), 1)
    return "/api/v1/cases/e1"


def test_work_on_a_case(dashboard, gateway, case):
    post = dashboard.client.post
    assert (
        post(f"{case}/assign", json={"assignee": "Eva", "actor": "Max"}).json()["assignee"] == "Eva"
    )
    assert post(f"{case}/notes", json={"text": "grease is dark"}).json()["notes"] == 1
    assert post(f"{case}/hand-over", json={"text": "watch it"}).json()["assignee"] == ""
    finding = {"result": "fault_repaired", "kind": "outer", "text": "ring was pitted"}
    early = post(f"{case}/close", json={"finding": finding})
    assert (early.status_code, early.json()["code"]) == (409, "case_still_open")
    waits = m.handling("returned", 1)
    gateway.publish(m.event("pump-3", "e1", "end", reasons=SEEN, handling=waits))
    eventually(lambda: dashboard.get(case)["state"], "over")
    closed = post(f"{case}/close", json={"finding": finding, "actor": "Max"}).json()
    assert (closed["closed_by"], closed["finding"]["kind"]) == ("Max", "outer")
    # closing acknowledges what waits, and has the repair checked
    eventually(lambda: [name for name, _ in gateway.commands], ["acknowledge", "check_repair"])
    assert gateway.commands[1][1]["args"] == {"event_id": "e1"}
    kinds = [line["kind"] for line in dashboard.get(case)["history"]]
    assert set(kinds) >= {"closed", "handed_over", "note", "assigned", "opened", "ended"}
    # what comes later is a new case
    gateway.publish(m.event("pump-3", "e2", reasons=SEEN))
    eventually(lambda: [c["id"] for c in dashboard.get("/api/v1/cases")["items"]][:1], ["e2"])
    subjects = dashboard.dashboard.store.read().execute("SELECT action, subject FROM audit")
    assert ("close case", "Feed pump P-101, outer-race defect, Pump, drive end, bearing 6205:"
            " fault_repaired") in subjects.fetchall()  # fmt: skip


ANSWER = {"id": "label-001", "actor": "Eva", "verdict": "confirmed_fault", "kind": "outer"}


def answered(dashboard, event_id: str, verdict: str, kind: str | None = None) -> None:
    body = {"id": f"l-{verdict}", "actor": "Eva", "verdict": verdict, "kind": kind}
    sent = dashboard.client.post(f"/api/v1/events/{event_id}/labels", json=body)
    assert sent.status_code == 201


def test_an_answer_acknowledges_every_alarm_of_its_case(dashboard, gateway, case):
    waits = m.handling("returned", 1)
    gateway.publish(m.event("pump-3", "e1", "end", reasons=SEEN, handling=waits))
    gateway.publish(m.event("pump-3", "e2", reasons=SEEN))
    eventually(lambda: dashboard.get(case)["unacknowledged"], 2)
    answered(dashboard, "e2", "confirmed_fault", "outer")
    eventually(
        lambda: [(name, c["args"]["event_id"]) for name, c in gateway.actions],
        [("label", "e2"), ("acknowledge", "e1"), ("acknowledge", "e2")],
    )
    assert gateway.actions[-1][1]["args"]["seen"] == "alarm"


def test_an_answer_is_stored_with_its_acknowledgement(dashboard, gateway, case):
    # a dashboard that stops while the gateway learns must not leave the alarm unacknowledged
    stored: list[list[str]] = []

    def learn(name: str, command: dict[str, object]) -> Acknowledgement | None:
        if name == "label":
            rows = dashboard.dashboard.store.read().execute(
                "SELECT name FROM command ORDER BY name"
            )
            stored.append([named for (named,) in rows])
        return m.acknowledge(name, command)

    gateway.answer = learn
    for _ in range(2):
        dashboard.client.post("/api/v1/events/e1/labels", json=ANSWER)
    assert stored == [["acknowledge", "label"]]
    eventually(lambda: [name for name, _ in gateway.actions], ["label", "acknowledge"])


def test_a_confirmed_fault_names_the_case_and_what_to_check(dashboard, gateway, case):
    unclear = [departs("P_DE", moved("rms", 9.0))]
    gateway.publish(m.event("pump-3", "e1", "update", reasons=unclear))
    eventually(lambda: dashboard.get(case)["headline"]["code"], "case_unclear")
    answered(dashboard, "e1", "confirmed_fault", "imbalance")
    shown = dashboard.get(case)
    assert (shown["text"], shown["fault"]) == ("imbalance, Pump, drive end", "imbalance")
    assert shown["confidence"] is None, "a person gives no share"
    assert shown["check_first"]["fault"] == "imbalance"
    assert shown["urgency"]["level"] != "watch"
    assert (shown["picture"]["line"], shown["picture"]["kind"]) == ("imbalance", "spectrum")
    answered(dashboard, "e1", "false_alarm")
    shown = dashboard.get(case)
    assert shown["headline"]["code"] == "case_unclear"
    assert (shown["urgency"]["level"], shown["urgency"]["text"]) == (
        "watch", "normal, as Eva answered",
    )  # fmt: skip


def test_a_fault_that_only_people_name_has_its_check(dashboard, gateway, case):
    answered(dashboard, "e1", "confirmed_fault", "propeller")
    shown = dashboard.get(case)
    assert shown["text"].startswith("propeller or fan fault")
    assert shown["check_first"]["fault"] == "blades"


def test_the_picture_follows_the_kind_that_a_person_confirmed(opened_store):
    both = departs("P_DE", moved("bpfo_level", 30.0, low_hz=80.0, high_hz=96.0),
                   moved("order_1x", 9.0, low_hz=24.0, high_hz=25.0))  # fmt: skip
    stored(
        opened_store,
        inventory(),
        event("e1", T - HOUR, reasons=(both, OUTER)),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="spectrum", window_ms=T - 200, id="s",
                   speed_rpm=1482.0),
        m.spectrum("pump-3", "P_DE", event_id="e1", kind="envelope", window_ms=T - 300, id="s-env"),
    )  # fmt: skip

    def shown() -> tuple[str | None, str, str | None, float | None]:
        case = compose.view_detail(opened_store.read(), NOW, "e1")
        assert case is not None
        assert case.picture is not None
        picture = case.picture
        return picture.feature, picture.kind, picture.spectrum_id, picture.line_hz

    assert shown() == ("bpfo_level", "envelope", "s-env", 88.5)
    said = labels.NewLabel("l1", "e1", PUMP, "confirmed_fault", "imbalance", "", "Eva", T)
    opened_store.write(lambda db: labels.add(db, said))
    # the line of the shaft, without which the whole spectrum would hide it
    assert shown() == ("order_1x", "spectrum", "s", 24.7)


@pytest.mark.parametrize(
    ("condition", "verdict", "level", "action"),
    [
        ("warning", None, "watch", "Confirm it on the next round. Then: Plan the change"),
        ("warning", "confirmed_fault", "weeks", "Plan the change"),
        ("warning", "false_alarm", "watch", None),
        ("warning", "unsure", "watch", "Confirm it on the next round. Then: Plan the change"),
        ("alarm", None, "weeks", "Plan the change"),
        ("alarm", "confirmed_fault", "weeks", "Plan the change"),
        ("alarm", "false_alarm", "watch", None),
    ],
)
def test_urgency_and_action_agree(opened_store, condition, verdict, level, action):
    stored(
        opened_store,
        inventory(),
        m.machine_state("pump-3", condition, ts=T, evidence=20.0, alarm_level=10.0, event_id="e1"),
        event("e1", T - HOUR, condition=condition, peak_condition=condition),
    )
    for i in range(9):
        opened_store.write(partial(evidence.store, machine=PUMP, at_ms=T - i * HOUR, evidence=20.0))
    if verdict:
        said = labels.NewLabel("l1", "e1", PUMP, verdict, None, "", "Eva", T)
        opened_store.write(lambda db: labels.add(db, said))
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.urgency.level == level
    if action is None:
        assert case.check_first is None, "normal, as a person answered"
    else:
        assert case.check_first is not None
        assert case.check_first.action is not None
        assert case.check_first.action.en.startswith(action)


def test_what_must_be_done_now_says_so(opened_store):
    stored(
        opened_store,
        m.status(ts=T),
        inventory(),
        m.point_state("pump-3", "P_DE", ts=T,
                      levels={"velocity_rms_mm_s": Level(value=5.8, unit="mm/s")}),
        event("e1", T - HOUR),
    )  # fmt: skip

    def action() -> str:
        case = compose.view_detail(opened_store.read(), NOW, "e1")
        assert case is not None
        assert (case.urgency.level, case.check_first is not None) == ("now", True)
        assert case.check_first is not None
        assert case.check_first.action is not None
        return case.check_first.action.en

    assert action().startswith("Look at it now, and reduce the load if you can. Then: Plan")
    said = labels.NewLabel("l1", "e1", PUMP, "false_alarm", None, "", "Eva", T)
    opened_store.write(lambda db: labels.add(db, said))
    # no fault, as answered; the zone still holds
    assert "Then: Compare with zone and limit" in action()


def test_evidence_that_rises_has_no_time_to_a_limit(opened_store):
    stored(
        opened_store,
        inventory(),
        m.machine_state("pump-3", "alarm", ts=T, evidence=30.0, alarm_level=10.0, event_id="e1"),
        event("e1", T - HOUR),
    )
    for i in range(9):
        at = partial(evidence.store, machine=PUMP, at_ms=T - i * HOUR, evidence=30.0 - 3 * i)
        opened_store.write(at)
    case = compose.view(opened_store.read(), NOW, "e1")
    assert case is not None
    assert case.urgency.evidence.trend == "rising"
    assert case.urgency.time_to_limit is None
    assert case.urgency.text == "the evidence rises, now 3 × the alarm level"


def test_photos_are_pixels_only(dashboard, case):
    answer = dashboard.client.post(f"{case}/photos", content=jpeg(), params={"caption": "seal"})
    assert answer.status_code == 201, answer.text
    [photo] = answer.json()["photo_list"]
    image = dashboard.client.get(f"{case}/photos/{photo['id']}").content
    kept = Image.open(io.BytesIO(image))
    assert (kept.format, kept.size, dict(kept.getexif())) == ("JPEG", (1067, 1600), {})
    assert b"PhoneMaker" not in image
    assert b"at home" not in image
    for wrong in (b"", b"no photo", b"GIF89a" + bytes(100), jpeg()[:500]):
        answer = dashboard.client.post(f"{case}/photos", content=wrong)
        assert (answer.status_code, answer.json()["code"]) == (422, "photo_unreadable")


def test_the_plant_edits_what_to_check(administered):
    client = administered.client
    table = client.get("/api/v1/prescriptions").json()["items"]
    assert all(entry["steps"] and entry["source"] for entry in table)
    body = {
        "action": None,
        "source": "our rules",
        "steps": [{"text": {"en": "Call the workshop", "de": ""}, "detail": None, "minutes": 5}],
    }
    own = client.put("/api/v1/prescriptions/outer/pump", json=body).json()
    assert (own["origin"], own["actor"]) == ("own", "ada")
    assert client.delete("/api/v1/prescriptions/outer/pump").status_code == 204
    assert client.delete("/api/v1/prescriptions/outer/pump").status_code == 404
    actions = [entry["action"] for entry in client.get("/api/v1/audit").json()["items"]]
    assert {"edit prescription", "remove prescription"} <= set(actions)
