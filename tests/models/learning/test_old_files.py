"""Checkpoints of earlier versions stay readable.

Before 0.2 reasons were text and deltas were labels; heads of 0.2 may hold an adapter, and its
replays hold the last layer of the base.
"""

import hashlib
import io
import json
import zlib
from dataclasses import replace

import numpy as np

from auscult.contract.message import NS_PER_MS
from auscult.contract.said import Said
from auscult.models.learning.checkpoints import SUFFIX, read_whole, write_whole
from auscult.models.learning.packing import pack, unpack
from auscult.models.learning.replay import Replay
from tests.models.learning.world import (
    COORDINATES,
    INNER_RACE,
    NEW_SPEED,
    OUTER_RACE,
    World,
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
            del entry["update"]["said"], entry["update"]["advice_said"]
            entry["update"] |= {"machine": "pump", "reason": "a reason in words", "advice": ""}
        if delta is not None:
            entry["label"] = {
                "label_id": delta["request_id"], "event_id": "", "machine": "pump",
                "verdict": "unsure", "kind": None, "actor": delta["actor"],
                "at_ns": delta["at_ns"], "note": "",
            }  # fmt: skip
        write_whole(path, json.dumps(entry).encode() + b"\n" + payload)


def add_adapters(path):
    """Give the heads of a checkpoint adapters, as version 0.2 did."""
    header, payload = read_whole(path).split(b"\n", 1)
    parts, about = unpack(payload)
    payload = pack({point: with_adapter(head) for point, head in parts.items()}, about)
    entry = json.loads(header)
    entry["checkpoint"]["sha256"] = hashlib.sha256(payload).hexdigest()
    write_whole(path, json.dumps(entry).encode() + b"\n" + payload)


def with_adapter(head):
    """Put an adapter of rank 4 in the place of none."""
    arrays = arrays_of(zlib.decompress(head))
    assert [arrays[5].shape, arrays[6].shape] == [(64, 0), (0, 128)]
    arrays[5:7] = np.ones((64, 4), np.float16), np.ones((4, 128), np.float16)
    return zlib.compress(saved(arrays))


def arrays_of(data):
    buffer, arrays = io.BytesIO(data), []
    while buffer.tell() < len(data):
        arrays.append(np.load(buffer))
    return arrays


def saved(arrays):
    buffer = io.BytesIO()
    for array in arrays:
        np.save(buffer, array)
    return buffer.getvalue()


def test_a_stored_adapter_is_left_out(tmp_path, caplog):
    world = World(tmp_path)
    first = world.false_alarm("E1", AWAY)
    v = windows(50, 8, AWAY, (OUTER_RACE, 1.5))
    before = world.log_scores(v)
    add_adapters(world.folder / f"{first.checkpoint_id}{SUFFIX}")
    world.open()
    np.testing.assert_array_equal(world.log_scores(v), before)
    assert "adapter" in caplog.text
    assert world.false_alarm("E2", (OUTER_RACE, 1.5)).accepted
    world.updater.roll_back(first.checkpoint_id, world.t_ns)
    np.testing.assert_array_equal(world.log_scores(v), before)


def test_a_replay_with_the_last_layer_is_read(tmp_path):
    replay = Replay(COORDINATES)
    replay.offer(np.ones(COORDINATES, np.float32), 0.5, 7, event_id="E1")
    arrays = arrays_of(replay.to_bytes())
    arrays[2] = np.ones((1, 64), np.float16)
    assert Replay.from_bytes(saved(arrays)).to_bytes() == replay.to_bytes()


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
    assert world.updater.update_of("L1") == replace(first, said=said)
    again = world.updater.apply(delta, "spec-1", world.t_ns, request_id="d1")
    assert again == replace(applied, said=said), "the same request is done once"
    world.updater.roll_back(labelled.checkpoint.checkpoint_id, world.t_ns)
    np.testing.assert_array_equal(world.log_scores(windows(20, 8, AWAY)), scores)
    assert world.updater.checkpoints()[-1].is_return


def test_updates_of_version_0_3_come_back_from_the_disk(tmp_path):
    world = World(tmp_path)
    update = world.false_alarm("E1", AWAY)
    advised = replace(update, advice_said=Said("counts_as_open"))
    label = world.updater.checkpoints()[-1].label
    assert label.actor == "ada"
    for path in world.folder.glob(f"*{SUFFIX}"):
        header, payload = read_whole(path).split(b"\n", 1)
        entry = json.loads(header)
        if entry["update"] is not None:
            given = entry["update"]
            given |= {"machine": "pump", "reason": given.pop("said"), "advice": None}
            del given["advice_said"]
            given["advice"] = {"code": "counts_as_open", "values": {}}
            given = entry["label"]
            given["at_ns"] = given.pop("created_ms") * NS_PER_MS
        write_whole(path, json.dumps(entry).encode() + b"\n" + payload)
    world.open()
    assert world.updater.update_of("L1") == advised
    assert world.updater.checkpoints()[-1].label == label


def test_reasons_of_several_parts_come_back_from_the_disk(tmp_path):
    world = World(tmp_path)
    world.false_alarm("E1", FAULT)
    update = world.fault("E2", FAULT, seed=51)
    assert [part.code for part in update.said.values["parts"]] == ["gate_detected", "contradicts"]
    world.open()
    assert world.updater.update_of("L2") == update
