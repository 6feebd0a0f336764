"""The protocols that the gateway serves beside its own JSON: each gets every message.

A protocol is imported only when it is enabled.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from importlib.metadata import version
from types import ModuleType
from typing import Protocol

from auscult.contract.host_actions import OnAction, OnRefused
from auscult.contract.message import Message, now_ms
from auscult.contract.topics import Topics
from auscult.errors import UnusableSettingError
from auscult.gateway.outputs.homeassistant.announcer import HomeAssistantAnnouncer
from auscult.gateway.publishing.inventory import inventory
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.host.supervised import Supervised


class Integration(Protocol):
    """One protocol; each method returns at once or within a few seconds."""

    def start(self) -> None:
        """Start to serve or to connect."""

    def stop(self) -> None:
        """Stop in order."""

    @property
    def thread(self) -> Supervised | None:
        """Its thread, None without one."""

    def publish(self, message: Message) -> None:
        """Publish a message of the gateway; any thread may call it, so it must be quick."""


class Integrations:
    """All protocols that are enabled.

    Parameters
    ----------
    settings : GatewaySettings
    on_action, on_refused : callable
        Get what hosts ask for, and what a protocol rejects by itself.
    states : RetainedStates
        For what is published over the gateway's own link.

    Raises
    ------
    UnusableSettingError
        If an extra is missing, or a file can't be used.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        on_action: OnAction,
        on_refused: OnRefused,
        states: RetainedStates,
    ) -> None:
        own = settings.gateway
        encoded = inventory(settings.machines, now_ms())
        home_assistant = HomeAssistantAnnouncer(
            settings.homeassistant,
            encoded,
            Topics(settings.site.id, own.id, settings.site.path),
            states,
            own.data_dir / "homeassistant",
            version("auscult"),
        )
        self.subscriptions: Mapping[str, Callable[[bytes], None]] = home_assistant.subscriptions
        """Topics of the gateway's own link, each with the function that takes its payloads."""
        self._all: list[Integration] = [home_assistant]
        if settings.sparkplug.enabled:
            from auscult.gateway.outputs.sparkplug.feed import SparkplugFeed

            self._all.append(
                SparkplugFeed(
                    settings.sparkplug.named(settings.site.id, own.id),
                    settings.mqtt,
                    encoded,
                    on_action,
                    own.data_dir / "sparkplug",
                    version("auscult"),
                    on_refused,
                )
            )
        if settings.opcua.enabled:
            opcua = _imported("auscult.gateway.outputs.opcua.server", "opcua")
            folder = own.data_dir / "opcua"
            self._all.append(
                opcua.OpcUaServer(
                    settings.opcua,
                    encoded,
                    on_action,
                    folder,
                    own.id,
                    version("auscult"),
                    on_refused,
                )
            )
        if settings.modbus.enabled:
            modbus = _imported("auscult.gateway.outputs.modbus.server", "modbus")
            self._all.append(modbus.ModbusServer(settings.modbus, encoded, own.data_dir / "modbus"))

    @property
    def threads(self) -> list[Supervised]:
        """Their threads."""
        return [one.thread for one in self._all if one.thread is not None]

    def start(self) -> None:
        """Start all."""
        for integration in self._all:
            integration.start()

    def stop(self) -> None:
        """Stop all."""
        for integration in self._all:
            integration.stop()

    def publish(self, message: Message) -> None:
        """Publish a message in each protocol."""
        for integration in self._all:
            integration.publish(message)


def _imported(module: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UnusableSettingError(
            f"{extra}.enabled = true: {error.name} is not installed: pip install 'auscult[{extra}]'"
        ) from error
