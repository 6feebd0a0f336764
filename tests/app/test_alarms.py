"""Alarms by ISA-18.2 as the dashboard shows them: it asks the gateway and believes its word."""

from __future__ import annotations

import sqlite3

import pytest
from sqlite_utils import Database

from auscult.app.store.alarm_load import alarm_load
from auscult.app.store.database import DashboardStore
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from auscult.app.store.sqlite import SqliteFile, migrations
from auscult.contract.parts import SuppressionPart
from auscult.contract.payloads import Acknowledgement
from tests.app import messages as m
from tests.app.conftest import DATABASES
from tests.reasons import text_of
from tests.waiting import eventually

MACHINE = "plant~gw1~pump-3"


@pytest.fixture(params=DATABASES)
def database(request):
    return request.param


@pytest.fixture
def event_id(dashboard, gateway):
    identity = m.ulid()
    gateway.say_hello("pump-3")
    report(gateway, identity, "unacknowledged", peak_condition="warning", condition="warning")
    eventually(lambda: dashboard.count("event"), 1)
    return identity


def report(gateway, event_id, state, changes=0, phase="start", acknowledged_ms=None, **more):
    handling = m.handling(
        state, changes, acknowledged_ms=acknowledged_ms, acknowledged_by="eva", comment="ordered"
    )
    gateway.publish(m.event("pump-3", event_id, phase, handling=handling, **more))


def state(dashboard, event_id):
    return dashboard.get(f"/api/v1/events/{event_id}")["handling"]["state"]


def post(dashboard, path, status=201, **body):
    body = {"actor": "eva", "id": m.ulid(), **body}
    answer = dashboard.client.post(f"/api/v1{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_acknowledging_asks_the_gateway_and_shows_its_word(dashboard, gateway, event_id):
    command = post(dashboard, f"/events/{event_id}/acknowledge", comment="bearing is ordered")
    assert command["state"] == "acknowledged"
    name, asked = gateway.commands[-1]
    assert (name, asked["actor"]) == ("acknowledge", "eva")
    assert asked["args"] == {
        "event_id": event_id, "comment": "bearing is ordered", "seen": "warning",
    }  # fmt: skip
    assert state(dashboard, event_id) == "unacknowledged", "nothing is assumed"
    report(gateway, event_id, "acknowledged", 1, "update", acknowledged_ms=7)
    eventually(lambda: state(dashboard, event_id), "acknowledged")
    alarm = dashboard.get(f"/api/v1/events/{event_id}")["handling"]
    assert (alarm["acknowledged_by"], alarm["acknowledged_ms"]) == ("eva", 7)
    assert alarm["comment"] == "ordered"


def test_a_rejection_has_the_reason(dashboard, gateway, event_id):
    def refuse(name, command):
        text = "it has become worse: alarm; look again"
        return Acknowledgement(ts=m.now_ms(), id=command["id"], command=name, ok=False, reason=text)

    gateway.answer = refuse
    command = post(dashboard, f"/events/{event_id}/acknowledge")
    assert (command["state"], text_of(command)) == (
        "refused", "it has become worse: alarm; look again",
    )  # fmt: skip


def test_a_gateway_that_is_away_is_asked_when_it_is_back(dashboard, gateway, event_id):
    gateway.answer = m.ignore
    command = post(dashboard, f"/events/{event_id}/acknowledge?wait_s=0")
    assert command["state"] in ("pending", "sent")
    repeated = post(dashboard, f"/events/{event_id}/acknowledge?wait_s=0", 200, id=command["id"])
    assert repeated["id"] == command["id"]


def test_newer_handling_wins_in_whatever_order_it_comes(dashboard, gateway, event_id):
    report(gateway, event_id, "acknowledged", 1, "update", updated_ms=5_000_000_000_000)
    eventually(lambda: state(dashboard, event_id), "acknowledged")
    report(gateway, event_id, "unacknowledged", 0, "update", updated_ms=5_000_000_000_000)
    report(gateway, event_id, "returned", 3, "end", updated_ms=5_000_000_000_001)
    eventually(lambda: state(dashboard, event_id), "returned")
    report(gateway, event_id, "normal", 4, "end", updated_ms=5_000_000_000_001)
    eventually(lambda: state(dashboard, event_id), "normal")
    report(gateway, event_id, "returned", 3, "end", updated_ms=5_000_000_000_001)
    report(gateway, "last", "unacknowledged")
    eventually(lambda: dashboard.count("event"), 2)
    assert state(dashboard, event_id) == "normal"


def test_events_are_found_by_their_state(dashboard, gateway, event_id):
    report(gateway, "e2", "shelved")
    report(gateway, "e3", "returned", phase="end")
    eventually(lambda: dashboard.count("event"), 3)
    page = dashboard.get("/api/v1/events", alarm=["unacknowledged", "returned"])
    assert {item["id"] for item in page["items"]} == {event_id, "e3"}


def test_a_machine_shows_its_suppression(dashboard, gateway, event_id):
    shelf = SuppressionPart(
        kind="shelved", reason="overhaul", actor="eva", since_ms=1, until_ms=4_102_444_800_000
    )
    gateway.publish(
        m.machine_state(
            "pump-3", suppression=shelf, handling=m.handling("shelved"), unacknowledged=2
        )
    )
    path = f"/api/v1/machines/{MACHINE}"
    eventually(lambda: dashboard.get(path)["suppression"], shelf.model_dump())
    assert dashboard.get(path)["handling"]["state"] == "shelved"
    assert dashboard.get(path)["unacknowledged"] == 2


@pytest.mark.parametrize(
    ("path", "name", "body", "args"),
    [
        ("shelve", "shelve", {"reason": "x", "duration_s": 60}, {"duration_s": 60, "reason": "x"}),
        ("unshelve", "unshelve", {}, {"comment": ""}),
        ("out-of-service", "out_of_service", {"reason": "x"}, {"reason": "x"}),
        ("return-to-service", "return_to_service", {"comment": "y"}, {"comment": "y"}),
        ("work-finished", "finish_work", {"comment": "y"}, {"comment": "y"}),
    ],
)
def test_each_handling_of_a_machine_is_a_command(
    dashboard, gateway, event_id, path, name, body, args
):
    assert post(dashboard, f"/machines/{MACHINE}/{path}", **body)["state"] == "acknowledged"
    assert gateway.commands[-1][0] == name
    assert gateway.commands[-1][1]["args"] == {"machine": "pump-3", **args}
    row = dashboard.dashboard.store.read().execute("SELECT actor, action FROM audit").fetchone()
    assert row == ("eva", name)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/events/none/acknowledge", {}, 404),
        ("/machines/a~b~c/shelve", {"reason": "x", "duration_s": 60}, 404),
        ("/machines/a~b~c/out-of-service", {"reason": "x"}, 404),
        ("/machines/a~b~c/return-to-service", {}, 404),
        (f"/machines/{MACHINE}/shelve", {"reason": "", "duration_s": 60}, 422),
        (f"/machines/{MACHINE}/shelve", {"reason": "x", "duration_s": 10**9}, 422),
        (f"/machines/{MACHINE}/commands/shelve", {"reason": "x", "duration_s": 59}, 422),
    ],
)
def test_wrong_requests_send_no_command(dashboard, gateway, event_id, path, body, status):
    post(dashboard, path, status, **body)
    assert dashboard.count("command") == 0


