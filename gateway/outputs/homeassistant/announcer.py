"""Announces the devices: at the start, for a new level, and when Home Assistant starts."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.contract.message import Message
from auscult.contract.payloads import PointStateMessage
from auscult.gateway.outputs.contract import Output, OutputContext
from auscult.gateway.outputs.homeassistant.discovery import (
    config_topic,
    gateway_payload,
    machine_payload,
)
from auscult.gateway.outputs.homeassistant.settings import HomeAssistantSettings
from auscult.gateway.tags.levels import KnownLevels

KNOWN_FILE = "announced"


class HomeAssistantAnnouncer(Output):
    """Publishes the retained discovery payloads and keeps them current.

    Parameters
    ----------
    settings : HomeAssistantSettings
        If not enabled, it only clears what an earlier run announced.
    context : OutputContext
    """

    def __init__(self, settings: HomeAssistantSettings, context: OutputContext) -> None:
        self._settings = settings
        self._machines = {machine.id: machine for machine in context.inventory.machines}
        self._topics = context.topics
        self._states = context.retained
        self._known = context.folder / KNOWN_FILE
        self._levels = KnownLevels(context.folder / "levels.json")
        self._version = context.version

    @property
    def has_announced(self) -> bool:
        """Return whether a run before this one has announced devices."""
        return self._known.exists()

    @property
    def subscriptions(self) -> Sequence[str]:
        """Return where Home Assistant says that it has started."""
        return (self._settings.birth_topic,) if self._settings.enabled else ()

    def start(self) -> None:
        """Announce all devices, and clear those of an earlier configuration."""
        devices = (self._topics.gateway, *self._machines) if self._settings.enabled else ()
        topics = [self._topic(device) for device in devices]
        if self.has_announced:
            before = self._known.read_text(encoding="utf-8").split()
            for removed in set(before) - set(topics):
                self._states.clear(removed)
        self._known.parent.mkdir(parents=True, exist_ok=True)
        self._known.write_text("\n".join(topics), encoding="utf-8")
        if self._settings.enabled:
            self._announce_all()

    def stop(self) -> None:
        """Keep the payloads: the gateway's last will makes the entities unavailable."""

    def publish(self, message: Message) -> None:
        """Announce a machine again when a level is new."""
        if not self._settings.enabled or not isinstance(message, PointStateMessage):
            return
        units = {name: level.unit for name, level in message.levels.items()}
        new = self._levels.learn(message.machine, message.point, units)
        if new and message.machine in self._machines:
            self._announce(message.machine)

    def receive(self, topic: str, payload: bytes) -> None:
        """Announce all devices again when Home Assistant has started."""
        del topic
        if payload == b"online":
            self._announce_all()

    def _announce_all(self) -> None:
        own = self._topic(self._topics.gateway)
        self._states.put(own, gateway_payload(self._topics, self._version))
        for machine in self._machines:
            self._announce(machine)

    def _announce(self, machine_id: str) -> None:
        machine = self._machines[machine_id]
        levels = {
            point.id: self._levels.levels_of(machine_id, point.id) for point in machine.points
        }
        payload = machine_payload(machine, levels, self._topics, self._version)
        self._states.put(self._topic(machine_id), payload)

    def _topic(self, device: str) -> str:
        return config_topic(self._settings.prefix, self._topics, device)
