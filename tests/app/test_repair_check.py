"""The check of a repair whose gateway is away or too old: shown with its reason, sent again."""

from __future__ import annotations

from typing import Any

import pytest

from auscult.contract.payloads import Acknowledgement
from auscult.contract.requests import Commands
from auscult.contract.said import Said
from tests.app import messages as m
from tests.waiting import eventually

CASE = "/api/v1/cases/e1"
DAY_MS = 86_400_000


def too_old(name: str, command: dict[str, Any]) -> Acknowledgement:
    """Answer as a gateway that does not know the command."""
    answer = m.acknowledge(name, command)
    if name != Commands.CHECK_REPAIR.name:
        return answer
    said = Said("command_unknown", {"name": name})
    return answer.model_copy(update={"ok": False, "said": said})


@pytest.fixture
def close(dashboard, gateway):
    gateway.publish(m.status())
    gateway.publish(m.inventory("pump-3"))
    gateway.publish(m.event("pump-3", "e1"))
    gateway.publish(m.event("pump-3", "e1", "end", handling=m.handling("normal", 1)))
    eventually(lambda: [c["state"] for c in dashboard.get("/api/v1/cases")["items"]], ["over"])

    def send(result: str) -> None:
        body = {"finding": {"result": result, "kind": "outer", "text": ""}, "actor": "Max"}
        assert dashboard.client.post(f"{CASE}/close", json=body).status_code == 200

    return send


def test_a_rejected_check_is_shown_and_sent_again(dashboard, gateway, close):
    gateway.answer = too_old
    close("fault_repaired")
    eventually(lambda: dashboard.get(CASE)["repair_check"]["state"], "refused")
    check = dashboard.get(CASE)["repair_check"]
    assert check["said"]["code"] == "command_unknown"

    gateway.answer = m.acknowledge
    again = dashboard.client.post(f"{CASE}/check-repair", json={"actor": "Eva"})
    assert again.status_code == 200
    eventually(lambda: dashboard.get(CASE)["repair_check"]["state"], "acknowledged")
    assert dashboard.get(CASE)["repair_check"]["actor"] == "Eva"
    # what was done is not sent again
    dashboard.client.post(f"{CASE}/check-repair", json={"actor": "Eva"})
    assert [c["event_id"] for c in gateway.arguments_of("check_repair")] == ["e1", "e1"]


def test_a_check_waits_for_a_gateway_that_is_away_for_days(dashboard, gateway, close):
    gateway.answer = m.ignore
    close("fault_repaired")
    check = dashboard.get(CASE)["repair_check"]
    assert check["state"] in ("pending", "sent")
    assert check["expires_ms"] - check["created_ms"] == pytest.approx(30 * DAY_MS, abs=10_000)
    # what is under way is not sent twice
    assert dashboard.client.post(f"{CASE}/check-repair", json={"actor": "Eva"}).is_success
    assert dashboard.get(CASE)["repair_check"]["id"] == check["id"]


def test_each_case_has_the_check_of_its_own_repair(dashboard, gateway, close):
    close("fault_repaired")
    first = dashboard.get(CASE)["repair_check"]["id"]
    gateway.publish(m.event("pump-3", "e2"))
    gateway.publish(m.event("pump-3", "e2", "end", handling=m.handling("normal", 1)))
    second = "/api/v1/cases/e2"
    eventually(lambda: dashboard.client.get(second).json().get("state"), "over")
    body = {"finding": {"result": "fault_repaired", "kind": "outer", "text": ""}, "actor": "Max"}
    assert dashboard.client.post(f"{second}/close", json=body).status_code == 200
    assert dashboard.get(CASE)["repair_check"]["id"] == first
    assert dashboard.get(second)["repair_check"]["id"] != first


def test_only_a_repair_is_checked(dashboard, gateway, close):
    close("no_fault")
    assert dashboard.get(CASE)["repair_check"] is None
    refused = dashboard.client.post(f"{CASE}/check-repair", json={})
    assert (refused.status_code, refused.json()["code"]) == (409, "case_not_repaired")
