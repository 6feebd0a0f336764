"""A label given while the disk is full waits, and is learned exactly once when there is room."""

from __future__ import annotations

import errno
import resource
import time
from collections.abc import Callable

import pytest

from auscult.contract.host_actions import HostAction
from auscult.contract.requests import AcknowledgeArgs, Commands
from auscult.gateway.commands import queue
from auscult.gateway.service import GatewayService
from auscult.gateway.storage.store import Store
from auscult.models.learning import checkpoints
from tests.gateway.learning.test_learning import (
    answer,
    event_id,
    lessons,
    plant,
    versions,
)
from tests.gateway.plant import TOPICS, Process, Reader, Running, settings
from tests.waiting import DEADLINE_S, wait_until

__all__ = ["plant"]


@pytest.fixture
def disk(monkeypatch) -> Callable[..., None]:
    """`disk(full=…)`: files with this prefix can't be written; `refused` counts the tries.

    With `holding` only content with these bytes is refused.
    """
    write_whole = checkpoints.write_whole
    state = {"full": "", "holding": b""}

    def write(path, body):
        if state["full"] and path.name.startswith(state["full"]) and state["holding"] in body:
            write_.refused += 1
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write_whole(path, body)

    def write_(*, full: str, holding: bytes = b"") -> None:
        state.update(full=full, holding=holding)

    write_.refused = 0
    for module in ("waiting", "checkpoints"):
        monkeypatch.setattr(f"auscult.models.learning.{module}.write_whole", write)
    monkeypatch.setattr(queue, "RETRY_S", 0.2)
    return write_


def test_a_label_waits_for_room_and_is_learned_once(plant, reader, disk):
    with Running(plant()) as running:
        event = event_id(reader)
        wait_until(lambda: len(versions(reader).checkpoints) == 1)
        disk(full="0")
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        wait_until(lambda: disk.refused >= 3)
        tries, start_s = disk.refused, time.monotonic()
        time.sleep(1.0)
        elapsed_s = time.monotonic() - start_s
        assert disk.refused - tries <= 1.5 + elapsed_s / queue.RETRY_S, "no faster than that"
        updater = running.gateway.machines["pump"].head_updater
        assert len(updater.checkpoints()) == 1
        refused = [a for a in reader.of("ack") if a["id"] == "l1" and not a["ok"]]
        assert refused == []
        disk(full="")
        wait_until(lambda: any(lesson.lesson for lesson in lessons(reader, "l1")))
        assert answer(reader, "l1").ok
        of_label = [e for e in updater.checkpoints() if e.label and e.label.label_id == "l1"]
        assert len(of_label) == 1
        wait_until(lambda: updater.waiting == ())


def test_a_correction_that_could_not_be_stored_is_still_one(plant, reader, disk):
    with Running(plant()) as running:
        event = event_id(reader)
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        assert answer(reader, "l1").ok
        disk(full="0")
        reader.command("label", "l2", {"event_id": event, "verdict": "unsure"})
        wait_until(lambda: disk.refused >= 2)
        updater = running.gateway.machines["pump"].head_updater
        assert updater.is_labelled(event)
        disk(full="")
        wait_until(lambda: any(lesson.lesson for lesson in lessons(reader, "l2")))
        lesson_now = next(lesson.lesson for lesson in lessons(reader, "l2") if lesson.lesson)
        assert "replaces the verdict of anna" in lesson_now.said.text
        assert not updater.is_labelled(event)


def test_a_label_that_must_wait_is_answered_when_it_is_stored(plant, reader, disk):
    with Running(plant(min_new_labels=2)):
        event = event_id(reader)
        disk(full="pending")
        reader.command("label", "l1", {"event_id": event, "verdict": "confirmed_fault"})
        wait_until(lambda: disk.refused >= 2)
        assert TOPICS.acknowledgement("l1") not in reader.latest
        disk(full="")
        assert answer(reader, "l1").text == "waits for 1 more label"
        assert [label.label_id for label in versions(reader).waiting] == ["l1"]


def test_labels_that_wait_for_space_keep_their_order_and_block_nothing(plant, reader, disk):
    with Running(plant()):
        event = event_id(reader)
        disk(full="0", holding=b'"first"')
        reader.command("label", "first", {"event_id": event, "verdict": "confirmed_fault"})
        wait_until(lambda: disk.refused >= 1)
        reader.command("label", "second", {"event_id": event, "verdict": "unsure"})
        reader.command("acknowledge", "other", {"event_id": event})
        assert answer(reader, "other").ok
        disk(full="")
        assert answer(reader, "first").ok
        corrected = answer(reader, "second")
        assert corrected.lesson is not None
        assert "replaces the verdict of anna" in corrected.said.text


def test_a_command_whose_time_is_over_before_there_is_room_is_refused(plant, reader, disk):
    with Running(plant()):
        event = event_id(reader)
        disk(full="0")
        soon_ms = int(1000 * time.time()) + 5000
        args = {"event_id": event, "verdict": "confirmed_fault"}
        reader.command("label", "l1", args, expires_ms=soon_ms)
        said = answer(reader, "l1")
        assert not said.ok
        assert said.text == "it expired before the gateway could store what it does"


def test_a_label_on_a_disk_that_is_full_for_all_files_reaches_the_ledger(plant, reader, tmp_path):
    """A limit of file sizes, lifted from outside, stands for the full disk."""
    process = Process(plant(), tmp_path / "log")
    event = event_id(reader)
    wait_until(lambda: len(versions(reader).checkpoints) == 1)
    pid = process.popen.pid
    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (100, most))
    label = {"event_id": event, "verdict": "confirmed_fault"}
    reader.command("label", "l1", label)
    wait_until(lambda: reader.latest[TOPICS.status]["storing"] is False)
    assert TOPICS.acknowledgement("l1") not in reader.latest
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
    _ask_until_answered(reader, label)
    wait_until(lambda: any(lesson.lesson for lesson in lessons(reader, "l1")))
    wait_until(lambda: versions(reader).checkpoints[0].label_id == "l1")
    assert [c.label_id for c in versions(reader).checkpoints].count("l1") == 1
    process.terminate()
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_what_a_host_asks_for_is_refused_where_it_would_be_lost(
    mosquitto, recordings, tmp_path, monkeypatch
):
    gateway = GatewayService(settings(mosquitto, tmp_path, recordings["healthy"]))
    now_ms = time.time_ns() // 1_000_000
    action = HostAction(Commands.ACKNOWLEDGE, AcknowledgeArgs(event_id="e"), now_ms, "plc")
    monkeypatch.setattr(Store, "failing", True)
    assert "disk full" in gateway.on_host_action(action)
    monkeypatch.setattr(Store, "failing", False)
    for _ in range(queue.MAX_WAITING):
        assert gateway.on_host_action(action) == ""
    assert "too many" in gateway.on_host_action(action)
    gateway.store.close()


def _ask_until_answered(reader: Reader, label: dict[str, str]) -> None:
    """Ask again as the dashboard does, which stored the label first."""
    deadline = time.monotonic() + DEADLINE_S
    while TOPICS.acknowledgement("l1") not in reader.latest:
        assert time.monotonic() < deadline
        reader.command("label", "l1", label)
        time.sleep(0.5)
    assert answer(reader, "l1").ok
