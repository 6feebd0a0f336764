"""What many machines of JSON over MQTT cost a gateway: start, threads, descriptors, CPU, memory.

``python -m lab.bench.json_machines`` runs a real gateway with a real Mosquitto, each in a process
of its own. Every machine has one value on a topic of its own; a sender publishes it each
`INTERVAL_S`, spread evenly over the interval.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from auscult.contract.topics import Topics
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.link.link import Link, Received
from lab.bench.timing import Figure
from tests.conftest import Mosquitto
from tests.gateway.plant import Process
from tests.waiting import wait_until

MACHINES = 2000
INTERVAL_S = 60.0
SECONDS = 120.0
START_S = 120.0
"""Longest wait until each machine is monitored, on a quiet computer."""
SITE = "plant"


def settings_of(broker: Mosquitto, folder: Path, machines: int) -> GatewaySettings:
    """Return the settings of a gateway with so many machines of one value each."""
    point = {
        "id": "t", "kind": "value", "quantity": "temperature", "unit": "°C",
        "interval_s": INTERVAL_S,
    }  # fmt: skip
    names = [f"m{i}" for i in range(machines)]
    return GatewaySettings.model_validate({
        "site": {"id": SITE},
        "mqtt": {"host": "127.0.0.1", "port": broker.port},
        "gateway": {"data_dir": folder / "gateway"},
        "machines": [{"id": name, "points": [point]} for name in names],
        "sources": [
            {"type": "mqtt_json", "machine": name,
             "values": [{"point": "t", "topic": f"values/{name}", "path": "t"}]}
            for name in names
        ],
    })  # fmt: skip


class Sender:
    """Publishes a value of each machine in each interval, and notes whose state came back."""

    def __init__(self, broker: Mosquitto, machines: int, interval_s: float) -> None:
        self._machines, self._interval_s = machines, interval_s
        topics = Topics(SITE, "gateway1")
        self._topics = {topics.point_state(f"m{i}", "t") for i in range(machines)}
        self.monitored: set[str] = set()
        self.sent = 0
        self._stop = threading.Event()
        self._link = Link(
            broker.settings, "bench-sender", on_message=self._take,
            subscriptions=[topics.point_state("+", "+")], persistent=False,
        )  # fmt: skip
        self._thread = threading.Thread(target=self._send)

    def __enter__(self) -> Sender:
        self._link.start()
        assert self._link.wait_connected(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._link.stop()

    def send(self, machine: int) -> None:
        """Publish one value of one machine."""
        payload = json.dumps({"t": 60 + (self.sent % 17) / 10}).encode()
        self._link.publish(f"values/m{machine}", payload)
        self.sent += 1

    def send_until_monitored(self) -> bool:
        """Publish a value of each machine whose state has no level yet; whether none is left."""
        left = [i for i in range(self._machines) if f"m{i}" not in self.monitored]
        for machine in left:
            self.send(machine)
        time.sleep(1.0)
        return not left

    def start(self) -> None:
        """Publish in real time until the end."""
        self._thread.start()

    def _send(self) -> None:
        begun_s, number = time.monotonic(), 0
        pause_s = self._interval_s / self._machines
        while not self._stop.wait(max(0.0, begun_s + number * pause_s - time.monotonic())):
            self.send(number % self._machines)
            number += 1

    def _take(self, message: Received) -> None:
        body = json.loads(message.payload)
        if message.topic in self._topics and body.get("levels"):
            self.monitored.add(message.topic.split("/")[-3])


def measure(
    folder: Path, machines: int, interval_s: float = INTERVAL_S, seconds: float = SECONDS
) -> list[Figure]:
    """Measure in a folder of its own.

    Parameters
    ----------
    folder : Path
    machines : int
    interval_s : float
        Time from one value of a machine to its next, s.
    seconds : float
        Length of the measurement after every machine is monitored, s.
    """
    broker = Mosquitto(folder)
    broker.start()
    begun_s = time.monotonic()
    gateway = Process(settings_of(broker, folder, machines), folder / "gateway.log")
    try:
        process = psutil.Process(gateway.popen.pid)
        with Sender(broker, machines, interval_s) as sender:
            wait_until(sender.send_until_monitored, START_S, "each machine is monitored")
            start_s = time.monotonic() - begun_s
            sender.start()
            before, cpu_s = sender.sent, sum(process.cpu_times()[:2])
            measured_s = time.monotonic()
            time.sleep(seconds)
            spent_s = sum(process.cpu_times()[:2]) - cpu_s
            share = spent_s / (time.monotonic() - measured_s)
            sent = sender.sent - before
            figures = [
                Figure("machines", machines, ""),
                Figure("start", start_s, "s"),
                Figure("threads", process.num_threads(), ""),
                Figure("descriptors", process.num_fds(), ""),
                Figure("core_share", share, "of a core"),
                Figure("values", sent, ""),
                Figure("memory", process.memory_info().rss / 1e6, "MB"),
            ]
        gateway.terminate()
    finally:
        gateway.popen.kill()
        broker.stop()
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=MACHINES)
    parser.add_argument("--interval", type=float, default=INTERVAL_S, help="between values, s")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of the measurement")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        figures = measure(Path(name), asked.machines, asked.interval, asked.seconds)
    json.dump([dataclasses.asdict(one) for one in figures], sys.stdout, indent=1)
