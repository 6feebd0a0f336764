"""Malformed messages stop neither gateway nor dashboard.

In the suite a few thousand cases and some seconds of flood; the whole campaign with
`AUSCULT_CAMPAIGN=full pytest -s tests/robustness`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil
import pytest
from pydantic import ValidationError

from auscult.app.mqtt.decode import RejectedError, decode
from auscult.contract.payloads import Command
from auscult.contract.requests import COMMANDS
from auscult.gateway.outputs.sparkplug.commands import CommandReader
from auscult.gateway.outputs.sparkplug.host import parse_state
from auscult.gateway.outputs.sparkplug.payload import PayloadError, decode_command
from auscult.gateway.sources.sparkplug.node import ForeignNode, ForeignPayloadError, MetricValue
from auscult.gateway.sources.sparkplug.settings import SparkplugWaveform
from auscult.gateway.sources.sparkplug.values import plain_value, samples_of
from auscult.gateway.sources.support.samples import WaveformError
from auscult.gateway.tags.inventory import TagOptions, inventory_of
from auscult.gateway.tags.levels import KnownLevels
from auscult.link.link import Link, Received
from tests.conftest import Mosquitto
from tests.gateway.outputs.sparkplug.plant import INVENTORY
from tests.gateway.plant import TOPICS, Process, settings
from tests.gateway.recorded import shaft_noise, write_data_set
from tests.ports import free_port
from tests.robustness.flood import connect as raw_connection
from tests.robustness.flood import packet
from tests.robustness.malformed import malformed
from tests.waiting import DEADLINE_S, wait_until

FULL = os.environ.get("AUSCULT_CAMPAIGN") == "full"
CASES = 120_000 if FULL else 2_000
FLOOD_S = 60.0 if FULL else 4.0
RATE_HZ = 10_000
MOST_MORE_MB = 150.0
"""Allowed growth of a process: its bounded queues when full, and the interpreter's slack."""


def test_every_entry_rejects_malformed_messages_with_its_own_error(tmp_path: Path) -> None:
    """Nothing but the refusal that each entry names comes out of it."""
    levels = KnownLevels(tmp_path / "levels.json")
    inventory = inventory_of(INVENTORY, TagOptions(("acknowledge", "request_spectrum")), levels, "")
    reader = CommandReader(60)
    refused = {"dashboard": 0, "command": 0, "sparkplug": 0, "edge node": 0}
    foreign = Foreign()
    for topic, payload in itertools.islice(malformed(1), CASES):
        try:
            decode(topic, payload)
        except RejectedError:
            refused["dashboard"] += 1
        try:
            command = Command.model_validate_json(payload)
            for spec in COMMANDS.values():
                try:
                    spec.args.model_validate(command.args)
                except ValidationError:
                    refused["command"] += 1
        except ValidationError:
            refused["command"] += 1
        try:
            decode_command(payload)
        except PayloadError:
            refused["sparkplug"] += 1
        refused["edge node"] += foreign.refuses(payload)
        parse_state(payload)
        reader.read(None, payload, False, inventory, 1)
        reader.read("pump-3", payload, False, inventory, 1)
    assert all(count > CASES / 10 for count in refused.values()), refused
    print(f"{CASES} cases refused: {refused}")


class Foreign:
    """An edge node that sends malformed messages to the reader of its sensors."""

    def __init__(self) -> None:
        self._kinds = itertools.cycle(("NBIRTH", "DBIRTH", "DDATA", "NDATA", "DDEATH", "NDEATH"))
        self._node = ForeignNode(("", "pump-3"))

    def refuses(self, payload: bytes) -> bool:
        kind = next(self._kinds)
        device = "" if kind.startswith("N") else "pump-3"
        settings = SparkplugWaveform(point="de", metric="x")
        try:
            for received in self._node.take(kind, device, payload, 0.0):
                if isinstance(received, MetricValue):
                    plain_value(received.metric, received.datatype)
                    with contextlib.suppress(WaveformError):
                        samples_of(received.metric, received.datatype, settings)
        except ForeignPayloadError:
            return True
        return False


def _dashboard(folder: Path, broker_port: int, port: int) -> subprocess.Popen[bytes]:
    config = folder / "dashboard.toml"
    config.write_text(
        f'[mqtt]\nport = {broker_port}\n[dashboard]\nport = {port}\ndata_dir = "dash"\n'
        'login = "off"\n'
    )
    with (folder / "dashboard.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "auscult.app.command.main", "dashboard", "--config", config],
            stdout=log, stderr=log,
        )  # fmt: skip


