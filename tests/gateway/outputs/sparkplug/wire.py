"""What really goes over the wire: a proxy before the broker that reads along.

The conformance kit sits in the broker and sees every packet; a subscriber would see neither
CONNECT nor SUBSCRIBE nor DISCONNECT. The packets are taken apart here from the MQTT
specifications 3.1.1 and 5.0, not by the client library under test.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, field

from auscult.link.broker import BrokerSettings
from auscult.sparkplug.sparkplug_b_pb2 import Payload

KINDS = {
    1: "CONNECT", 2: "CONNACK", 3: "PUBLISH", 4: "PUBACK", 8: "SUBSCRIBE", 9: "SUBACK",
    12: "PINGREQ", 13: "PINGRESP", 14: "DISCONNECT",
}  # fmt: skip


@dataclass
class Packet:
    """One packet; `up` = from the edge node to the broker."""

    kind: str
    up: bool
    connection: int
    at_ms: int
    topic: str = ""
    payload: bytes = b""
    qos: int = 0
    retain: bool = False
    level: int = 0
    clean: bool = False
    session_expiry_s: int = 0
    client_id: str = ""
    will_topic: str = ""
    will_payload: bytes = b""
    will_qos: int = 0
    will_retain: bool = False
    has_will: bool = False
    filters: list[tuple[str, int]] = field(default_factory=list)
    reason: int = 0

    @property
    def type(self) -> str:
        """The Sparkplug message type, e.g. DBIRTH."""
        parts = self.topic.split("/")
        return parts[2] if len(parts) > 3 else parts[1] if len(parts) > 1 else ""

    @property
    def device(self) -> str | None:
        parts = self.topic.split("/")
        return parts[4] if len(parts) == 5 else None

    @property
    def body(self) -> Payload:
        return Payload.FromString(self.payload)

    def metrics(self) -> dict[str, Payload.Metric]:
        return {m.name: m for m in self.body.metrics}


class Proxy:
    """A proxy between one edge node and a broker."""

    def __init__(self, broker: BrokerSettings) -> None:
        self._broker = broker
        self.packets: list[Packet] = []
        self.deaf = False
        """Swallow what the edge node sends without a sign: a dead network."""
        self.black_hole = False
        """Swallow both directions, and the end of a connection with them."""
        self.refusing = False
        self.open_connections = 0
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def settings(self) -> BrokerSettings:
        return self._broker.model_copy(update={"port": self.port, "keepalive_s": 5})

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Cut all connections, as a cable does."""
        with self._lock:
            sockets, self._sockets = self._sockets, []
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def sent(self, *types: str, device: str | None = None) -> list[Packet]:
        """Sparkplug messages from the edge node, of the types asked for (all: none given)."""
        return [
            p
            for p in list(self.packets)
            if p.up and p.kind == "PUBLISH" and (not types or p.type in types)
            if device is None or p.device == device
        ]

    def of_kind(self, kind: str) -> list[Packet]:
        return [p for p in list(self.packets) if p.kind == kind]

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if self.refusing:
                near.close()
                continue
            try:
                far = socket.create_connection((self._broker.host, self._broker.port))
            except OSError:
                near.close()
                continue
            with self._lock:
                self._connections += 1
                self._sockets += [near, far]
                self.open_connections += 1
            number = self._connections
            level = [4]
            for source, target, up in ((near, far, True), (far, near, False)):
                threading.Thread(
                    target=self._pump, args=(source, target, up, number, level), daemon=True
                ).start()

    def _pump(
        self, source: socket.socket, target: socket.socket, up: bool, number: int, level: list[int]
    ) -> None:
        buffer = b""
        try:
            while data := source.recv(65536):
                if self.black_hole or (self.deaf and up):
                    continue
                buffer += data
                while (cut := _frame(buffer)) is not None:
                    head, body, buffer = cut
                    packet = _parse(head, body, up, number, level)
                    with self._lock:
                        self.packets.append(packet)
                target.sendall(data)
        except OSError:
            pass
        finally:
            while self.black_hole:
                time.sleep(0.05)
            for one in (source, target):
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            if up:
                with self._lock:
                    self.open_connections -= 1


def _frame(buffer: bytes) -> tuple[int, bytes, bytes] | None:
    length, shift, at = 0, 0, 1
    while True:
        if at >= len(buffer):
            return None
        byte = buffer[at]
        length |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            break
    if len(buffer) < at + length:
        return None
    return buffer[0], buffer[at : at + length], buffer[at + length :]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, n: int) -> bytes:
        taken, self.data = self.data[:n], self.data[n:]
        assert len(taken) == n, "packet ends early"
        return taken

    def number(self, n: int = 2) -> int:
        return int.from_bytes(self.take(n))

    def binary(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        return self.binary().decode()

    def properties(self) -> dict[int, int]:
        """MQTT 5 properties; only the session expiry interval (17) is read, others skipped."""
        length, shift = 0, 0
        while True:
            byte = self.number(1)
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        block = _Reader(self.take(length))
        found = {}
        while block.data:
            identifier = block.number(1)
            if identifier == 17:
                found[17] = block.number(4)
            else:
                break
        return found


def _parse(head: int, body: bytes, up: bool, number: int, level: list[int]) -> Packet:
    kind = KINDS.get(head >> 4, str(head >> 4))
    packet = Packet(kind, up, number, time.time_ns() // 1_000_000)
    read = _Reader(body)
    if kind == "CONNECT":
        _connect(packet, read)
        level[0] = packet.level
    elif kind == "PUBLISH":
        packet.qos, packet.retain = (head >> 1) & 3, bool(head & 1)
        packet.topic = read.text()
        if packet.qos:
            read.number()
        if level[0] == 5:
            read.properties()
        packet.payload = read.data
    elif kind == "SUBSCRIBE":
        read.number()
        if level[0] == 5:
            read.properties()
        while read.data:
            packet.filters.append((read.text(), read.number(1) & 3))
    elif kind == "DISCONNECT" and body:
        packet.reason = body[0]
    return packet


def _connect(packet: Packet, read: _Reader) -> None:
    read.text()
    packet.level = read.number(1)
    flags = read.number(1)
    read.number()
    five = packet.level == 5
    packet.session_expiry_s = (read.properties() if five else {}).get(17, 0)
    packet.client_id = read.text()
    packet.clean, packet.has_will = bool(flags & 2), bool(flags & 4)
    if packet.has_will:
        if five:
            read.properties()
        packet.will_topic, packet.will_payload = read.text(), read.binary()
        packet.will_qos, packet.will_retain = (flags >> 3) & 3, bool(flags & 32)
