"""The edge service: composes the parts, runs them, and stops them in order."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from auscult.contract.host_actions import HostAction
from auscult.contract.inventory import Configuration
from auscult.contract.message import now_ms
from auscult.contract.said import Said
from auscult.gateway.command_service import CommandService
from auscult.gateway.commands.commissioning import Commissioning, joined
from auscult.gateway.commands.origin import Origins
from auscult.gateway.connection import LAST_MESSAGES_S, Connection
from auscult.gateway.datasets.channels import recorded_channels
from auscult.gateway.machines.fixed_limits import FixedLimits, with_set_limits
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.processing import Processing
from auscult.gateway.settings.gateway import GatewaySection, GatewaySettings, MachineSettings
from auscult.gateway.sources.contract import Source
from auscult.gateway.sources.forms import source_forms
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.status import StatusPublisher
from auscult.gateway.storage.audit import Refusals
from auscult.gateway.storage.backup import back_up
from auscult.gateway.storage.lock import locked, usable
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.retention import Retention
from auscult.gateway.storage.store import Store
from auscult.gateway.updates.updates import Updates
from auscult.host.backups import Backups
from auscult.host.supervised import Supervised
from auscult.host.systemd import notify
from auscult.link.link import Received
from auscult.memory import return_free_memory, share_one_arena

if TYPE_CHECKING:
    from auscult.gateway.metrics import MetricsReading, MetricsServer

log = logging.getLogger(__name__)

HANGING_S = 60.0
"""A window loop that has not turned for this long hangs: systemd's watchdog ends the process."""
LOOK_S = 1.0
"""How soon a change of the gateway's own status is noticed."""
REPEAT_S = 60.0
"""How often inventory and configuration are sent again."""
STOP_LOOK_S = 0.1


def run(settings: GatewaySettings, stop: threading.Event) -> None:
    """Run a gateway until `stop` is set; it then ends within about three seconds.

    When machines are commissioned, the gateway restarts inside this process; baselines, open
    events and unsent messages are in the data folder and continue.

    Raises
    ------
    StoreError
        If the database can't be opened: the gateway could not keep what it promises to keep.
    InUseError
        If another process uses the data folder.
    FolderError
        If a file of the data folder can't be used.
    ConfigurationError
        If a fixed limit names a feature that its point does not have.
    """
    share_one_arena()
    with usable(settings.gateway.data_dir), locked(settings.gateway.data_dir):
        sources: Mapping[str, Source] = {}
        while not stop.is_set():
            gateway = GatewayService(settings, sources)
            # The composed parts live as long as the gateway: without freeze each collection
            # would scan them again (70 ms each).
            gc.collect()
            gc.freeze()
            gateway.run(stop)
            sources = gateway.sources
            gc.unfreeze()


