"""Work orders, against a real receiver on this machine: sent, retried, and their status back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app import messages as m
from tests.app.pump_events import SEEN, inventory
from tests.app.receiver import receiving
from tests.waiting import eventually

SECRET = "key-of-the-plant"


@pytest.fixture
def system():
    """A maintenance system that is down for its first request."""
    with receiving(lambda came: 503 if len(came) == 1 else 200, b'{"id": 4711}') as (got, address):
        yield got, f"http://{address}/api"


def test_an_order_reaches_the_system_and_its_status_comes_back(administered, gateway, system):
    got, url = system
    client = administered.client
    gateway.publish(inventory())
    gateway.publish(m.event("pump-3", "e1", reasons=SEEN, points=("P_DE",)))
    eventually(lambda: administered.count("event"), 1)
    templates = client.get("/api/v1/order-templates").json()["items"]
    atlas = next(one for one in templates if one["name"] == "Atlas CMMS")
    body = {"url": url, "template": atlas, "secrets": {"X-API-KEY": SECRET}}
    made = client.post("/api/v1/order-systems", json=body)
    assert (made.status_code, made.json()["headers"]) == (201, ["X-API-KEY"])
    order = {"system_id": made.json()["id"], "text": 'ring "worn"', "priority": "high"}
    assert client.post("/api/v1/cases/e1/order", json=order).status_code == 201

    def shown() -> dict[str, Any]:
        return administered.get("/api/v1/cases/e1")["order"]

    eventually(lambda: "503" in shown()["reason"], True)
    assert shown()["state"] == "requested"
    [failed] = client.get("/api/v1/notifications/deliveries").json()["items"]
    client.post(f"/api/v1/notifications/deliveries/{failed['id']}/retry", json={})
    eventually(lambda: (shown()["state"], shown()["number"]), ("open", "4711"))
    path, headers, sent = got[-1]
    assert (path, headers["X-API-KEY"], sent["priority"]) == ("/api/work-orders", SECRET, "HIGH")
    assert sent["title"].startswith("Feed pump P-101: outer-race defect")
    assert 'ring "worn"' in sent["description"]
    done = {"state": "done", "reason": "bearing changed"}
    status = client.post(f"/api/v1/orders/{shown()['id']}/status", json=done)
    assert status.json()["order"]["state"] == "done"
    assert client.post("/api/v1/orders/unknown/status", json=done).status_code == 404
    # credentials stay where they are, and do not follow a new address
    moved = {**body, "url": "http://127.0.0.1:1", "secrets": None}
    changed = client.put(f"/api/v1/order-systems/{made.json()['id']}", json=moved).json()
    assert changed["headers"] == []
    pages = ("/api/v1/order-systems", "/api/v1/audit", "/api/v1/notifications/deliveries")
    assert not any(SECRET in client.get(page).text for page in pages)
