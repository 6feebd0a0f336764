"""From a topic and bytes to a checked message, or the reason why not."""

from __future__ import annotations

from functools import lru_cache

from pydantic import ValidationError

from auscult.app.store.point_trend import Stored, StoredTrend
from auscult.contract.inventory import Configuration, Inventory
from auscult.contract.learning import Checkpoints, Lesson
from auscult.contract.message import Message
from auscult.contract.payloads import (
    Acknowledgement,
    Clip,
    EventMessage,
    MachineStateMessage,
    PointStateMessage,
    SpectrumMessage,
    Status,
)
from auscult.contract.run_up import RunUpMessage
from auscult.contract.topics import TOPICS, Address, check_id, parse_topic

_OF_GATEWAY: dict[str, type[Message]] = {
    "status": Status,
    "inventory": Inventory,
    "configuration": Configuration,
    "ack": Acknowledgement,
}
_OF_MACHINE: dict[str, type[Message]] = {
    "state": MachineStateMessage,
    "event": EventMessage,
    "lesson": Lesson,
    "checkpoints": Checkpoints,
}
_OF_POINT: dict[str, type[Message | StoredTrend]] = {
    "state": PointStateMessage,
    "trend": StoredTrend,
    "spectrum": SpectrumMessage,
    "run_up": RunUpMessage,
    "clip": Clip,
}


class RejectedError(ValueError):
    """A message that can't be used; ``reason`` is one word for the count."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def decode(topic: str, payload: bytes) -> tuple[Address, Stored] | None:
    """Check a message; None where nothing is to be stored (a command, a cleared topic).

    Raises
    ------
    RejectedError
        If the topic is not in the tree, the payload is malformed, or the two contradict.
    """
    address = _address(topic)
    if address.kind == "cmd" or not payload:
        return None
    message = _read(_model(address), payload)
    said = (getattr(message, "machine", None), getattr(message, "point", None))
    if said != (address.machine, address.point):
        raise RejectedError("contradiction", f"the payload is of {said}, not of its topic")
    if isinstance(message, Acknowledgement) and message.id != address.item:
        raise RejectedError("contradiction", "the payload's id is not that of its topic")
    if isinstance(message, Inventory):
        _check_ids(message)
    return address, message


@lru_cache(maxsize=TOPICS)
def _address(topic: str) -> Address:
    address = parse_topic(topic)
    if address is None:
        raise RejectedError("wrong_topic", "not in the topic tree")
    if address.kind == "cmd":
        return address
    try:
        for identity in (address.site, address.gateway, address.machine, address.point):
            if identity is not None:
                check_id(identity)
    except ValueError as error:
        raise RejectedError("wrong_topic", str(error)) from error
    return address


def _read(model: type[Stored], payload: bytes) -> Stored:
    try:
        return model.read(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RejectedError("malformed", f"{where}: {first['msg']}") from error
    except ValueError as error:
        raise RejectedError("malformed", str(error)) from error


def _model(address: Address) -> type[Stored]:
    if address.point is not None:
        return _OF_POINT[address.kind]
    if address.machine is not None:
        return _OF_MACHINE[address.kind]
    return _OF_GATEWAY[address.kind]


def _check_ids(message: Inventory) -> None:
    try:
        for machine in message.machines:
            check_id(machine.id)
            for point in machine.points:
                check_id(point.id)
    except ValueError as error:
        raise RejectedError("malformed", str(error)) from error
