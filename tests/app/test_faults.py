"""A missed fault, reported through the dashboard."""

from __future__ import annotations

import pytest

from auscult.contract.learning import QuestionPart
from auscult.contract.requests import reported_event_id
from auscult.contract.said import Said
from tests.app import messages as m
from tests.waiting import eventually

FAULTS = "/api/v1/machines/plant~gw1~pump-3/faults"
BODY = {"actor": "eva", "start_ms": 1_000, "end_ms": 61_000, "kind": "gear"}


@pytest.fixture
def machine(dashboard, gateway):
    gateway.say_hello("pump-3")
    eventually(lambda: dashboard.client.get(FAULTS.removesuffix("/faults")).status_code, 200)


def test_a_report_is_a_label_in_the_ledger(dashboard, gateway, machine):
    body = BODY | {"id": "report-command", "note": "noticed it"}
    answer = dashboard.client.post(FAULTS, json=body)
    assert answer.status_code == 201, answer.text
    label = answer.json()
    assert label["event_id"] == reported_event_id("report-command")
    assert (label["verdict"], label["kind"], label["actor"]) == ("confirmed_fault", "gear", "eva")
    assert (label["state"], label["note"]) == ("acknowledged", "noticed it")
    assert label["lesson"]["accepted"] is True
    ((name, command),) = gateway.commands
    assert name == "report_fault"
    assert command["args"] == {
        "machine": "pump-3", "start_ms": 1_000, "end_ms": 61_000, "kind": "gear",
        "note": "noticed it",
    }  # fmt: skip
    assert dashboard.client.post(FAULTS, json=body).status_code == 200, "the same report, once"
    assert len(dashboard.get("/api/v1/labels")["items"]) == 1


def test_a_preview_stores_no_label(dashboard, gateway, machine):
    answer = dashboard.client.post(f"{FAULTS}/preview", json=BODY)
    assert answer.status_code == 200, answer.text
    assert answer.json()["effect"]["accepted"] is True
    assert gateway.commands[0][0] == "preview_fault"
    assert dashboard.get("/api/v1/labels")["items"] == []


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        (
            FAULTS,
            BODY | {"id": "report-2", "end_ms": 1_000},
            422,
            "the end must be after the start",
        ),
        (FAULTS.replace("pump-3", "none"), BODY | {"id": "report-3"}, 404, "no machine"),
    ],
)
def test_wrong_requests_are_rejected(dashboard, machine, path, body, status, words):
    answer = dashboard.client.post(path, json=body)
    assert (answer.status_code, words in answer.json()["detail"]) == (status, True), answer.text


QUESTION = QuestionPart(
    id="report-q-01", cause="near_miss", start_ms=1_000, end_ms=61_000, windows=8, sigma=2.3,
    points=("DE-H",),
    said=Said("question_near_miss", {"evidence": 0.8}),
)  # fmt: skip


def test_a_question_is_shown_and_answered_as_an_event_is(dashboard, gateway, machine):
    gateway.publish(m.machine_state("pump-3", questions=(QUESTION,)))
    path = FAULTS.removesuffix("/faults")
    eventually(lambda: [one["id"] for one in dashboard.get(path)["questions"]], ["report-q-01"])
    labels = "/api/v1/events/report-q-01/labels"
    body = {"id": "answer-1", "actor": "eva", "verdict": "false_alarm"}
    answer = dashboard.client.post(labels, json=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["machine_id"] == "plant~gw1~pump-3"
    name, command = gateway.commands[0]
    assert (name, command["args"]["event_id"]) == ("label", "report-q-01")
    gateway.publish(m.machine_state("pump-3"))
    eventually(lambda: dashboard.get(path)["questions"], [])
    again = dashboard.client.post(labels, json=body | {"id": "answer-2", "verdict": "unsure"})
    assert again.status_code == 201, "it can be taken back"
    missing = dashboard.client.post(labels.replace("q-01", "q-%"), json=body | {"id": "answer-3"})
    assert missing.status_code == 404
