"""The register map: the address and type of each tag; the documentation's tables come from here.

One block of registers for the gateway, one per machine, one per point, in the order of the
configuration. A 32-bit value uses two registers, the high word first (big-endian throughout). An
unknown float is NaN, an unknown integer 65535 (32-bit: all ones).
"""

from __future__ import annotations

import csv
import math
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Literal

from auscult.contract.inventory import Inventory, PointPart
from auscult.dsp.quantities import feature_of
from auscult.gateway.publishing.levels import LEVELS
from auscult.gateway.tags.metrics import Quality, Reading

MAP_VERSION = 1
"""Unchanged by registers at addresses that were unused."""
GATEWAY_BASE = 0
MACHINES_BASE = 100
POINTS_BASE = 20_000
BLOCK = 40
REGISTERS = 65_536
UNKNOWN = 0xFFFF
UNKNOWN_32 = 0xFFFF_FFFF

Kind = Literal["uint16", "uint32", "float32"]
QUALITY_CODES = {Quality.BAD: 0, Quality.STALE: 1, Quality.GOOD: 2}
PHASES = ("collecting", "training", "ready")
HANDLING = (
    "normal", "unacknowledged", "acknowledged", "returned", "shelved", "out_of_service",
    "planned_work",
)  # fmt: skip
FAULT_CODES = (
    "", "outer", "inner", "ball", "cage", "imbalance", "misalignment", "looseness", "gear",
    "rub", "electrical", "bearing", "bent", "blades", "belt", "turbulence", "cavitation",
    "lubrication",
)  # fmt: skip
"""The code of a fault is its place here; a fault without a code is `OTHER_FAULT`."""
OTHER_FAULT = 99


