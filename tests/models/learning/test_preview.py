"""A preview returns what the label then does, and changes nothing."""

from dataclasses import replace

import pytest

from auscult.contract.label import Verdict
from auscult.models.learning.settings import LearningSettings
from tests.models.learning.world import INNER_RACE, NEW_SPEED, OUTER_RACE, World

AWAY = (NEW_SPEED, 1.5)
FAULT = (INNER_RACE, 1.0)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def without_names(update):
    """Return an update without the id and the duration of its checkpoint."""
    return replace(update, checkpoint_id="", duration_ms=0.0)


def files(world):
    return {path.name: path.read_bytes() for path in world.folder.iterdir()}


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("shift", [AWAY, FAULT])
def test_it_is_what_the_label_then_does(world, verdict, shift):
    world.fault("E1", FAULT)
    world.false_alarm("E2", AWAY, seed=51)
    world.event("E3", shift, seed=52)
    label = world.next_label("E3", verdict)
    foreseen = world.updater.preview(label)
    assert without_names(foreseen) == without_names(world.updater.learn(label))


def test_it_changes_nothing(world):
    world.fault("E1", FAULT)
    world.event("E2", AWAY, seed=51)
    heads, stored, known = world.updater.heads, files(world), len(world.updater.checkpoints())
    assert world.updater.preview(world.next_label("E2", Verdict.FALSE_ALARM)).accepted
    assert world.updater.heads is heads
    assert files(world) == stored
    assert len(world.updater.checkpoints()) == known
    assert world.updater.waiting == ()
    assert not world.updater.is_labelled("E2")


def test_a_correction_is_foreseen_too(world):
    world.false_alarm("E1", AWAY)
    label = world.next_label("E1", Verdict.UNSURE)
    foreseen = world.updater.preview(label)
    assert foreseen.raised == ("E1",)
    assert "replaces the verdict of ada" in foreseen.said.text
    assert without_names(foreseen) == without_names(world.updater.learn(label))


def test_it_names_the_events_that_would_alarm_no_more(world):
    world.event("E1", AWAY, n=40)
    world.event("E2", (OUTER_RACE, 1.5), seed=51)
    world.event("E3", AWAY, seed=52, n=60)
    foreseen = world.updater.preview(world.next_label("E3", Verdict.FALSE_ALARM))
    assert foreseen.silenced == ("E1", "E3")
    assert foreseen.raised == ()


def test_a_rejection_is_foreseen(world):
    world.fault("E1", FAULT)
    world.event("E2", FAULT, seed=51)
    foreseen = world.updater.preview(world.next_label("E2", Verdict.FALSE_ALARM))
    assert not foreseen.accepted
    assert "resembles a fault that was confirmed before" in foreseen.said.text


def test_labels_that_wait_come_first(tmp_path):
    world = World(tmp_path, settings=LearningSettings(min_new_labels=2))
    world.event("E1", FAULT)
    world.event("E2", FAULT, seed=51)
    waiting = world.next_label("E1", Verdict.CONFIRMED_FAULT)
    world.updater.defer(waiting)
    label = world.next_label("E2", Verdict.FALSE_ALARM)
    assert world.updater.wait(world.t_ns, more=1) is None
    foreseen = world.updater.preview(label)
    assert "resembles a fault that was confirmed before" in foreseen.said.text
    first = world.updater.learn(waiting)
    then = world.updater.learn(label)
    assert without_names(foreseen) == replace(without_names(then), parent_id=first.parent_id)
