"""What a strict kit would find wrong in all that an edge node sent, read from the wire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.gateway.outputs.sparkplug.wire import Packet

DATATYPES = range(1, 35)


def broken_rules(packets: Sequence[Packet], host: str = "") -> list[str]:
    """Name what is wrong, each once; `host` is the primary host, if there is one."""
    found: dict[str, None] = {}
    wills = []
    for connection in sorted({p.connection for p in packets}):
        session = Session([p for p in packets if p.connection == connection], host)
        wills.append(session.bd_seq)
        found |= dict.fromkeys((*session.connection(), *session.messages()))
    if any(after != (before + 1) % 256 for before, after in pairwise(wills)):
        found[f"bdSeq goes {wills}"] = None
    return list(found)


class Session:
    """One connection, from CONNECT on."""

    def __init__(self, packets: Sequence[Packet], host: str) -> None:
        self._packets, self._host = packets, host
        self._said = [p for p in packets if p.up]
        self.bd_seq = Payload.FromString(self._said[0].will_payload).metrics[0].long_value
        self._online = not host
        self._born = False
        self._seq = 255
        self._aliases: dict[int, tuple[str | None, str]] = {}

    def connection(self) -> Iterator[str]:
        """What is wrong with CONNECT and SUBSCRIBE."""
        connect = self._said[0]
        if connect.kind != "CONNECT" or not connect.clean:
            yield "the session is not clean"
        if (connect.will_qos, connect.will_retain) != (1, False):
            yield "the will has not QoS 1, or is retained"
        subscribed = [f for p in self._said if p.kind == "SUBSCRIBE" for f in p.filters]
        if any(qos != 1 for _, qos in subscribed):
            yield "a subscription has not QoS 1"
        if self._host and not any(t.endswith(f"STATE/{self._host}") for t, _ in subscribed):
            yield "the host's state is not subscribed"

    def messages(self) -> Iterator[str]:
        """What is wrong with what was published, in its order."""
        for packet in self._packets:
            if packet.kind != "PUBLISH":
                continue
            if not packet.up:
                self._online = self._online or packet.topic.endswith(f"STATE/{self._host}")
            elif packet.type == "NDEATH":
                body = packet.body
                if body.HasField("seq") or [m.long_value for m in body.metrics] != [self.bd_seq]:
                    yield "NDEATH holds more or less than the will's bdSeq"
            else:
                yield from self._message(packet)

    def _message(self, packet: Packet) -> Iterator[str]:
        kind = packet.type
        if not self._online:
            yield f"{kind} before the host is online"
        if packet.qos != 0 or packet.retain or not packet.body.HasField("timestamp"):
            yield f"{kind} has not QoS 0, is retained, or has no time"
        if kind == "NBIRTH":
            self._born, self._aliases, self._seq = True, {}, 255
        if not self._born:
            yield f"{kind} before NBIRTH"
        self._seq = (self._seq + 1) % 256
        if packet.body.seq != self._seq:
            yield f"{kind} has sequence number {packet.body.seq}, not {self._seq}"
        if kind.endswith("BIRTH"):
            yield from self._birth(packet)
        elif kind.endswith("DATA"):
            yield from self._data(packet)

    def _birth(self, packet: Packet) -> Iterator[str]:
        kind, metrics = packet.type, packet.body.metrics
        names = [m.name.lower() for m in metrics]
        if len(set(names)) < len(names):
            yield f"{kind} names a metric twice"
        if kind == "NBIRTH" and packet.metrics()["bdSeq"].long_value != self.bd_seq:
            yield "NBIRTH has not the will's bdSeq"
        for metric in metrics:
            if not (metric.name and metric.datatype in DATATYPES and metric.HasField("timestamp")):
                yield f"{kind}: {metric.name!r} has no name, type or time"
            if not metric.is_null and metric.WhichOneof("value") is None:
                yield f"{kind}: {metric.name!r} has no value and is not null"
            if metric.HasField("alias"):
                owner = packet.device, metric.name
                # A device that was lost is born again with the aliases that it had.
                if self._aliases.setdefault(metric.alias, owner) != owner:
                    yield f"{kind}: alias {metric.alias} is given twice"

    def _data(self, packet: Packet) -> Iterator[str]:
        kind, metrics = packet.type, packet.body.metrics
        times = [m.timestamp for m in metrics if not m.is_historical]
        if not metrics or times != sorted(times):
            yield f"{kind} is empty, or not in the order of time"
        for metric in metrics:
            if self._aliases.get(metric.alias, ("", ""))[0] != packet.device:
                yield f"{kind}: alias {metric.alias} is not of its birth"
            if metric.name or metric.HasField("datatype") or metric.is_null:
                yield f"{kind}: a metric has a name, a type or no value"
