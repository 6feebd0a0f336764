"""When labels are learned, what waits survives, and novel data teach too."""

import numpy as np
import pytest

from auscult.models.learning.pending import PendingLabels
from auscult.models.learning.settings import LearningSettings
from auscult.models.learning.trigger import SECOND_NS, Novelty, novel_data_due, wait_for_labels
from auscult.models.records import Label, Verdict
from tests.models.learning.world import NEW_SPEED, World, windows

AWAY = (NEW_SPEED, 1.5)


def label(number, event="E1", verdict=Verdict.FALSE_ALARM):
    return Label(f"L{number}", event, "pump", verdict, None, "ada", number * SECOND_NS, "a note")


@pytest.mark.parametrize(
    ("new", "since_s", "reason"),
    [
        (3, 10, None),
        (2, 10, "waits for 1 more label"),
        (1, 10, "waits for 2 more labels"),
        (3, 1, "waits 4 s until the last training has cooled down"),
        (3, -100, None),
    ],
)
def test_what_labels_wait_for(new, since_s, reason):
    settings = LearningSettings(min_new_labels=3, cooldown_s=5)
    wait = wait_for_labels(new, 100 * SECOND_NS, (100 + since_s) * SECOND_NS, settings)
    assert (wait.reason if wait else None) == reason


def test_a_label_is_learned_at_once_unless_told_otherwise():
    assert wait_for_labels(1, 0, 2 * SECOND_NS, LearningSettings()) is None


@pytest.mark.parametrize(
    ("windows", "wrong", "due"), [(10, 5, True), (9, 9, False), (10, 1, False), (100, 50, True)]
)
def test_novel_data_are_learned_if_many_and_judged_wrongly(windows, wrong, due):
    settings = LearningSettings(novel_windows=10, loss_min=0.2, cooldown_s=0)
    assert novel_data_due(Novelty(windows, wrong), 0, SECOND_NS, settings) is due


def test_waiting_labels_survive_a_restart(tmp_path):
    pending = PendingLabels(tmp_path / "pending")
    pending.add(label(1))
    pending.add(label(2))
    pending.note_answered("L1")
    again = PendingLabels(tmp_path / "pending")
    assert [(entry.label, entry.answered) for entry in again] == [
        (label(1), True),
        (label(2), False),
    ]
    again.remove("L1")
    assert [entry.label.label_id for entry in PendingLabels(tmp_path / "pending")] == ["L2"]


def test_a_damaged_list_is_told_and_begun_anew(tmp_path, caplog):
    pending = PendingLabels(tmp_path / "pending")
    pending.add(label(1))
    path = tmp_path / "pending"
    path.write_bytes(path.read_bytes()[:-1])
    assert list(PendingLabels(path)) == []
    assert "waiting labels can't be read" in caplog.text


def test_a_submitted_label_is_there_until_it_was_told(tmp_path):
    world = World(tmp_path)
    world.event("E1", AWAY)
    assert world.learner.submit(label(1)) is None
    world.learner.note_answered("L1")
    world.open()
    [waiting] = world.learner.pending
    update = world.learner.label(waiting.label)
    assert update.accepted
    world.open()
    assert [entry.label for entry in world.learner.pending] == [label(1)], "not told yet"
    assert world.learner.submit(label(1)) == update
    world.learner.note_told("L1")
    assert world.learner.pending == ()


def test_what_comes_to_a_labelled_event_later_is_learned_too(tmp_path):
    """The label came after three windows; the condition was not settled yet."""
    settings = LearningSettings(novel_windows=20, cooldown_s=0)
    world = World(tmp_path, settings=settings)
    assert world.event("E1", (NEW_SPEED, 1.0), n=3, verdict=Verdict.FALSE_ALARM).accepted
    later = ((NEW_SPEED, 1.0), (5, 1.5))
    assert world.beyond(windows(200, 7, *later)) > 0.98
    assert not world.learner.learn_novel(world.t_ns)
    world.show(windows(40, 60, *later), "E1")
    assert world.learner.learn_novel(world.t_ns)
    assert world.beyond(windows(200, 7, *later)) < 0.2
    assert "new windows" in world.learner.checkpoints()[-1].checkpoint.reason
    assert not world.learner.learn_novel(world.t_ns), "once"
    scores = world.log_scores(windows(20, 8, *later))
    world.open()
    np.testing.assert_array_equal(world.log_scores(windows(20, 8, *later)), scores)


def test_a_full_head_asks_for_a_new_baseline(tmp_path):
    world = World(tmp_path)
    updates = [
        world.event(f"E{i}", (10 + i, 1.5), seed=200 + i, n=4, verdict=Verdict.FALSE_ALARM)
        for i in range(20)
    ]
    assert updates[5].advice == ""
    full = [update.advice for update in updates if update.advice]
    assert full
    assert "holds 16 places" in full[-1]
    assert "take a new baseline" in full[-1]