@dataclass(frozen=True, slots=True)
class ServedRegister:
    """A value in a block.

    Parameters
    ----------
    offset : int
        From the first register of its block.
    tag : str
        Name of the tag (that of Sparkplug and OPC UA), below the point's folder for a point.
    kind : str
    scale : float
        The register holds value × scale.
    words : tuple of str
        For a word: the register holds its place.
    quality : bool
        The register holds the tag's quality, not its value.
    stamp : bool
        The register holds the tag's time, UTC in seconds.
    """

    offset: int
    tag: str
    kind: Kind = "uint16"
    unit: str = ""
    what: str = ""
    scale: float = 1.0
    words: tuple[str, ...] = ()
    quality: bool = False
    stamp: bool = False

    @property
    def size(self) -> int:
        """Return how many registers it takes."""
        return 1 if self.kind == "uint16" else 2

    def encode(self, reading: Reading) -> list[int]:
        """Return the registers for a reading."""
        if self.quality:
            quality = Quality.BAD if reading.value is None else reading.quality
            return [QUALITY_CODES[quality]]
        if self.stamp:
            return self._integer(reading.t_ms // 1000)
        value = reading.value
        if isinstance(value, str) and self.words:
            return [self.words.index(value) if value in self.words else OTHER_FAULT]
        if not isinstance(value, bool | int | float) or not math.isfinite(value):
            return self.unknown
        if self.kind == "float32":
            return list(struct.unpack(">HH", struct.pack(">f", value * self.scale)))
        return self._integer(round(value * self.scale))

    @property
    def unknown(self) -> list[int]:
        """Return the register's words while its value is unknown."""
        if self.quality:
            return [QUALITY_CODES[Quality.BAD]]
        if self.kind == "float32":
            return list(struct.unpack(">HH", struct.pack(">f", math.nan)))
        return [UNKNOWN] * self.size

    def _integer(self, value: int) -> list[int]:
        if self.kind == "uint16":
            return [min(max(value, 0), UNKNOWN - 1)]
        return list(divmod(min(max(value, 0), UNKNOWN_32 - 1), 1 << 16))


HEAD = (
    ("Map version", "uint16", "Of this table; changes only when an address changes its meaning"),
    (
        "Heartbeat",
        "uint16",
        "Counts seconds and wraps; a client whose copy does not change is disconnected",
    ),
    ("Machines", "uint16", "How many machine blocks there are"),
    ("Points", "uint16", "How many point blocks there are"),
)
"""The gateway's first registers, which come from no tag."""

GATEWAY = (
    ServedRegister(4, "Health/Storing", quality=True, what="Quality: 2 good, 0 no value yet"),
    ServedRegister(5, "Health/Storing", what="1 while the database works"),
    ServedRegister(6, "Health/Clock Synchronised", what="1 while the clock is synchronised"),
    ServedRegister(7, "Health/Outbox Pending", what="Messages that wait for the broker"),
    ServedRegister(8, "Health/CPU", "float32", "%", "Share of one core"),
    ServedRegister(10, "Health/Memory", "float32", "MB", "Resident memory"),
    ServedRegister(12, "Health/Disk Free", "float32", "MB"),
    ServedRegister(14, "Health/Temperature", "float32", "°C"),
    ServedRegister(16, "Health/Certificate Left", "float32", "d", "Until the certificate expires"),
    ServedRegister(18, "Health/Windows", "uint32", "", "Windows scored since the start"),
    ServedRegister(20, "Health/Storing", "uint32", "s", "UTC of the last status", stamp=True),
)


def _verdict(folder: str) -> tuple[ServedRegister, ...]:
    return (
        ServedRegister(
            0, f"{folder}Condition", quality=True, what="Quality: 2 good, 1 uncertain, 0 bad"
        ),
        ServedRegister(
            1, f"{folder}Severity", what="0 normal, 1 learning, 2 unknown, 3 warning, 4 alarm"
        ),
        ServedRegister(2, f"{folder}Alarm Word", what="Bits, as in sparkplug.md"),
        ServedRegister(4, f"{folder}Evidence", "float32"),
        ServedRegister(6, f"{folder}Warning Level", "float32", "", "Of the evidence"),
        ServedRegister(8, f"{folder}Alarm Level", "float32", "", "Of the evidence"),
        ServedRegister(10, f"{folder}Condition", "uint32", "s", "UTC of the decision", stamp=True),
        ServedRegister(
            12,
            f"{folder}Fault",
            what="0 none named, else see below",
            words=FAULT_CODES,
        ),
        ServedRegister(13, f"{folder}Fault Confidence", "uint16", "%", "× 10", scale=10),
    )


MACHINE = (
    *_verdict("Verdict/"),
    ServedRegister(14, "Event/Open", what="1 while an event is open"),
    ServedRegister(
        15,
        "Event/Handling",
        what=", ".join(f"{i} {word}" for i, word in enumerate(HANDLING)),
        words=HANDLING,
    ),
    ServedRegister(16, "Event/Waiting", what="Unacknowledged events"),
    ServedRegister(17, "Baseline/Phase", what="0 collecting, 1 training, 2 ready", words=PHASES),
    ServedRegister(18, "Baseline/Progress", "uint16", "%", "× 10", scale=10),
)

VALUE_OFFSET = 38
"""The level of a point with overall values, whatever their quantity."""
_SCALED = {
    "velocity_rms_mm_s": ("mm/s", 100.0),
    "displacement_rms_um": ("µm", 10.0),
    "crest_factor": ("1", 100.0),
    "kurtosis": ("1", 100.0),
}
_LEVEL_UNITS = {
    "velocity_rms_mm_s": "mm/s",
    "displacement_rms_um": "µm",
    "acceleration_rms_m_s2": "m/s²",
    "crest_factor": "1",
    "kurtosis": "1",
}

POINT = (
    *_verdict(""),
    ServedRegister(3, "Sensor/Healthy", what="1 while the sensor has no fault"),
    ServedRegister(14, "Speed", "float32", "r/min"),
    ServedRegister(16, "Load", "float32", "", "In the plant's unit"),
    *(
        ServedRegister(
            18 + 2 * i, f"Levels/{name}", "float32", _LEVEL_UNITS.get(name, "(of the samples)")
        )
        for i, name in enumerate(LEVELS)
    ),
    *(
        ServedRegister(34 + i, f"Levels/{name}", "uint16", unit, f"× {scale:g}", scale=scale)
        for i, (name, (unit, scale)) in enumerate(_SCALED.items())
    ),
    ServedRegister(
        VALUE_OFFSET,
        "Levels/{level}",
        "float32",
        "(its unit)",
        "Level of a point with overall values",
    ),
)


def point_registers(point: PointPart) -> tuple[ServedRegister, ...]:
    """Return the registers of a point: of a value, of all levels only its own."""
    if point.quantity is None:
        return tuple(r for r in POINT if r.offset != VALUE_OFFSET)
    feature = feature_of(point.quantity, point.unit)
    level = f"Levels/{feature.name}"
    own = (
        replace(r, tag=level, unit=feature.unit) if r.offset == VALUE_OFFSET else r for r in POINT
    )
    return tuple(r for r in own if r.tag == level or not r.tag.startswith("Levels/"))


class RegisterBank:
    """All registers of one gateway.

    Raises
    ------
    ValueError
        If there are more machines or points than the map has room for.
    """

    def __init__(self, inventory: Inventory) -> None:
        machines = [m.id for m in inventory.machines]
        points = [(m.id, p) for m in inventory.machines for p in m.points]
        most = (POINTS_BASE - MACHINES_BASE) // BLOCK, (REGISTERS - POINTS_BASE) // BLOCK
        if len(machines) > most[0] or len(points) > most[1]:
            raise ValueError(
                f"{len(machines)} machines with {len(points)} points: the Modbus map has room for "
                f"{most[0]} and {most[1]}; use OPC UA or Sparkplug"
            )
        self._values = [UNKNOWN] * REGISTERS
        self._places: dict[tuple[str | None, str], list[tuple[int, ServedRegister]]] = {}
        self.blocks: list[tuple[int, str, str, tuple[ServedRegister, ...]]] = []
        self._add(GATEWAY_BASE, None, "", GATEWAY)
        for i, machine in enumerate(machines):
            self._add(MACHINES_BASE + BLOCK * i, machine, "", MACHINE)
        for i, (machine, point) in enumerate(points):
            folder = f"Points/{point.id}/"
            self._add(POINTS_BASE + BLOCK * i, machine, folder, point_registers(point))
        self._spans = (
            range(GATEWAY_BASE, MACHINES_BASE + BLOCK * len(machines)),
            range(POINTS_BASE, POINTS_BASE + BLOCK * len(points)),
        )
        self._values[:4] = [MAP_VERSION, 0, len(machines), len(points)]

    def update(self, machine: str | None, readings: Mapping[str, Reading]) -> None:
        """Store new values; tags without a register are ignored."""
        for name, reading in readings.items():
            for at, register in self._places.get((machine, name), ()):
                self._values[at : at + register.size] = register.encode(reading)

    def holds(self, address: int, count: int) -> bool:
        """Return whether the map of this gateway has all these registers."""
        return any(address in span and address + count <= span.stop for span in self._spans)

    def read(self, address: int, count: int) -> Sequence[int]:
        """Return registers; the heartbeat is the clock's seconds."""
        self._values[1] = int(time.monotonic()) & 0xFFFF
        return self._values[address : address + count]

    def table(self) -> str:
        """Return the map of this gateway as CSV: address, machine, tag, kind, unit, scale."""
        out = StringIO()
        rows = csv.writer(out)
        rows.writerow(["address", "machine", "tag", "kind", "unit", "scale", "what"])
        for base, machine, folder, registers in self.blocks:
            for r in sorted(registers, key=lambda r: r.offset):
                rows.writerow(
                    [
                        base + r.offset,
                        machine,
                        folder + r.tag,
                        r.kind,
                        r.unit,
                        f"{r.scale:g}",
                        r.what,
                    ]
                )
        return out.getvalue()

    def _add(
        self, base: int, machine: str | None, folder: str, registers: tuple[ServedRegister, ...]
    ) -> None:
        self.blocks.append((base, machine or "", folder, registers))
        for register in registers:
            at = base + register.offset
            self._places.setdefault((machine, folder + register.tag), []).append((at, register))
            self._values[at : at + register.size] = register.unknown
