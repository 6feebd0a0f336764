"""One whole life of the edge node, recorded on the wire: births, data, losses, commands, death."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.gateway.outputs.sparkplug.bench import Bench
from tests.gateway.outputs.sparkplug.plant import (
    BEARING,
    event,
    machine_state,
    point_state,
    spectrum,
    status,
)
from tests.gateway.outputs.sparkplug.wire import Packet
from tests.waiting import wait_until

VELOCITY = "Points/DE/Levels/velocity_rms"
SWINGS = 300
"""More data messages than there are sequence numbers."""


@dataclass
class Life:
    """The recording, and where in it something happened (an index into `packets`)."""

    version: str
    packets: list[Packet]
    marks: dict[str, int] = field(default_factory=dict)

    def sent(self, *types: str, device: str | None = None) -> list[Packet]:
        """Sparkplug messages that the edge node published."""
        return [
            p
            for p in self.packets
            if p.up and p.kind == "PUBLISH" and (not types or p.type in types)
            if device is None or p.device == device
        ]

    def of_kind(self, kind: str) -> list[Packet]:
        return [p for p in self.packets if p.up and p.kind == kind]

    def between(self, start: str, end: str) -> list[Packet]:
        """What the edge node published between two marks."""
        part = self.packets[self.marks[start] : self.marks[end]]
        return [p for p in part if p.up and p.kind == "PUBLISH"]

    def sessions(self) -> list[list[Packet]]:
        """What the edge node published, connection by connection."""
        numbers = sorted({p.connection for p in self.packets})
        return [[p for p in self.sent() if p.connection == n] for n in numbers]

    def named(self, packet: Packet) -> dict[str, Payload.Metric]:
        """The metrics of a data message by name, from the aliases of the birth before it."""
        at = next(i for i, p in enumerate(self.packets) if p is packet)
        kind = packet.type[0] + "BIRTH"
        births = [p for p in self.packets[:at] if p.up and p.type == kind]
        birth = [p for p in births if p.device == packet.device][-1]
        names = {m.alias: m.name for m in birth.body.metrics if m.HasField("alias")}
        return {m.name or names[m.alias]: m for m in packet.body.metrics}

    def readings(self, start: int, name: str) -> list[Payload.Metric]:
        """The data of a metric that devices sent since packet `start`."""
        sent = [p for p in list(self.packets[start:]) if p.up and p.type == "DDATA"]
        return [m for p in sent for key, m in self.named(p).items() if key == name]


def live(folder: Path, version: str, **settings: Any) -> Life:
    """Run it."""
    bench = Bench(folder)
    try:
        return _live(bench, version, **settings)
    finally:
        bench.close()


def _live(bench: Bench, version: str, **settings: Any) -> Life:
    broker = bench.broker()
    wire, host = bench.wire(broker), bench.host(broker)
    feed = bench.feed(wire, version=version, **settings)
    life = Life(version, wire.packets)

    def mark(name: str) -> None:
        life.marks[name] = len(wire.packets)

    def wait(kind: str, count: int, device: str | None = None) -> None:
        wait_until(
            lambda: len(wire.sent(kind, device=device)) >= count, what=f"{count} {kind} {device}"
        )

    feed.start()
    wait("DBIRTH", 2)
    # The first measurements bring the levels, and with them a new birth.
    for state in (point_state(), point_state(point="NDE"), point_state("fan-1", "M")):
        feed.publish(state)
    wait("DBIRTH", 4)
    feed.publish(machine_state())
    feed.publish(status())
    wait("NDATA", 1)
    mark("steady")
    for _ in range(20):
        feed.publish(point_state())
        feed.publish(point_state(velocity=2.01))
        feed.publish(machine_state())
    feed.publish(status(windows=2))
    wait("NDATA", 2)
    mark("swings")
    before = len(wire.sent("DDATA"))
    for i in range(SWINGS):
        feed.publish(point_state(velocity=5.0 if i % 2 == 0 else 2.0))
    wait("DDATA", before + SWINGS)
    feed.publish(status(windows=3))
    wait("NDATA", 3)
    mark("quality")
    feed.publish(point_state(quality="bad", condition="unknown", velocity=3.0))
    feed.publish(point_state(quality="good", velocity=3.0))
    feed.publish(point_state(reasons=(BEARING,), condition="alarm", velocity=9.0, evidence=7.0))
    feed.publish(event())
    feed.publish(spectrum())
    feed.publish(status(windows=4))
    wait("NDATA", 4)
    mark("lost")
    feed.publish(
        point_state("fan-1", "M", condition="unknown", quality="bad", sensor=("no signal",))
    )
    wait("DDEATH", 1)
    births = len(wire.sent("DBIRTH"))
    feed.publish(point_state("fan-1", "M"))
    wait("DBIRTH", births + 1)
    feed.publish(status(windows=5))  # after it, nothing of before is on its way
    wait("NDATA", 5)
    mark("rebirth")
    births = len(wire.sent("DBIRTH"))
    host.node_command("Node Control/Rebirth", timed=False)
    wait("DBIRTH", births + 2)  # a value published before them would be in the birth, not in data
    feed.publish(point_state(velocity=1.0))
    feed.publish(status(windows=6))
    wait("NDATA", 6)
    mark("cut")
    births = len(wire.sent("NBIRTH"))
    wire.cut()
    time.sleep(0.2)
    feed.publish(point_state(velocity=4.0))
    wait("NBIRTH", births + 1)
    feed.publish(status(windows=7))
    wait("NDATA", 7)
    cut = life.marks["cut"]
    wait_until(  # what was in doubt follows the births in several messages
        lambda: 1.0 in {m.float_value for m in life.readings(cut, VELOCITY)},
        what="the last reading before the cut",
    )
    mark("stop")
    feed.stop()
    wait_until(lambda: wire.open_connections == 0, what="the end of the connection")
    life.packets = list(wire.packets)
    mark("end")
    return life
