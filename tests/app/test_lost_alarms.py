"""Alarms that a gateway lost stay open as known last; the audit and tables say what is true."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from auscult.app.store import events
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.contract.payloads import Acknowledgement
from auscult.contract.said import Said
from tests.app import messages as m
from tests.app.test_live import listening
from tests.waiting import eventually

T = 1_800_000_000_000


def put(store, at_ms, *messages, gateway="gw1"):
    origin = Origin("plant", gateway, at_ms)
    store.write(lambda db: [store_message(db, origin, one) for one in messages])


def without_events(name, command) -> Acknowledgement:
    """Answer as a gateway that does not have the event."""
    said = Said("event_unknown", {"event_id": command["args"]["event_id"]})
    return Acknowledgement(ts=m.now_ms(), id=command["id"], command=name, ok=False, said=said)


def strange(name, command) -> Acknowledgement:
    """Answer in words that the dashboard does not know."""
    said = Said("sentences", {"parts": ("gone", "back")})
    return Acknowledgement(ts=m.now_ms(), id=command["id"], command=name, ok=True, said=said)


def standing(store) -> list[str]:
    sql = "SELECT id FROM event WHERE phase <> 'end' OR alarm_state <> 'normal' ORDER BY id"
    return [row[0] for row in store.read().execute(sql)]


def test_a_new_data_folder_leaves_alarms_open_and_a_removed_machine_closes_its_own(opened_store):
    waits = m.handling("returned", 1)
    put(opened_store, T, m.status(ts=T, instance="old"), m.inventory("pump-3", "fan-1", ts=T),
        m.event("pump-3", "e1", started_ms=T, updated_ms=T),
        m.event("pump-3", "e2", "end", started_ms=T, updated_ms=T, handling=waits),
        m.event("fan-1", "e3", started_ms=T, updated_ms=T))  # fmt: skip
    put(opened_store, T, m.event("pump-3", "e9", started_ms=T, updated_ms=T), gateway="gw2")
    assert standing(opened_store) == ["e1", "e2", "e3", "e9"]
    later = T + 1000
    put(opened_store, later, m.inventory("pump-3", ts=later))
    assert standing(opened_store) == ["e1", "e2", "e9"]
    much_later = T + 600_000
    put(opened_store, much_later, m.status(ts=much_later, instance="new"))
    assert standing(opened_store) == ["e1", "e2", "e9"]
    db = opened_store.read()
    event = events.view(db, "e1")
    assert (event.open, event.lost_ms, event.handling.state) == (True, much_later, "unacknowledged")
    lines = db.execute("SELECT actor, subject, outcome FROM audit WHERE action = 'event lost'")
    assert sorted(lines) == [
        ("plant~gw1", "Machine fan-1 (plant~gw1~fan-1): event of 2027-01-15 08:00:00 UTC",
         "closed: its gateway no longer has it"),
        ("plant~gw1", "Machine pump-3 (plant~gw1~pump-3): event of 2027-01-15 08:00:00 UTC",
         "open: its gateway no longer has it"),
    ]  # fmt: skip
    # the old folder is back: it has the event after all
    put(opened_store, much_later, m.event("pump-3", "e1", "update", updated_ms=T + 1))
    assert events.view(db, "e1").lost_ms is None


def test_a_case_that_its_gateway_lost_is_over_only_when_a_person_closes_it(dashboard, gateway):
    then = m.now_ms() - 600_000
    gateway.publish(m.status(ts=then, instance="old"))
    gateway.publish(m.inventory("pump-3", ts=then))
    gateway.publish(m.event("pump-3", "e1", started_ms=then, updated_ms=then))
    eventually(lambda: len(dashboard.get("/api/v1/cases")["items"]), 1)
    # the disk was swapped: a gateway without machines
    gateway.publish(m.status(instance="old", state="offline", started_ms=then))
    gateway.publish(m.status(instance="new"))
    gateway.publish(m.inventory())
    eventually(lambda: dashboard.get("/api/v1/cases/e1")["lost_ms"] is not None, True)
    case = dashboard.get("/api/v1/cases/e1")
    assert (case["state"], case["attention"], case["condition"]) == (
        "open",
        "needs_someone",
        "alarm",
    )
    assert case["urgency"]["said"]["code"] == "urgency_lost"
    assert [line["kind"] for line in case["history"]] == ["lost", "opened"]
    [machine] = dashboard.get("/api/v1/machines")["items"]
    assert (machine["machine"], machine["stale"]) == ("pump-3", True)
    gateway.answer = without_events
    # no gateway has it, so the acknowledgement is stored here
    dashboard.client.post("/api/v1/cases/e1/acknowledge", json={"actor": "Ann", "comment": "seen"})
    eventually(lambda: dashboard.get("/api/v1/cases/e1")["acknowledged_by"], "Ann")
    assert dashboard.get("/api/v1/cases/e1")["attention"] == "in_hand"
    finding = {"result": "fault_not_repaired", "kind": "outer", "text": "still hot"}
    done = dashboard.client.post(
        "/api/v1/cases/e1/close", json={"actor": "Ann", "finding": finding}
    )
    assert (done.json()["state"], done.json()["urgency"]["said"]["code"]) == (
        "closed",
        "urgency_over_lost",
    )
    assert done.json()["repeats"]["median_s"] is None
    eventually(lambda: dashboard.get("/api/v1/machines")["items"], [])


def test_an_acknowledgement_of_a_lost_event_is_stored_here(administered, gateway):
    gateway.answer = without_events
    gateway.publish(m.inventory("pump-3"))
    gateway.publish(m.event("pump-3", "e1"))
    client = administered.client
    eventually(lambda: len(administered.get("/api/v1/events")["items"]), 1)
    client.post("/api/v1/events/e1/acknowledge", json={"id": m.ulid()})
    eventually(lambda: administered.get("/api/v1/events/e1")["handling"]["state"], "acknowledged")
    event = administered.get("/api/v1/events/e1")
    assert (event["open"], event["lost_ms"] is not None) == (True, True)
    entries = administered.get("/api/v1/audit", action="acknowledge")["items"]
    assert [e["outcome"] for e in entries] == ["stored here: this gateway has no event e1", "sent"]
    assert all(e["subject"].startswith("Machine pump-3 (plant~gw1~pump-3): event of ")
               and "{" not in e["subject"] for e in entries)  # fmt: skip
    gateway.publish(m.event("pump-3", "e2"))
    eventually(lambda: len(administered.get("/api/v1/events")["items"]), 2)
    done = client.post("/api/v1/events/e2/retire", json={"reason": "gateway was replaced"})
    assert (done.json()["open"], administered.get("/api/v1/cases/e2")["unacknowledged"]) == (
        False,
        0,
    )
    [row, _] = csv.DictReader(io.StringIO(client.get("/api/v1/exports/events.csv").text))
    assert (row["machine_name"], row["verdict"], row["started"][-1]) == ("Machine pump-3", "", "Z")
    assert "'" not in row.values()


def test_a_take_back_is_no_new_answer(dashboard, gateway):
    gateway.publish(m.inventory("pump-3"))
    gateway.publish(m.event("pump-3", "e1"))
    eventually(lambda: len(dashboard.get("/api/v1/events")["items"]), 1)

    def answer(verdict: str, actor: str) -> str:
        body = {"id": m.ulid(), "actor": actor, "verdict": verdict}
        return dashboard.client.post("/api/v1/events/e1/labels", json=body).json()["id"]

    given = answer("false_alarm", "Tom")
    back = answer("unsure", "Eva")
    eventually(lambda: dashboard.get(f"/api/v1/labels/{given}")["undone_by"], "Eva")
    case = dashboard.get("/api/v1/cases/e1")
    lines = [
        (line["kind"], line["actor"], line["undone"], line["undone_by"])
        for line in case["history"]
        if line["label"]
    ]
    assert lines == [("taken_back", "Eva", False, ""), ("answered", "Tom", True, "Eva")]
    assert dashboard.get(f"/api/v1/labels/{back}")["takes_back"] is True
    # the question is open again
    assert (case["label"], dashboard.get("/api/v1/events/e1")["label"]) == (None, None)
    rows = csv.DictReader(io.StringIO(dashboard.client.get("/api/v1/exports/events.csv").text))
    assert [row["verdict"] for row in rows] == [""]
    # "not sure" without an answer before it is an answer
    answer("unsure", "Max")
    assert dashboard.get("/api/v1/cases/e1")["label"]["actor"] == "Max"


def test_a_take_back_that_the_gateway_has_not_accepted_undoes_nothing(dashboard, gateway):
    gateway.publish(m.inventory("pump-3"))
    gateway.publish(m.event("pump-3", "e1"))
    eventually(lambda: len(dashboard.get("/api/v1/events")["items"]), 1)
    body = {"actor": "Tom", "verdict": "false_alarm"}
    path = "/api/v1/events/e1/labels"
    dashboard.client.post(path, json={"id": m.ulid(), **body})
    gateway.answer = without_events
    dashboard.client.post(path, json={"id": m.ulid(), **body, "verdict": "unsure"})
    case = dashboard.get("/api/v1/cases/e1")
    assert case["label"]["verdict"] == "false_alarm"
    assert [line["kind"] for line in case["history"] if line["label"]] == ["taken_back", "answered"]
    assert not any(line["undone"] for line in case["history"])


def test_an_undone_answer_says_by_whom_and_counts_no_more(dashboard, gateway):
    gateway.publish(m.inventory("pump-3"))
    client = dashboard.client

    def learned(i: int, checkpoint: int) -> None:
        gateway.publish(m.event("pump-3", f"e{i}"))
        part = replace(
            m.lesson_part(f"label-000{i}"),
            checkpoint_id=f"{checkpoint:06}",
            parent_id=f"{checkpoint - 1:06}",
        )
        gateway.publish(m.lesson("pump-3", f"e{i}", f"label-000{i}", lesson=part))

    learned(1, 2)
    learned(2, 3)
    eventually(lambda: len(dashboard.get("/api/v1/labels")["items"]), 2)

    def undone() -> dict[str, str]:
        return {one["id"]: one["undone_by"] for one in dashboard.get("/api/v1/labels")["items"]}

    back = {"id": m.ulid(), "actor": "Max"}
    with listening(dashboard) as listener:
        done = client.post("/api/v1/machines/plant~gw1~pump-3/roll-back", json=back)
        assert done.status_code == 201
        eventually(lambda: "Max" in [one["undone_by"] for one in listener.of("label")], True)
        eventually(lambda: "e1" in [one["id"] for one in listener.of("case")], True)  # holds e2
    assert undone() == {"label-0001": "", "label-0002": "Max"}
    [answered] = [one for one in dashboard.get("/api/v1/cases/e2")["history"] if one["undone"]]
    assert (answered["label"]["id"], answered["undone_by"]) == ("label-0002", "Max")
    assert dashboard.get("/api/v1/reports/figures", months=1)["months"][0]["false_alarms"] == 1
    # who returns to the newer checkpoint has its answers again
    forth = {"id": m.ulid(), "actor": "Max", "checkpoint_id": "000003"}
    client.post("/api/v1/machines/plant~gw1~pump-3/roll-back", json=forth)
    eventually(undone, {"label-0001": "", "label-0002": ""})
    # what was taken back before a later answer stays so, whatever the gateway said of it
    gateway.answer = strange
    client.post("/api/v1/machines/plant~gw1~pump-3/roll-back", json={**back, "id": m.ulid()})
    learned(3, 7)
    eventually(undone, {"label-0001": "", "label-0002": "Max", "label-0003": ""})
    client.post("/api/v1/machines/plant~gw1~pump-3/roll-back", json={**back, "id": m.ulid()})
    eventually(undone, {"label-0001": "", "label-0002": "Max", "label-0003": "Max"})
