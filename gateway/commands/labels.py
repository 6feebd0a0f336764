"""Commands that change what a machine has learned: label, roll_back, promote, reject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlite_utils import Database

from auscult.gateway.commands.handler import Handler, Outcome, RefusedError
from auscult.gateway.learning.label_queue import LabelQueue
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines import approval, baselines
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.messages.message import NS_PER_MS
from auscult.gateway.messages.payloads import Command
from auscult.gateway.messages.requests import (
    Commands,
    LabelArgs,
    PreviewArgs,
    ResolveArgs,
    RollBackArgs,
)
from auscult.gateway.messages.topics import Topics
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.publisher import Publication
from auscult.gateway.storage import archive
from auscult.gateway.storage.outbox import Work
from auscult.gateway.storage.store import Store
from auscult.models.baseline.container import StateError
from auscult.models.learning.checkpoints import CheckpointError
from auscult.models.learning.learner import Learner
from auscult.models.learning.trigger import Wait
from auscult.models.records import Checkpoint, HeadUpdate, Label, Verdict

NO_BASELINE = "the machine has no baseline yet, so there is nothing to teach"
OFFER_BASELINE = (
    "maintenance teaches no fault; if the machine runs differently from now on, start a new "
    "baseline: the present one is kept and can be gone back to"
)


class LabelCommands:
    """Handlers; they run in the command desk's thread.

    Parameters
    ----------
    loop : WindowLoop
    machines : mapping of id to MonitoredMachine
    store : Store
    topics : Topics
    tutor : LabelQueue
    tell : callable
        Told each machine whose checkpoints changed.
    """

    def __init__(
        self,
        loop: WindowLoop,
        machines: Mapping[str, MonitoredMachine],
        store: Store,
        topics: Topics,
        tutor: LabelQueue,
        tell: Callable[[MonitoredMachine], None],
    ) -> None:
        self._loop = loop
        self._machines = machines
        self._store = store
        self._topics = topics
        self._label_queue = tutor
        self._tell = tell

    def handlers(self) -> list[Handler[Any]]:
        """Give the handler of each command."""
        return [
            Handler(Commands.LABEL, self._label),
            Handler(Commands.ROLL_BACK, self._roll_back),
            Handler(Commands.PROMOTE, self._promote),
            Handler(Commands.REJECT, self._reject),
        ]

    def _label(self, command: Command, asked: LabelArgs) -> Outcome:
        """Learn from a verdict on an event, beside the window loop."""
        label = label_of(self._store, self._machines, command, asked, asked.note)
        machine, verdict = self._machines[label.machine], label.verdict
        answer = self._taught(machine, label)
        update = answer if isinstance(answer, HeadUpdate) else None
        reason = answer.reason if answer is not None else ""
        if verdict is Verdict.PLANNED_WORK:
            reason = OFFER_BASELINE
        elif update is not None and update.advice:
            reason += f"; {update.advice}"
        lesson = encode.lesson(label, update, reason)

        def take_over() -> Work:
            machine.take_heads()
            if verdict is Verdict.PLANNED_WORK:
                machine.detector.reset_evidence()
            return self._loop.saving(machine)

        work = self._loop.call(take_over)
        self._tell(machine)
        return Outcome(
            reason=reason,
            lesson=lesson.lesson,
            publications=(Publication(self._topics.lesson(machine.id), lesson),),
            work=work,
        )

    def _taught(self, machine: MonitoredMachine, label: Label) -> HeadUpdate | Wait | None:
        learner = machine.learning.learner
        if learner is None:
            return Wait(NO_BASELINE)
        if (known := learner.learned(label.label_id)) is not None:
            return known  # a correction that comes again finds nothing more to withdraw
        withdraws = learner.is_labelled(label.event_id)
        if label.verdict is Verdict.UNSURE and not withdraws:
            return None
        if label.verdict is Verdict.PLANNED_WORK and not withdraws:
            return learner.label(label)
        return self._label_queue.ask(learner, label)

    def _roll_back(self, command: Command, asked: RollBackArgs) -> Outcome:
        """Undo what labels have taught, or a new baseline."""
        machine = self._machine(asked.machine)
        if asked.baseline_id is not None:
            return self._back_to_baseline(machine, asked.baseline_id, command.actor)
        try:
            at_ns = command.ts * NS_PER_MS
            checkpoint = machine.learning.roll_back(asked.checkpoint_id, at_ns)
        except (CheckpointError, LookupError) as error:
            raise RefusedError(str(error)) from error
        return self._changed(machine, checkpoint)

    def _back_to_baseline(self, machine: MonitoredMachine, baseline_id: str, actor: str) -> Outcome:
        state = baselines.state_of(self._store, machine.id, baseline_id)
        if state is None:
            raise RefusedError(f"baseline {baseline_id} of {machine.id} is not kept")

        def go_back() -> Work:
            try:
                machine.go_back(state)
            except StateError as error:
                raise RefusedError(str(error)) from error
            saving, keeping = self._loop.saving(machine), self._loop.keeping(machine)

            def work(db: Database) -> None:
                approval.save_approval(db, machine.id, baseline_id, actor)
                keeping(db)
                saving(db)

            return work

        work = self._loop.call(go_back)
        # Stored before the answer, because the list of versions is made from what is stored.
        self._store.write(work).result()
        self._tell(machine)
        return Outcome(reason=f"baseline {baseline_id} judges again")

    def _promote(self, command: Command, asked: ResolveArgs) -> Outcome:
        """Let the candidate replace the active heads before its shadow run is over."""
        return self._resolve(command, asked, Learner.promote, "promoted")

    def _reject(self, command: Command, asked: ResolveArgs) -> Outcome:
        """Drop the candidate."""
        return self._resolve(command, asked, Learner.reject, "rejected")

    def _resolve(
        self,
        command: Command,
        asked: ResolveArgs,
        decide: Callable[[Learner, int, str], Checkpoint],
        word: str,
    ) -> Outcome:
        machine = self._machine(asked.machine)
        learner = machine.learning.learner
        at_ns = command.ts * NS_PER_MS
        for entry in learner.checkpoints() if learner else ():
            if entry.resolves == asked.checkpoint_id and entry.checkpoint.created_ns == at_ns:
                return self._changed(machine, entry.checkpoint)  # the command came again
        run = learner.shadow if learner else None
        if learner is None or run is None or run.checkpoint_id != asked.checkpoint_id:
            raise RefusedError(f"{asked.checkpoint_id} is not a candidate of {asked.machine} now")
        try:
            reason = f"{word} by {command.actor}"
            checkpoint = decide(learner, at_ns, reason)
        except CheckpointError as error:
            raise RefusedError(str(error)) from error
        return self._changed(machine, checkpoint)

    def _changed(self, machine: MonitoredMachine, checkpoint: Checkpoint) -> Outcome:
        def take_over() -> Work:
            machine.take_heads()
            return self._loop.saving(machine)

        work = self._loop.call(take_over)
        self._tell(machine)
        learner = machine.learning.learner
        active = learner.checkpoint_id if learner else ""
        return Outcome(reason=f"{checkpoint.reason}; now active is {active}", work=work)

    def _machine(self, machine_id: str) -> MonitoredMachine:
        if machine_id not in self._machines:
            raise RefusedError(f"this gateway has no machine {machine_id!r}")
        return self._machines[machine_id]


def label_of(
    store: Store,
    machines: Mapping[str, MonitoredMachine],
    command: Command,
    asked: LabelArgs | PreviewArgs,
    note: str = "",
) -> Label:
    """Make the label that a command gives; refused if its event is not of this gateway."""
    machine_id = archive.machine_of(store, asked.event_id)
    if machine_id is None or machine_id not in machines:
        raise RefusedError(f"this gateway has no event {asked.event_id}")
    verdict = Verdict(asked.verdict)
    return Label(
        label_id=command.id,
        event_id=asked.event_id,
        machine=machine_id,
        verdict=verdict,
        kind=asked.kind if verdict is Verdict.CONFIRMED_FAULT else None,
        actor=command.actor,
        at_ns=command.ts * NS_PER_MS,
        note=note,
    )
