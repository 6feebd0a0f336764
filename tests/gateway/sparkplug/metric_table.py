"""The table of metrics in docs/sparkplug.md, from the inventory of a small gateway.

`python -m tests.gateway.sparkplug.metric_table` writes it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import get_args

from auscult.gateway.messages.broker import BrokerSettings
from auscult.gateway.messages.host_actions import HostRight
from auscult.gateway.messages.inventory import Inventory, MachinePart, PointPart
from auscult.gateway.settings.sparkplug import SparkplugSettings
from auscult.gateway.tags.inventory import inventory_of
from auscult.gateway.tags.levels import KnownLevels
from auscult.gateway.tags.metrics import Metric, Unit
from tests.gateway.generated_table import write_table
from tests.gateway.sparkplug.rules import DOCUMENT

BEGIN, END = "<!-- metrics: begin (generated) -->", "<!-- metrics: end -->"
POINT = PointPart(id="{point}", name="", kind="vibration", unit="g", fs_hz=25600)
MACHINE = MachinePart(id="machine", name="", points=(POINT,))


def table() -> str:
    """Both tables."""
    settings = SparkplugSettings(
        brokers=(BrokerSettings(host="a"), BrokerSettings(host="b")),
        commands=get_args(HostRight),
    )
    with tempfile.TemporaryDirectory() as folder:
        levels = KnownLevels(Path(folder) / "levels.json")
        levels.learn("machine", "{point}", {"{level}": "(its unit)"})
        inventory = inventory_of(Inventory(ts=0, machines=(MACHINE,)), settings, levels, "")
    return "\n".join(
        [
            BEGIN, "", "**The gateway (edge node)**", "", *_rows(inventory.node), "",
            "**Each machine (device)**", "", *_rows(inventory.devices["machine"]), "", END,
        ]
    )  # fmt: skip


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
        f"| `{metric.name}` | {metric.datatype.name.title()} | {metric.unit} | {span} | {written} "
        f"| {metric.documentation} |"
    )


if __name__ == "__main__":
    write_table(DOCUMENT, table())
    sys.exit(0)
