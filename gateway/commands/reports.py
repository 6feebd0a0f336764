"""The commands `report_fault` and `preview_fault`: a fault that nothing detected."""

from __future__ import annotations

import time
from functools import partial

from auscult.contract.event import Event, EventPhase
from auscult.contract.label import Label, Verdict
from auscult.contract.message import NS_PER_MS, millis
from auscult.contract.payloads import Command
from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.requests import (
    FaultSpan,
    PreviewFaultArgs,
    ReportFaultArgs,
    reported_event_id,
)
from auscult.contract.said import Said
from auscult.contract.times import HOUR_NS
from auscult.gateway.commands.handler import CommandOutcome, CommandRejection
from auscult.gateway.commands.labels import LabelCommands
from auscult.gateway.commands.lookup import Machines, machine_named, updater_of
from auscult.gateway.commands.preview import Previews
from auscult.gateway.machines.alarms import Alarm
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.publishing.publisher import Publication
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.storage.archive import EventWrite


class FaultReports:
    """Handlers; they run in the thread of the command queue.

    Parameters
    ----------
    machines : mapping of id to MonitoredMachine
    labels : LabelCommands
        A report is learned as a label on an event of its own.
    previews : Previews
    reporter : Reporter
    """

    def __init__(
        self, machines: Machines, labels: LabelCommands, previews: Previews, reporter: Reporter
    ) -> None:
        self._machines = machines
        self._labels = labels
        self._previews = previews
        self._reporter = reporter

    def report_fault(self, command: Command, asked: ReportFaultArgs) -> CommandOutcome:
        """Learn from a missed fault: the reported windows become an event, confirmed as a fault."""
        machine = machine_named(self._machines, asked.machine)
        label = _label_of(command, asked, asked.note)
        start_ns, end_ns = _stored_span_ns(machine, asked)
        points = updater_of(machine).reports.store(label.event_id, start_ns, end_ns)
        if not points:
            raise _nothing_stored(machine)
        event = _event_of(machine, label, points, start_ns, end_ns)
        alarm = Alarm(event, "normal", 1, time.time_ns(), label.actor, label.note)
        publications: tuple[Publication, ...] = self._reporter.alarms(machine, [alarm], event)
        return self._labels.answer(machine, label, publications, EventWrite(event))

    def preview_fault(self, command: Command, asked: PreviewFaultArgs) -> CommandOutcome:
        """Return what a report would change."""
        machine = machine_named(self._machines, asked.machine)
        label = _label_of(command, asked)
        start_ns, end_ns = _stored_span_ns(machine, asked)
        replay = updater_of(machine).reports.tried(label.event_id, start_ns, end_ns)
        if replay is None:
            raise _nothing_stored(machine)
        return self._previews.describe(label, partial(updater_of(machine).preview, label, replay))


def _label_of(command: Command, asked: FaultSpan, note: str = "") -> Label:
    return Label(
        label_id=command.id,
        event_id=reported_event_id(command.id),
        machine=asked.machine,
        verdict=Verdict.CONFIRMED_FAULT,
        kind=asked.kind,
        actor=command.actor,
        created_ms=command.ts,
        note=note,
    )


def _stored_span_ns(machine: MonitoredMachine, asked: FaultSpan) -> tuple[int, int]:
    """Return the part of a reported time whose windows are stored; a report may name years."""
    since_ns = updater_of(machine).reports.since_ns
    start_ns, end_ns = asked.start_ms * NS_PER_MS, asked.end_ms * NS_PER_MS
    now_ns = time.time_ns()
    if since_ns is None or end_ns < since_ns or start_ns >= now_ns:
        raise _nothing_stored(machine)
    return max(start_ns, since_ns), min(end_ns, now_ns)


def _nothing_stored(machine: MonitoredMachine) -> CommandRejection:
    since_ns = updater_of(machine).reports.since_ns
    if since_ns is None:
        return CommandRejection("report_no_windows", machine=machine.id)
    return CommandRejection(
        "report_outside", machine=machine.id, reach_h=(time.time_ns() - since_ns) / HOUR_NS
    )


def _event_of(
    machine: MonitoredMachine, label: Label, points: tuple[str, ...], start_ns: int, end_ns: int
) -> Event:
    """Return the event of a report: over, and known to the person who reported it."""
    said = Said("fault_reported", {"actor": label.actor, "kind": label.kind})
    return Event(
        event_id=label.event_id,
        machine=machine.id,
        phase=EventPhase.END,
        condition=Condition.NORMAL,
        started_ms=millis(start_ns),
        updated_ms=millis(end_ns),
        ended_ms=millis(end_ns),
        peak_condition=Condition.WARNING,
        peak_evidence=0.0,
        points=points,
        reasons=(Reason(ReasonKind.LEARNED, Condition.WARNING, said),),
        ids=machine.provenance(),
    )
