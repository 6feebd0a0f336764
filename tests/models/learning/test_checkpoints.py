"""Checkpoints survive damage and power cuts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from auscult.contract.records import Checkpoint, CheckpointState
from auscult.contract.said import Said
from auscult.models.learning.checkpoints import (
    CheckpointError,
    CheckpointStore,
    LedgerEntry,
    read_whole,
    write_whole,
)

KILLS = "500" if os.environ.get("AUSCULT_CAMPAIGN") == "full" else "60"
ROOT = Path(__file__).parents[3]


def checkpoint(state=CheckpointState.ACTIVE, parent=None):
    return Checkpoint("", parent, "pump", 1, state, Said("new_baseline"), None, None, 0, "")


def write(store, checkpoint, payload):
    return store.write(LedgerEntry(checkpoint), payload).checkpoint


@pytest.fixture
def store(tmp_path):
    return CheckpointStore(tmp_path, keep=3)


def test_newest_active_one_counts(store):
    first = write(store, checkpoint(), b"one")
    second = write(store, checkpoint(), b"two")
    write(store, checkpoint(CheckpointState.REJECTED), b"three")
    assert store.active().checkpoint == second
    assert store.payload(first.checkpoint_id) == b"one"
    assert second.size_bytes == 3


@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_a_damaged_one_is_skipped_with_a_message(store, tmp_path, caplog, damage):
    first = write(store, checkpoint(), b"one" * 100)
    second = write(store, checkpoint(), b"two" * 100)
    path = tmp_path / f"{second.checkpoint_id}.checkpoint"
    data = bytearray(path.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    path.write_bytes({"flip": data, "cut": data[: len(data) // 2], "empty": b""}[damage])
    assert store.active().checkpoint == first
    assert [entry.checkpoint for entry in store.entries()] == [first]
    assert sum("is damaged" in record.message for record in caplog.records) == 1
    with pytest.raises(CheckpointError, match="damaged"):
        store.payload(second.checkpoint_id)


def test_an_unfinished_write_is_cleared_away(store, tmp_path):
    first = write(store, checkpoint(), b"one")
    leftover = tmp_path / ".000002-abc.checkpoint.tmp"
    leftover.write_bytes(b"half")
    again = CheckpointStore(tmp_path, keep=3)
    assert again.active().checkpoint == first
    assert not leftover.exists()


def test_the_weights_of_a_candidate_stay_during_its_shadow_run(store):
    write(store, checkpoint(), b"active")
    candidate = write(store, checkpoint(CheckpointState.CANDIDATE), b"candidate")
    for _ in range(5):
        write(store, checkpoint(CheckpointState.REJECTED), b"no")
    assert store.candidate().checkpoint == candidate
    assert store.payload(candidate.checkpoint_id) == b"candidate"


def test_old_weights_go_but_the_record_and_the_active_one_stay(store):
    active = write(store, checkpoint(), b"active")
    rejected = [write(store, checkpoint(CheckpointState.REJECTED), b"no") for _ in range(5)]
    assert len(store.entries()) == 6
    assert store.payload(active.checkpoint_id) == b"active"
    with pytest.raises(CheckpointError, match="not kept"):
        store.payload(rejected[0].checkpoint_id)
    assert store.payload(rejected[-1].checkpoint_id) == b"no"


@pytest.mark.parametrize("restarted", [False, True])
def test_weights_that_were_in_use_go_once_they_are_not(store, tmp_path, restarted):
    active = write(store, checkpoint(), b"active")
    candidate = write(store, checkpoint(CheckpointState.CANDIDATE), b"candidate")
    for _ in range(4):
        write(store, checkpoint(CheckpointState.REJECTED), b"no")
    if restarted:
        store = CheckpointStore(tmp_path, keep=3)
    for _ in range(5):
        write(store, checkpoint(), b"next")
    for old in (active, candidate):
        with pytest.raises(CheckpointError, match="not kept"):
            store.payload(old.checkpoint_id)
    kept = [store.keeps(entry) for entry in store.entries()]
    assert kept == [False] * 8 + [True] * 3


def test_whole_files_are_checked(tmp_path):
    path = tmp_path / "file"
    assert read_whole(path) is None
    write_whole(path, b"content")
    assert read_whole(path) == b"content"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CheckpointError):
        read_whole(path)


@pytest.mark.slow
def test_kill_9_at_any_instant_leaves_a_valid_state(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.models.learning.crash", tmp_path, KILLS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    assert f"{KILLS} kills" in done.stdout
