"""What an answer would change, asked through the dashboard."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from auscult.contract.learning import PreviewPart
from auscult.contract.payloads import Acknowledgement
from auscult.contract.said import Said
from tests.app import messages as m
from tests.waiting import eventually


def answered(name, command):
    """Foresee what a label would do."""
    effect = replace(
        m.lesson_part(command["id"]), checkpoint_id="", silenced=("01ARZ3NDEKTSV4RRFFQ69G5FAV",)
    )
    preview = PreviewPart(
        verdict=command["args"]["verdict"], said=Said("preview_noted"), effect=effect
    )
    return Acknowledgement(
        ts=m.now_ms(), id=command["id"], command=name, ok=True, reason="as said", preview=preview
    )


@pytest.fixture
def path(dashboard, gateway):
    identity = m.ulid()
    gateway.say_hello("pump-3")
    gateway.publish(m.event("pump-3", identity))
    eventually(lambda: dashboard.count("event"), 1)
    gateway.answer = answered
    return f"/api/v1/events/{identity}/preview"


def test_the_preview_is_what_the_gateway_foresees(dashboard, gateway, path):
    body = {"actor": "eva", "verdict": "confirmed_fault", "kind": "inner"}
    answer = dashboard.client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    got = answer.json()
    assert got["event_id"] == path.split("/")[4]
    assert got["machine_id"] == "plant~gw1~pump-3"
    assert (got["verdict"], got["waits_said"]) == ("confirmed_fault", None)
    assert got["said"] == {"code": "preview_noted", "values": {}}
    assert got["effect"]["accepted"] is True
    assert got["effect"]["before"]["alarms_per_week"] == 3.0
    assert got["effect"]["after"]["alarms_per_week"] == 0.2
    assert got["effect"]["silenced"] == ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]
    ((name, command),) = gateway.commands
    assert (name, command["actor"]) == ("preview_label", "eva")
    assert command["args"]["verdict"] == "confirmed_fault"
    assert command["expires_ms"] <= 1000 * time.time() + 60_000
    assert dashboard.get("/api/v1/labels")["items"] == [], "no label is stored"


def test_an_absent_gateway_is_reported_in_time(dashboard, gateway, path):
    gateway.answer = m.ignore
    answer = dashboard.client.post(path, json={"verdict": "false_alarm"}, params={"wait_s": 0.3})
    assert answer.status_code == 424
    assert answer.headers["content-type"] == "application/problem+json"
    assert "plant~gw1 did not answer within 0.3 s" in answer.json()["detail"]


def test_a_rejection_has_the_reason(dashboard, gateway, path):
    gateway.answer = lambda name, c: Acknowledgement(
        ts=m.now_ms(), id=c["id"], command=name, ok=False, reason="this event is unknown here"
    )
    answer = dashboard.client.post(path, json={"verdict": "false_alarm"})
    assert (answer.status_code, answer.json()["detail"]) == (409, "this event is unknown here")


@pytest.mark.parametrize(
    ("event", "body", "status", "words"),
    [
        ("none", {"verdict": "false_alarm"}, 404, "no event none"),
        ("none", {"verdict": "perhaps"}, 422, "body.verdict"),
        ("none", {"verdict": "false_alarm", "kind": "inner"}, 422, "leave it out"),
    ],
)
def test_wrong_requests_are_rejected_with_the_reason(dashboard, event, body, status, words):
    answer = dashboard.client.post(f"/api/v1/events/{event}/preview", json=body)
    assert answer.status_code == status
    assert words in answer.json()["detail"]
    assert dashboard.count("command") == 0
