"""A wireless sensor that is another maker's Sparkplug B edge node: npm's encoder, a real broker."""

from __future__ import annotations

import base64
import time
from pathlib import Path
from typing import Any

import numpy as np

from auscult.link.link import LastWill, Link, Received
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.conftest import Mosquitto
from tests.gateway.programs import Program, install, program
from tests.waiting import DEADLINE_S, wait_until

FOLDER = Path(__file__).parent / "outputs" / "sparkplug" / "foreign"
GROUP, NODE = "sensors", "radio-1"
Metrics = dict[str, tuple[str, Any]]
"""Name to (type, value), as the npm package names and takes them."""


class Encoder:
    """The npm package `sparkplug-payload` in a process of its own."""

    def __init__(self) -> None:
        install(FOLDER, "sparkplug-payload")
        self._program = Program(program("node"), FOLDER / "encode.js")
        self._count = 0

    def __call__(self, payload: dict[str, Any]) -> bytes:
        self._program.say(payload)
        self._count += 1
        return base64.b64decode(self._program.wait_for("payload", self._count)[-1])

    def end(self) -> None:
        self._program.end()


class ForeignSensor:
    """An edge node that keeps the specification's order, unless a test asks for disorder.

    Its births give each metric an alias; its data messages carry aliases only.
    """

    def __init__(self, broker: Mosquitto, encode: Encoder, node: str = NODE) -> None:
        self.encode = encode
        self.node = node
        self.births_asked = 0
        self.seq = 0
        self.bd_seq = 3
        self._aliases: dict[tuple[str, str], int] = {}
        self._last_ms = 0
        will = LastWill(self.topic("NDEATH"), b"")
        self.link = Link(
            broker.settings, f"foreign-{node}", on_message=self._obey,
            subscriptions=[self.topic("NCMD")], will=will, persistent=False,
        )  # fmt: skip
        self.link.start()
        assert self.link.wait_connected(DEADLINE_S)

    def topic(self, kind: str, device: str = "") -> str:
        return f"spBv1.0/{GROUP}/{kind}/{self.node}" + (f"/{device}" if device else "")

    def _obey(self, message: Received) -> None:
        payload = Payload.FromString(message.payload)
        self.births_asked += any(
            m.name == "Node Control/Rebirth" and m.boolean_value for m in payload.metrics
        )

    def wait_asked(self) -> None:
        """Wait until a host asks for births."""
        before = self.births_asked
        wait_until(lambda: self.births_asked > before, what="a request for births")

    def birth(self, devices: dict[str, Metrics], own: Metrics | None = None) -> None:
        """NBIRTH and the DBIRTH of each device."""
        self.seq = 0
        node: Metrics = {
            "bdSeq": ("UInt64", self.bd_seq),
            "Node Control/Rebirth": ("Boolean", False),
            **(own or {}),
        }
        self.say("NBIRTH", "", node, named=True)
        for device, metrics in devices.items():
            self.say("DBIRTH", device, metrics, named=True)

    def say(self, kind: str, device: str, metrics: Metrics, **how: Any) -> None:
        self.publish(kind, device, self.payload(device, metrics, **how))

    def payload(
        self, device: str, metrics: Metrics, *, named: bool = False, seq: int | None = None,
        t_ms: int | None = None, historical: bool = False,
    ) -> bytes:  # fmt: skip
        """Encode a message and count it, unless `seq` says which number it bears."""
        t_ms = self._now_ms() if t_ms is None else t_ms
        if seq is None:
            seq, self.seq = self.seq, (self.seq + 1) % 256
        made = []
        for name, (kind, value) in metrics.items():
            alias = self._aliases.setdefault((device, name), len(self._aliases) + 1)
            metric = {"timestamp": t_ms, "type": kind, "value": value, "alias": alias}
            if historical:
                metric["isHistorical"] = True
            made.append(metric | ({"name": name} if named else {}))
        return self.encode({"timestamp": t_ms, "seq": seq, "metrics": made})

    def _now_ms(self) -> int:
        """Return the time, never one twice: a host discards the second value as a duplicate."""
        self._last_ms = max(time.time_ns() // 1_000_000, self._last_ms + 1)
        return self._last_ms

    def publish(self, kind: str, device: str, payload: bytes) -> None:
        assert self.link.publish(self.topic(kind, device), payload, qos=0)

    def die(self, bd_seq: int | None = None) -> None:
        """NDEATH, of this session or another."""
        metric = {"name": "bdSeq", "type": "UInt64", "value": self.bd_seq}
        if bd_seq is not None:
            metric["value"] = bd_seq
        self.publish("NDEATH", "", self.encode({"metrics": [metric]}))

    def close(self) -> None:
        self.link.stop()


def as_bytes(values: np.ndarray, kind: str = "<i2") -> tuple[str, dict[str, str]]:
    """A metric of type Bytes."""
    return "Bytes", {"bytes": base64.b64encode(values.astype(kind).tobytes()).decode()}


def as_table(values: np.ndarray, kind: str = "Float") -> tuple[str, dict[str, Any]]:
    """A metric of type DataSet with time and value."""
    rows = [
        [i / 1000, float(v) if kind in ("Float", "Double") else int(v)]
        for i, v in enumerate(values)
    ]
    table = {"numOfColumns": 2, "columns": ["t", "z"], "types": ["Double", kind], "rows": rows}
    return "DataSet", table
