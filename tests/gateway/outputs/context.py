"""What an output gets in tests of its own, without a gateway."""

from __future__ import annotations

from pathlib import Path

from auscult.contract.host_actions import OnAction, OnRefused
from auscult.contract.topics import Topics
from auscult.gateway.outputs.contract import OutputContext
from auscult.gateway.publishing.retained import RetainedStates
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link
from tests.gateway.outputs.sparkplug.plant import INVENTORY


def context(
    folder: Path,
    on_action: OnAction = lambda _: "",
    on_refused: OnRefused = lambda *_: None,
    broker: BrokerSettings | None = None,
    gateway: str = "gw1",
) -> OutputContext:
    """A context of the test plant; its folder is `folder`."""
    broker = broker or BrokerSettings()
    retained = RetainedStates(Link(broker, "unused"))
    topics = Topics("plant", gateway)
    return OutputContext(
        topics, "1.2.3", INVENTORY, broker, retained, folder, on_action, on_refused
    )
