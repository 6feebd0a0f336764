"""The commands of verdicts: label, check_repair, roll_back, promote, reject."""

from __future__ import annotations

import time
from collections.abc import Callable

from auscult.contract.label import Label, Verdict
from auscult.contract.message import NS_PER_MS, NS_PER_S, millis
from auscult.contract.parts import SuppressionPart
from auscult.contract.payloads import Command
from auscult.contract.records import Checkpoint, HeadUpdate
from auscult.contract.requests import (
    CheckRepairArgs,
    LabelArgs,
    PreviewArgs,
    ResolveArgs,
    RollBackArgs,
)
from auscult.contract.said import Said
from auscult.contract.topics import Topics
from auscult.gateway.commands.handler import CommandOutcome, CommandRejection
from auscult.gateway.commands.lookup import Machines, machine_named, machine_of_event, updater_of
from auscult.gateway.learning.label_queue import LabelQueue
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines import baselines
from auscult.gateway.machines.alarm_store import AlarmsWrite
from auscult.gateway.machines.alarms import Alarm
from auscult.gateway.machines.approval import ApprovalWrite
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.publisher import Publication
from auscult.gateway.publishing.questions import event_of
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.storage import archive
from auscult.gateway.storage.archive import EventWrite
from auscult.gateway.storage.outgoing import DatabaseWrite, write_all
from auscult.gateway.storage.store import Store
from auscult.models.baseline.container import StateError
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.trigger import Wait

NO_BASELINE = Wait(Said("waits_for_baseline"))


