"""The edge service: puts the parts together, runs them, and ends them in order."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.metadata import version

from auscult.gateway.commands.commissioning import Commissioning, joined
from auscult.gateway.commands.deltas import DeltaCommands
from auscult.gateway.commands.handlers import handlers
from auscult.gateway.commands.labels import LabelCommands
from auscult.gateway.commands.preview import Previews
from auscult.gateway.commands.queue import CommandQueue
from auscult.gateway.health import ClockWatch, HealthMonitor
from auscult.gateway.homeassistant.announcer import HomeAssistantAnnouncer
from auscult.gateway.integrations import integrations
from auscult.gateway.learning.deltas import Exchange
from auscult.gateway.learning.label_queue import LabelQueue
from auscult.gateway.learning.versions import CheckpointPublisher
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines.bearing_search import BearingSearches
from auscult.gateway.machines.fixed_limits import FixedLimits, with_set_limits
from auscult.gateway.machines.restore import restored_machine
from auscult.gateway.machines.training import Trainer
from auscult.gateway.messages import credentials
from auscult.gateway.messages.host_actions import HostAction
from auscult.gateway.messages.inventory import Configuration
from auscult.gateway.messages.link import LastWill, Link, Received
from auscult.gateway.messages.message import now_ms
from auscult.gateway.messages.payloads import Receipt, Status
from auscult.gateway.messages.topics import Topics
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.publisher import Publisher
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.records import PointId, SourceFault
from auscult.gateway.settings.gateway import (
    GatewaySettings,
    MachineSettings,
    MqttSource,
    RecordingsSource,
    SparkplugSource,
)
from auscult.gateway.sources import Source
from auscult.gateway.sources.channels import recorded_channels
from auscult.gateway.sources.dataset import ManifestError
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.mqtt import MqttListener
from auscult.gateway.sources.recordings import RecordingsPlayer
from auscult.gateway.sources.sparkplug import SparkplugListener
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.audit import Refusals
from auscult.gateway.storage.lock import locked
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.retention import Retention
from auscult.gateway.storage.store import Store, StoreError
from auscult.gateway.windows.clips import Clips, clip_seconds
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import plan_points
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.learning.budget import Budget

log = logging.getLogger(__name__)

STATUS_S = 10.0
LOOK_S = 1.0
"""How soon a change of the gateway's own condition is noticed."""
BYTES_PER_MB = 1_000_000
STOP_LOOK_S = 0.1
LAST_WORDS_S = 0.7
"""How long a stop waits for the broker to take what is left."""
TRAINING_STOP_S = 0.5


def run(settings: GatewaySettings, stop: threading.Event) -> None:
    """Run a gateway until `stop` is set; it then ends within about three seconds.

    Machines that are commissioned meanwhile are taken over by beginning anew in this process:
    what is learned, open or unsent is in the data folder, and goes on.

    Raises
    ------
    StoreError
        If the database can't be opened: without it nothing could be promised.
    InUseError
        If another process works on the data folder.
    """
    with locked(settings.gateway.data_dir):
        while not stop.is_set():
            gateway = Gateway(settings)
            # What was made so far stays: the collector need not look at it again (70 ms each time).
            gc.collect()
            gc.freeze()
            gateway.run(stop)
            gc.unfreeze()


