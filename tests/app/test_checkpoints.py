"""Versions of what machines have learned, as their gateways list them; the choice among them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auscult.contract.learning import CheckpointPart, Checkpoints, Metrics, ShadowPart
from auscult.contract.payloads import Acknowledgement
from auscult.contract.records import Detectable
from tests.app import messages as m
from tests.app.conftest import DATABASES
from tests.reasons import text_of
from tests.waiting import eventually

MACHINE = "plant~gw1~pump-3"
PATH = f"/api/v1/machines/{MACHINE}/checkpoints"
METRICS = Metrics(
    false_alarm_rate=0.002, faults_detected=1, faults_total=1,
    labelled_false_alarms_silenced=1, labelled_false_alarms_total=1,
    alarms_per_week=1.0, threshold=3.1,
)  # fmt: skip


@pytest.fixture(params=DATABASES)
def database(request):
    return request.param


def listed(active: str, ts: int, candidate: str | None = None) -> Checkpoints:
    return Checkpoints(
        ts=ts,
        machine="pump-3",
        active=active,
        candidate=candidate,
        shadow=ShadowPart(
            windows=12, windows_needed=500, hours_needed=0, active_beyond=1, candidate_beyond=0
        )
        if candidate
        else None,
        checkpoints=(
            CheckpointPart(
                id="000002-b", parent_id="000001-a", created_ms=ts, state="active", reason="fine",
                kept=True, label_id="l1", event_id="e1", verdict="false_alarm", actor="ada",
                before=METRICS, after=METRICS,
            ),
        ),
        detectable=(Detectable("DE-H", "outer", "g", "6205", None, 0.4, 0.4),),
    )  # fmt: skip


def test_the_newest_list_is_shown(dashboard, gateway):
    now = m.now_ms()
    gateway.publish(listed("000002-b", now, "000003-c"))
    eventually(lambda: dashboard.count("checkpoints"), 1)
    shown = dashboard.get(PATH)
    assert shown["shadow"]["windows"] == 12
    assert shown["checkpoints"][0]["after"]["faults_detected"] == 1
    assert shown["checkpoints"][0]["verdict"] == "false_alarm"
    assert dashboard.get(f"/api/v1/machines/{MACHINE}")["detectable"] == [
        {"point": "DE-H", "change": "outer", "unit": "g", "name": "6205", "day": None,
         "week": 0.4, "month": 0.4}
    ]  # fmt: skip
    gateway.publish(listed("000001-a", now - 1000))
    gateway.publish(listed("000003-c", now + 1))
    eventually(lambda: dashboard.get(PATH)["active"], "000003-c")


def test_a_waiting_label_is_shown_and_completed_by_its_lesson(dashboard, gateway):
    waiting = m.lesson("pump-3", "e1", "waiting1", lesson=None, reason="waits for 1 more label")
    gateway.publish(waiting)
    eventually(lambda: dashboard.count("label"), 1)
    assert dashboard.get("/api/v1/labels/waiting1")["lesson"] is None
    gateway.publish(m.lesson("pump-3", "e1", "waiting1"))
    eventually(lambda: dashboard.get("/api/v1/labels/waiting1")["lesson"] is not None, True)


def test_a_label_that_waited_reports_its_effect(dashboard, gateway):
    event = m.ulid()
    gateway.publish(m.status())
    gateway.publish(m.inventory("pump-3"))
    gateway.publish(m.event("pump-3", event))
    eventually(lambda: dashboard.count("event"), 1)
    gateway.answer = lambda name, command: Acknowledgement(
        ts=m.now_ms(), id=command["id"], command=name, ok=True, reason="waits for 1 more label"
    )
    body = {"id": "waiting-0001", "verdict": "false_alarm"}
    answer = dashboard.client.post(f"/api/v1/events/{event}/labels", json=body)
    assert answer.status_code == 201, answer.text
    assert text_of(answer.json()) == "waits for 1 more label"
    gateway.publish(m.lesson("pump-3", event, "waiting-0001", reason="one is silent"))
    label = "/api/v1/labels/waiting-0001"
    eventually(lambda: dashboard.get(label)["lesson"] is not None, True)
    assert text_of(dashboard.get(label)) == "one is silent"


def test_an_answer_that_was_trained_again_shows_what_is_active(dashboard, gateway):
    def effect(checkpoint: str, threshold: float):
        given = m.lesson("pump-3", "e1", "again1")
        part = replace(
            given.lesson,
            checkpoint_id=checkpoint,
            after=replace(given.lesson.after, threshold=threshold),
        )
        return given.model_copy(update={"lesson": part})

    def shown():
        return dashboard.get("/api/v1/labels/again1")["lesson"]["after"]["threshold"]

    gateway.publish(effect("000002-a", 2.64))
    eventually(lambda: dashboard.count("label"), 1)
    gateway.publish(effect("000007-b", 3.12))
    eventually(shown, 3.12)
    gateway.publish(effect("000002-a", 2.64))  # it comes again, late
    gateway.publish(effect("000009-c", 3.2))
    eventually(shown, 3.2)


def test_an_engineer_decides_on_a_candidate(dashboard, gateway):
    gateway.publish(m.status())
    gateway.publish(m.inventory("pump-3"))
    eventually(lambda: dashboard.count("machine"), 1)
    for action in ("promote", "reject"):
        body = {"id": f"{action}-0001", "checkpoint_id": "000003-c"}
        answer = dashboard.client.post(f"/api/v1/machines/{MACHINE}/{action}", json=body)
        assert answer.status_code == 201, answer.text
        assert answer.json()["state"] == "acknowledged"
        name, command = gateway.commands[-1]
        assert name == action
        assert command["args"] == {"machine": "pump-3", "checkpoint_id": "000003-c"}


def test_an_engineer_goes_back_to_an_older_baseline(dashboard, gateway):
    gateway.publish(m.status())
    gateway.publish(m.inventory("pump-3"))
    eventually(lambda: dashboard.count("machine"), 1)
    body = {"id": "roll-back-0001", "baseline_id": "base-1"}
    answer = dashboard.client.post(f"/api/v1/machines/{MACHINE}/roll-back", json=body)
    assert answer.status_code == 201, answer.text
    assert gateway.commands[-1][1]["args"]["baseline_id"] == "base-1"
