"""Sensors that die, flood and lie: the fault is named, and the other machine loses nothing."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from auscult.gateway.settings.gateway import GatewaySettings
from auscult.link.link import Link
from lab.campaign.outcome import Outcome
from tests.conftest import Mosquitto
from tests.gateway.plant import TOPICS, Reader, Running
from tests.gateway.sources.mqtt.test_mqtt import waveform as encoded
from tests.waiting import wait_until

FS_HZ = 1000
SAMPLES = 250
EACH_S = 0.1


def waveform(seq: int, samples: np.ndarray) -> bytes:
    return encoded(seq, samples, "float32", 1.0)


def _settings(broker: Mosquitto, folder: Path) -> GatewaySettings:
    points = [{"id": "de", "kind": "vibration", "unit": "g", "fs_hz": FS_HZ}]
    return GatewaySettings.model_validate({
        "mqtt": {"host": "127.0.0.1", "port": broker.port},
        "gateway": {"data_dir": folder, "trend_interval_s": 1, "heartbeat_s": 5},
        "detector": {"window_s": 0.25, "baseline_windows": 60},
        "machines": [{"id": one, "points": points} for one in ("pump", "fan")],
        "sources": [
            {"type": "mqtt", "machine": one, "waveforms": [{"point": "de", "topic": f"s/{one}"}]}
            for one in ("pump", "fan")
        ],
    })  # fmt: skip


class Sensors:
    """A right sensor on the pump, and one on the fan that does what `fault` says."""

    def __init__(self, broker: Mosquitto, chance: Random) -> None:
        self.link = Link(broker.settings, "sensors")
        self.link.start()
        assert self.link.wait_connected(10)
        self.fault = "none"
        self.sent = 0
        self._chance = chance
        self._rng = np.random.default_rng(chance.randrange(2**32))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.link.stop()

    def _samples(self) -> np.ndarray:
        return self._rng.normal(0, 1, SAMPLES).astype(np.float32)

    def _run(self) -> None:
        seq = 0
        while not self._stop.wait(EACH_S):
            self.link.publish("s/pump", waveform(seq, self._samples()))
            self.sent += 1
            for payload in FAULTS[self.fault](self, seq):
                self.link.publish("s/fan", payload)
            seq += 1

    def honest(self, seq: int) -> list[bytes]:
        return [waveform(seq, self._samples())]

    def dead(self, seq: int) -> list[bytes]:
        return []

    def flood(self, seq: int) -> list[bytes]:
        """Return the same and other messages, two hundred times too many."""
        return [waveform(seq + self._chance.randrange(3), self._samples()) for _ in range(200)]

    def lie(self, seq: int) -> list[bytes]:
        """Return values that no machine has, lengths, numbers and bytes that no sensor sends."""
        chance = self._chance
        lies: list[Callable[[], bytes]] = [
            lambda: waveform(seq, np.full(SAMPLES, np.nan, np.float32)),
            lambda: waveform(seq, np.full(SAMPLES, 1e30, np.float32)),
            lambda: waveform(seq, np.zeros(SAMPLES, np.float32)),
            lambda: waveform(chance.randrange(2**40), self._samples()),
            lambda: waveform(seq, self._samples()[: chance.randrange(SAMPLES)]),
            lambda: chance.randbytes(chance.randrange(2000)),
            lambda: b"[" * 60_000,
        ]
        return [chance.choice(lies)()]


FAULTS: dict[str, Callable[[Sensors, int], list[bytes]]] = {
    "none": Sensors.honest, "dies": Sensors.dead, "floods": Sensors.flood, "lies": Sensors.lie
}  # fmt: skip


def campaign(seed: int, rounds: int) -> Iterator[Outcome]:
    """Let the fan's sensor fail again and again; count what the pump lost, and false events."""
    chance = Random(f"{seed}/sensors")
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base)
        (folder / "broker").mkdir()
        broker = Mosquitto(folder / "broker")
        broker.start()
        reader = Reader(broker)
        with Running(_settings(broker, folder / "gateway")):
            sensors = Sensors(broker, chance)
            try:
                for machine in ("pump", "fan"):
                    wait_until(lambda m=machine: _of(reader, m) == "normal", what=machine)
                for fault in ("dies", "floods", "lies"):
                    outcome = Outcome("sensor", fault)
                    for _ in range(rounds):
                        _round(sensors, reader, fault, outcome)
                    yield outcome
            finally:
                sensors.close()
        reader.close()
        broker.stop()


def _of(reader: Reader, machine: str) -> str | None:
    state: dict[str, Any] = reader.latest.get(TOPICS.point_state(machine, "de"), {})
    return state.get("condition")


def _source(reader: Reader) -> object:
    return reader.latest.get(TOPICS.status, {}).get("sources", {}).get("mqtt:fan")


def _windows(reader: Reader, machine: str) -> int:
    return sum(body["windows"] for body in reader.of("trend") if body["machine"] == machine)


def _round(sensors: Sensors, reader: Reader, fault: str, outcome: Outcome) -> None:
    outcome.trials += 1
    before, events = _windows(reader, "pump"), len(reader.of("event"))
    sent = sensors.sent
    sensors.fault = fault
    status = _source(reader)
    # a flood contains the true samples: only the source says that it is not right
    wait_until(lambda: _of(reader, "fan") == "unknown" or _source(reader) != status, what=fault)
    outcome.reported += 1
    time.sleep(5)
    sensors.fault = "none"
    start = time.monotonic()
    wait_until(lambda: _of(reader, "fan") not in ("unknown", None), what=f"after {fault}")
    outcome.recovered(time.monotonic() - start)
    # a window of 0.25 s is a message; the last two seconds may still be on their way
    wait_until(lambda: _windows(reader, "pump") - before >= sensors.sent - sent - 2 / EACH_S * 1.5)
    if _of(reader, "pump") != "normal":
        outcome.wrong += 1
        outcome.note = f"the other machine is {_of(reader, 'pump')}"
    # an event of either machine would blame it for its sensor
    outcome.wrong += len(reader.of("event")) - events
