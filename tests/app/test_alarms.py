"""Alarms by ISA-18.2: the states, what brings one back, and the figures."""

from __future__ import annotations

import pytest

from app.store import alarms
from app.store.alarm_load import alarm_load
from app.store.intake import store_message
from app.store.received import Origin
from tests.app import messages as m
from tests.app.conftest import eventually

MACHINE = "plant~gw1~pump-3"


@pytest.fixture
def event_id(dashboard, gateway):
    identity = m.ulid()
    gateway.say_hello("pump-3")
    gateway.publish(m.event("pump-3", identity, peak_condition="warning", condition="warning"))
    eventually(lambda: dashboard.count("event"), 1)
    return identity


def state(dashboard, event_id):
    return dashboard.get(f"/api/v1/events/{event_id}")["alarm"]["state"]


def post(dashboard, path, status=200, **body):
    answer = dashboard.client.post(f"/api/v1{path}", json={"actor": "eva", **body})
    assert answer.status_code == status, answer.text
    return answer.json()


def test_acknowledging_clears_nothing_and_a_worse_condition_asks_again(
    dashboard, gateway, event_id
):
    assert state(dashboard, event_id) == "unacknowledged"
    event = post(dashboard, f"/events/{event_id}/acknowledge", comment="bearing is ordered")
    assert event["alarm"]["state"] == "acknowledged"
    assert event["alarm"]["acknowledged_by"] == "eva"
    assert event["alarm"]["comment"] == "bearing is ordered"
    assert event["open"] is True
    gateway.publish(m.event("pump-3", event_id, "update", peak_condition="alarm"))
    eventually(lambda: state(dashboard, event_id), "unacknowledged")
    post(dashboard, f"/events/{event_id}/acknowledge")
    gateway.publish(m.event("pump-3", event_id, "end", condition="normal"))
    eventually(lambda: state(dashboard, event_id), "normal")


def test_a_return_to_normal_waits_for_an_acknowledgement(dashboard, gateway, event_id):
    gateway.publish(m.event("pump-3", event_id, "end", condition="normal"))
    eventually(lambda: state(dashboard, event_id), "returned")
    post(dashboard, f"/events/{event_id}/acknowledge")
    assert state(dashboard, event_id) == "normal"


def test_a_shelf_ended_by_hand_leaves_acknowledged(dashboard, event_id):
    machine = post(dashboard, f"/machines/{MACHINE}/shelve", reason="overhaul", duration_s=3600)
    assert machine["suppression"]["kind"] == "shelved"
    assert machine["suppression"]["until_ms"] > m.now_ms()
    assert state(dashboard, event_id) == "shelved"
    machine = post(dashboard, f"/machines/{MACHINE}/return-to-service")
    assert machine["suppression"] is None
    assert state(dashboard, event_id) == "acknowledged"


def test_a_shelf_that_runs_out_leaves_unacknowledged(dashboard, event_id):
    post(dashboard, f"/events/{event_id}/acknowledge")
    now = m.now_ms()
    dashboard.dashboard.store.write(
        lambda db: alarms.suppress(db, MACHINE, "shelved", "test", "eva", now, now + 700)
    )
    assert state(dashboard, event_id) == "shelved"
    eventually(lambda: state(dashboard, event_id), "unacknowledged")
    assert dashboard.get(f"/api/v1/machines/{MACHINE}")["suppression"] is None
    post(dashboard, f"/events/{event_id}/acknowledge")
    assert state(dashboard, event_id) == "acknowledged"


def test_out_of_service_lasts_until_brought_back(dashboard, event_id):
    post(dashboard, f"/machines/{MACHINE}/out-of-service", reason="dismantled")
    assert state(dashboard, event_id) == "out_of_service"
    post(dashboard, f"/machines/{MACHINE}/shelve", 409, reason="x", duration_s=60)
    post(dashboard, f"/machines/{MACHINE}/return-to-service")
    assert state(dashboard, event_id) == "acknowledged"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/events/none/acknowledge", {}, 404),
        ("/machines/a~b~c/shelve", {"reason": "x", "duration_s": 60}, 404),
        ("/machines/a~b~c/out-of-service", {"reason": "x"}, 404),
        ("/machines/a~b~c/return-to-service", {}, 404),
        (f"/machines/{MACHINE}/shelve", {"reason": "", "duration_s": 60}, 422),
        (f"/machines/{MACHINE}/shelve", {"reason": "x", "duration_s": 10**9}, 422),
    ],
)
def test_wrong_requests_change_nothing(dashboard, event_id, path, body, status):
    post(dashboard, path, status, **body)
    assert dashboard.count("suppression") == dashboard.count("acknowledgement") == 0


def test_handling_is_told_live_and_audited(dashboard, event_id):
    from tests.app.test_live import listening

    with listening(dashboard) as listener:
        post(dashboard, f"/machines/{MACHINE}/shelve", reason="overhaul", duration_s=3600)
        eventually(lambda: [e["alarm"]["state"] for e in listener.of("event")], ["shelved"])
        eventually(lambda: [x["suppression"]["actor"] for x in listener.of("machine")], ["eva"])
    row = dashboard.dashboard.store.read().execute("SELECT actor, action FROM audit").fetchone()
    assert row == ("eva", "shelve")


def test_the_figures(opened_store):
    minute, day = 60_000, 86_400_000

    def fill(machine, starts, peak="alarm"):
        origin = Origin("plant", "gw1", 0)
        events = [
            m.event(machine, f"{machine}-{t}", started_ms=t, updated_ms=t, peak_condition=peak)
            for t in starts
        ]
        opened_store.write(lambda db: [store_message(db, origin, e) for e in events])

    fill("chatters", [day + 10_000 * i for i in range(11)])
    fill("calm", [0, 3 * day], "warning")
    fill("sensor", [5], "unknown")
    opened_store.write(
        lambda db: alarms.acknowledge(db, f"calm-{3 * day}", "eva", "", 3 * day + minute)
    )
    load = alarm_load(opened_store.read(), 0, 4 * day, 4 * day)
    assert load.alarms == 13
    assert load.per_day == pytest.approx(13 / 4)
    assert load.most_in_10_min == 11
    assert load.flood_10_min_periods == 1
    assert load.chattering == ["plant~gw1~chatters"]
    assert load.stale == 12
    assert load.unacknowledged == 12
    assert load.median_answer_s == 60
    assert load.by_peak_condition == {"alarm": 11, "warning": 2}
    assert [(t.machine_id, t.alarms) for t in load.top] == [
        ("plant~gw1~chatters", 11), ("plant~gw1~calm", 2),
    ]  # fmt: skip
    none = alarm_load(opened_store.read(), 10 * day, 11 * day, 11 * day)
    assert (none.alarms, none.most_in_10_min, none.median_answer_s) == (0, 0, None)
