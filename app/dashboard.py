"""The running dashboard: its parts, started and stopped together."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

import auscult
from auscult.app import page_files
from auscult.app.cases import compose
from auscult.app.enrolment.service import EnrolmentService
from auscult.app.live import Hub
from auscult.app.metrics import DashboardMetrics
from auscult.app.mqtt.commands import CommandSender
from auscult.app.mqtt.ingest import GROUP, STATUS, SUBSCRIPTION, Ingest
from auscult.app.mqtt.receipts import Receipts
from auscult.app.notify.notifier import Notifier
from auscult.app.people.access import Access
from auscult.app.settings import DashboardSettings, zone_name
from auscult.app.store import (
    cases,
    clips,
    commands,
    events,
    gateways,
    labels,
    machines,
    notifications,
    troubles,
)
from auscult.app.store.ages import AgeClock
from auscult.app.store.backup import back_up
from auscult.app.store.connection import Database, StoreUnavailableError
from auscult.app.store.database import DashboardStore
from auscult.app.store.freshness import Freshness
from auscult.app.store.place import place
from auscult.app.store.received import RIGHTS, Change
from auscult.app.store.retention import RetentionPeriods, delete_old
from auscult.app.store.staleness import stale_now
from auscult.app.updates.rollouts import Rollouts
from auscult.app.views import Delivery, Health, View
from auscult.contract.message import now_ms
from auscult.contract.payloads import Condition
from auscult.contract.said import Said
from auscult.host.backups import Backups
from auscult.host.systemd import notify
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link, Sharing
from auscult.link.signing import load_or_make_key, public_hex
from auscult.memory import return_free_memory

log = logging.getLogger(__name__)

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

STALE_CHECK_S = 2.0
"""How soon pages show that a machine is stale."""
TROUBLES_EACH_MS = 10_000
LOOK_S = 0.1
"""How often a request looks whether its message was sent."""
RETENTION_EACH_S = 3600.0
RETURN_EACH_S = 60.0
"""How often caches of the database are freed, and what was freed is returned to the system."""
FIRST_CONNECTION_S = 1.0
"""Wait so long for the broker, so that no client sees the dashboard before it is subscribed."""


class Dashboard:
    """Database, link to the broker, ingest, commands and live stream of one server.

    Made on the event loop that serves requests.

    Raises
    ------
    StoreError
        If the database can't be opened.
    """

    def __init__(self, settings: DashboardSettings, broker: BrokerSettings) -> None:
        self.settings = settings
        self.broker = broker
        self.store = DashboardStore(place(settings), self._stored)
        self.access = Access(self.store, settings.data_dir, required=settings.login == "required")
        self.metrics = DashboardMetrics()
        self.hub = Hub(self._view)
        fronts = ("", *(f"{path}/" for path in settings.paths))
        commands_key = load_or_make_key(settings.commands_key_path)
        receipts = Receipts(commands_key)
        self.ingest = Ingest(self.store, self.metrics, receipts.confirm)
        self.link = Link(
            broker,
            settings.client_id,
            on_message=self.ingest.receive,
            subscriptions=[f"{front}{SUBSCRIPTION}" for front in fronts],
            on_connected=self._connected,
            manual_ack=True,
            sharing=Sharing(GROUP, tuple(f"{front}{STATUS}" for front in fronts))
            if self.store.engine.turns > 1
            else None,
        )
        receipts.use(self.link)
        self.commands = CommandSender(self.store, self.link, commands_key)
        self.enrolment = EnrolmentService(settings.enrolment, self.store, public_hex(commands_key))
        self.time_zone = zone_name(settings.time_zone)
        self.notifier = Notifier(self.store, self.freshness, settings.page_url, self.time_zone)
        self.rollouts = Rollouts(settings.updates, self.store, self.commands, self.freshness)
        self._stopping = threading.Event()
        self._backups = Backups(
            settings.backup,
            settings.client_id,
            lambda path, passphrase: back_up(settings, path, passphrase),
            self._stopping,
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._add_gauges()

    async def start(self) -> None:
        """Start all parts; waits a moment for the broker, but does not need it."""
        await asyncio.to_thread(self.store.engine.listen, self._changed, self.hub.missed)
        self.ingest.start()
        self.commands.start()
        self.notifier.start()
        self.rollouts.start()
        if self.settings.workers == 1 or self.settings.client_id.endswith("-1"):
            self._backups.start()
        self.link.start()
        await asyncio.to_thread(self.link.wait_connected, FIRST_CONNECTION_S)
        self._tasks = [
            asyncio.create_task(self.hub.run()),
            asyncio.create_task(self._watch_staleness()),
            asyncio.create_task(self._keep_tidy()),
            asyncio.create_task(self._return_memory()),
        ]

    async def stop(self) -> None:
        """Stop all parts; what is received but not stored stays with the broker."""
        self.hub.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # What a cancelled task called in a thread still runs and reads: the store closes after it.
        await asyncio.get_running_loop().shutdown_default_executor()
        with ThreadPoolExecutor(1) as last:
            await asyncio.get_running_loop().run_in_executor(last, self._stop_threads)

    def freshness(self) -> Freshness:
        """Return the limits of staleness at this instant."""
        return Freshness(now_ms(), int(1000 * self.settings.stale_after_s))

    async def reading(
        self,
        query: Callable[Concatenate[Database, Arguments], Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        """Run a query on a worker thread's read-only connection."""
        return await asyncio.to_thread(lambda: query(self.store.read(), *args, **kwargs))

    async def working(
        self,
        job: Callable[Arguments, Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        """Run something that takes time or waits for the store on a worker thread."""
        return await asyncio.to_thread(job, *args, **kwargs)

    async def delivered(self, key: str, wait_s: float) -> Delivery:
        """Have a planned message sent, and return it once it was tried or the time is over."""
        self.notifier.wake()
        end = time.monotonic() + wait_s
        while True:
            found = await self.reading(notifications.view_by_key, key)
            if found is None:
                raise StoreUnavailableError("the message is gone")
            if found.state in ("sent", "failed", "dropped") or time.monotonic() >= end:
                return found
            await asyncio.sleep(LOOK_S)

    def health(self) -> Health:
        """Return the dashboard's health."""
        database = self.store.trouble
        if database is None:
            try:
                self.store.read().execute("SELECT 1 FROM gateway LIMIT 1").fetchone()
            except Exception as error:
                database = str(error)
        connected, damaged = self.link.connected, self.store.engine.damage.count
        unlinked = self.link.trouble or (None if connected else Said("broker_not_connected"))
        return Health(
            status="failing" if database else "degraded" if unlinked or damaged else "ok",
            version=auscult.__version__,
            database=database or "ok",
            database_said=Said("store_unavailable", {"cause": database}) if database else None,
            damaged_rows=damaged,
            broker=unlinked.text if unlinked else "connected",
            broker_said=unlinked,
            now_ms=now_ms(),
            stale_after_s=self.settings.stale_after_s,
            page_built=page_files.built(),
        )

    def _view(self, change: Change) -> View | None:
        db, freshness = self.store.read(), self.freshness()
        match change.kind:
            case "gateway":
                return gateways.view(db, freshness, change.id)
            case "machine":
                return machines.view(db, freshness, change.id)
            case "point":
                return machines.view_point(db, freshness, change.id, change.point)
            case "event":
                return events.view(db, change.id)
            case "label":
                return labels.view(db, change.id)
            case "clip":
                return clips.view(db, change.id)
            case "case":
                return compose.view(db, freshness, change.id)
            case _:
                return commands.view(db, change.id)

    def _connected(self) -> None:
        self.commands.wake()

    def _stored(self, changes: list[Change]) -> None:
        self._changed(changes)
        if any(change.kind == "gateway" for change in changes):
            self.commands.wake()

    def _changed(self, changes: list[Change]) -> None:
        """Pass on what has changed, here or in another process on the same database."""
        if RIGHTS in changes:
            self.hub.end_streams()
        self.hub.changed(change for change in changes if change != RIGHTS)
        self.commands.notice(changes)

    async def _watch_staleness(self) -> None:
        before: set[Change] = set()
        followed_ms = now_ms()  # what the broker keeps arrives before the first look
        notify("READY=1")
        while True:
            notify("WATCHDOG=1")  # the event loop turns
            try:
                freshness = self.freshness()
                stale = await self.reading(stale_now, freshness)
                cases_too = await self.reading(_with_cases, stale ^ before)
                if freshness.now_ms - followed_ms >= TROUBLES_EACH_MS:
                    followed_ms = freshness.now_ms
                    await asyncio.to_thread(self._follow_troubles, freshness)
            except StoreUnavailableError:
                pass  # `health` reports it
            except Exception:
                log.exception("staleness can't be checked; trying again")
            else:
                self.hub.changed(cases_too)
                before = stale
            await asyncio.sleep(STALE_CHECK_S)

    def _follow_troubles(self, freshness: Freshness) -> None:
        """Keep the cases of sensors and of what carries their signals."""
        linked, db = self.link.connected, self.store.read()
        seen = troubles.look(db, freshness, linked=linked)
        changed = bool(troubles.changes(db, seen.lasting, freshness, linked=linked))
        if changed or seen.began or seen.over:
            self.store.write(
                partial(troubles.follow, seen=seen, freshness=freshness, linked=linked)
            )
        if changed:
            self.notifier.wake()

    async def _keep_tidy(self) -> None:
        keep = RetentionPeriods(
            self.settings.keep_trend_details_days,
            self.settings.keep_trends_days,
            self.settings.keep_events_days,
            self.settings.keep_spectra_per_point,
            self.settings.keep_clips_per_point,
        )
        ages = AgeClock(self.store)
        while True:
            try:
                age_ms = await asyncio.to_thread(ages.advance, now_ms())
                gone = await asyncio.to_thread(delete_old, self.store, keep, age_ms)
                if gone:
                    log.info("deleted %d rows beyond their retention", gone)
            except StoreUnavailableError:
                pass  # the store logs its own failure
            except Exception:
                log.exception("old rows can't be deleted; trying again")
            await asyncio.sleep(RETENTION_EACH_S)

    async def _return_memory(self) -> None:
        while True:
            await asyncio.sleep(RETURN_EACH_S)
            # In trouble, a job that writes nothing would pass for a database that stores again.
            if self.store.trouble is None:
                with suppress(StoreUnavailableError):
                    await asyncio.to_thread(self.store.release_memory)
            await asyncio.to_thread(return_free_memory)

    def _stop_threads(self) -> None:
        self._stopping.set()
        self.ingest.stop()
        self.commands.stop()
        self.notifier.stop()
        self.rollouts.stop()
        self.link.stop()
        self.access.close()
        self.store.close()

    def _add_gauges(self) -> None:
        gauge = self.metrics.gauge
        gauge("broker_connected", "1 while connected to the broker", lambda: self.link.connected)
        gauge("messages_waiting", "Received, not yet stored", lambda: self.ingest.waiting)
        gauge("messages_oversized", "Too large, thrown away", lambda: self.link.oversized)
        gauge("live_clients", "Pages that listen to the live stream", lambda: self.hub.clients)
        gauge("damaged_rows", "Rows that can't be read", lambda: self.store.engine.damage.count)
        gauge("database_bytes", "Size of the database", self.store.engine.size_bytes, stored=True)
        gauge("backup_ok", "0 while backups fail", lambda: not self._backups.thread.trouble)
        self.metrics.counts("machines", "Machines by condition", "condition", self._conditions)
        self.metrics.counts("gateways", "Gateways by state", "state", self._gateway_states)

    def _conditions(self) -> dict[str, int]:
        counts: dict[str, int] = dict.fromkeys(Condition, 0)
        for machine in machines.view_all(self.store.read(), self.freshness()):
            counts[machine.condition] += 1
        return counts

    def _gateway_states(self) -> dict[str, int]:
        counts = {"online": 0, "offline": 0}
        for gateway in gateways.view_all(self.store.read(), self.freshness()):
            counts[gateway.state] += 1
        return counts


def _with_cases(db: Database, changes: set[Change]) -> list[Change]:
    """Add the cases of machines to their changes: they show the machine's state."""
    shown = (cases.standing(db, one.id) for one in changes if one.kind == "machine")
    return [*changes, *(Change("case", case) for some in shown for case in some)]