def test_a_change_of_handling_is_a_live_event(dashboard, gateway, event_id):
    from tests.app.test_live import listening

    with listening(dashboard) as listener:
        report(gateway, event_id, "shelved", 1, "update")
        eventually(lambda: [e["handling"]["state"] for e in listener.of("event")], ["shelved"])


def test_the_figures(opened_store):
    minute, day = 60_000, 86_400_000

    def fill(machine, starts, peak="alarm", handling=None):
        origin = Origin("plant", "gw1", 0)
        events = [
            m.event(
                machine, f"{machine}-{t}", started_ms=t, updated_ms=t, peak_condition=peak,
                handling=handling,
            )
            for t in starts
        ]  # fmt: skip
        opened_store.write(lambda db: [store_message(db, origin, e) for e in events])

    fill("chatters", [day + 10_000 * i for i in range(11)])
    fill("calm", [0], "warning")
    fill(
        "calm", [3 * day], "warning",
        m.handling("acknowledged", 1, acknowledged_ms=3 * day + minute),
    )  # fmt: skip
    fill("sensor", [5], "unknown")
    load = alarm_load(opened_store.read(), 0, 4 * day, 4 * day)
    assert load.alarms == 13
    assert load.per_day == pytest.approx(13 / 4)
    assert load.most_in_10_min == 11
    assert load.flood_10_min_periods == 1
    assert load.chattering == ["plant~gw1~chatters"]
    assert sum(load.by_day) == 13
    assert len(load.by_day) == 4
    assert load.standing == 13
    assert load.answered == 0
    assert load.stale == 12
    assert load.unacknowledged == 12
    assert load.median_answer_s == 60
    assert load.by_peak_condition == {"alarm": 11, "warning": 2}
    assert [(t.machine_id, t.alarms) for t in load.top] == [
        ("plant~gw1~chatters", 11), ("plant~gw1~calm", 2),
    ]  # fmt: skip
    early = alarm_load(opened_store.read(), -6 * day, 4 * day, 4 * day)
    assert (early.watched_s, early.per_day) == (4 * 86_400, pytest.approx(13 / 4))
    young = alarm_load(opened_store.read(), -6 * day, day, day // 2)
    assert (young.watched_s, young.per_day) == (43_200, None), "watched for less than a day"
    none = alarm_load(opened_store.read(), 10 * day, 11 * day, 11 * day)
    assert (none.alarms, none.most_in_10_min, none.median_answer_s) == (0, 0, None)


def test_earlier_acknowledgements_are_kept_by_the_migration(tmp_path):
    path = tmp_path / "dashboard.db"
    with sqlite3.connect(path) as connection:
        old = Database(connection)
        migrations.apply(old, stop_before="alarms_by_their_gateways")
        said = m.event("pump-3", "e1", "update").model_dump_json(exclude={"handling"})
        old.execute("INSERT INTO gateway (id, site, gateway) VALUES ('plant~gw1', 'plant', 'gw1')")
        old.execute(
            "INSERT INTO machine (id, gateway_id, machine) VALUES (?, 'plant~gw1', 'pump-3')",
            [MACHINE],
        )
        old.execute(
            "INSERT INTO event VALUES ('e1', ?, 'update', 'alarm', 1, 2, NULL, ?)", [MACHINE, said]
        )
        old.execute("INSERT INTO acknowledgement VALUES ('e1', 5, 'eva', 'known', 'alarm')")
    store = DashboardStore(SqliteFile(path))
    from auscult.app.store import events

    event = events.view(store.read(), "e1")
    store.close()
    assert event is not None
    assert (event.handling.state, event.handling.acknowledged_by) == ("acknowledged", "eva")
