"""A missed fault, reported to a real gateway."""

from __future__ import annotations

import time

import pytest

from auscult.contract.label import Verdict
from auscult.contract.payloads import EventMessage
from auscult.contract.requests import reported_event_id
from tests.gateway.learning.test_learning import answer, lessons, plant, versions
from tests.gateway.plant import Reader, Running
from tests.waiting import wait_until

__all__ = ["plant"]

YEAR_2261_MS = 9_200_000_000_000


def events(reader: Reader, event_id: str) -> list[EventMessage]:
    said = [EventMessage.model_validate(one) for one in reader.of("event")]
    return [one for one in said if one.event_id == event_id]


def test_a_report_becomes_an_event_with_its_label(plant, reader):
    with Running(plant()) as running:
        machine = running.gateway.machines["pump"]
        wait_until(lambda: machine.head_updater and machine.head_updater.reports.since_ns)
        wait_until(lambda: len(versions(reader).checkpoints) == 1)
        since_ms = machine.head_updater.reports.since_ns // 10**6
        asked = {"machine": "pump", "start_ms": since_ms, "end_ms": since_ms + 60_000}
        reader.command("preview_fault", "p1", asked)
        foreseen = answer(reader, "p1")
        assert foreseen.ok, foreseen.text
        assert foreseen.preview.effect is not None
        reader.command("report_fault", "f1", asked | {"kind": "gear", "note": "noticed it"})
        done = answer(reader, "f1")
        assert done.ok, done.text
        assert done.lesson.accepted == foreseen.preview.effect.accepted
        event_id = reported_event_id("f1")
        wait_until(lambda: events(reader, event_id) and lessons(reader, "f1"))
        (event,) = events(reader, event_id)
        assert (event.phase, event.started_ms, event.handling.state) == ("end", since_ms, "normal")
        assert (event.handling.changes, event.handling.acknowledged_by) == (1, "anna")
        assert event.reasons[0].text == "fault (gear) reported by anna; no event had detected it"
        (lesson,) = lessons(reader, "f1")
        assert (lesson.event_id, lesson.verdict, lesson.note) == (
            event_id, Verdict.CONFIRMED_FAULT, "noticed it",
        )  # fmt: skip
        reader.command("label", "l1", {"event_id": event_id, "verdict": "unsure"})
        assert answer(reader, "l1").ok, "a report can be corrected like any label"
        reader.command("report_fault", "f2", asked | {"start_ms": 1, "end_ms": 2})
        late = answer(reader, "f2")
        assert not late.ok
        assert "reports reach back" in late.text
        reach_h = (time.time() - since_ms / 1000) / 3600
        assert late.said.values["reach_h"] == pytest.approx(reach_h, abs=0.02)


def test_a_report_of_any_length_becomes_an_event_of_its_windows(plant, reader):
    with Running(plant()) as running:
        machine = running.gateway.machines["pump"]
        wait_until(lambda: machine.head_updater and machine.head_updater.reports.since_ns)
        wait_until(lambda: len(versions(reader).checkpoints) == 1)
        since_ms = machine.head_updater.reports.since_ns // 10**6
        whole = {"machine": "pump", "start_ms": 0, "end_ms": YEAR_2261_MS}
        reader.command("preview_fault", "p1", whole)
        assert answer(reader, "p1").ok
        reader.command("report_fault", "f1", whole)
        assert answer(reader, "f1").ok
        event_id = reported_event_id("f1")
        wait_until(lambda: events(reader, event_id))
        (event,) = events(reader, event_id)
        assert event.started_ms == since_ms
        assert since_ms < event.ended_ms <= time.time_ns() // 10**6
        wrong = ((0, 1), (YEAR_2261_MS - 1, YEAR_2261_MS), (2, 1), (-1, 1), (1, 10**18))
        for number, (start_ms, end_ms) in enumerate(wrong):
            asked = {"machine": "pump", "start_ms": start_ms, "end_ms": end_ms}
            reader.command("report_fault", f"bad{number}", asked)
            assert not answer(reader, f"bad{number}").ok
