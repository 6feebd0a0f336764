"""The gateway's own status: at intervals, on change, and when it stops."""

from __future__ import annotations

import platform
import sys
import threading
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Literal

from auscult.contract.message import now_ms
from auscult.contract.payloads import Status
from auscult.contract.said import Said
from auscult.gateway.connection import Connection
from auscult.gateway.health import HealthMonitor
from auscult.gateway.processing import Processing
from auscult.gateway.publishing.numbers import optional, rounded
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage.store import Store, StoreError
from auscult.gateway.updates.updates import Updates
from auscult.host.clock_watch import ClockWatch
from auscult.link import credentials

STATUS_S = 10.0
PLATFORM = "{}-{}.{}".format(platform.machine(), *sys.version_info)


class StatusPublisher:
    """Publishes the gateway's status.

    Parameters
    ----------
    settings : GatewaySettings
    store : Store
    connection : Connection
    processing : Processing
        Knows the state of each source, and counts the windows.
    updates : Updates
    troubles : callable
        Gives each failed part with its fault.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        store: Store,
        connection: Connection,
        processing: Processing,
        updates: Updates,
        troubles: Callable[[], dict[str, Said]],
    ) -> None:
        self._updates = updates
        self._settings = settings
        self._store = store
        self._connection = connection
        self._processing = processing
        self._troubles = troubles
        self._health = HealthMonitor(settings.gateway.data_dir)
        self._clock = ClockWatch()
        self._started_ms = now_ms()
        self._published: tuple[object, ...] = ()
        self._next_s = 0.0

    def publish_if_due(self) -> bool:
        """Publish the status if it changed or its interval is over; True if published."""
        self._clock.check()
        sources, troubles = self._processing.sources.statuses, self._troubles()
        update = self._updates.part
        step = None if update is None else (update.rollout, update.step)
        key = (self._store.failing, self._clock.steps, step, *sources.items(), *troubles.items())
        if key == self._published and time.monotonic() < self._next_s:
            return False
        self._published, self._next_s = key, time.monotonic() + STATUS_S
        self._connection.publisher.state(self._connection.topics.status, self.status("online"))
        return True

    def publish_offline(self, timeout_s: float) -> None:
        """Publish that the gateway stops, and wait for the broker to take it."""
        delivered = threading.Event()
        payload = self.status("offline").to_json()
        if self._connection.link.publish(
            self._connection.topics.status, payload, retain=True, on_delivered=delivered.set
        ):
            delivered.wait(timeout_s)

    def status(self, state: Literal["online", "offline"] = "online") -> Status:
        """Return the present status."""
        health, sources, troubles = (
            self._health.read(),
            self._processing.sources.statuses,
            self._troubles(),
        )
        try:
            pending, dropped = self._connection.outbox.pending, self._connection.outbox.dropped
        except StoreError:
            # The store has logged it, and `storing` reports it.
            pending = dropped = 0
        return Status(
            ts=now_ms(),
            state=state,
            version=version("auscult"),
            instance=self._connection.instance,
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
            windows_total=self._processing.pipeline.windows_total,
            windows_skipped=self._processing.pipeline.overload.skipped,
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
            account=self._processing.loop.account.part,
        )