class GatewayService:
    """One gateway: connection, processing, commands, and the store below them.

    Parameters
    ----------
    settings : GatewaySettings
    sources : mapping of str to Source, optional
        The sources of the run before this one; those that are unchanged continue.
    """

    def __init__(
        self, settings: GatewaySettings, sources: Mapping[str, Source] | None = None
    ) -> None:
        commissioning = Commissioning(settings, self._restart_without)
        configured = joined(settings, commissioning.current)
        self.store = Store(settings.gateway.data_dir)
        machines = with_set_limits(configured, self.store)
        self._settings = configured.model_copy(update={"machines": machines})
        self._ending = threading.Event()
        self._watch = Supervised("status", self._watch_status, self._ending)
        self._backups = Backups(
            settings.gateway.backup,
            f"gateway-{settings.gateway.id}",
            lambda path, passphrase: back_up(settings, path, passphrase),
            self._ending,
        )
        self._updates = Updates(settings.gateway.updates, self._ending)
        self._restarting = False
        refusals = Refusals(self.store)
        own = settings.gateway
        origins = Origins(own.data_dir, own.dashboard_keys, own.unsigned_commands)
        self._connection = Connection(
            self._settings, self.store, self._on_command, self.on_host_action, refusals, origins
        )
        self._configuration = Configuration(
            ts=now_ms(),
            instance=self._connection.instance,
            version=commissioning.current.version,
            fixed=settings.machines,
            machines=commissioning.current.machines,
            sources=commissioning.current.sources,
            channels=recorded_channels(settings.gateway.recordings_dir),
            forms=source_forms(settings.gateway.page_sources),
        )
        self._processing = Processing(self._settings, self.store, self._connection, sources or {})
        limits = FixedLimits(configured.machines, machines, self._publish_inventory)
        self._commands = CommandService(
            self._settings,
            self.store,
            self._connection,
            self._processing,
            commissioning,
            limits,
            refusals,
            self._updates,
            origins,
        )
        self._status = StatusPublisher(
            self._settings,
            self.store,
            self._connection,
            self._processing,
            self._updates,
            lambda: self._troubles,
        )
        self._metrics = self._metrics_server(settings.gateway)

    def _metrics_server(self, own: GatewaySection) -> MetricsServer | None:
        if own.metrics_port is None:
            return None
        from auscult.gateway.metrics import MetricsServer

        return MetricsServer(own.metrics_host, own.metrics_port, self._reading, self._ending)

    def _reading(self) -> MetricsReading:
        from auscult.gateway.metrics import MetricsReading

        processing = self._processing
        return MetricsReading(
            self._status.status(),
            self.connected,
            {machine.id: machine.decision.condition for machine in self.machines.values()},
            processing.sources.statuses,
            self._commands.queue.waiting,
            processing.inlet.waiting_bytes,
            processing.pipeline.block_counts,
            processing.pipeline.value_counts,
        )

    @property
    def metrics(self) -> MetricsServer | None:
        """Return the server of the gateway's own numbers, where one is set."""
        return self._metrics

    @property
    def machines(self) -> Mapping[str, MonitoredMachine]:
        """Return the machines by id."""
        return self._processing.machines

    @property
    def sources(self) -> Mapping[str, Source]:
        """Return the sources, for the next run."""
        return self._processing.sources.opened

    @property
    def inlet(self) -> Inlet:
        """Return where sources deliver."""
        return self._processing.inlet

    @property
    def outbox(self) -> Outbox:
        """Return the messages on their way to the dashboard."""
        return self._connection.outbox

    @property
    def connected(self) -> bool:
        """Return whether the broker has accepted the gateway."""
        return self._connection.link.connected

    @property
    def threads(self) -> Sequence[Supervised]:
        """Return the threads of this gateway, without those of the sources."""
        return (
            self._watch,
            self._backups.thread,
            self._updates.thread,
            self.store.thread,
            self._connection.outbox.thread,
            self._processing.trainer.thread,
            self._commands.queue.thread,
            *([self._metrics.thread] if self._metrics else []),
            *self._connection.outputs.threads,
        )

    @property
    def _troubles(self) -> dict[str, Said]:
        """Return each part that failed lately, with its fault."""
        failed = {thread.name: thread.trouble for thread in self.threads if thread.trouble}
        failed |= self._connection.outputs.troubles
        found = {
            part: Said("part_failed", {"detail": error})
            for part, error in (failed | self._processing.loop.failed).items()
        }
        for machine in self.machines.values():
            if (trouble := machine.detector.trouble) is not None:
                found.setdefault(machine.id, trouble)
        if (taken := self._connection.link.trouble) is not None:
            found["mqtt"] = taken
        if (rejected := self._connection.receipts.trouble) is not None:
            found["receipts"] = rejected
        if (overload := self._processing.pipeline.overload.said) is not None:
            found["processing"] = overload
        if (missing := self._processing.sources.trouble) is not None:
            found["sources"] = missing
        if self.store.loss is not None:
            found.setdefault("store", self.store.loss)
        return found

    def run(self, stop: threading.Event) -> None:
        """Run until `stop` is set or machines were commissioned; then stop everything in order."""
        topics = self._connection.topics
        log.info("gateway %s of site %s starts", topics.gateway, topics.site)
        self._publish_configuration()
        self._processing.loop.prepare()
        self._status.publish_if_due()
        self._connection.start()
        self._processing.start()
        self._commands.start()
        notify("READY=1")
        self._watch.start()
        self._backups.start()
        self._updates.start()
        if self._metrics is not None:
            self._metrics.start()
        threading.Thread(target=self._await, args=(stop,), name="stop", daemon=True).start()
        # The last: sources may need more threads than the system allows, and commands take back
        # the list of machines that needs them.
        self._processing.start_sources(self._ending)
        try:
            self._processing.loop.run(self._ending)
        finally:
            self._ending.set()
            self._watch.join(LAST_MESSAGES_S)
            self._stop()
        notify("STOPPING=1")
        log.info("gateway %s has stopped", topics.gateway)

    def _stop(self) -> None:
        if self._metrics is not None:
            self._metrics.stop()
        self._processing.stop_sources()
        self._commands.stop()
        self._processing.stop()
        self._connection.send_rest()
        if not self._restarting:
            self._status.publish_offline(LAST_MESSAGES_S)
        self._connection.stop()
        self.store.close()

    def _publish_inventory(self, machines: Sequence[MachineSettings]) -> None:
        self._connection.publish_inventory(machines, self._processing.specs)

    def _publish_configuration(self) -> None:
        self._publish_inventory(self._settings.machines)
        self._connection.publisher.state(self._connection.topics.configuration, self._configuration)
        for machine in self.machines.values():
            self._processing.publish_checkpoints(machine)

    def _restart_without(self, removed: Iterable[MachineSettings]) -> None:
        """End this run, so that the next one has the new machines; clear the removed ones."""
        topics, states = self._connection.topics, self._connection.states
        for machine in removed:
            states.clear(topics.machine_state(machine.id))
            states.clear(topics.checkpoints(machine.id))
            for point in machine.points:
                states.clear(topics.point_state(machine.id, point.id))
        self._restarting = True
        self._ending.set()

    def _await(self, stop: threading.Event) -> None:
        while not self._ending.is_set():
            if stop.wait(STOP_LOOK_S):
                self._restarting = False
                self._ending.set()

    def _watch_status(self) -> None:
        """Publish the status, and discard what is too old now and then."""
        own = self._settings.gateway
        retention = Retention(own.outbox_max_days, own.keep_events_days)
        repeat_at_s = time.monotonic() + REPEAT_S
        while True:
            if time.monotonic() >= repeat_at_s:
                repeat_at_s = time.monotonic() + REPEAT_S
                self._connection.repeat_inventory()
                return_free_memory()
            if time.monotonic() - self._processing.loop.turned_s < HANGING_S:
                notify("WATCHDOG=1")
            if self._status.publish_if_due():
                self.store.write(retention.apply)
            if self._ending.wait(LOOK_S):
                return

    def _on_command(self, message: Received) -> bool:
        return self._commands.queue.receive(message)

    def on_host_action(self, action: HostAction) -> str:
        """Queue the action of a SCADA host; returns why it is rejected, else an empty text.

        No broker delivers it again, so it is rejected at once if it could be lost here.
        """
        if self.store.failing:
            return Said("gateway_not_storing").text
        topic = self._connection.topics.command(action.spec.name)
        command = Received(topic, action.command.to_json(), False, False, lambda: None)
        taken = self._commands.queue.receive(command, own=True)
        return "" if taken else Said("gateway_busy").text
