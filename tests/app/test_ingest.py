"""From the broker into the database: nothing lost, nothing doubled, nothing believed blindly."""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auscult.app.mqtt.decode import RejectedError, decode
from auscult.app.store.connection import StoreOpenError, StoreUnavailableError
from auscult.app.store.database import DashboardStore
from auscult.app.store.sqlite import SqliteFile
from auscult.contract.payloads import MAX_PAYLOAD_BYTES
from tests.app import messages as m
from tests.waiting import eventually, wait_until

MACHINE = "plant~gw1~pump-3"


def test_states_reach_the_api(dashboard, gateway):
    gateway.say_hello("pump-3", "fan-1")
    gateway.publish(m.machine_state("pump-3", "alarm", reasons=(m.REASON,), event_id=None))
    gateway.publish(m.point_state("pump-3", "DE-H", "alarm", reasons=(m.REASON,)))

    def conditions():
        return [(i["id"], i["condition"]) for i in dashboard.get("/api/v1/machines")["items"]]

    eventually(conditions, [(MACHINE, "alarm"), ("plant~gw1~fan-1", "normal")])
    machine = dashboard.get(f"/api/v1/machines/{MACHINE}")
    assert machine["name"] == "Machine pump-3"
    assert machine["area"] == "Hall 2"
    assert machine["power_kw"] == 15
    assert machine["coverage"]["fraction"] == 1
    assert machine["stale"] is False
    assert machine["reasons"][0]["contributions"][0]["share"] == 0.62
    assert machine["ids"]["baseline_id"] == "base-1"
    eventually(
        lambda: [
            (p["point"], p["condition"], p["levels"]["velocity_rms_mm_s"]["value"])
            for p in dashboard.get(f"/api/v1/machines/{MACHINE}")["point_states"]
        ],
        [("DE-H", "alarm", 1.4), ("NDE-H", "normal", 1.4)],
    )
    (found,) = dashboard.get("/api/v1/gateways")["items"]
    assert (found["id"], found["state"], found["machines"]) == ("plant~gw1", "online", 2)
    assert found["sources"] == {"recordings": "ok"}


def test_an_offline_gateway_makes_its_machines_stale(dashboard, gateway):
    gateway.say_hello("pump-3")
    eventually(lambda: [i["stale"] for i in dashboard.get("/api/v1/machines")["items"]], [False])
    # a last will carries the time at which the link began
    gateway.publish(m.status(state="offline", ts=m.now_ms() - 3_600_000))
    eventually(lambda: [i["stale"] for i in dashboard.get("/api/v1/machines")["items"]], [True])
    gateway.publish(m.status())
    eventually(lambda: [i["stale"] for i in dashboard.get("/api/v1/machines")["items"]], [False])


def test_an_old_retained_state_is_stale(mosquitto, dashboards, gateway):
    gateway.publish(m.status())
    gateway.publish(m.inventory("pump-3"))
    gateway.publish(m.machine_state("pump-3", ts=m.now_ms() - 3_600_000))
    dashboard = dashboards()
    eventually(
        lambda: [(i["condition"], i["stale"]) for i in dashboard.get("/api/v1/machines")["items"]],
        [("normal", True)],
    )


def test_machines_that_leave_the_inventory_are_no_longer_listed(dashboard, gateway):
    gateway.say_hello("pump-3", "fan-1")
    eventually(lambda: len(dashboard.get("/api/v1/machines")["items"]), 2)
    gateway.publish(m.inventory("fan-1", points=("DE-H",)))
    eventually(
        lambda: [i["machine"] for i in dashboard.get("/api/v1/machines")["items"]], ["fan-1"]
    )
    assert len(dashboard.get("/api/v1/machines/plant~gw1~fan-1")["point_states"]) == 1
    assert dashboard.get(f"/api/v1/machines/{MACHINE}")["machine"] == "pump-3", "history stays"


