"""What a proof holds is what decided, whatever happened to the machine before its event."""

from __future__ import annotations

import math
import os
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from auscult.contract.records import Condition
from auscult.gateway.machines import proof
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.windows.pipeline import Hop
from auscult.link.signing import Ed25519PrivateKey
from auscult.models.baseline.container import pack
from auscult.models.decision.limits import Limit
from auscult.models.detector import MachineDetector
from auscult.models.learning.head import Head
from auscult.models.records import Observation
from tests.gateway.machines.settings import settings_of
from tests.models.test_values import HOUR_S, PLATE, TEMPERATURE, healthy, learned
from tests.waiting import DEADLINE_S, wait_until


class Proofs:
    """In the place of the files: verifies each proof at once."""

    def __init__(self) -> None:
        self.differences: list[float] = []
        self.heads: list[object] = []

    def write(self, _event_id, content):  # type: ignore[no-untyped-def]
        made = content()
        data = proof.signed(pack(made["meta"], made["arrays"]), Ed25519PrivateKey.generate())
        self.differences.append(proof.verify(data).worst_difference)
        self.heads.append(made["meta"]["heads"])


def test_proofs_of_machines_that_enter_events_together_are_made_one_by_one_behind_decisions(
    tmp_path,
):
    running, most, niceness = [0], [0], list[int]()
    done = threading.Semaphore(0)

    def content():
        running[0] += 1
        most[0] = max(most[0], running[0])
        niceness.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        time.sleep(0.01)
        running[0] -= 1
        done.release()
        raise ValueError("no proof in this test")

    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    files = proof.ProofFiles(tmp_path, Ed25519PrivateKey.generate)
    for number in range(4):
        files.write(str(number), content)
    for _ in range(4):
        assert done.acquire(timeout=DEADLINE_S)
    assert most == [1]
    assert min(niceness) >= min(before + 1, proof.NICENESS)


def test_a_flood_of_events_leaves_a_bounded_number_of_proofs_waiting(tmp_path, caplog):
    began, go_on = list[str](), threading.Event()

    def content_of(name):
        def content():
            began.append(name)
            go_on.wait(DEADLINE_S)
            raise ValueError("no proof in this test")

        return content

    files = proof.ProofFiles(tmp_path, Ed25519PrivateKey.generate)
    for number in range(proof.MOST_WAITING + 5):
        files.write(f"e{number}", content_of(number))
    assert caplog.text.count("has no proof: 20 others wait") == 5
    go_on.set()
    last = f"event e{proof.MOST_WAITING - 1} has no proof: no proof in this test"
    wait_until(lambda: last in caplog.text)
    assert len(began) == proof.MOST_WAITING
    files.write("later", content_of("later"))
    wait_until(lambda: began[-1] == "later", what="there is room again")


def test_a_clock_that_was_set_back_discards_no_new_proof(tmp_path, monkeypatch):
    monkeypatch.setattr(proof, "verify", lambda _: None)
    monkeypatch.setattr(proof, "_check_exact", lambda _: None)
    monkeypatch.setattr(proof, "KEPT", 3)
    year_2099_s = 4_070_908_800
    for number, event_id in enumerate(("7_first", "8_second", "9_third")):
        path = tmp_path / f"{event_id}.proof"
        path.write_bytes(b"")
        os.utime(path, (year_2099_s + number, year_2099_s + number))
    files = proof.ProofFiles(tmp_path, Ed25519PrivateKey.generate)
    for event_id in ("0_fourth", "1_fifth"):
        files.write(event_id, lambda: {"meta": {}, "arrays": {}})
    kept = {"9_third", "0_fourth", "1_fifth"}
    wait_until(lambda: {path.stem for path in tmp_path.glob("*.proof")} == kept)


class Plant:
    """A machine with one hourly temperature, normal around 60 °C."""

    def __init__(self, detector: MachineDetector, heads: dict[str, object] | None = None) -> None:
        self.proofs = Proofs()
        self.updater = SimpleNamespace(heads={}, checkpoint_id="")
        self.learning = SimpleNamespace(
            begin=lambda _: self.updater, offer=lambda *_: None,
            recognise=lambda decision, *_: decision, follow_repair=lambda *_: None,
            ask=lambda *_: None,
        )  # fmt: skip
        self.machine = MonitoredMachine(
            settings_of("pump"),
            detector,
            self.learning,
            None,
            {"t": HOUR_S},
            HOUR_S * 10**9,
            proofs=self.proofs,
        )  # type: ignore[arg-type]
        self.hour = 1000

    def measures(self, *values: float) -> Condition:
        for value in values:
            self.hour += 1
            one = Observation("t", self.hour * HOUR_S * 10**9, np.array([value], np.float32))
            self.machine.process(Hop("pump", (one,)))
        return self.machine.decision.condition


@pytest.fixture
def plant() -> Plant:
    return Plant(learned(healthy(0, 72)))


def test_windows_before_new_limits_are_not_in_the_proof(plant):
    assert plant.measures(60, 62, 62, 60) is Condition.NORMAL
    plant.machine.set_limits("t", [Limit("temperature_c", 61.5, None)])
    assert plant.measures(60, 60, 60) is Condition.NORMAL
    assert plant.measures(62) is Condition.WARNING
    assert plant.proofs.differences == [0.0]


def test_heads_that_the_detector_does_not_use_yet_are_not_in_the_proof(plant):
    plant.updater.heads = {"t": Head.start(1)}
    assert plant.measures(60, 60) is Condition.NORMAL
    plant.measures(*[80] * 5)
    assert plant.proofs.heads == [{}]


def test_the_log_says_why_an_event_has_no_proof(caplog):
    caplog.set_level("INFO", logger=proof.__name__)

    def hot_at_once(plant: Plant) -> str:
        """Open an event at the next hop, by a limit, and return what the log says."""
        caplog.clear()
        assert plant.measures(90) is Condition.WARNING
        (said,) = (one for one in caplog.records if "has no proof" in one.message)
        assert said.levelname == "INFO"
        return said.message

    def started(detector: MachineDetector) -> Plant:
        detector.set_limits("t", [Limit("temperature_c", 80, None)])
        return Plant(detector)

    detector = learned(healthy(0, 72))
    plant = started(detector)
    assert "since the gateway started" in hot_at_once(plant)
    assert plant.proofs.differences == []
    plant = started(detector)
    plant.machine.use_active_heads()
    assert "since its learned heads changed" in hot_at_once(plant)
    plant = started(detector)
    plant.machine.adopt(detector.model)
    assert "since its baseline changed" in hot_at_once(plant)
    assert "no baseline yet" in hot_at_once(started(MachineDetector(PLATE, {"t": TEMPERATURE})))

    unusable = started(detector)
    assert unusable.measures(60, 60) is Condition.NORMAL
    unusable.measures(*[math.nan] * 490)
    assert "no hop was normal in the last 480" in hot_at_once(unusable)
