"""Register maps of Modbus devices: data files, and the numbers in their registers."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import Final, Literal, cast

from auscult.contract.said import Rejection
from auscult.gateway.sources.modbus.settings import ModbusSource, RegisterSettings
from auscult.gateway.sources.support.shipped import shipped

FORMATS: Final = {
    "uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "float32": "f", "float64": "d",
}  # fmt: skip
"""Encodings by their letter of `struct`."""
MAX_READ = 120
"""Registers of one request; the protocol allows 125."""
MAX_GAP = 8
"""Registers that are read along between two wanted ones."""


class RegisterError(Rejection):
    """A register that can't be found or read; the message says why."""


@dataclass(frozen=True, slots=True)
class Register:
    """A number in one or more registers; ``address`` is the one on the wire, from 0."""

    name: str
    address: int
    encoding: str
    scale: float
    unit: str
    table: Literal["holding", "input"] = "holding"
    word_order: Literal["big", "little"] = "big"
    quantity: str = "other"
    offset: float = 0.0
    invalid: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Return the registers that it takes."""
        return struct.calcsize(FORMATS[self.encoding]) // 2

    def number(self, words: Sequence[int]) -> float:
        """Read the number from its registers.

        Raises
        ------
        RegisterError
            If it marks a missing measurement, or is not finite.

        Examples
        --------
        >>> meter = Register("current", 1, "uint32", 0.001, "A", word_order="little")
        >>> meter.number([0x1234, 0x0001])
        70.196
        """
        given = list(words) if self.word_order == "big" else list(reversed(words))
        body = struct.pack(f">{len(given)}H", *given)
        (raw,) = struct.unpack(f">{FORMATS[self.encoding]}", body)
        if raw in self.invalid or not isfinite(raw):
            raise RegisterError("register_invalid", address=self.address, value=str(raw))
        return float(round(raw * self.scale + self.offset, 9))


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """A file of `register_maps/`: a device's registers, and how its line is set at delivery."""

    name: str
    title: str
    source: str
    unit_id: int
    baud_rate: int
    parity: str
    registers: tuple[Register, ...]


@cache
def register_maps() -> Mapping[str, RegisterMap]:
    """Return all maps by name."""
    found = {}
    for name, given in shipped("modbus", "register_maps"):
        table = cast(Literal["holding", "input"], given.pop("table"))
        registers = tuple(Register(table=table, **one) for one in given.pop("registers"))
        found[name] = RegisterMap(name=name, registers=registers, **given)
    return found


def registers_of(settings: ModbusSource) -> dict[str, Register]:
    """Return the register of each point, by its map or its address.

    Raises
    ------
    RegisterError
        If the map or a register of it is unknown.
    """
    known: Mapping[str, Register] = {}
    if settings.register_map:
        device = register_maps().get(settings.register_map)
        if device is None:
            raise RegisterError(
                "template_unknown", name=settings.register_map, names=tuple(register_maps())
            )
        known = {register.name: register for register in device.registers}
    return {value.point: _register(value, known, settings) for value in settings.values}


def _register(
    value: RegisterSettings, known: Mapping[str, Register], settings: ModbusSource
) -> Register:
    if value.address is not None:
        return Register(
            value.register_name or str(value.address), value.address, value.encoding, 1.0,
            value.unit, value.table, value.word_order, invalid=value.invalid,
        )  # fmt: skip
    if value.register_name not in known:
        raise RegisterError(
            "template_value_unknown",
            template=settings.register_map or "register_map",
            name=value.register_name,
            names=tuple(known),
        )
    return known[value.register_name]


def reads_of(registers: Sequence[Register]) -> list[tuple[str, int, int]]:
    """Join registers to requests: table, first address, count.

    >>> a, b, c = (Register(n, at, "uint16", 1.0, "") for n, at in (("a", 5), ("b", 7), ("c", 90)))
    >>> reads_of([c, b, a])
    [('holding', 5, 3), ('holding', 90, 1)]
    """
    reads: list[tuple[str, int, int]] = []
    for one in sorted(registers, key=lambda r: (r.table, r.address)):
        if reads:
            table, first, count = reads[-1]
            end = max(first + count, one.address + one.count)
            near = one.address - (first + count) <= MAX_GAP
            if table == one.table and near and end - first <= MAX_READ:
                reads[-1] = table, first, end - first
                continue
        reads.append((one.table, one.address, one.count))
    return reads
