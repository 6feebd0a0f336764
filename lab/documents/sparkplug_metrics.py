"""The metrics of Sparkplug, from the inventory of a small gateway."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from auscult.contract.host_actions import HostRight
from auscult.contract.inventory import Inventory, MachinePart, PointPart
from auscult.gateway.outputs.sparkplug.settings import SparkplugSettings
from auscult.gateway.tags.inventory import inventory_of
from auscult.gateway.tags.levels import KnownLevels
from auscult.gateway.tags.metrics import DataType, Metric, Unit
from auscult.gateway.tags.metrics import TagInventory as Tags
from auscult.link.broker import BrokerSettings

TITLE = "# Sparkplug metrics"
INTRODUCTION = "[Sparkplug B](sparkplug.md) explains when each is sent."
POINT = PointPart(id="{point}", name="", kind="vibration", unit="g", fs_hz=25600)
MACHINE = MachinePart(id="machine", name="", points=(POINT,))


def page() -> str:
    """Return the page."""
    inventory = _inventory()
    return "\n".join(
        [
            TITLE, "", INTRODUCTION, "", "**The gateway (edge node)**", "",
            *_rows(inventory.node), "",
            "**Each machine (device)**", "", *_rows(inventory.devices["machine"]), "",
        ]
    )  # fmt: skip


def entries() -> Iterator[tuple[str, str]]:
    """Yield each metric with its type and unit, for the lock of the contract."""
    inventory = _inventory()
    for place, unit in (("node", inventory.node), ("device", inventory.devices["machine"])):
        for metric in unit.metrics.values():
            kind = f"{metric.datatype.name} {metric.unit}".strip()
            yield f"sparkplug {place}.{metric.name}", kind


def _inventory() -> Tags:
    """Return the tags of a gateway with one machine, one point and one level."""
    settings = SparkplugSettings(
        brokers=(BrokerSettings(host="a"), BrokerSettings(host="b")),
        commands=get_args(HostRight),
    )
    with tempfile.TemporaryDirectory() as folder:
        levels = KnownLevels(Path(folder) / "levels.json")
        levels.learn("machine", "{point}", {"{level}": "(its unit)"})
        return inventory_of(Inventory(ts=0, machines=(MACHINE,)), settings.tags, levels, "")


def type_name(kind: DataType) -> str:
    """Return a data type as the specification spells it.

    >>> type_name(DataType.UINT64)
    'UInt64'
    """
    spelled = kind.name.title()
    for part in ("UInt", "DataSet", "DateTime"):
        spelled = spelled.replace(part.title(), part)
    return spelled


def _rows(unit: Unit) -> list[str]:
    rows = [
        "| metric | type | unit | range | written by hosts | what |",
        "|---|---|---|---|---|---|",
    ]
    return rows + [_row(metric) for metric in unit.metrics.values()]


def _row(metric: Metric) -> str:
    ends = ["" if end is None else f"{end:g}" for end in (metric.low, metric.high)]
    span = " … ".join(ends) if any(ends) else ""
    written = "yes" if metric.writable else ""
    return (
        f"| `{metric.name}` | {type_name(metric.datatype)} | {metric.unit} | {span} | {written} "
        f"| {metric.documentation} |"
    )


def files() -> dict[str, str]:
    """Return the page by its path."""
    return {"docs/sparkplug-metrics.md": page()}
