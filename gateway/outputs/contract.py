"""The contract of an output: what a plugin gives, and what it gets.

A plugin is an `OutputKind`: a model of settings, and `open`, which makes an `Output` of them. An
entry point of the group ``auscult.outputs`` names it; its name is also the name of its table in
the configuration. gateway/outputs/README.md holds a template and explains each rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from auscult.contract.host_actions import OnAction, OnRefused
from auscult.contract.inventory import Inventory
from auscult.contract.message import Message
from auscult.contract.section import Section
from auscult.contract.topics import Topics
from auscult.errors import UnusableSettingError
from auscult.gateway.publishing.retained import RetainedStates
from auscult.link.broker import BrokerSettings

S = TypeVar("S", bound=Section)


@dataclass(frozen=True, slots=True)
class OutputContext:
    """What an output gets beside its settings.

    Parameters
    ----------
    topics : Topics
        The ids of site and gateway, and the MQTT topics made of them.
    version : str
        The gateway's version.
    inventory : Inventory
        The gateway's machines and points: the tags are made of it, see `auscult.gateway.tags`.
    broker : BrokerSettings
        The gateway's MQTT broker.
    retained : RetainedStates
        Publishes retained payloads over the gateway's own connection to it.
    folder : path
        Folder of the output's own, for what must survive a restart; made when first used.
    on_action : callable
        Queues what a host asks for as a command of the gateway, without waiting; returns why it is
        rejected, or an empty string. Any thread may call it.
    on_refused : callable
        Audits what the output rejects by itself: actor, what, why. Any thread may call it.
    """

    topics: Topics
    version: str
    inventory: Inventory
    broker: BrokerSettings
    retained: RetainedStates
    folder: Path
    on_action: OnAction
    on_refused: OnRefused


class Output(ABC):
    """Something that serves or passes on the messages of the gateway.

    The gateway calls `start`, `publish`, `receive` and `stop` in one thread that is the output's
    own, so they may wait, and need no locks against each other. Messages wait meanwhile; the
    oldest of more than `running.MAX_WAITING` are discarded. An exception is logged, and shown in
    the gateway's status: `start` is called again after a pause, a message is not repeated.
    """

    @property
    def subscriptions(self) -> Sequence[str]:
        """Return MQTT topics of the gateway's own connection whose payloads `receive` gets."""
        return ()

    @property
    def trouble(self) -> str:
        """Return what is wrong with it; empty while it works. Called from other threads."""
        return ""

    @abstractmethod
    def start(self) -> None:
        """Begin to serve or to connect."""

    @abstractmethod
    def publish(self, message: Message) -> None:
        """Take a message of the gateway; those that it does not carry are passed over."""

    def receive(self, topic: str, payload: bytes) -> None:
        """Take a payload of one of its `subscriptions`."""
        del topic, payload

    @abstractmethod
    def stop(self) -> None:
        """End in order, within `running.STOP_S`."""


class OutputKind(ABC, Generic[S]):
    """A plugin: one kind of output."""

    title: str
    """What it is, in a few words, for the reference of the configuration."""
    settings: type[S]
    """Model of its table in the configuration; each key needs a default."""

    @abstractmethod
    def open(self, settings: S, context: OutputContext) -> Output | None:
        """Make the output; None where it is off. It touches no network before `Output.start`.

        Every installed kind is asked, with its table or its defaults. Packages that only a
        running output needs are imported here, inside `extra`.

        Raises
        ------
        AuscultError
            If it can't work as it is set; the gateway then does not start.
        """


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Report a package that is missing for one of our outputs, with the extra that brings it.

    Raises
    ------
    UnusableSettingError
        For an import inside the block that fails.
    """
    try:
        yield
    except ImportError as error:
        raise UnusableSettingError(
            f"{name}.enabled = true: {error.name} is not installed: pip install 'auscult[{name}]'"
        ) from error
