"""The commands `export_delta` and `import_delta`, while the gateway runs."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

from auscult.contract.learning import DeltaPart
from auscult.contract.message import NS_PER_MS
from auscult.contract.payloads import Command
from auscult.contract.requests import ExportDeltaArgs, ImportDeltaArgs
from auscult.contract.said import Said
from auscult.gateway.commands.handler import CommandOutcome, CommandRejection
from auscult.gateway.commands.lookup import Machines, machine_named, updater_of
from auscult.gateway.learning.deltas import Exchange, own_key, spec_id
from auscult.gateway.learning.label_queue import LabelQueue
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.link.signing import public_hex
from auscult.models.learning.delta import DeltaError
from auscult.models.learning.learned_file import LearnedFileError
from auscult.models.learning.trigger import Wait


class DeltaCommands:
    """Handlers; they run in the thread of the command queue.

    Parameters
    ----------
    exchange : Exchange
    loop : WindowLoop
    machines : mapping of id to MonitoredMachine
    label_queue : LabelQueue
        Trains within the budget.
    on_checkpoints : callable
        Gets each machine whose checkpoints changed.
    """

    def __init__(
        self,
        exchange: Exchange,
        loop: WindowLoop,
        machines: Machines,
        label_queue: LabelQueue,
        on_checkpoints: Callable[[MonitoredMachine], None],
    ) -> None:
        self._exchange = exchange
        self._loop = loop
        self._machines = machines
        self._label_queue = label_queue
        self._on_checkpoints = on_checkpoints

    def export_delta(self, _command: Command, asked: ExportDeltaArgs) -> CommandOutcome:
        """Return what a machine has learned from labels, signed."""
        machine = machine_named(self._machines, asked.machine)
        data = self._exchange.make(updater_of(machine), machine.detector)
        delta = self._exchange.read(data)
        about = delta.about
        part = DeltaPart(
            id=delta.delta_id,
            checkpoint_id=about.checkpoint_id,
            baseline_id=about.base_id,
            spec_id=about.spec_id,
            labels=about.labels,
            key=public_hex(own_key(self._exchange.data_dir)),
            data=base64.b64encode(data).decode(),
        )
        values = {"delta_id": delta.delta_id, "checkpoint_id": about.checkpoint_id}
        return CommandOutcome(Said("delta_made", values), delta=part)

    def import_delta(self, command: Command, asked: ImportDeltaArgs) -> CommandOutcome:
        """Learn what another machine has learned, if key, baseline, features and gate agree."""
        machine = machine_named(self._machines, asked.machine)
        updater = updater_of(machine)
        at_ns = command.ts * NS_PER_MS
        try:
            delta = self._exchange.read(base64.b64decode(asked.delta, validate=True))
            features = spec_id(machine.detector)
            update = self._label_queue.train(
                lambda: updater.apply(
                    delta, features, at_ns, request_id=command.id, actor=command.actor
                )
            )
        except binascii.Error as error:
            raise CommandRejection("delta_not_base64", cause=str(error)) from error
        except (DeltaError, LearnedFileError) as error:
            raise CommandRejection("delta_not_applied", cause=error.said) from error
        if isinstance(update, Wait):
            raise CommandRejection("delta_not_now", wait=update.reason)

        write = self._loop.call(machine.use_active_heads)
        self._on_checkpoints(machine)
        reason = Said("accepted" if update.accepted else "rejected", {"reason": update.said})
        return CommandOutcome(reason, lesson=update, writes=(write,))
