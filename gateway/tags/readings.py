"""The gateway's tags, one list for all protocols: OPC UA and Modbus serve the same as Sparkplug.

A tag is a Sparkplug metric without what only Sparkplug needs: its name, unit and range are the same
wherever an engineer meets it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from auscult.contract.inventory import Inventory
from auscult.contract.message import Message
from auscult.contract.payloads import EventMessage, MachineStateMessage, PointStateMessage, Status
from auscult.gateway.tags.inventory import LAST_RESULT, TagOptions, inventory_of, level_metric
from auscult.gateway.tags.levels import KnownLevels
from auscult.gateway.tags.mapping import (
    event_readings,
    machine_readings,
    point_readings,
    status_readings,
)
from auscult.gateway.tags.metrics import DataType, Metric, Reading

PLAIN = TagOptions()
"""Without commands: hosts can only read these tags."""
NOT_TAGS = ("bdSeq", "Node Control/", "Sparkplug/", LAST_RESULT)

TAG_MESSAGES = (PointStateMessage, MachineStateMessage, EventMessage, Status)
"""Messages that may carry values of tags."""


@dataclass(frozen=True, slots=True)
class TagReadings:
    """New values of a machine's tags, or of the gateway's own (`machine` None)."""

    machine: str | None
    readings: Mapping[str, Reading]


def tags_of(
    inventory: Inventory, levels: KnownLevels, version: str
) -> Iterator[tuple[str | None, Metric]]:
    """Yield all tags with their machine; None for the gateway's own."""
    known = inventory_of(inventory, PLAIN, levels, version)
    for unit in (known.node, *known.devices.values()):
        for metric in unit.metrics.values():
            if metric.datatype is not DataType.TEMPLATE and not metric.name.startswith(NOT_TAGS):
                yield unit.id, metric


def level_tags(message: PointStateMessage) -> list[Metric]:
    """Return the tags of the levels that a state carries."""
    return [level_metric(message.point, n, v.unit, PLAIN) for n, v in message.levels.items()]


def readings_of(message: Message) -> TagReadings | None:
    """Return the tags' values in a message; None if it carries none."""
    match message:
        case PointStateMessage():
            return TagReadings(message.machine, point_readings(message))
        case MachineStateMessage():
            return TagReadings(message.machine, machine_readings(message))
        case EventMessage():
            return TagReadings(message.machine, event_readings(message))
        case Status(state="online"):
            return TagReadings(None, status_readings(message))
        case _:
            return None
