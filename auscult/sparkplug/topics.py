"""Sparkplug topics: `spBv1.0/{group}/{type}/{edge node}[/{device}]` (specification, chapter 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

NAMESPACE = "spBv1.0"
RESERVED = frozenset("+/#\0")
MAX_ID_LENGTH = 128


def check_id(value: str) -> str:
    """Return `value` if it may be a group, edge node, device or host id.

    Raises
    ------
    ValueError
        If it is empty, longer than 128, no valid UTF-8, or holds ``+ / #`` or a null character.
    """
    if not 0 < len(value) <= MAX_ID_LENGTH or RESERVED & set(value):
        raise ValueError(
            f"Sparkplug id {value!r}: use 1 to {MAX_ID_LENGTH} characters without '+', '/', '#'"
        )
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"Sparkplug id {value!r} is no valid UTF-8") from None
    return value


def _id_or_empty(value: str) -> str:
    return check_id(value) if value else value


SparkplugId = Annotated[str, AfterValidator(check_id)]
OptionalId = Annotated[str, AfterValidator(_id_or_empty)]


@dataclass(frozen=True, slots=True)
class SparkplugTopics:
    """The topics of one edge node.

    >>> SparkplugTopics("plant", "gw1").topic("DDATA", "pump-3")
    'spBv1.0/plant/DDATA/gw1/pump-3'
    >>> SparkplugTopics("plant", "gw1").topic("NBIRTH")
    'spBv1.0/plant/NBIRTH/gw1'
    """

    group: str
    node: str

    def __post_init__(self) -> None:
        check_id(self.group)
        check_id(self.node)

    def topic(self, kind: str, device: str | None = None) -> str:
        """Return the topic; `kind` starts with D where, and only where, a device is named.

        Raises
        ------
        ValueError
            If kind and device do not belong together.
        """
        if kind.startswith("D") != (device is not None):
            raise ValueError(f"{kind} with device {device!r}: D… needs a device, N… has none")
        tail = "" if device is None else f"/{check_id(device)}"
        return f"{NAMESPACE}/{self.group}/{kind}/{self.node}{tail}"

    @staticmethod
    def state(host: str) -> str:
        """Return the topic on which a host application says whether it is online."""
        return f"{NAMESPACE}/STATE/{check_id(host)}"

    def command_unit(self, topic: str) -> tuple[str | None] | None:
        """Return whom a command is for: ``(None,)`` = the node, ``(device,)``, or None.

        >>> SparkplugTopics("plant", "gw1").command_unit("spBv1.0/plant/DCMD/gw1/pump-3")
        ('pump-3',)
        """
        if topic == self.topic("NCMD"):
            return (None,)
        head, _, device = topic.rpartition("/")
        if device and head == f"{NAMESPACE}/{self.group}/DCMD/{self.node}":
            return (device,)
        return None