class Gateway:
    """One gateway: sources, window loop, store, link."""

    def __init__(self, settings: GatewaySettings) -> None:
        own = settings.gateway
        commissioning = Commissioning(settings, self._renew)
        self._fixed = settings.machines
        self._commissioned = commissioning.current
        configured = joined(settings, self._commissioned)
        self._ending = threading.Event()
        self._renewing = False
        self._topics = Topics(settings.site.id, own.id, settings.site.path)
        self._store = Store(own.data_dir)
        machines = with_set_limits(configured.machines, self._store)
        self._settings = settings = configured.model_copy(update={"machines": machines})
        self._health = HealthMonitor(own.data_dir)
        self._clock = ClockWatch()
        self._started_ms = now_ms()
        self._inlet = Inlet()
        self._sources: list[Source] = []
        self._broken_sources: dict[str, str] = {}
        for source in settings.sources:
            self._open(source)
        births = settings.homeassistant
        self._births = [births.birth_topic] if births.enabled else []
        gone = Status(ts=self._started_ms, state="offline")
        self._link = Link(
            settings.mqtt,
            f"auscult-{settings.site.id}-{own.id}",
            on_message=self._on_message,
            subscriptions=[self._topics.commands, *self._births],
            on_connected=self._on_connected,
            will=LastWill(self._topics.status, gone.to_json()),
            manual_ack=True,
        )
        self._states = RetainedStates(self._link)
        self._outbox = Outbox(self._store, self._link, own.outbox_max_mb * BYTES_PER_MB)
        self._retention = Retention(own.outbox_max_days, own.keep_events_days)
        self._publisher = Publisher(self._states, self._outbox)
        refusals = Refusals(self._store)
        self._integrations = integrations(
            settings, self._on_host_action, refusals.note, self._states
        )
        for integration in self._integrations:
            self._publisher.listen(integration.tell)
        bursts = {point: b for source in self._sources for point, b in source.bursts.items()}
        plans = plan_points(settings, {point: b.length_s for point, b in bursts.items()})
        signal_bytes = own.signal_memory_mb * BYTES_PER_MB
        self._pipeline = Pipeline(plans, clip_seconds(own, plans), signal_bytes)
        clips = Clips(own, plans, self._pipeline, self._store)
        intervals_s = {
            point: bursts[point].interval_s
            if point in bursts
            else plan.window.hop / plan.window.fs_hz
            for point, plan in plans.items()
        }
        self._machines = {
            m.id: restored_machine(m, settings, plans, intervals_s, self._store)
            for m in settings.machines
        }
        reporter = Reporter(own, self._topics, plans, self._publisher, self._pipeline)
        budget = settings.learning.budget()
        self._trainer: Trainer[MachineModel] = Trainer(Budget(budget))
        self._tell_versions = CheckpointPublisher(self._store, self._publisher, self._topics)
        self._bearings = BearingSearches(plans, self._pipeline)
        self._loop = WindowLoop(
            self._inlet,
            self._pipeline,
            self._machines,
            reporter,
            self._trainer,
            self._store,
            self._bearings,
            clips,
            self._tell_versions,
            patient=bool(settings.sources)
            and all(isinstance(s, RecordingsSource) and s.pace == 0 for s in settings.sources),
            keep_baselines=settings.learning.keep_baselines,
        )
        self._label_queue = LabelQueue(
            self._machines,
            self._loop,
            self._publisher,
            self._topics,
            self._tell_versions,
            Budget(budget),
        )
        teaching = LabelCommands(
            self._loop,
            self._machines,
            self._store,
            self._topics,
            self._label_queue,
            self._tell_versions,
        )
        self._desk = CommandQueue(
            self._store,
            self._publisher,
            self._topics,
            handlers(
                self._loop,
                self._machines,
                reporter,
                self._store,
                commissioning,
                teaching,
                Previews(self._store, self._machines, self._label_queue),
                DeltaCommands(
                    Exchange.of(settings),
                    self._loop,
                    self._machines,
                    self._label_queue,
                    self._tell_versions,
                ),
                self._topics,
                clips,
                FixedLimits(configured.machines, machines, self._say_inventory),
            ),
            refusals,
        )

    def run(self, stop: threading.Event) -> None:
        """Run until `stop` is set or machines were commissioned; then end everything in order."""
        log.info("gateway %s of site %s starts", self._topics.gateway, self._topics.site)
        ending = self._ending
        threads = [
            threading.Thread(target=self._run_source, args=(s, ending), name=s.name, daemon=True)
            for s in self._sources
        ]
        threads.append(threading.Thread(target=self._await, args=(stop,), name="stop", daemon=True))
        self._say_what_there_is()
        watcher = threading.Thread(target=self._watch, args=(ending,), name="status", daemon=True)
        self._outbox.start()
        self._link.start()
        self._trainer.start()
        self._label_queue.start()
        self._desk.start()
        for integration in self._integrations:
            integration.start()
        for thread in (*threads, watcher):
            thread.start()
        try:
            self._loop.run(ending)
        finally:
            ending.set()
            self._end([*threads, watcher])
        log.info("gateway %s has stopped", self._topics.gateway)

    def _end(self, threads: list[threading.Thread]) -> None:
        self._inlet.close()
        for thread in threads:
            thread.join(LAST_WORDS_S)
        self._desk.stop()
        self._label_queue.stop(TRAINING_STOP_S)
        self._trainer.stop(TRAINING_STOP_S)
        self._bearings.stop()
        deadline = time.monotonic() + LAST_WORDS_S
        with suppress(StoreError):
            while self._link.connected and self._outbox.pending and time.monotonic() < deadline:
                time.sleep(0.01)
        for integration in self._integrations:
            integration.stop()
        if not self._renewing:
            self._say_farewell()
        self._link.stop()
        self._outbox.stop()
        self._store.close()

    def _say_farewell(self) -> None:
        said = threading.Event()
        farewell = self._status("offline").to_json()
        if self._link.publish(self._topics.status, farewell, retain=True, on_delivered=said.set):
            said.wait(LAST_WORDS_S)

    def _say_what_there_is(self) -> None:
        self._say_inventory(self._settings.machines)
        self._publisher.state(
            self._topics.configuration,
            Configuration(
                ts=now_ms(),
                version=self._commissioned.version,
                fixed=self._fixed,
                machines=self._commissioned.machines,
                sources=self._commissioned.sources,
                channels=recorded_channels(self._settings.gateway.recordings_dir),
            ),
        )
        for machine in self._machines.values():
            self._tell_versions(machine)

    def _say_inventory(self, machines: Sequence[MachineSettings]) -> None:
        self._publisher.state(self._topics.inventory, encode.inventory(machines, now_ms()))

    def _renew(self, gone: Iterable[MachineSettings]) -> None:
        """End this run for one with the new machines; the broker forgets those that are gone."""
        for machine in gone:
            self._states.forget(self._topics.machine_state(machine.id))
            self._states.forget(self._topics.checkpoints(machine.id))
            for point in machine.points:
                self._states.forget(self._topics.point_state(machine.id, point.id))
        self._renewing = True
        self._ending.set()

    def _await(self, stop: threading.Event) -> None:
        while not self._ending.is_set():
            if stop.wait(STOP_LOOK_S):
                self._renewing = False
                self._ending.set()

    def _on_host_action(self, action: HostAction) -> str:
        """Take what no broker would bring again: refused at once if it might be lost here."""
        if self._store.failing:
            return "the gateway can't store anything (is its disk full?); ask again later"
        command = Received(
            self._topics.command(action.spec.name), action.command.to_json(), False, False, _nothing
        )
        return "" if self._desk.receive(command) else "too many commands wait; ask again later"

    def _open(self, source: RecordingsSource | MqttSource | SparkplugSource) -> None:
        machine = next(m for m in self._settings.machines if m.id == source.target)
        own = f"auscult-{self._topics.site}-{self._topics.gateway}"
        if isinstance(source, MqttSource):
            self._sources.append(MqttListener(source, self._settings.mqtt, own))
            return
        if isinstance(source, SparkplugSource):
            self._sources.append(SparkplugListener(source, machine, self._settings.mqtt, own))
            return
        earliest_ns = detector_states.stream_end_ns(self._store, machine.id)
        try:
            self._sources.append(RecordingsPlayer(source, machine, earliest_ns))
        except (ManifestError, ValueError) as error:
            log.error("source of %s: %s", machine.id, error)
            self._broken_sources[f"{source.type}:{machine.id}"] = str(error)
            self._inlet.put(_faults(machine, str(error)), wait=False)

    def _run_source(self, source: Source, stop: threading.Event) -> None:
        try:
            source.run(self._inlet, stop)
        except Exception as error:
            log.exception("source %s failed", source.name)
            self._broken_sources[source.name] = f"failed: {error}"

    def _on_message(self, message: Received) -> None:
        if message.topic == self._topics.receipt:
            message.acknowledge()
            self._take_receipt(message.payload)
        elif message.topic in self._births:
            message.acknowledge()
            self._take_birth(message.payload)
        else:
            self._desk.receive(message)

    def _take_receipt(self, payload: bytes) -> None:
        try:
            self._outbox.receive(Receipt.read(payload))
        except ValueError as error:
            log.debug("a receipt that can't be read: %s", error)

    def _take_birth(self, payload: bytes) -> None:
        if payload == b"online":
            for integration in self._integrations:
                if isinstance(integration, HomeAssistantAnnouncer):
                    integration.announce()

    def _on_connected(self) -> None:
        self._states.connected()
        self._outbox.connected()

    def _watch(self, stop: threading.Event) -> None:
        """Publish the status now and then and when it changes; look after clock and old events."""
        told: tuple[object, ...] = ()
        next_s = 0.0
        while True:
            self._clock.check()
            key = (self._store.failing, self._clock.steps, tuple(self._source_statuses().items()))
            if key != told or time.monotonic() >= next_s:
                told, next_s = key, time.monotonic() + STATUS_S
                self._publisher.state(self._topics.status, self._status("online"))
                self._store.write(self._retention.apply)
            if stop.wait(LOOK_S):
                return

    def _source_statuses(self) -> dict[str, str]:
        return {s.name: s.status for s in self._sources} | self._broken_sources

    def _status(self, state: str) -> Status:
        health = self._health.read()
        try:
            pending, dropped = self._outbox.pending, self._outbox.dropped
        except StoreError:
            # Logged by the store, and told by `storing`.
            pending = dropped = 0
        return Status(
            ts=now_ms(),
            state=state,
            version=version("auscult"),
            started_ms=self._started_ms,
            clock_synchronised=health.clock_synchronised,
            cpu_percent=health.cpu_percent,
            memory_mb=encode.rounded(health.memory_mb),
            disk_free_mb=encode.optional(health.disk_free_mb),
            temperature_c=health.temperature_c,
            outbox_pending=pending,
            outbox_dropped=dropped,
            windows_total=self._pipeline.windows_total,
            clock_steps=self._clock.steps,
            clock_step_s=encode.optional(self._clock.last_step_s),
            storing=not self._store.failing,
            certificate_days=encode.optional(credentials.days_left(self._settings.mqtt)),
            sources=self._source_statuses(),
        )


def _nothing() -> None:
    """Acknowledge what no broker has sent."""


def _faults(machine: MachineSettings, text: str) -> list[SourceFault]:
    return [SourceFault(PointId(machine.id, p.id), time.time_ns(), text) for p in machine.points]
