"""Invented gateways and machines are capped; a gateway that is gone can be deleted."""

from __future__ import annotations

import pytest

from auscult.app.store import machines, removal
from auscult.app.store.caps import CapError, Caps
from auscult.app.store.intake import store_message
from auscult.app.store.received import Origin
from tests.app import messages as m
from tests.app.conftest import account, administer, client_of
from tests.waiting import eventually, wait_until


def origin(gateway="gw1"):
    return Origin("plant", gateway, m.now_ms())


def test_gateways_machines_and_points_are_capped(opened_store):
    def known(gateway, machine, point):
        def job(db):
            db.caps = Caps(gateways=2, machines=2, points=2)
            return machines.known_point(db, origin(gateway), machine, point)

        return opened_store.write(job)

    for names in (("gw1", "m1", "p1"), ("gw1", "m1", "p2"), ("gw1", "m2", "p1")):
        known(*names)
    known("gw2", "m1", "p1")
    for names in (("gw3", "m1", "p1"), ("gw1", "m3", "p1"), ("gw1", "m1", "p3")):
        with pytest.raises(CapError):
            known(*names)
    assert known("gw1", "m1", "p2"), "what is stored stays in use"


def test_messages_of_more_gateways_are_rejected_and_the_rest_is_stored(dashboards, gateway):
    dashboard = dashboards(max_gateways=1)
    dashboard.wait_connected()
    gateway.say_hello("pump-3")
    eventually(lambda: dashboard.count("gateway"), 1)
    for n in range(20):
        gateway.send(f"auscult/v1/ghost/g{n}/status", m.status())
    gateway.publish(m.event("pump-3", m.ulid()))
    eventually(lambda: dashboard.count("event"), 1)
    rejected = 'auscult_dashboard_messages_rejected_total{reason="unstorable"} 20.0'
    eventually(lambda: rejected in dashboard.client.get("/metrics").text, True)
    assert dashboard.count("gateway") == 1


def test_deleting_a_gateway_deletes_its_data_only(opened_store):
    def fill(gateway):
        event = m.event("pump-3", m.ulid())
        messages = (
            m.status(), m.inventory("pump-3"), m.machine_state("pump-3"), event,
            m.trend("pump-3", "DE-H", 0), m.spectrum("pump-3", "DE-H", id=m.ulid()),
            m.lesson("pump-3", event.event_id, m.ulid()), m.clip("pump-3", "DE-H", id=m.ulid()),
            m.run_up("pump-3", "DE-H"),
        )  # fmt: skip
        for message in messages:
            opened_store.write(lambda db, one=message: store_message(db, origin(gateway), one))

    def counts():
        tables = ("gateway", "machine", "point", "event", "trend", "spectrum", "label", "clip",
                  "run_up")  # fmt: skip
        read = opened_store.read().execute
        return [read(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    fill("gw1")
    before = counts()
    fill("gw2")
    removal.delete_bulk(opened_store, "plant~gw2")
    opened_store.write(lambda db: removal.delete_gateway(db, "plant~gw2"))
    assert counts() == before
    fill("gw2")
    assert counts() == [2 * count for count in before], "it may come again"


def test_only_an_administrator_deletes_and_only_what_is_offline(administered, gateway):
    gateway.say_hello("pump-3")
    eventually(lambda: administered.count("gateway"), 1)
    path = "/api/v1/gateways/plant~gw1"
    online = administered.client.delete(path)
    assert (online.status_code, online.json()["code"]) == (409, "gateway_online")
    gateway.publish(m.status(state="offline"))
    eventually(lambda: administered.get(path)["state"], "offline")
    account(administered, "eva", "engineer")
    assert client_of(administered, "eva").delete(path).status_code == 403
    assert administered.client.delete(path).status_code == 204
    assert administered.client.get(path).status_code == 404
    assert administered.get("/api/v1/audit")["items"][0]["action"] == "delete gateway"


def test_an_unknown_gateway_waits_until_an_administrator_enrols_it(dashboards, gateway):
    administered = administer(dashboards(login="required", unknown_gateways="quarantine"))
    administered.wait_connected()
    gateway.say_hello("pump-3")
    gateway.publish(m.event("pump-3", m.ulid()))
    unknown = "/api/v1/gateways/unknown"
    eventually(lambda: [one["id"] for one in administered.get(unknown)["items"]], ["plant~gw1"])
    wait_until(lambda: administered.count("gateway") == administered.count("machine") == 0)
    body = {"site": "plant", "gateway": "gw1"}
    account(administered, "eva", "engineer")
    assert client_of(administered, "eva").post("/api/v1/gateways", json=body).status_code == 403
    assert administered.client.post("/api/v1/gateways", json=body).status_code == 201
    assert administered.client.post("/api/v1/gateways", json=body).status_code == 409
    assert administered.get(unknown) == {"items": []}
    gateway.say_hello("pump-3")
    eventually(lambda: administered.count("machine"), 1)
    assert administered.get("/api/v1/audit")["items"][0]["action"] == "enrol gateway"