def _rss_mb(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 1e6


class Ear:
    """Receives the gateway's own messages among the malformed ones in its name."""

    def __init__(self, broker: Mosquitto) -> None:
        self.windows = 0
        self.answers: dict[str, bool] = {}
        self.link = Link(
            broker.settings, "ear", on_message=self._take,
            subscriptions=[TOPICS.status, TOPICS.acknowledgement("after")],
        )  # fmt: skip
        self.link.start()
        assert self.link.wait_connected(DEADLINE_S)

    def _take(self, message: Received) -> None:
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            body = json.loads(message.payload)
            if message.topic == TOPICS.status and body["started_ms"] > 0:
                self.windows = int(body["windows_total"])
            elif message.topic != TOPICS.status:
                self.answers[body["id"]] = self.answers.get(body["id"], False) or bool(body["ok"])

    def answered(self, id_: str) -> bool:
        """Ask, again if need be: a broker drops what its queue for a flooded client can't hold."""
        self.ask(id_)
        time.sleep(1)
        return self.answers.get(id_, False)

    def ask(self, id_: str) -> None:
        now_ms = time.time_ns() // 1_000_000
        command = Command(
            ts=now_ms, id=id_, actor="anna", expires_ms=now_ms + 300_000,
            args={"machine": "pump", "point": "de"},
        )  # fmt: skip
        assert self.link.publish(TOPICS.command("request_spectrum"), command.to_json())


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_a_flood_of_malformed_messages_stops_nothing_and_fills_no_memory(
    mosquitto, tmp_path: Path
) -> None:
    healthy = write_data_set(tmp_path / "healthy", {"healthy": shaft_noise(30, 1)})
    config = settings(
        mosquitto, tmp_path / "gateway", healthy, pace=1, repeat=True,
        more={"sparkplug": {"enabled": True, "primary_host_id": ""}},
    )  # fmt: skip
    gateway = Process(config, tmp_path / "gateway.log")
    url = f"http://127.0.0.1:{(port := free_port())}"
    dashboard = _dashboard(tmp_path, mosquitto.port, port)
    ear = Ear(mosquitto)
    try:
        wait_until(lambda: ear.windows > 0)

        def heard_ms() -> int:
            try:
                found = httpx.get(f"{url}/api/v1/gateways", timeout=DEADLINE_S).json()["items"]
            except httpx.HTTPError:
                return 0
            # Malformed messages have no version; only the gateway's own last message counts.
            own = (g for g in found if g["gateway"] == "gateway1" and g["version"])
            return max((g["heard_ms"] or 0 for g in own), default=0)

        wait_until(heard_ms, what="the dashboard receives the gateway")
        before = {"gateway": _rss_mb(gateway.popen.pid), "dashboard": _rss_mb(dashboard.pid)}
        peak = dict(before)
        windows = ear.windows
        flood = subprocess.Popen(
            [sys.executable, "-m", "tests.robustness.flood", str(mosquitto.port), str(RATE_HZ),
             str(FLOOD_S), "7"],
            stdout=subprocess.PIPE,
        )  # fmt: skip
        while flood.poll() is None:
            peak["gateway"] = max(peak["gateway"], _rss_mb(gateway.popen.pid))
            peak["dashboard"] = max(peak["dashboard"], _rss_mb(dashboard.pid))
            time.sleep(0.1)
        assert flood.stdout is not None
        sent = int(flood.stdout.read())
        with raw_connection(mosquitto.port) as big:
            for topic in ("auscult/v1/plant/gateway1/cmd/label", "spBv1.0/plant/NCMD/gateway1"):
                big.sendall(packet(topic, b"x" * 5_000_000))

        # Alive, and not behind: each still does what it is there for.
        ended_ms = time.time_ns() // 1_000_000
        wait_until(lambda: ear.answered("after"), what="the gateway's answer")
        wait_until(lambda: heard_ms() > ended_ms, what="the dashboard receives the gateway again")
        wait_until(lambda: ear.windows > windows)
        assert gateway.popen.poll() is None
        assert dashboard.poll() is None
        for name, pid in (("gateway", gateway.popen.pid), ("dashboard", dashboard.pid)):
            peak[name] = max(peak[name], _rss_mb(pid))
            assert peak[name] - before[name] < MOST_MORE_MB, (name, before, peak)
        rates = sent / FLOOD_S
        figures = {name: (round(before[name]), round(peak[name])) for name in peak}
        print(f"{sent} messages at {rates:.0f}/s; resident MB before and at most: {figures}")
        gateway.terminate()
    finally:
        ear.link.stop()
        dashboard.kill()
        dashboard.wait()
        if gateway.popen.poll() is None:
            gateway.kill()
    for log in ("gateway.log", "dashboard.log"):
        text = (tmp_path / log).read_text()
        assert "Traceback" not in text, text[-3000:]
        assert len(text) < 200_000, f"{log} holds {len(text)} characters: {text[:2000]}"