def test_events_count_once_in_whatever_order_they_come(dashboard, gateway):
    event_id = m.ulid()
    t = m.now_ms()
    start = m.event("pump-3", event_id, "start", started_ms=t, updated_ms=t)
    first = m.event("pump-3", event_id, "update", started_ms=t, updated_ms=t + 10, peak_evidence=20)
    second = m.event(
        "pump-3", event_id, "update", started_ms=t, updated_ms=t + 20, peak_evidence=30
    )
    end = m.event(
        "pump-3", event_id, "end", started_ms=t, updated_ms=t + 15, ended_ms=t + 15,
        peak_evidence=31, condition="normal",
    )  # fmt: skip
    for message in (second, first, start):
        gateway.publish(message)
    gateway.publish(m.machine_state("pump-3"))
    eventually(lambda: len(dashboard.get("/api/v1/machines")["items"]), 1)
    event = dashboard.get(f"/api/v1/events/{event_id}")
    assert (event["phase"], event["open"], event["peak_evidence"]) == ("update", True, 30)
    for message in (end, second, start, end):
        gateway.publish(message)
    gateway.publish(m.machine_state("fan-1"))
    eventually(lambda: len(dashboard.get("/api/v1/machines")["items"]), 2)
    event = dashboard.get(f"/api/v1/events/{event_id}")
    assert (event["phase"], event["open"], event["peak_evidence"]) == ("end", False, 31)
    assert dashboard.count("event") == 1


def test_no_machine_takes_another_ones_event(dashboard, gateway):
    event_id = m.ulid()
    gateway.publish(m.event("pump-3", event_id))
    gateway.publish(m.event("fan-1", event_id, "end"))
    gateway.publish(m.machine_state("fan-1"))
    eventually(lambda: len(dashboard.get("/api/v1/machines")["items"]), 2)
    assert dashboard.get(f"/api/v1/events/{event_id}")["machine_id"] == MACHINE


def test_repeated_trends_and_spectra_are_stored_once(dashboard, gateway):
    trend, spectrum = m.trend("pump-3", "DE-H", 1_000_000), m.spectrum("pump-3", "DE-H")
    for _ in range(3):
        gateway.publish(trend)
        gateway.publish(spectrum)
    gateway.publish(m.trend("pump-3", "DE-H", 2_000_000))
    eventually(lambda: dashboard.count("trend WHERE tier_s = 0"), 2)
    eventually(lambda: dashboard.count("spectrum"), 1)


def test_what_comes_while_the_dashboard_is_away_is_not_lost(dashboards, gateway):
    first = dashboards()
    first.wait_connected()
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: first.count("event"), 1)
    first.stop()
    for _ in range(300):
        gateway.publish(m.event("pump-3", m.ulid()))
    second = dashboards()
    eventually(lambda: second.count("event"), 301)


def test_a_broker_that_stops_and_starts_costs_nothing(mosquitto, dashboard, gateway):
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 1)
    mosquitto.stop()
    wait_until(lambda: dashboard.get("/api/health")["status"] == "degraded", what="health says so")
    mosquitto.start()
    for _ in range(20):
        gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 21)
    assert dashboard.get("/api/health")["status"] == "ok"


def test_malformed_messages_are_counted_logged_rarely_and_stop_nothing(dashboard, gateway, caplog):
    caplog.set_level(logging.WARNING, "auscult.app.mqtt.ingest")
    topics = gateway.topics
    contradiction = m.machine_state("fan-1").to_json()
    overflow = json.loads(m.trend("pump-3", "DE-H", 1).to_json())
    malformed = [
        (f"{topics.base}/pump-3/unknown", b"{}"),
        (f"{topics.base}/pump 3/state", m.machine_state("pump 3").to_json()),
        ("auscult/v1/pl~ant/gw1/status", m.status().to_json()),
        (topics.status, b"not JSON"),
        (topics.status, b"\xff\xfe\x00"),
        (topics.status, b'{"ts": 1e999, "state": "online"}'),
        (topics.event("pump-3"), b'{"ts": 1}'),
        (topics.event("pump-3"), b"[" * 100_000),
        (topics.machine_state("pump-3"), contradiction),
        (topics.acknowledgement("a"), m.acknowledge("x", {"id": "b"}).to_json()),
        (topics.trend("pump-3", "DE-H"), b"x" * (MAX_PAYLOAD_BYTES + 1)),
        (
            topics.trend("pump-3", "DE-H"),
            json.dumps(overflow | {"windows": 1 << 70}).encode(),
        ),
        (
            topics.trend("pump-3", "DE-H"),
            json.dumps(overflow | {"values": {"a": [float("nan")] * 3}}).encode(),
        ),
        (topics.machine_state("pump-3"), b""),
    ]
    for _ in range(5):
        for topic, payload in malformed:
            gateway.send(topic, payload)
    gateway.say_hello("pump-3")
    eventually(
        lambda: [i["machine"] for i in dashboard.get("/api/v1/machines")["items"]], ["pump-3"]
    )
    metrics = dashboard.client.get("/metrics").text
    assert 'messages_rejected_total{reason="wrong_topic"} 15.0' in metrics
    assert 'messages_rejected_total{reason="malformed"} 35.0' in metrics
    assert 'messages_rejected_total{reason="contradiction"} 10.0' in metrics
    assert "messages_oversized 5.0" in metrics
    assert len([r for r in caplog.records if "rejected" in r.message]) == 3


