"""A question of a real gateway: in the machine's state, previewed and answered as a label."""

from __future__ import annotations

import pytest

from auscult.contract.payloads import MachineStateMessage
from auscult.models.learning.questions import FEWEST, HopStretch, Questions
from tests.gateway.commands.test_reports import events
from tests.gateway.learning.test_learning import answer, lessons, plant
from tests.gateway.plant import TOPICS, Reader, Running
from tests.waiting import wait_until

__all__ = ["plant"]


@pytest.fixture
def eager(monkeypatch):
    """Ask about any windows: the recordings show no near-miss."""

    def follow(self, decision, windows, now_ns, *, has_event):
        if windows:
            self._stretch.add(decision._replace(p_value=0.01), windows)
        if self._stretch.count < FEWEST:
            return None
        stretch, self._stretch = self._stretch, HopStretch()
        asked = self.offer(stretch, now_ns)
        return None if asked is None else (asked, stretch.hops)

    monkeypatch.setattr(Questions, "follow", follow)


def questions(reader: Reader):
    latest = reader.latest.get(TOPICS.machine_state("pump"))
    return MachineStateMessage.model_validate(latest).questions if latest else ()


def test_a_question_is_answered_as_a_label(plant, reader, eager):
    with Running(plant()):
        wait_until(lambda: questions(reader))
        asked = questions(reader)[0]
        assert (asked.cause, asked.windows, len(asked.points)) == ("near_miss", FEWEST, 2)
        reader.command("preview_label", "p1", {"event_id": asked.id, "verdict": "false_alarm"})
        foreseen = answer(reader, "p1")
        assert foreseen.ok, foreseen.text
        assert foreseen.preview.effect is not None
        assert asked.id in {one.id for one in questions(reader)}, "a preview answers nothing"
        given = {"event_id": asked.id, "verdict": "false_alarm", "note": "test run"}
        reader.command("label", "l1", given)
        done = answer(reader, "l1")
        assert done.ok, done.text
        assert done.lesson.accepted == foreseen.preview.effect.accepted
        wait_until(lambda: lessons(reader, "l1"))
        wait_until(lambda: asked.id not in {one.id for one in questions(reader)})
        assert events(reader, asked.id) == [], "what was normal is no event"
        reader.command("label", "l2", {"event_id": asked.id, "verdict": "confirmed_fault"})
        assert answer(reader, "l2").ok, "an answer can be corrected"
