"""Deltas are downloaded and brought through the dashboard, and nothing happens without trace."""

from __future__ import annotations

import base64

import pytest

from auscult.contract.learning import MAX_DELTA_BYTES, DeltaPart
from auscult.contract.payloads import Acknowledgement
from tests.app import messages as m
from tests.reasons import text_of
from tests.waiting import eventually

MACHINE = "plant~gw1~pump-3"
PATH = f"/api/v1/machines/{MACHINE}/delta"
DATA = b"AUSCULT-DELTA-1\n" + bytes(range(256))


def does(name, command):
    """Export or import as a gateway does."""
    lesson = m.lesson_part(command["id"]) if name == "import_delta" else None
    delta = None
    if name == "export_delta":
        delta = DeltaPart(
            id="d", checkpoint_id="000002-abc", baseline_id="b", spec_id="s", labels=3, key="k",
            data=base64.b64encode(DATA).decode(),
        )  # fmt: skip
    return Acknowledgement(
        ts=m.now_ms(), id=command["id"], command=name, ok=True, reason="accepted: it fits",
        lesson=lesson, delta=delta,
    )  # fmt: skip


@pytest.fixture
def machine(dashboard, gateway):
    gateway.say_hello("pump-3")
    eventually(lambda: dashboard.count("machine"), 1)
    gateway.answer = does
    return gateway


def body(data=DATA, **more):
    return {"id": "delta-0001", "actor": "eva", "delta": base64.b64encode(data).decode(), **more}


def test_a_delta_is_downloaded_as_the_file_that_the_command_takes(dashboard, machine):
    answer = dashboard.client.get(PATH)
    assert answer.status_code == 200, answer.text
    assert answer.content == DATA
    assert answer.headers["content-type"] == "application/octet-stream"
    wanted = 'attachment; filename="pump-3-000002-abc.delta"'
    assert answer.headers["content-disposition"] == wanted
    ((name, command),) = machine.commands
    assert (name, command["args"]) == ("export_delta", {"machine": "pump-3"})
    (listed,) = dashboard.get("/api/v1/commands")["items"]
    assert listed["name"] == "export_delta"


def test_a_delta_is_brought_and_the_gates_word_is_shown(dashboard, machine):
    answer = dashboard.client.post(PATH, json=body())
    assert answer.status_code == 201, answer.text
    got = answer.json()
    assert (got["state"], text_of(got)) == ("acknowledged", "accepted: it fits")
    assert got["lesson"]["accepted"] is True
    assert got["args"] == {"machine": "pump-3", "delta": f"{len(DATA)} bytes"}
    ((name, command),) = machine.commands
    assert name == "import_delta"
    assert base64.b64decode(command["args"]["delta"]) == DATA
    assert dashboard.client.post(PATH, json=body()).status_code == 200, "a double click"
    assert len(machine.commands) == 1
    assert dashboard.get("/api/v1/commands/delta-0001")["lesson"]["accepted"] is True


def test_an_absent_gateway_is_reported_in_time(dashboard, machine):
    machine.answer = m.ignore
    answer = dashboard.client.get(PATH, params={"wait_s": 0.3})
    assert answer.status_code == 424
    assert "did not answer within 0.3 s" in answer.json()["detail"]
    got = dashboard.client.post(PATH, json=body(), params={"wait_s": 0}).json()
    assert got["state"] in ("pending", "sent")


def test_a_rejection_has_the_reason(dashboard, machine):
    machine.answer = lambda name, c: Acknowledgement(
        ts=m.now_ms(), id=c["id"], command=name, ok=False, reason="no baseline yet"
    )
    answer = dashboard.client.get(PATH)
    assert (answer.status_code, answer.json()["detail"]) == (409, "no baseline yet")
    got = dashboard.client.post(PATH, json=body()).json()
    assert (got["state"], text_of(got), got["lesson"]) == ("refused", "no baseline yet", None)


@pytest.mark.parametrize(
    ("delta", "words"),
    [("?", "not base64"), ("", "body.delta"), ("A" * (MAX_DELTA_BYTES * 4 // 3 + 100), "at most")],
)
def test_an_invalid_or_too_large_delta_is_rejected_unsent(dashboard, machine, delta, words):
    answer = dashboard.client.post(PATH, json=body(delta="") | {"delta": delta})
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert dashboard.count("command") == 0


def test_an_unknown_machine_has_no_delta(dashboard):
    assert dashboard.client.get("/api/v1/machines/a~b~c/delta").status_code == 404
    answer = dashboard.client.post("/api/v1/machines/a~b~c/delta", json=body())
    assert answer.status_code == 404