topics = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["auscult", "v1", "plant", "gw1", "pump-3", "DE-H", "state", "event", "status", "ack",
             "cmd", "trend", "spectrum", "lesson", "inventory", "", "~", "+"]
        ),
        max_size=8,
    ).map("/".join),
    st.sampled_from(["status", "inventory", "p/state", "p/q/state", "p/event", "p/lesson",
                     "p/q/trend", "p/q/spectrum", "ack/x"]).map("auscult/v1/s/g/".__add__),
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(topics, st.binary(max_size=200) | json_values.map(lambda v: json.dumps(v).encode()))
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_a_message_or_rejected(topic, payload):
    with contextlib.suppress(RejectedError):
        decode(topic, payload)


@given(
    st.sampled_from(
        [
            m.status(), m.inventory("pump-3"), m.machine_state("pump-3"),
            m.point_state("pump-3", "DE-H"), m.event("pump-3", "e"), m.trend("pump-3", "DE-H", 5),
            m.spectrum("pump-3", "DE-H"), m.lesson("pump-3", "e", "l"),
        ]
    ),
    st.data(),
)  # fmt: skip
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_damaged_field_never_harms_the_store(opened_store, message, data):
    """Whatever passes the check of its form can be stored, or is refused alone."""
    from auscult.app.mqtt.ingest import _store_all
    from auscult.app.store.received import Origin

    body = json.loads(message.to_json())
    field = data.draw(st.sampled_from(sorted(body)))
    body[field] = data.draw(json_values)
    try:
        damaged = type(message).model_validate_json(json.dumps(body))
    except ValueError:
        return
    origin = Origin("plant", "gw1", m.now_ms())
    good = m.event("pump-3", m.ulid())
    rejected = opened_store.write(lambda db: _store_all(db, [(origin, damaged), (origin, good)]))
    assert len(rejected) <= 1
    assert opened_store.trouble is None


@pytest.mark.parametrize("database", ["sqlite"])
def test_a_locked_database_loses_nothing_and_reads_continue(dashboard, gateway, caplog):
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 1)
    store = dashboard.dashboard.store
    store.write(lambda db: db.execute("PRAGMA busy_timeout = 50").fetchall())
    caplog.set_level(logging.INFO, "auscult.app.store.writer")
    blocker = sqlite3.connect(store.engine.path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    for _ in range(30):
        gateway.publish(m.event("pump-3", m.ulid()))
    wait_until(lambda: store.trouble is not None)
    assert dashboard.get("/api/v1/events")["items"], "reading continues"
    assert dashboard.client.get("/api/health").status_code == 503
    blocker.execute("ROLLBACK")
    eventually(lambda: dashboard.count("event"), 31)
    assert dashboard.client.get("/api/health").status_code == 200
    assert [r.levelname for r in caplog.records] == ["ERROR", "INFO"], "once each"


@pytest.mark.parametrize("database", ["sqlite"])
def test_a_full_database_loses_nothing(dashboard, gateway):
    gateway.publish(m.spectrum("pump-3", "DE-H"))
    eventually(lambda: dashboard.count("spectrum"), 1)
    store = dashboard.dashboard.store

    def limit(pages):
        return lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchall()

    store.write(limit(1))  # SQLite takes it as: no more than now
    for _ in range(50):
        gateway.publish(m.spectrum("pump-3", "DE-H"))
    wait_until(lambda: store.trouble is not None)
    assert "full" in dashboard.client.get("/api/health").json()["database"]
    assert dashboard.get("/api/v1/machines")["items"], "reading continues"

    def lifted():
        try:
            store.write(limit(1_000_000))
        except StoreUnavailableError:
            return False  # it was stored together with what does not fit
        return True

    eventually(lifted, True)
    eventually(lambda: dashboard.count("spectrum"), 51)


def test_a_wrong_file_is_one_clear_error(tmp_path):
    path = tmp_path / "dashboard.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreOpenError, match=r"dashboard\.db: cannot be opened"):
        DashboardStore(SqliteFile(path))
