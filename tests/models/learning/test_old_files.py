"""Checkpoints of earlier versions stay readable.

Before 0.2 reasons were text and deltas were labels; heads of 0.2 may hold an adapter.
"""

import hashlib
import json
from dataclasses import replace

import numpy as np

from auscult.models.learning.adapter import Adapter
from auscult.models.learning.checkpoints import SUFFIX, read_whole, write_whole
from auscult.models.learning.heads import HeadsFormat
from auscult.models.said import Said
from tests.models.learning.world import (
    CONTEXT,
    INNER_RACE,
    NEW_SPEED,
    OUTER_RACE,
    POINTS,
    World,
    hidden_of,
    positions,
    windows,
)

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


def add_adapters(path, v):
    """Give the heads of a checkpoint adapters that explain these windows, as version 0.2 did."""
    header, payload = read_whole(path).split(b"\n", 1)
    heads = HeadsFormat(dict.fromkeys(POINTS, CONTEXT), "baseline-1")
    a = np.random.default_rng(0).normal(0, 0.2, (64, 4))
    b = np.linalg.lstsq(hidden_of(v) @ a, positions(v)[:, :128], rcond=None)[0]
    adapter = Adapter(a.astype(np.float16), b.astype(np.float16))
    adapted = {p: replace(head, adapter=adapter) for p, head in heads.unpack(payload).items()}
    payload = heads.pack(adapted)
    entry = json.loads(header)
    entry["checkpoint"]["sha256"] = hashlib.sha256(payload).hexdigest()
    write_whole(path, json.dumps(entry).encode() + b"\n" + payload)


def test_stored_adapters_keep_their_effect(tmp_path):
    world = World(tmp_path)
    first = world.false_alarm("E1", AWAY)
    v = windows(50, 8, AWAY, (OUTER_RACE, 1.5))
    without = world.log_scores(v)
    add_adapters(world.folder / f"{first.checkpoint_id}{SUFFIX}", v)
    world.open()
    adapted = world.log_scores(v)
    assert (adapted < without).any()
    assert world.false_alarm("E2", (OUTER_RACE, 1.5)).accepted
    assert not any(head.adapter.is_none for head in world.updater.heads.values())
    world.updater.roll_back(first.checkpoint_id, world.t_ns)
    np.testing.assert_array_equal(world.log_scores(v), adapted)


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
    assert [part.code for part in update.reason.values["parts"]] == ["gate_detected", "contradicts"]
    world.open()
    assert world.updater.update_of("L2") == update
