"""The list of what a machine has learned: one answer is one entry, and what is kept is listed."""

from __future__ import annotations

import pytest

from auscult.contract.label import Verdict
from auscult.gateway.learning.checkpoint_list import checkpoint_list
from auscult.models.learning.checkpoints import read_whole, write_whole
from auscult.models.learning.settings import LearningSettings
from tests.models.learning.world import World, windows

SETTINGS = LearningSettings(cooldown_s=0, keep=12)


@pytest.fixture
def world(tmp_path):
    """A false alarm that continues and was trained again, between two others."""
    world = World(tmp_path, settings=SETTINGS)
    world.event("E0", (7, 2.0), verdict=Verdict.FALSE_ALARM)
    world.event("E1", (12, 6.0), n=4, verdict=Verdict.FALSE_ALARM)
    for batch in range(16):
        world.show(windows(16, 100 + batch, (12, 6.0 + 1.2 * (batch % 5)), (5, 1.5)), "E1")
        world.updater.learn_novel(world.t_ns)
    world.event("E2", (9, 2.0), verdict=Verdict.FALSE_ALARM)
    return world


def listed(world):
    return checkpoint_list("pump", world.updater, [])


def test_one_answer_is_one_entry_with_its_earlier_versions(world):
    stored = world.updater.checkpoints()
    assert len(stored) > 5
    entries = listed(world).checkpoints
    assert [entry.event_id for entry in entries] == ["E2", "E1", "E0", None]
    again = entries[1]
    trainings = [entry for entry in stored if entry.label and entry.label.event_id == "E1"]
    assert again.trainings == len(trainings) > 2
    assert again.id == trainings[-1].checkpoint.checkpoint_id
    assert again.after == trainings[-1].checkpoint.metrics_after
    assert again.before == trainings[0].checkpoint.metrics_before
    assert again.parent_id == entries[2].id
    ids = [entry.checkpoint.checkpoint_id for entry in trainings[:-1]]
    assert [version.id for version in again.versions] == ids[::-1]


def test_each_checkpoint_that_is_kept_can_be_returned_to(world):
    for number in range(20):
        world.event(f"L{number}", (20 + number, 2.0), n=4, verdict=Verdict.FALSE_ALARM)
    entries = listed(world).checkpoints
    reachable = {entry.id for entry in entries if entry.kept}
    reachable |= {version.id for entry in entries for version in entry.versions}
    kept = [entry for entry in world.updater.checkpoints() if world.updater.keeps(entry)]
    assert {
        e.checkpoint.checkpoint_id for e in kept if e.checkpoint.state != "rejected"
    } <= reachable


def test_an_answer_is_taken_back_with_all_its_trainings(world):
    _, again, earlier, _ = listed(world).checkpoints
    world.updater.roll_back(again.id, world.t_ns)
    assert world.updater.before_answer() == earlier.id


def test_trainings_of_older_gateways_belong_to_their_answer_too(world, tmp_path):
    for path in tmp_path.glob("*.checkpoint"):
        body = read_whole(path)
        write_whole(path, body.replace(b',"again":true', b"").replace(b',"again":false', b""))
    world.open()
    assert [entry.event_id for entry in listed(world).checkpoints] == ["E2", "E1", "E0", None]
