"""Checkpoints of versions before 0.2 stay readable: reasons were text, deltas were labels."""

import json
from dataclasses import replace

import numpy as np

from auscult.models.learning.checkpoints import SUFFIX, read_whole, write_whole
from auscult.models.said import Said
from tests.models.learning.world import INNER_RACE, NEW_SPEED, World, windows

AWAY = (NEW_SPEED, 1.5)
FAULT = (INNER_RACE, 1.0)


def as_before(folder):
    """Rewrite the checkpoints of a folder in the old form."""
    for path in folder.glob(f"*{SUFFIX}"):
        header, payload = read_whole(path).split(b"\n", 1)
        entry = json.loads(header)
        delta = entry.pop("delta")
        entry["checkpoint"]["reason"] = "a reason in words"
        if entry["update"] is not None:
            entry["update"] |= {"reason": "a reason in words", "advice": ""}
        if delta is not None:
            entry["label"] = {
                "label_id": delta["request_id"], "event_id": "", "machine": "pump",
                "verdict": "unsure", "kind": None, "actor": delta["actor"],
                "at_ns": delta["at_ns"], "note": "",
            }  # fmt: skip
        write_whole(path, json.dumps(entry).encode() + b"\n" + payload)


def test_old_checkpoints_are_listed_and_can_be_returned_to(tmp_path):
    other = World(tmp_path / "other")
    other.fault("F1", FAULT)
    delta = other.updater.export("gateway-1", "spec-1", 7)
    world = World(tmp_path / "own")
    first = world.false_alarm("E1", AWAY)
    scores = world.log_scores(windows(20, 8, AWAY))
    applied = world.updater.apply(delta, "spec-1", world.t_ns, request_id="d1", actor="eva")
    as_before(world.folder)
    world.open()
    start, labelled, brought = world.updater.checkpoints()
    assert labelled.checkpoint.reason.text == "a reason in words"
    assert (labelled.label.event_id, labelled.delta) == ("E1", None)
    assert (brought.label, brought.delta.request_id, brought.delta.actor) == (None, "d1", "eva")
    assert start.is_return
    said = Said("text", {"text": "a reason in words"})
    assert world.updater.update_of("L1") == replace(first, reason=said)
    again = world.updater.apply(delta, "spec-1", world.t_ns, request_id="d1")
    assert again == replace(applied, reason=said), "the same request is done once"
    world.updater.roll_back(labelled.checkpoint.checkpoint_id, world.t_ns)
    np.testing.assert_array_equal(world.log_scores(windows(20, 8, AWAY)), scores)
    assert world.updater.checkpoints()[-1].is_return


def test_reasons_of_several_parts_come_back_from_the_disk(tmp_path):
    world = World(tmp_path)
    world.false_alarm("E1", FAULT)
    update = world.fault("E2", FAULT, seed=51)
    assert [part.code for part in update.reason.values["parts"]] == ["gate_passed", "contradicts"]
    world.open()
    assert world.updater.update_of("L2") == update
