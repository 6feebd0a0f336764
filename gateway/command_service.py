"""The queue of commands, and the queue of labels that some of them fill."""

from __future__ import annotations

import threading

from auscult.gateway.commands.commissioning import Commissioning
from auscult.gateway.commands.deltas import DeltaCommands
from auscult.gateway.commands.handler import handlers_in
from auscult.gateway.commands.handlers import MachineCommands
from auscult.gateway.commands.labels import LabelCommands
from auscult.gateway.commands.origin import Origins
from auscult.gateway.commands.preview import Previews
from auscult.gateway.commands.queue import CommandQueue
from auscult.gateway.commands.reports import FaultReports
from auscult.gateway.commands.states import StatesCommand
from auscult.gateway.commands.tables import TableCommands
from auscult.gateway.commands.trials import TrialCommand
from auscult.gateway.commands.update import UpdateCommand
from auscult.gateway.connection import Connection
from auscult.gateway.learning.deltas import Exchange
from auscult.gateway.learning.label_queue import LabelQueue
from auscult.gateway.machines.fixed_limits import FixedLimits
from auscult.gateway.processing import Processing
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.trial import Trials
from auscult.gateway.storage.audit import Refusals
from auscult.gateway.storage.store import Store
from auscult.gateway.updates.updates import Updates
from auscult.models.learning.budget import Budget


class CommandService:
    """The queue of commands, and the queue of labels that some of them fill."""

    def __init__(
        self,
        settings: GatewaySettings,
        store: Store,
        connection: Connection,
        processing: Processing,
        commissioning: Commissioning,
        limits: FixedLimits,
        refusals: Refusals,
        updates: Updates,
        origins: Origins,
    ) -> None:
        loop, machines, topics = processing.loop, processing.machines, connection.topics
        publish_checkpoints = processing.publish_checkpoints
        self._labels = LabelQueue(
            machines,
            loop,
            connection.publisher,
            topics,
            publish_checkpoints,
            Budget(settings.learning.budget()),
        )
        labels = LabelCommands(
            loop,
            machines,
            store,
            topics,
            self._labels,
            processing.reporter,
            publish_checkpoints,
        )
        previews = Previews(store, machines, self._labels)
        reports = FaultReports(machines, labels, previews, processing.reporter)
        deltas = DeltaCommands(
            Exchange.from_settings(settings), loop, machines, self._labels, publish_checkpoints
        )
        on_machines = MachineCommands(
            loop, machines, processing.reporter, store, topics, processing.clips, limits
        )
        self._ending = threading.Event()
        trials = Trials(
            settings.mqtt,
            f"auscult-{settings.site.id}-{settings.gateway.id}",
            processing.sources.opened.values,
            self._ending,
        )
        self.queue = CommandQueue(
            store,
            connection.publisher,
            topics,
            handlers_in(
                labels,
                reports,
                deltas,
                on_machines,
                previews,
                commissioning,
                TrialCommand(settings, trials),
                TableCommands(settings.gateway.recordings_dir),
                StatesCommand(connection.states),
                UpdateCommand(updates),
            ),
            refusals,
            self._labels.work,
            origins,
        )

    def start(self) -> None:
        self.queue.start()

    def stop(self) -> None:
        self._ending.set()
        self._labels.stop()
        self.queue.stop()
