"""What a Sparkplug test works with: a broker, a proxy that reads along, a host, the edge node."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from auscult.contract.host_actions import HostAction
from auscult.gateway.outputs.sparkplug.feed import SparkplugFeed
from auscult.gateway.outputs.sparkplug.settings import SparkplugSettings
from tests.conftest import Mosquitto
from tests.gateway.outputs.context import context
from tests.gateway.outputs.sparkplug.host import Host
from tests.gateway.outputs.sparkplug.plant import GROUP, NODE
from tests.gateway.outputs.sparkplug.wire import Proxy


class Bench:
    """Everything a test needs, taken down at its end; `folder` outlives a restart of the feed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.actions: list[HostAction] = []
        self.refuse_actions = ""
        self._brokers: list[Mosquitto] = []
        self._open: list[Callable[[], None]] = []

    def broker(self) -> Mosquitto:
        folder = self.folder / f"broker{len(self._brokers)}"
        folder.mkdir()
        broker = Mosquitto(folder)
        broker.start()
        self._brokers.append(broker)
        self._open.append(broker.stop)
        return broker

    def wire(self, broker: Mosquitto) -> Proxy:
        proxy = Proxy(broker.settings)
        self._open.append(proxy.close)
        return proxy

    def host(self, broker: Mosquitto) -> Host:
        host = Host(broker.settings)
        self._open.append(host.close)
        return host

    def feed(self, *wires: Proxy, version: str = "3.1.1", **settings: Any) -> SparkplugFeed:
        chosen = SparkplugSettings(
            enabled=True,
            group_id=GROUP,
            edge_node_id=NODE,
            version=version,
            brokers=tuple(wire.settings for wire in wires),
            commands=("acknowledge", "start_baseline", "request_spectrum"),
        ).model_copy(update=settings)
        feed = SparkplugFeed(
            chosen, context(self.folder / "data", self._act, broker=wires[0].settings)
        )
        self._open.append(feed.stop)
        return feed

    def _act(self, action: HostAction) -> str:
        self.actions.append(action)
        return self.refuse_actions

    def close(self) -> None:
        for close in reversed(self._open):
            close()