class LabelCommands:
    """Handlers; they run in the thread of the command queue.

    Parameters
    ----------
    loop : WindowLoop
    machines : mapping of id to MonitoredMachine
    store : Store
    topics : Topics
    label_queue : LabelQueue
    reporter : Reporter
    on_checkpoints : callable
        Gets each machine whose checkpoints changed.
    """

    def __init__(
        self,
        loop: WindowLoop,
        machines: Machines,
        store: Store,
        topics: Topics,
        label_queue: LabelQueue,
        reporter: Reporter,
        on_checkpoints: Callable[[MonitoredMachine], None],
    ) -> None:
        self._loop = loop
        self._machines = machines
        self._store = store
        self._topics = topics
        self._label_queue = label_queue
        self._reporter = reporter
        self._on_checkpoints = on_checkpoints

    def label(self, command: Command, asked: LabelArgs) -> CommandOutcome:
        """Learn from a verdict on an event, beside the window loop."""
        label = label_of(self._store, self._machines, command, asked, asked.note)
        machine = self._machines[label.machine]
        question = machine.learning.question(label.event_id)
        if question is None or archive.event(self._store, label.event_id) is not None:
            return self.answer(machine, label, work_s=asked.work_s)
        event = event_of(question, machine.id, machine.provenance())
        publications: tuple[Publication, ...] = ()
        if label.verdict is Verdict.CONFIRMED_FAULT:
            # A missed fault, shown as one; what is normal is no event.
            alarm = Alarm(event, "normal", 1, time.time_ns(), label.actor, label.note)
            publications = self._reporter.alarms(machine, [alarm], event)
        outcome = self.answer(machine, label, publications, EventWrite(event))
        machine.learning.answered(label.event_id)
        return outcome

    def answer(
        self,
        machine: MonitoredMachine,
        label: Label,
        publications: tuple[Publication, ...] = (),
        event: EventWrite | None = None,
        work_s: int | None = None,
    ) -> CommandOutcome:
        """Learn from a label; ``publications`` precede its effect, ``event`` is stored with it.

        ``work_s`` is the length of planned work (`LabelArgs`).
        """
        planned = label.verdict is Verdict.PLANNED_WORK
        result = self._learn(machine, label)
        update = result if isinstance(result, HeadUpdate) else None
        reason = update.advised if update else None
        if isinstance(result, Wait):
            reason = result.reason
        if planned:
            reason = Said("offer_baseline" if work_s == 0 else "work_begun")
        lesson = encode.lesson(label, update, reason)

        def use_active_heads() -> tuple[list[Alarm], tuple[DatabaseWrite, ...]]:
            machine.answer_level(label.event_id, label.verdict)
            state = machine.use_active_heads()
            changed = self._follow_work(machine, label, work_s)
            self._reporter.machine_state(machine)
            counted = self._loop.account.answer(label.event_id, label.verdict)
            return changed, (state, AlarmsWrite.from_machine(machine.alarms, changed), *counted)

        changed, writes = self._loop.call(use_active_heads)
        self._on_checkpoints(machine)
        return CommandOutcome(
            reason=reason,
            lesson=lesson.lesson,
            publications=(
                *publications,
                *self._reporter.alarms(machine, changed),
                Publication(self._topics.lesson(machine.id), lesson),
            ),
            writes=(event, *writes) if event else writes,
        )

    def _follow_work(
        self, machine: MonitoredMachine, label: Label, work_s: int | None
    ) -> list[Alarm]:
        """Begin or check the planned work that a label states, or end what it takes back."""
        held, now_ns = machine.alarms.suppression, time.time_ns()
        kind = held.kind if held else None
        if label.verdict is not Verdict.PLANNED_WORK:
            if held is None or kind != "planned_work" or held.event_id != label.event_id:
                return []
            return machine.alarms.release("planned_work", label.actor, label.note, now_ns)
        until_ns = None if work_s is None else label.at_ns + work_s * NS_PER_S
        if until_ns is not None and until_ns <= now_ns:
            if kind == "planned_work":
                return machine.finish_work(label.actor, label.note, now_ns)
            machine.learning.begin_repair_check(label.event_id, machine.stream_ns)
            return []
        if kind == "out_of_service":
            return []  # nothing alarms until the machine is returned to service
        return machine.begin_work(
            SuppressionPart(
                kind="planned_work",
                reason=label.note,
                actor=label.actor,
                since_ms=label.created_ms,
                until_ms=None if until_ns is None else millis(until_ns),
                event_id=label.event_id,
            )
        )

    def check_repair(self, _: Command, asked: CheckRepairArgs) -> CommandOutcome:
        """Compare the windows from now on with those of an event before the repair."""
        machine = machine_of_event(self._store, self._machines, asked.event_id)
        learning = machine.learning
        check = self._loop.call(
            lambda: learning.begin_repair_check(asked.event_id, machine.stream_ns)
        )
        if check is None:
            raise CommandRejection(NO_BASELINE.reason)
        return CommandOutcome(check.said)

    def _learn(self, machine: MonitoredMachine, label: Label) -> HeadUpdate | Wait | None:
        updater = machine.head_updater
        if updater is None:
            return NO_BASELINE
        known = updater.update_of(label.label_id)
        if known is None and not changes_heads(updater, label):
            return updater.learn(label) if label.verdict is Verdict.PLANNED_WORK else None
        return self._label_queue.learn(machine, updater, label)

    def roll_back(self, command: Command, asked: RollBackArgs) -> CommandOutcome:
        """Return to an older checkpoint, or to an older baseline."""
        machine = machine_named(self._machines, asked.machine)
        if asked.baseline_id is not None:
            return self._return_to_baseline(machine, asked.baseline_id, command.actor)
        at_ns = command.ts * NS_PER_MS
        updater = machine.head_updater
        if updater is None:
            raise CommandRejection("nothing_to_undo")
        for entry in updater.checkpoints():
            if entry.is_return and entry.checkpoint.created_ns == at_ns:
                return self._changed(machine, entry.checkpoint)  # the command came again
        wanted = asked.checkpoint_id or updater.before_answer()
        if wanted is None:
            raise CommandRejection("no_earlier_checkpoint")
        return self._changed(machine, updater.roll_back(wanted, at_ns))

    def _return_to_baseline(
        self, machine: MonitoredMachine, baseline_id: str, actor: str
    ) -> CommandOutcome:
        state = baselines.state_of(self._store, machine.id, baseline_id)
        if state is None:
            raise CommandRejection("baseline_not_kept", baseline_id=baseline_id, machine=machine.id)

        def go_back() -> tuple[DatabaseWrite, ...]:
            try:
                machine.go_back(state)
            except StateError as error:
                raise CommandRejection(
                    "state_unfit", machine=machine.id, cause=error.said
                ) from error
            return (
                ApprovalWrite(machine.id, baseline_id, actor),
                machine.baseline_write(),
                machine.state_write(),
            )

        writes = self._loop.call(go_back)
        # Stored before the answer, because the list of checkpoints is made from the database.
        self._store.write(lambda db: write_all(writes, db)).result()
        self._on_checkpoints(machine)
        return CommandOutcome(Said("baseline_back", {"baseline_id": baseline_id}))

    def promote(self, command: Command, asked: ResolveArgs) -> CommandOutcome:
        """Let the candidate replace the active heads before its shadow run is over."""
        reason = Said("promoted_by", {"actor": command.actor})
        return self._resolve(command, asked, HeadUpdater.promote, reason)

    def reject(self, command: Command, asked: ResolveArgs) -> CommandOutcome:
        """Discard the candidate."""
        reason = Said("rejected_by", {"actor": command.actor})
        return self._resolve(command, asked, HeadUpdater.reject, reason)

    def _resolve(
        self,
        command: Command,
        asked: ResolveArgs,
        decide: Callable[[HeadUpdater, int, Said], Checkpoint],
        reason: Said,
    ) -> CommandOutcome:
        machine = machine_named(self._machines, asked.machine)
        updater = updater_of(machine)
        at_ns = command.ts * NS_PER_MS
        for entry in updater.checkpoints():
            if entry.resolves == asked.checkpoint_id and entry.checkpoint.created_ns == at_ns:
                return self._changed(machine, entry.checkpoint)  # the command came again
        run = updater.shadow
        if run is None or run.checkpoint_id != asked.checkpoint_id:
            raise CommandRejection(
                "not_the_candidate", checkpoint_id=asked.checkpoint_id, machine=machine.id
            )
        return self._changed(machine, decide(updater, at_ns, reason))

    def _changed(self, machine: MonitoredMachine, checkpoint: Checkpoint) -> CommandOutcome:
        write = self._loop.call(machine.use_active_heads)
        self._on_checkpoints(machine)
        active = Said("now_active", {"checkpoint_id": machine.checkpoint_id})
        return CommandOutcome(
            Said("sentences", {"parts": (checkpoint.reason, active)}), writes=(write,)
        )


def label_of(
    store: Store,
    machines: Machines,
    command: Command,
    asked: LabelArgs | PreviewArgs,
    note: str = "",
) -> Label:
    """Make the label of a command; rejected if its event is not of this gateway."""
    return Label(
        label_id=command.id,
        event_id=asked.event_id,
        machine=machine_of_event(store, machines, asked.event_id).id,
        verdict=asked.verdict,
        kind=asked.kind if asked.verdict is Verdict.CONFIRMED_FAULT else None,
        actor=command.actor,
        created_ms=command.ts,
        note=note,
    )


def changes_heads(updater: HeadUpdater, label: Label) -> bool:
    """Whether a label can change heads: by its verdict, or because it withdraws an earlier one."""
    return label.verdict in (Verdict.FALSE_ALARM, Verdict.CONFIRMED_FAULT) or updater.is_labelled(
        label.event_id
    )
