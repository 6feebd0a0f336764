"""Announces the devices: at the start, for a new level, and when Home Assistant starts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from auscult.contract.inventory import Inventory
from auscult.contract.message import Message
from auscult.contract.payloads import PointState
from auscult.contract.topics import Topics
from auscult.gateway.outputs.homeassistant.discovery import (
    config_topic,
    gateway_payload,
    machine_payload,
)
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.settings.homeassistant import HomeAssistantSettings
from auscult.gateway.tags.levels import KnownLevels

KNOWN_FILE = "announced"


class HomeAssistantAnnouncer:
    """Publishes the retained discovery payloads and keeps them current.

    Parameters
    ----------
    settings : HomeAssistantSettings
        If not enabled, it only clears what an earlier run announced.
    inventory : Inventory
        The gateway's machines and points.
    topics : Topics
    states : RetainedStates
        Publishes the payloads.
    data_dir : Path
        For the known levels and the announced topics.
    version : str
        The gateway's version.
    """

    def __init__(
        self,
        settings: HomeAssistantSettings,
        inventory: Inventory,
        topics: Topics,
        states: RetainedStates,
        data_dir: Path,
        version: str,
    ) -> None:
        self._enabled = settings.enabled
        self._prefix = settings.prefix
        self._machines = {machine.id: machine for machine in inventory.machines}
        self._topics = topics
        self._states = states
        self._known = data_dir / KNOWN_FILE
        self._levels = KnownLevels(data_dir / "levels.json")
        self._lock = threading.Lock()
        self._version = version
        self.subscriptions: Mapping[str, Callable[[bytes], None]] = (
            {settings.birth_topic: self._on_birth} if settings.enabled else {}
        )
        """Where Home Assistant says that it has started."""

    def start(self) -> None:
        """Announce all devices, and clear those of an earlier configuration."""
        devices = (self._topics.gateway, *self._machines) if self._enabled else ()
        topics = [config_topic(self._prefix, self._topics, device) for device in devices]
        if self._known.exists():
            before = self._known.read_text(encoding="utf-8").split()
            for removed in set(before) - set(topics):
                self._states.clear(removed)
        self._known.parent.mkdir(parents=True, exist_ok=True)
        self._known.write_text("\n".join(topics), encoding="utf-8")
        if self._enabled:
            self._announce_all()

    @property
    def thread(self) -> None:
        """None: it works in the threads of its callers."""

    def stop(self) -> None:
        """Keep the payloads: the gateway's last will makes the entities unavailable."""

    def publish(self, message: Message) -> None:
        """Announce a machine again when a level is new."""
        if not self._enabled or not isinstance(message, PointState):
            return
        units = {name: level.unit for name, level in message.levels.items()}
        with self._lock:
            new = self._levels.learn(message.machine, message.point, units)
        if new and message.machine in self._machines:
            self._announce(message.machine)

    def _on_birth(self, payload: bytes) -> None:
        if payload == b"online":
            self._announce_all()

    def _announce_all(self) -> None:
        own = config_topic(self._prefix, self._topics, self._topics.gateway)
        self._states.put(own, gateway_payload(self._topics, self._version))
        for machine in self._machines:
            self._announce(machine)

    def _announce(self, machine_id: str) -> None:
        machine = self._machines[machine_id]
        levels = {point.id: self._levels.of(machine_id, point.id) for point in machine.points}
        payload = machine_payload(machine, levels, self._topics, self._version)
        self._states.put(config_topic(self._prefix, self._topics, machine_id), payload)
