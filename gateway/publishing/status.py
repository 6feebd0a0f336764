"""The gateway's own status: at intervals, on change, and when it stops."""

from __future__ import annotations

import platform
import sys
import threading
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Literal, Protocol

from auscult.contract.message import now_ms
from auscult.contract.parts import UpdatePart
from auscult.contract.payloads import Status
from auscult.contract.said import Said
from auscult.contract.topics import Topics
from auscult.gateway.health import HealthMonitor
from auscult.gateway.publishing.numbers import optional, rounded
from auscult.gateway.publishing.publisher import Publisher
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.store import Store, StoreError
from auscult.gateway.windows.pipeline import Pipeline
from auscult.host.clock_watch import ClockWatch
from auscult.link import credentials
from auscult.link.link import LastWill, Link

STATUS_S = 10.0
PLATFORM = "{}-{}.{}".format(platform.machine(), *sys.version_info)


class UpdateState(Protocol):
    """What is known of updates."""

    @property
    def open(self) -> bool:
        """Whether the gateway takes updates from the dashboard."""

    @property
    def part(self) -> UpdatePart | None:
        """The last one."""


def last_will(topics: Topics, instance: str) -> LastWill:
    """Message that the broker publishes when the gateway is lost."""
    will = Status(ts=now_ms(), state="offline", instance=instance)
    return LastWill(topics.status, will.to_json())


class StatusPublisher:
    """Publishes the gateway's status.

    Parameters
    ----------
    settings : GatewaySettings
    topics, publisher, link : Topics, Publisher, Link
    store, outbox : Store, Outbox
    sources : callable
        Gives each source with its state or fault.
    troubles : callable
        Gives each failed part with its fault.
    pipeline : Pipeline
        Counts the windows.
    instance : str
        Id of the data folder.
    updates : UpdateState
    """

    def __init__(
        self,
        settings: GatewaySettings,
        topics: Topics,
        publisher: Publisher,
        link: Link,
        store: Store,
        outbox: Outbox,
        sources: Callable[[], dict[str, Said]],
        troubles: Callable[[], dict[str, Said]],
        pipeline: Pipeline,
        instance: str,
        updates: UpdateState,
    ) -> None:
        self._updates = updates
        self._settings = settings
        self._topics = topics
        self._publisher = publisher
        self._link = link
        self._store = store
        self._outbox = outbox
        self._sources = sources
        self._troubles = troubles
        self._pipeline = pipeline
        self._instance = instance
        self._health = HealthMonitor(settings.gateway.data_dir)
        self._clock = ClockWatch()
        self._started_ms = now_ms()
        self._published: tuple[object, ...] = ()
        self._next_s = 0.0

    def publish_if_due(self) -> bool:
        """Publish the status if it changed or its interval is over; True if published."""
        self._clock.check()
        sources, troubles = self._sources(), self._troubles()
        update = self._updates.part
        step = None if update is None else (update.rollout, update.step)
        key = (self._store.failing, self._clock.steps, step, *sources.items(), *troubles.items())
        if key == self._published and time.monotonic() < self._next_s:
            return False
        self._published, self._next_s = key, time.monotonic() + STATUS_S
        self._publisher.state(self._topics.status, self.status("online"))
        return True

    def publish_offline(self, timeout_s: float) -> None:
        """Publish that the gateway stops, and wait for the broker to take it."""
        delivered = threading.Event()
        payload = self.status("offline").to_json()
        if self._link.publish(
            self._topics.status, payload, retain=True, on_delivered=delivered.set
        ):
            delivered.wait(timeout_s)

    def status(self, state: Literal["online", "offline"] = "online") -> Status:
        """Return the present status."""
        health, sources, troubles = self._health.read(), self._sources(), self._troubles()
        try:
            pending, dropped = self._outbox.pending, self._outbox.dropped
        except StoreError:
            # The store has logged it, and `storing` reports it.
            pending = dropped = 0
        return Status(
            ts=now_ms(),
            state=state,
            version=version("auscult"),
            instance=self._instance,
            started_ms=self._started_ms,
            clock_synchronised=health.clock.synchronised,
            clock_error_ms=optional(health.clock.largest_error_ms),
            time_services=health.clock.services,
            cpu_percent=health.cpu_percent,
            memory_mb=rounded(health.memory_mb),
            disk_free_mb=optional(health.disk_free_mb),
            temperature_c=health.temperature_c,
            outbox_pending=pending,
            outbox_dropped=dropped,
            windows_total=self._pipeline.windows_total,
            windows_skipped=self._pipeline.overload.skipped,
            clock_steps=self._clock.steps,
            clock_step_s=optional(self._clock.last_step_s),
            storing=not self._store.failing,
            certificate_days=optional(credentials.days_left(self._settings.mqtt)),
            sources={name: said.text for name, said in sources.items()},
            sources_said=sources,
            troubles={name: said.text for name, said in troubles.items()},
            troubles_said=troubles,
            platform=PLATFORM,
            updatable=self._updates.open,
            update=self._updates.part,
        )
