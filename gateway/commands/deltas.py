"""The commands `export_delta` and `import_delta`, while the gateway runs."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from auscult.gateway.commands.handler import Handler, Outcome, RefusedError
from auscult.gateway.learning.deltas import Exchange, own_key, public_hex, spec_id
from auscult.gateway.learning.label_queue import LabelQueue
from auscult.gateway.learning.learned_file import LearnedFileError
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.messages.learning import DeltaPart, LessonPart
from auscult.gateway.messages.message import NS_PER_MS
from auscult.gateway.messages.payloads import Command
from auscult.gateway.messages.requests import Commands, ExportDeltaArgs, ImportDeltaArgs
from auscult.gateway.storage.outbox import Work
from auscult.models.learning.delta import DeltaError
from auscult.models.learning.learner import Learner
from auscult.models.learning.trigger import Wait


class DeltaCommands:
    """Handlers; they run in the command desk's thread.

    Parameters
    ----------
    exchange : Exchange
    loop : WindowLoop
    machines : mapping of id to MonitoredMachine
    tutor : LabelQueue
        Learns what comes in within the budget, at low priority.
    tell : callable
        Told each machine whose checkpoints changed.
    """

    def __init__(
        self,
        exchange: Exchange,
        loop: WindowLoop,
        machines: Mapping[str, MonitoredMachine],
        tutor: LabelQueue,
        tell: Callable[[MonitoredMachine], None],
    ) -> None:
        self._exchange = exchange
        self._loop = loop
        self._machines = machines
        self._label_queue = tutor
        self._tell = tell

    def handlers(self) -> list[Handler[Any]]:
        """Give the handler of each command."""
        return [
            Handler(Commands.EXPORT_DELTA, self._export),
            Handler(Commands.IMPORT_DELTA, self._import),
        ]

    def _export(self, _command: Command, asked: ExportDeltaArgs) -> Outcome:
        """Give what labels have taught a machine, signed."""
        machine, learner = self._learner(asked.machine)
        try:
            data = self._exchange.make(learner, machine.detector)
            delta = self._exchange.read(data)
            key = public_hex(own_key(self._exchange.data_dir))
        except (DeltaError, LearnedFileError) as error:
            raise RefusedError(str(error)) from error
        about = delta.about
        part = DeltaPart(
            id=delta.delta_id,
            checkpoint_id=about.checkpoint_id,
            baseline_id=about.base_id,
            spec_id=about.spec_id,
            labels=about.labels,
            key=key,
            data=base64.b64encode(data).decode(),
        )
        return Outcome(f"delta {delta.delta_id} of {about.checkpoint_id}", delta=part)

    def _import(self, command: Command, asked: ImportDeltaArgs) -> Outcome:
        """Learn what another machine has learned, if key, baseline, features and gate agree."""
        machine, learner = self._learner(asked.machine)
        at_ns = command.ts * NS_PER_MS
        try:
            delta = self._exchange.read(base64.b64decode(asked.delta, validate=True))
            features = spec_id(machine.detector)
            update = self._label_queue.do(
                lambda: learner.apply(delta, features, at_ns, as_id=command.id, actor=command.actor)
            )
        except binascii.Error as error:
            raise RefusedError(f"delta: no base64 ({error})") from error
        except (DeltaError, LearnedFileError) as error:
            raise RefusedError(f"the delta is not applied: {error}") from error
        if isinstance(update, Wait):
            raise RefusedError(f"not now: {update.reason}; bring the delta again then")

        def take_over() -> Work:
            machine.take_heads()
            return self._loop.saving(machine)

        work = self._loop.call(take_over)
        self._tell(machine)
        lesson = LessonPart.model_validate(update, from_attributes=True)
        word = "accepted" if update.accepted else "rejected"
        return Outcome(f"{word}: {update.reason}", lesson=lesson, work=work)

    def _learner(self, machine_id: str) -> tuple[MonitoredMachine, Learner]:
        machine = self._machines.get(machine_id)
        if machine is None:
            raise RefusedError(f"this gateway has no machine {machine_id!r}")
        if machine.learning.learner is None:
            raise RefusedError(f"machine {machine_id} has no baseline yet")
        return machine, machine.learning.learner
