"""Deltas go out of a running gateway and into another one, over a real broker."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path

import pytest

from auscult.contract.learning import DeltaPart
from auscult.contract.payloads import Acknowledgement
from auscult.gateway.learning.deltas import own_key
from auscult.link.signing import public_hex
from tests.gateway.learning.test_learning import answer, event_id, versions
from tests.gateway.plant import TOPICS, Reader, Running, settings
from tests.waiting import wait_until


def label(reader: Reader, id_: str, verdict: str) -> None:
    event = event_id(reader)
    reader.command("label", id_, {"event_id": event, "verdict": verdict})
    assert answer(reader, id_).lesson is not None


def bring(reader: Reader, id_: str, data: str, machine: str = "pump") -> Acknowledgement:
    reader.command("import_delta", id_, {"machine": machine, "delta": data})
    return answer(reader, id_)


@pytest.fixture
def home(mosquitto, reader, recordings, trained):
    """Return a gateway that measures the faulty machine, in a folder of its own."""

    def start(data: Path, *trusted: str) -> Running:
        reader.messages.clear()
        reader.latest.clear()
        learning = {"learning": {"trusted_keys": trusted}}
        return Running(settings(mosquitto, data, recordings["faulty"], repeat=True, more=learning))

    return start


@pytest.fixture
def package(home, reader, trained) -> tuple[DeltaPart, str]:
    """A delta of a gateway where a fault was confirmed, and the gateway's key."""
    with home(trained):
        label(reader, "l1", "confirmed_fault")
        reader.command("export_delta", "e1", {"machine": "pump"})
        said = answer(reader, "e1")
    assert said.ok, said.text
    assert said.delta is not None
    return said.delta, public_hex(own_key(trained))


@pytest.fixture
def receiver(trained_folder, tmp_path) -> Path:
    """The data of a machine with the same baseline, which knows nothing else."""
    return Path(shutil.copytree(trained_folder, tmp_path / "receiver"))


def test_what_one_gateway_learned_another_applies_and_rolls_back(home, reader, package, receiver):
    delta, key = package
    assert delta.key == key
    assert delta.labels == 1
    assert len(base64.b64decode(delta.data)) < 2 * 8192
    with home(receiver, key) as running:
        wait_until(lambda: len(versions(reader).checkpoints) == 1)
        start = versions(reader).active
        said = bring(reader, "d1", delta.data)
        assert said.ok, said.text
        assert said.lesson is not None
        assert said.lesson.accepted, said.text
        assert f"delta of pump at plant/gateway1 ({delta.id})" in said.text
        wait_until(lambda: versions(reader).active == said.lesson.checkpoint_id)
        newest = versions(reader).checkpoints[0]
        assert (newest.label_id, newest.actor, newest.event_id) == ("d1", "anna", None)
        assert (newest.verdict, newest.kept) == (None, True)
        updater = running.gateway.machines["pump"].head_updater
        assert all(len(head.faults) for head in updater.heads.values())

        reader.latest.pop(TOPICS.acknowledgement("d1"))
        assert bring(reader, "d1", delta.data) == said, "the same request is done once"
        back = {"machine": "pump", "checkpoint_id": start}
        reader.command("roll_back", "r1", back)
        assert answer(reader, "r1").ok
        assert not any(len(head.faults) for head in updater.heads.values())
        again = bring(reader, "d2", delta.data)
        assert again.lesson is not None
        assert again.lesson.accepted, "another command is executed again"
        assert all(len(head.faults) for head in updater.heads.values())


def test_the_machines_own_gate_decides(home, reader, trained, receiver):
    with home(trained):
        label(reader, "l1", "false_alarm")
        reader.command("export_delta", "e1", {"machine": "pump"})
        delta = answer(reader, "e1").delta
        assert delta is not None
    with home(receiver, delta.key) as running:
        label(reader, "l2", "confirmed_fault")
        updater = running.gateway.machines["pump"].head_updater
        active = updater.checkpoint_id
        said = bring(reader, "d1", delta.data)
        assert said.lesson is not None
        assert not said.lesson.accepted
        assert said.text.startswith("rejected: delta of pump")
        assert "would lose or weaken the confirmed fault" in said.text
        assert updater.checkpoint_id == active
        wait_until(lambda: versions(reader).checkpoints[0].state == "rejected")


def test_unfit_deltas_are_rejected_with_the_reason(home, reader, package, receiver):
    delta, key = package
    with home(receiver):
        wait_until(lambda: TOPICS.checkpoints("pump") in reader.latest)
        said = bring(reader, "d1", delta.data)
        assert not said.ok
        assert f"signed with key {key[:12]}…, which is not trusted here" in said.text
    with home(receiver, key):
        wait_until(lambda: TOPICS.checkpoints("pump") in reader.latest)
        data = base64.b64decode(delta.data)
        changed = base64.b64encode(data[:-1] + bytes([data[-1] ^ 1])).decode()
        assert "changed or damaged" in bring(reader, "d2", changed).text
        assert "no delta" in bring(reader, "d3", base64.b64encode(b"hello").decode()).text
        assert "no base64" in bring(reader, "d4", "?").text
        assert "no machine fan" in bring(reader, "d5", delta.data, "fan").text
        assert "bytes; at most" in bring(reader, "d6", "A" * 349_528).text
        assert len(versions(reader).checkpoints) == 1, "nothing was tried"


def test_a_machine_that_still_learns_its_baseline_has_none(home, reader, tmp_path):
    with home(tmp_path / "new"):
        wait_until(lambda: TOPICS.machine_state("pump") in reader.latest)
        reader.command("export_delta", "e1", {"machine": "pump"})
        said = answer(reader, "e1")
        assert (said.ok, said.text) == (False, "machine pump has no baseline yet")
