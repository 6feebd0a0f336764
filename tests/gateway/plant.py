"""A small plant for tests: real recordings, a real gateway, a reader in place of a dashboard."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from auscult.contract.payloads import Command
from auscult.contract.topics import Topics, parse_topic
from auscult.gateway.service import GatewayService
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.link.link import Link, Received
from auscult.link.signing import signed
from tests.conftest import Mosquitto
from tests.gateway.recorded import FS_HZ
from tests.waiting import DEADLINE_S, wait_until

TOPICS = Topics("plant", "gateway1")


def settings(
    broker: Mosquitto, data_dir: Path, manifest: Path, *, pace: float = 0, repeat: bool = False,
    more: dict[str, Any] | None = None,
) -> GatewaySettings:  # fmt: skip
    points = [{"id": p, "kind": "vibration", "unit": "g", "fs_hz": FS_HZ} for p in ("de", "nde")]
    source = {
        "type": "recordings", "manifest": manifest, "machine": "pump", "pace": pace,
        "repeat": repeat,
    }  # fmt: skip
    return GatewaySettings.model_validate(
        {
            "mqtt": {"host": "127.0.0.1", "port": broker.port},
            "gateway": {"data_dir": data_dir, "trend_interval_s": 5, "heartbeat_s": 5},
            "detector": {"window_s": 0.25, "baseline_windows": 60},
            "machines": [{"id": "pump", "speed_rpm": 1500, "points": points}],
            "sources": [source],
        }
        | (more or {})
    )


class Running:
    """A gateway in a thread of this process."""

    def __init__(self, settings: GatewaySettings) -> None:
        self.gateway = GatewayService(settings)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.gateway.run, args=(self._stop,))
        self._thread.start()

    def stop(self) -> None:
        """Stop it."""
        self._stop.set()
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            self.stop()


SCRIPT = """
import logging, resource, sys, threading
from auscult.app.command.running import stop_on_signals
from auscult.gateway.service import run
from auscult.gateway.settings.gateway import GatewaySettings
logging.basicConfig(level=logging.INFO)
settings = GatewaySettings.model_validate_json(open(sys.argv[1]).read())
if len(sys.argv) > 2:
    limit = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
run(settings, stop_on_signals())
"""


class Process:
    """A gateway in a process of its own, which can be killed."""

    def __init__(self, settings: GatewaySettings, log: Path, *more: str) -> None:
        self._log = log.open("ab")
        file = log.with_suffix(".json")
        file.write_text(settings.model_dump_json())
        self.popen = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(file), *more],
            stdout=self._log,
            stderr=self._log,
        )

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()
        self._log.close()

    def terminate(self) -> None:
        """End it as systemd would."""
        self.popen.send_signal(signal.SIGTERM)
        code = self.popen.wait(DEADLINE_S)
        assert code == 0, f"exit {code}"
        self._log.close()


class Reader:
    """Takes all messages, as the dashboard does: persistent session, messages counted by id."""

    key = Ed25519PrivateKey.from_private_bytes(bytes(32))

    def __init__(self, broker: Mosquitto, name: str = "reader") -> None:
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.latest: dict[str, dict[str, Any]] = {}
        self.link = Link(
            broker.settings, name, on_message=self._take, subscriptions=[f"{TOPICS.base}/#"]
        )
        self.link.start()
        assert self.link.wait_connected(DEADLINE_S)

    def _take(self, message: Received) -> None:
        if not message.payload:  # a retained message is cleared
            self.latest.pop(message.topic, None)
            return
        # a clip has samples behind its header
        body = json.loads(message.payload.partition(b"\n")[0])
        self.messages.append((message.topic, body))
        self.latest[message.topic] = body

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Messages of a kind (`event`, `ack` …), each once."""
        found = {}
        for topic, body in list(self.messages):
            address = parse_topic(topic)
            if address and address.kind == kind:
                found.setdefault(body.get("id", len(found)), body)
        return list(found.values())

    def times(self, kind: str) -> Counter[str]:
        """How often each message of a kind came, by id."""
        addresses = [(parse_topic(topic), body) for topic, body in list(self.messages)]
        return Counter(body["id"] for a, body in addresses if a and a.kind == kind)

    def condition(self, point: str | None = None) -> str | None:
        topic = TOPICS.point_state("pump", point) if point else TOPICS.machine_state("pump")
        return self.latest.get(topic, {}).get("condition")

    def wait_for(
        self, condition: str, point: str | None = None, timeout_s: float = DEADLINE_S
    ) -> None:
        wait_until(lambda: self.condition(point) == condition, timeout_s, condition)

    def command(self, name: str, id_: str, args: dict[str, Any], **changed: Any) -> None:
        """Send a command, signed as the dashboard does."""
        now_ms = time.time_ns() // 1_000_000
        body = {
            "schema": "auscult/v1/command", "ts": now_ms, "id": id_, "actor": "anna",
            "expires_ms": now_ms + 60_000, "args": args,
        } | changed  # fmt: skip
        command = signed(Command.model_validate(body), TOPICS.command(name), self.key)
        signature = {"key": command.key, "signature": command.signature}
        assert self.link.publish(TOPICS.command(name), json.dumps(signature | body).encode())

    def answer(self, id_: str) -> dict[str, Any]:
        topic = TOPICS.acknowledgement(id_)
        wait_until(lambda: topic in self.latest, what=f"answer to {id_}")
        return self.latest[topic]

    def close(self) -> None:
        self.link.stop()
