"""When labels are learned; waiting labels survive; novel data are learned too."""

import json

import numpy as np
import pytest

from auscult.contract.label import Label, Verdict
from auscult.contract.message import NS_PER_MS
from auscult.contract.times import NS_PER_S
from auscult.models.learning.checkpoints import write_whole
from auscult.models.learning.settings import LearningSettings
from auscult.models.learning.trigger import Novelty, novel_data_due, wait_for_labels
from auscult.models.learning.waiting import WaitingLabels
from tests.models.learning.world import NEW_SPEED, World, windows

AWAY = (NEW_SPEED, 1.5)


def label(number, event="E1", verdict=Verdict.FALSE_ALARM):
    return Label(
        label_id=f"L{number}", event_id=event, machine="pump", verdict=verdict, actor="ada",
        note="a note", created_ms=number * 1000,
    )  # fmt: skip


def as_in_0_3(given):
    stored = given.model_dump(mode="json")
    stored["at_ns"] = stored.pop("created_ms") * NS_PER_MS
    return stored


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
    wait = wait_for_labels(new, 100 * NS_PER_S, (100 + since_s) * NS_PER_S, settings)
    assert (wait.reason.text if wait else None) == reason


def test_by_default_a_label_is_learned_at_once():
    assert wait_for_labels(1, 0, 2 * NS_PER_S, LearningSettings()) is None


@pytest.mark.parametrize(
    ("windows", "wrong", "due"), [(10, 5, True), (9, 9, False), (10, 1, False), (100, 50, True)]
)
def test_novel_data_are_learned_if_many_are_decided_wrongly(windows, wrong, due):
    settings = LearningSettings(novel_windows=10, loss_min=0.2, cooldown_s=0)
    assert novel_data_due(Novelty(windows, wrong), 0, NS_PER_S, settings) is due


def test_waiting_labels_survive_a_restart(tmp_path):
    waiting = WaitingLabels(tmp_path / "pending")
    waiting.add(label(1))
    waiting.add(label(2))
    assert list(WaitingLabels(tmp_path / "pending")) == [label(1), label(2)]
    waiting.remove("L1")
    assert list(WaitingLabels(tmp_path / "pending")) == [label(2)]


def test_an_unanswered_label_of_an_older_version_comes_again_as_its_command(tmp_path):
    entries = [
        {"label": as_in_0_3(label(number)), "answered": answered}
        for number, answered in ((1, True), (2, False))
    ]
    write_whole(tmp_path / "pending", json.dumps(entries).encode())
    assert list(WaitingLabels(tmp_path / "pending")) == [label(1)]


def test_a_damaged_list_is_logged_and_replaced(tmp_path, caplog):
    waiting = WaitingLabels(tmp_path / "pending")
    waiting.add(label(1))
    path = tmp_path / "pending"
    path.write_bytes(path.read_bytes()[:-1])
    assert list(WaitingLabels(path)) == []
    assert "waiting labels can't be read" in caplog.text


def test_a_waiting_label_is_there_until_its_effect_was_sent(tmp_path):
    world = World(tmp_path)
    world.event("E1", AWAY)
    world.updater.defer(label(1))
    world.open()
    [waiting] = world.updater.waiting
    update = world.updater.learn(waiting)
    assert update.accepted
    world.open()
    assert world.updater.waiting == (label(1),), "its effect was not sent yet"
    assert world.updater.learn(label(1)) == update
    world.updater.settle("L1")
    assert world.updater.waiting == ()


def test_what_comes_to_a_labelled_event_later_is_learned_too(tmp_path):
    """The label came after three windows; the condition was not settled yet."""
    settings = LearningSettings(novel_windows=20, cooldown_s=0)
    world = World(tmp_path, settings=settings)
    assert world.event("E1", (NEW_SPEED, 1.0), n=3, verdict=Verdict.FALSE_ALARM).accepted
    later = ((NEW_SPEED, 1.0), (5, 1.5))
    assert world.beyond(windows(200, 7, *later)) > 0.98
    assert not world.updater.learn_novel(world.t_ns)
    world.show(windows(40, 60, *later), "E1")
    assert world.updater.learn_novel(world.t_ns)
    assert world.beyond(windows(200, 7, *later)) < 0.2
    assert "new windows" in world.updater.checkpoints()[-1].checkpoint.reason.text
    assert not world.updater.learn_novel(world.t_ns), "once"
    scores = world.log_scores(windows(20, 8, *later))
    world.open()
    np.testing.assert_array_equal(world.log_scores(windows(20, 8, *later)), scores)


def test_an_answer_is_trained_again_ever_more_rarely(tmp_path):
    """A labelled departure that continues for 1,280 windows; its level wanders."""
    world = World(tmp_path, settings=LearningSettings(cooldown_s=0))
    first = world.event("E1", (12, 6.0), n=4, verdict=Verdict.FALSE_ALARM)
    before, tried = len(world.updater.checkpoints()), 0
    for batch in range(40):
        world.show(windows(16, 100 + batch, (12, 6.0 + 1.2 * (batch % 5)), (5, 1.5)), "E1")
        tried += world.updater.learn_novel(world.t_ns) is not None
    made = world.updater.checkpoints()[before:]
    assert 0 < tried == len(made) <= 5, "a rejected training leaves no checkpoint"
    assert {entry.label.label_id for entry in made} == {"L1"}
    assert all(entry.again for entry in made)
    world.open()
    now = world.updater.update_of("L1")
    assert now.after == made[-1].checkpoint.metrics_after, "what is active is the answer's result"
    assert (now.before, now.parent_id) == (first.before, first.parent_id)
    assert now.checkpoint_id == world.updater.checkpoint_id


def test_a_full_head_asks_for_a_new_baseline(tmp_path):
    world = World(tmp_path)
    updates = [
        world.event(f"E{i}", (10 + i, 1.5), seed=200 + i, n=4, verdict=Verdict.FALSE_ALARM)
        for i in range(20)
    ]
    assert updates[5].advice_said is None
    full = [update.advice_said.text for update in updates if update.advice_said]
    assert full
    assert "holds 16 places" in full[-1]
    assert "take a new baseline" in full[-1]
