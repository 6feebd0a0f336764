"""What is reported: metrics with their type, unit and dead-band, and readings of them.

A `Metric` is the definition that a birth certificate announces; a `Reading` is its value at a
time. A `Unit` (the edge node itself or one device below it) owns the metrics; an `TagInventory` is
all of them, with the alias of each.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from auscult.sparkplug.topics import check_id


class DataType(IntEnum):
    """Sparkplug data types, numbered as the specification numbers them (6.4.16)."""

    INT8 = 1
    INT16 = 2
    INT32 = 3
    INT64 = 4
    UINT8 = 5
    UINT16 = 6
    UINT32 = 7
    UINT64 = 8
    FLOAT = 9
    DOUBLE = 10
    BOOLEAN = 11
    STRING = 12
    DATETIME = 13
    TEXT = 14
    UUID = 15
    DATASET = 16
    BYTES = 17
    FILE = 18
    TEMPLATE = 19


SIGNED_BITS = {DataType.INT8: 8, DataType.INT16: 16, DataType.INT32: 32, DataType.INT64: 64}
UNSIGNED_BITS = {
    DataType.UINT8: 8,
    DataType.UINT16: 16,
    DataType.UINT32: 32,
    DataType.UINT64: 64,
    DataType.DATETIME: 64,
}
FLOATS = frozenset({DataType.FLOAT, DataType.DOUBLE})
LARGEST = {DataType.FLOAT: 3.4028234663852886e38, DataType.DOUBLE: sys.float_info.max}
STRINGS = frozenset({DataType.STRING, DataType.TEXT, DataType.UUID})


class Quality(IntEnum):
    """The three quality codes that Sparkplug knows (6.4.10)."""

    BAD = 0
    GOOD = 192
    STALE = 500


@dataclass(frozen=True, slots=True)
class MetricDataSet:
    """A table: column names, their types, and rows (a spectrum, for example).

    Raises
    ------
    ValueError
        If columns, types and rows are not equally wide.
    """

    columns: tuple[str, ...]
    types: tuple[DataType, ...]
    rows: tuple[tuple[float | int | str | bool, ...], ...] = ()

    def __post_init__(self) -> None:
        width = len(self.columns)
        if len(self.types) != width or any(len(row) != width for row in self.rows):
            raise ValueError(f"data set has {width} columns: give as many types and cells a row")


@dataclass(frozen=True, slots=True)
class MetricTemplate:
    """A user-defined type (`reference` empty) or an instance of the one it names."""

    members: tuple[tuple[Metric, Value], ...]
    parameters: tuple[tuple[str, DataType, str | float | int], ...] = ()
    reference: str = ""
    version: str = ""


Value = bool | int | float | str | MetricDataSet | MetricTemplate | None


@dataclass(frozen=True, slots=True)
class DeadBand:
    """How far a value must move from the last one reported to be reported again.

    The larger of `absolute` (in the metric's unit) and `percent` of the last value reported;
    zero in both means that any change is reported.
    """

    absolute: float = 0.0
    percent: float = 0.0

    def exceeded(self, last: float, value: float) -> bool:
        """Return whether a move from `last` to `value` is worth a message.

        >>> DeadBand(percent=2).exceeded(100.0, 101.0)
        False
        """
        return abs(value - last) > max(self.absolute, abs(last) * self.percent / 100)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric as a birth certificate announces it.

    Parameters
    ----------
    name : str
        Folders separated by ``/``; unique in its unit, also without regard to case.
    datatype : DataType
    unit : str
        Engineering unit, property ``engUnit``; empty = none.
    low, high : float or None
        Engineering range, properties ``engLow`` and ``engHigh``.
    documentation : str
        For the engineer who browses the tags; property ``documentation``.
    dead_band : DeadBand
        For numbers; other values are reported whenever they differ.
    initial : Value
        Value in a birth before any reading; None is announced as null.
    writable : bool
        A command may write it.
    momentary : bool
        Not a state but an occurrence: reported each time, kept in no birth and no history.
    """

    name: str
    datatype: DataType
    unit: str = ""
    low: float | None = None
    high: float | None = None
    documentation: str = ""
    dead_band: DeadBand = DeadBand()
    initial: Value = None
    writable: bool = False
    momentary: bool = False

    def check(self, value: Value) -> Value:
        """Return `value` as this metric carries it.

        A float that is not finite, or too large, becomes None: no reading.

        Raises
        ------
        ValueError
            If the value is not of the metric's type or does not fit it.
        """
        if value is None:
            return None
        kind = self.datatype
        if kind is DataType.BOOLEAN:
            right = isinstance(value, bool)
        elif kind in FLOATS:
            right = isinstance(value, int | float) and not isinstance(value, bool)
            if isinstance(value, float) and not abs(value) <= LARGEST[kind]:
                return None
        elif kind in SIGNED_BITS or kind in UNSIGNED_BITS:
            right = isinstance(value, int) and not isinstance(value, bool) and fits(kind, value)
        elif kind in STRINGS:
            right = isinstance(value, str)
        else:
            right = isinstance(value, MetricDataSet if kind is DataType.DATASET else MetricTemplate)
        if not right:
            raise ValueError(f"metric {self.name!r} is {kind.name}: {value!r} does not fit it")
        return value


def fits(kind: DataType, value: int) -> bool:
    """Return whether an integer lies in the range of its type.

    >>> fits(DataType.INT8, -128), fits(DataType.UINT8, 256)
    (True, False)
    """
    if kind in SIGNED_BITS:
        half = 1 << (SIGNED_BITS[kind] - 1)
        return -half <= value < half
    return 0 <= value < 1 << UNSIGNED_BITS[kind]


@dataclass(frozen=True, slots=True)
class Reading:
    """A metric's value at a time: ``t_ms`` is UTC in milliseconds since 1970.

    `measured` is False before the first window: the time is then the message's, which may lie
    after the begin of that window.
    """

    value: Value
    t_ms: int
    quality: Quality = Quality.GOOD
    measured: bool = True


@dataclass(frozen=True, slots=True)
class Unit:
    """The edge node (`id` None) or a device, with its metrics by name.

    Raises
    ------
    ValueError
        If two metric names are equal without regard to case.
    """

    id: str | None
    metrics: Mapping[str, Metric]

    @classmethod
    def from_metrics(cls, unit_id: str | None, *metrics: Metric) -> Unit:
        """Make one from its metrics."""
        if unit_id is not None:
            check_id(unit_id)
        lower: dict[str, str] = {}
        for metric in metrics:
            other = lower.setdefault(metric.name.lower(), metric.name)
            if other != metric.name or sum(m.name == metric.name for m in metrics) > 1:
                raise ValueError(
                    f"metrics {other!r} and {metric.name!r} of {unit_id or 'the node'} differ by "
                    "case only or not at all: rename one"
                )
        return cls(unit_id, {metric.name: metric for metric in metrics})

    def with_metrics(self, *metrics: Metric) -> Unit:
        """Return the unit with further metrics; those it has already are replaced."""
        return Unit.from_metrics(
            self.id, *{**self.metrics, **{m.name: m for m in metrics}}.values()
        )


REBIRTH = "Node Control/Rebirth"
NEXT_SERVER = "Node Control/Next Server"
BD_SEQ = "bdSeq"
UNALIASED = frozenset({REBIRTH, BD_SEQ})
"""Names that are never aliased: the specification forbids it for the first, and hosts look for
both by name."""


@dataclass(frozen=True, slots=True)
class TagInventory:
    """Everything this edge node will ever report: its own metrics and its devices'.

    Raises
    ------
    ValueError
        If two device ids are equal without regard to case.
    """

    node: Unit
    devices: Mapping[str, Unit]
    aliases: Mapping[tuple[str | None, str], int] = field(default_factory=dict)
    """(unit, metric name) to alias: unique over the node with all its devices."""

    @classmethod
    def from_units(cls, node: Unit, *devices: Unit) -> TagInventory:
        """Make one; aliases count from 1 in the order given."""
        lower = [str(device.id).lower() for device in devices]
        double = {i for i in lower if lower.count(i) > 1}
        if double:
            raise ValueError(f"device id {min(double)!r} is used twice (case does not count)")
        units = (node, *devices)
        names = ((u.id, n) for u in units for n in u.metrics if n not in UNALIASED)
        aliases = {key: number for number, key in enumerate(names, start=1)}
        return cls(node, {str(device.id): device for device in devices}, aliases)

    def unit(self, unit_id: str | None) -> Unit:
        """Return the node (None) or a device.

        Raises
        ------
        ValueError
            If there is no such device.
        """
        if unit_id is None:
            return self.node
        if unit_id not in self.devices:
            raise ValueError(f"{unit_id!r} is no device of this edge node")
        return self.devices[unit_id]

    def extended(self, unit_id: str | None, *metrics: Metric) -> TagInventory:
        """Return the inventory with further metrics of one unit.

        Aliases change, so only a new birth may use them.
        """
        unit = self.unit(unit_id).with_metrics(*metrics)
        if unit_id is None:
            return TagInventory.from_units(unit, *self.devices.values())
        return TagInventory.from_units(self.node, *(replace_unit(self.devices, unit)))


def replace_unit(devices: Mapping[str, Unit], unit: Unit) -> tuple[Unit, ...]:
    """Return the devices with one of them replaced."""
    return tuple(unit if device.id == unit.id else device for device in devices.values())
