"""Cases: events that follow one another are one matter with a history, and people work on it."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from auscult.app.store import cases
from auscult.contract.payloads import Acknowledgement
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.pump_events import HOUR, SEEN, T, departs, event, inventory, moved, stored
from tests.reasons import reason
from tests.waiting import eventually


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
    lasted_s = cases.durations_s(opened_store.read(), ["e1", "e3"])
    assert lasted_s == {"e1": [3600, 3600], "e3": [3600]}, "e4 has not ended"


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


def test_a_sensor_fault_beside_the_change_leads_until_a_fault_is_named(dashboard, gateway, case):
    hum = reason(kind="sensor", condition="unknown", text="hum", point="P_DE",
                     said=Said("sensor_hum", {"change_db": 20.0}))  # fmt: skip
    for reasons, code in (
        ([departs("P_DE", moved("rms", 9.0)), hum], "case_sensor"),
        ([*SEEN, hum], "case_fault"),
    ):
        gateway.publish(m.event("pump-3", "e1", "update", reasons=reasons))
        eventually(lambda: dashboard.get(case)["headline"]["code"], code)


def test_a_fault_that_only_people_name_has_its_check(dashboard, gateway, case):
    answered(dashboard, "e1", "confirmed_fault", "propeller")
    shown = dashboard.get(case)
    assert shown["text"].startswith("propeller or fan fault")
    assert shown["check_first"]["fault"] == "blades"


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
