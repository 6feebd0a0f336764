"""The AsyncAPI 3 document of the MQTT interface, made from the message types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from auscult.contract import learning, payloads
from auscult.contract.inventory import Configuration, Inventory
from auscult.contract.message import Message
from auscult.contract.requests import COMMANDS
from auscult.contract.run_up import RunUpMessage
from auscult.contract.topics import Topics
from lab.documents.schemas import schema_of

TITLE = "Auscult over MQTT"
DESCRIPTION = """Decisions, events and trends of machines as plain JSON, and commands to gateways.

Every address may have levels of the plant in front (`[site] path`), as in ISA-95. docs/mqtt.md
shows an example of each message."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A kind of topic: its messages, and their direction as seen from the gateway."""

    name: str
    address: str
    message: type[Message]
    action: Literal["send", "receive"]
    retain: bool = False


def channels() -> Iterator[Channel]:
    """Yield all channels; each command has its own."""
    topics = Topics("{site}", "{gateway}")
    machine, point = "{machine}", "{point}"
    said: list[tuple[str, str, type[Message], bool]] = [
        ("status", topics.status, payloads.Status, True),
        ("inventory", topics.inventory, Inventory, True),
        ("configuration", topics.configuration, Configuration, True),
        ("machineState", topics.machine_state(machine), payloads.MachineStateMessage, True),
        ("checkpoints", topics.checkpoints(machine), learning.Checkpoints, True),
        ("event", topics.event(machine), payloads.EventMessage, False),
        ("lesson", topics.lesson(machine), learning.Lesson, False),
        ("pointState", topics.point_state(machine, point), payloads.PointStateMessage, True),
        ("trend", topics.trend(machine, point), payloads.Trend, False),
        ("spectrum", topics.spectrum(machine, point), payloads.SpectrumMessage, False),
        ("runUp", topics.run_up(machine, point), RunUpMessage, False),
        ("clip", topics.clip(machine, point), payloads.Clip, False),
        ("acknowledgement", topics.acknowledgement("{id}"), payloads.Acknowledgement, False),
    ]
    for name, address, message, retain in said:
        yield Channel(name, address, message, "send", retain)
    for command in COMMANDS:
        yield Channel(f"command.{command}", topics.command(command), payloads.Command, "receive")
    yield Channel("receipt", topics.receipt, payloads.Receipt, "receive")


def document(version: str) -> dict[str, Any]:
    """Return the whole document."""
    messages = {channel.message.__name__: channel.message for channel in channels()}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": TITLE,
            "version": version,
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {channel.name: _channel(channel) for channel in channels()},
        "operations": {f"{c.action}.{c.name}": _operation(c) for c in channels()},
        "components": {"messages": {name: _message(message) for name, message in messages.items()}},
    }


def files(version: str = "1") -> dict[str, str]:
    """Return the document by its path; the version is that of the topic tree."""
    text = json.dumps(document(version), indent=1, ensure_ascii=False) + "\n"
    return {"docs/asyncapi.json": text}


def _channel(channel: Channel) -> dict[str, Any]:
    name = channel.message.__name__
    levels = [part[1:-1] for part in channel.address.split("/") if part.startswith("{")]
    return {
        "address": channel.address,
        "messages": {name: {"$ref": f"#/components/messages/{name}"}},
        "parameters": {level: {"description": _PARAMETERS[level]} for level in levels},
    }


def _operation(channel: Channel) -> dict[str, Any]:
    return {
        "action": channel.action,
        "channel": {"$ref": f"#/channels/{channel.name}"},
        "summary": (channel.message.__doc__ or "").strip().splitlines()[0],
        "bindings": {"mqtt": {"qos": 1, "retain": channel.retain, "bindingVersion": "0.2.0"}},
    }


def _message(message: type[Message]) -> dict[str, Any]:
    schema = _inlined(schema_of(message))
    schema.pop("$schema")
    binary = message is payloads.Clip
    return {
        "name": message.schema_name,
        "contentType": "application/octet-stream" if binary else "application/json",
        "summary": (message.__doc__ or "").strip().splitlines()[0],
        "payload": schema,
    }


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Replace references by their definitions: they can't point into a payload.

    A definition within itself (`Said`) is named only.
    """
    definitions = schema.pop("$defs", {})

    def put(part: Any, within: frozenset[str]) -> Any:
        if isinstance(part, list):
            return [put(one, within) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            if name in within:
                return {"type": "object", "title": name}
            rest = {key: put(value, within) for key, value in part.items() if key != "$ref"}
            return {**put(definitions[name], within | {name}), **rest}
        return {key: put(value, within) for key, value in part.items()}

    return dict(put(schema, frozenset()))


_PARAMETERS = {
    "site": "The plant",
    "gateway": "The gateway",
    "machine": "The machine",
    "point": "The measuring point",
    "id": "The command's id",
}
