"""Messages and stored answers of earlier versions are read."""

from __future__ import annotations

import json

import pytest

from auscult.contract.learning import Checkpoints, Lesson
from auscult.contract.payloads import Acknowledgement, MachineStateMessage

METRICS = {
    "false_alarm_rate": 0.1, "faults_detected": 1, "faults_total": 1,
    "labelled_false_alarms_silenced": 0, "labelled_false_alarms_total": 0,
    "alarms_per_week": 1.0, "threshold": 9.0,
}  # fmt: skip
TEXT = "1 of 1 confirmed faults still alarm"
SAID = {"code": "gate_detected", "values": {"detected": 1, "faults": 1}}


@pytest.mark.parametrize("said", [{}, {"said": SAID}], ids=["0.1", "0.3"])
def test_the_update_of_a_lesson_keeps_its_reason(said):
    update = {
        "label_id": "l1", "checkpoint_id": "000002", "parent_id": "000001", "accepted": True,
        "reason": TEXT, "before": METRICS, "after": METRICS, "weights_change_norm": 0.0,
        "duration_ms": 30.0, "advice": "", **said,
    }  # fmt: skip
    body = {
        "schema": "auscult/v1/lesson", "ts": 1, "id": "m1", "machine": "pump", "event_id": "e1",
        "verdict": "confirmed_fault", "actor": "eva", "reason": TEXT, "lesson": update, **said,
    }  # fmt: skip
    read = Lesson.read(json.dumps(body).encode())
    assert read.lesson is not None
    assert read.lesson.said.text == TEXT
    assert read.said == read.lesson.said
    assert read.lesson.advice_said is None
    assert (read.label_id, read.created_ms) == ("l1", 1), "they did not say which label, and when"


def test_the_coverage_of_version_0_3_is_read():
    coverage = {
        "phase": "collecting", "fraction": 0.4, "windows": 80, "windows_needed": 200,
        "missing": ["120 more windows"], "because_text": "",
        "lacks": [{"code": "windows", "values": {"count": 120, "point": None}}],
    }  # fmt: skip
    body = {
        "schema": "auscult/v1/machine_state", "ts": 1, "machine": "pump", "condition": "learning",
        "quality": "good", "coverage": coverage,
    }  # fmt: skip
    read = MachineStateMessage.read(json.dumps(body).encode())
    assert read.coverage.missing == ("120 more windows",)


@pytest.mark.parametrize(
    ("said", "expected"),
    [(None, TEXT), (SAID, TEXT), ({"code": "of_tomorrow", "values": {}}, TEXT)],
    ids=["0.1", "0.3", "unknown code"],
)
def test_the_text_of_an_answer_is_read(said, expected):
    """An entry of a list of checkpoints too."""
    body = {"ts": 1, "id": "a1", "command": "label", "ok": True, "reason": TEXT, "said": said}
    assert Acknowledgement.read(json.dumps(body).encode()).text == expected
    one = {"id": "c1", "created_ms": 1, "state": "active", "kept": True}
    listed = {"ts": 1, "machine": "pump", "active": "c1"}
    listed["checkpoints"] = [{**one, "reason": TEXT, "said": said}]
    [checkpoint] = Checkpoints.read(json.dumps(listed).encode()).checkpoints
    assert checkpoint.said is not None
    assert checkpoint.said.text == expected
