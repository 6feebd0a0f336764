"""What the commands to a machine do: alarms, baselines, limits, spectra and clips."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from auscult.contract.message import now_ms
from auscult.contract.parts import SuppressionKind, SuppressionPart
from auscult.contract.payloads import Command
from auscult.contract.records import Condition
from auscult.contract.requests import (
    AcknowledgeArgs,
    ApproveArgs,
    ClipArgs,
    MachineArgs,
    OutOfServiceArgs,
    ReleaseArgs,
    SetLimitsArgs,
    ShelveArgs,
    SpectrumArgs,
    StopBaselineArgs,
)
from auscult.contract.said import Said
from auscult.contract.topics import Topics
from auscult.gateway.commands.handler import CommandOutcome, CommandRejection
from auscult.gateway.commands.lookup import Machines, machine_named, machine_of_event, point_named
from auscult.gateway.loop import WindowLoop
from auscult.gateway.machines.alarm_store import AlarmsWrite
from auscult.gateway.machines.alarms import Alarm, MachineAlarms
from auscult.gateway.machines.approval import ApprovalWrite
from auscult.gateway.machines.fixed_limits import FixedLimits
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.machine_writes import StateWrite
from auscult.gateway.machines.restore import limits_from
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.publisher import Publication
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.storage.outgoing import Lane
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.clips import Clips

log = logging.getLogger(__name__)


class MachineCommands:
    """Handlers of alarms, baselines, limits and signals; they run in the thread of the queue."""

    def __init__(
        self,
        loop: WindowLoop,
        machines: Machines,
        reporter: Reporter,
        store: Store,
        topics: Topics,
        clips: Clips,
        limits: FixedLimits,
    ) -> None:
        self._topics = topics
        self._clips = clips
        self._limits = limits
        self._loop = loop
        self._machines = machines
        self._reporter = reporter
        self._store = store

    def acknowledge(self, command: Command, asked: AcknowledgeArgs) -> CommandOutcome:
        """Note that someone knows of an event."""
        machine = machine_of_event(self._store, self._machines, asked.event_id)
        seen = Condition(asked.seen) if asked.seen is not None else None
        return self._handle(
            machine,
            lambda alarms: [
                alarms.acknowledge(
                    asked.event_id, command.actor, asked.comment, time.time_ns(), seen
                )
            ],
        )

    def shelve(self, command: Command, asked: ShelveArgs) -> CommandOutcome:
        """Hide a machine's alarms for a time."""
        since_ms = now_ms()
        shelf = SuppressionPart(
            kind="shelved",
            reason=asked.reason,
            actor=command.actor,
            since_ms=since_ms,
            until_ms=since_ms + asked.duration_s * 1000,
        )
        machine = machine_named(self._machines, asked.machine)
        return self._handle(machine, lambda alarms: alarms.suppress(shelf))

    def out_of_service(self, command: Command, asked: OutOfServiceArgs) -> CommandOutcome:
        """Hide a machine's alarms until further notice."""
        out = SuppressionPart(
            kind="out_of_service", reason=asked.reason, actor=command.actor, since_ms=now_ms()
        )
        machine = machine_named(self._machines, asked.machine)
        return self._handle(machine, lambda alarms: alarms.suppress(out))

    def unshelve(self, command: Command, asked: ReleaseArgs) -> CommandOutcome:
        """End a shelf before its time."""
        return self._release("shelved", command, asked)

    def return_to_service(self, command: Command, asked: ReleaseArgs) -> CommandOutcome:
        """Bring a machine back into service."""
        return self._release("out_of_service", command, asked)

    def finish_work(self, command: Command, asked: ReleaseArgs) -> CommandOutcome:
        """End planned work: decide again, and check what it changed."""
        machine = machine_named(self._machines, asked.machine)
        return self._handle(
            machine, lambda _: machine.finish_work(command.actor, asked.comment, time.time_ns())
        )

    def start_baseline(self, command: Command, asked: MachineArgs) -> CommandOutcome:
        """Begin a new healthy period."""
        machine = machine_named(self._machines, asked.machine)
        reason = asked.reason or Said("asked_for_by", {"actor": command.actor}).text

        def begin() -> StateWrite:
            machine.detector.start_baseline(machine.stream_ns, reason)
            self._reporter.machine_state(machine)
            return machine.state_write()

        return CommandOutcome(writes=(self._loop.call(begin),))

    def approve_baseline(self, command: Command, asked: ApproveArgs) -> CommandOutcome:
        """Let a new baseline decide."""
        machine = machine_named(self._machines, asked.machine)

        model = machine.detector.model
        if model is None:
            raise CommandRejection("baseline_learning", machine=asked.machine)
        if model.baseline_id != asked.baseline_id:
            raise CommandRejection(
                "baseline_changed", baseline_id=model.baseline_id, given_id=asked.baseline_id
            )

        def approve() -> None:
            machine.approve(asked.baseline_id)
            self._reporter.machine_state(machine)
            self._store.write(machine.state_write().write_to)

        write = ApprovalWrite(machine.id, asked.baseline_id, command.actor)
        return CommandOutcome(writes=(write,), then=lambda: self._loop.call(approve))

    def stop_baseline(self, _command: Command, asked: StopBaselineArgs) -> CommandOutcome:
        """End a healthy period before it is complete: discard it, or fit a baseline to it."""
        machine = machine_named(self._machines, asked.machine)

        def stop() -> StateWrite:
            phase = machine.detector.coverage.phase
            if phase != "collecting":
                raise CommandRejection("baseline_not_collecting", machine=machine.id, phase=phase)
            if asked.finish:
                self._loop.train(machine, machine.detector.fit_now())
            elif machine.detector.model is None:
                raise CommandRejection("baseline_none_earlier", machine=machine.id)
            else:
                machine.detector.cancel_baseline()
            self._reporter.machine_state(machine)
            return machine.state_write()

        return CommandOutcome(writes=(self._loop.call(stop),))

    def request_spectrum(self, _command: Command, asked: SpectrumArgs) -> CommandOutcome:
        """Send a spectrum of a point's last window."""
        machine = machine_named(self._machines, asked.machine)
        point = point_named(self._machines, asked.machine, asked.point)
        event_id = machine.open_event.event_id if machine.open_event else None
        sent = self._loop.call(lambda: self._reporter.spectra.measure(point, asked.kind, event_id))
        if sent is None:
            raise CommandRejection("no_window_yet", point=str(point))
        if asked.kind == "spectrum":
            return CommandOutcome(publications=(sent,))
        band = self._loop.call(lambda: self._reporter.spectra.impulsive_band(point))
        return CommandOutcome(encode.impulsive_band(band) if band else None, publications=(sent,))

    def request_clip(self, command: Command, asked: ClipArgs) -> CommandOutcome:
        """Send a piece of a point's raw signal."""
        point = point_named(self._machines, asked.machine, asked.point)
        clip = self._loop.call(lambda: self._clips.cut(asked, command, now_ms()))
        topic = self._topics.clip(point.machine, point.point)
        return CommandOutcome(
            Said("clip_sent", {"seconds": clip.n / clip.fs_hz}),
            publications=(Publication(topic, clip, Lane.TREND),),
        )

    def set_limits(self, command: Command, asked: SetLimitsArgs) -> CommandOutcome:
        """Change the fixed limits of a point."""
        machine = machine_named(self._machines, asked.machine)
        point = point_named(self._machines, asked.machine, asked.point)
        limits = self._limits.chosen(point.machine, point.point, asked.limits)
        wanted = limits_from(limits)
        machine.detector.check_limits(asked.point, wanted)

        def use() -> None:
            self._loop.call(lambda: machine.set_limits(asked.point, wanted))
            self._limits.replace(point.machine, point.point, limits)

        write = self._limits.write(point.machine, point.point, asked.limits, command.actor)
        return CommandOutcome(
            Said("limits_set", {"count": len(limits), "point": str(point)}),
            writes=(write,),
            then=use,
        )

    def _release(
        self, kind: SuppressionKind, command: Command, asked: ReleaseArgs
    ) -> CommandOutcome:
        return self._handle(
            machine_named(self._machines, asked.machine),
            lambda alarms: alarms.release(kind, command.actor, asked.comment, time.time_ns()),
        )

    def _handle(
        self, machine: MonitoredMachine, change: Callable[[MachineAlarms], list[Alarm]]
    ) -> CommandOutcome:
        """Change a machine's alarms in the thread of the loop."""

        def apply() -> CommandOutcome:
            changed = change(machine.alarms)
            self._reporter.machine_state(machine)
            return CommandOutcome(
                publications=self._reporter.alarms(machine, changed),
                writes=(AlarmsWrite.from_machine(machine.alarms, changed),),
            )

        return self._loop.call(apply)
