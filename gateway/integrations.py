"""The protocols that the gateway speaks beside its JSON: each hears all messages and tells them on.

What a protocol needs beyond the default install is imported only when it is enabled.
"""

from __future__ import annotations

import importlib
from importlib.metadata import version
from types import ModuleType
from typing import Protocol

from auscult.errors import UnusableSettingError
from auscult.gateway.homeassistant.announcer import HomeAssistantAnnouncer
from auscult.gateway.messages.host_actions import OnAction, OnRefused
from auscult.gateway.messages.message import Message, now_ms
from auscult.gateway.messages.topics import Topics
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sparkplug.feed import SparkplugFeed


class Integration(Protocol):
    """One protocol at work; each method returns at once or within a few seconds."""

    def start(self) -> None:
        """Begin to serve or to connect."""

    def stop(self) -> None:
        """End in order."""

    def tell(self, message: Message) -> None:
        """Take over what the gateway says; any thread may call it, so it must be quick."""


def integrations(
    settings: GatewaySettings, on_action: OnAction, on_refused: OnRefused, states: RetainedStates
) -> list[Integration]:
    """Return what is enabled.

    Parameters
    ----------
    settings : GatewaySettings
    on_action, on_refused : callable
    states : RetainedStates
        For what goes over the gateway's own link.

    Raises
    ------
    UnusableSettingError
        If an extra is missing, or a file can't be used.
    """
    own = settings.gateway
    inventory = encode.inventory(settings.machines, now_ms())
    made: list[Integration] = [
        HomeAssistantAnnouncer(
            settings.homeassistant,
            inventory,
            Topics(settings.site.id, own.id, settings.site.path),
            states,
            own.data_dir / "homeassistant",
            version("auscult"),
        )
    ]
    if settings.sparkplug.enabled:
        sparkplug = settings.sparkplug.named(settings.site.id, own.id)
        folder = own.data_dir / "sparkplug"
        made.append(
            SparkplugFeed(
                sparkplug,
                settings.mqtt,
                inventory,
                on_action,
                folder,
                version("auscult"),
                on_refused,
            )
        )
    if settings.opcua.enabled:
        opcua = _imported("auscult.gateway.opcua.server", "opcua")
        folder = own.data_dir / "opcua"
        made.append(
            opcua.OpcUaServer(
                settings.opcua, inventory, on_action, folder, own.id, version("auscult"), on_refused
            )
        )
    if settings.modbus.enabled:
        modbus = _imported("auscult.gateway.modbus.server", "modbus")
        made.append(modbus.ModbusServer(settings.modbus, inventory, own.data_dir / "modbus"))
    return made


def _imported(module: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UnusableSettingError(
            f"{extra}.enabled = true: {error.name} is not installed: pip install 'auscult[{extra}]'"
        ) from error
