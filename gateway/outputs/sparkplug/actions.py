"""From a host's writes to what it asks of the gateway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from auscult.contract.host_actions import HostAction
from auscult.contract.label import Verdict
from auscult.contract.parts import SPECTRUM_KINDS
from auscult.contract.requests import (
    MAX_KIND,
    AcknowledgeArgs,
    Commands,
    CommandSpec,
    LabelArgs,
    MachineArgs,
    OutOfServiceArgs,
    ReleaseArgs,
    ReportFaultArgs,
    RollBackArgs,
    ShelveArgs,
    SpectrumArgs,
    StopBaselineArgs,
)
from auscult.gateway.outputs.sparkplug.commands import NodeCommand
from auscult.gateway.tags.inventory import (
    ACKNOWLEDGE,
    FINISH_BASELINE,
    LABEL,
    OUT_OF_SERVICE,
    REPORT_FAULT,
    ROLL_BACK,
    SHELVE,
    START_BASELINE,
    STOP_BASELINE,
    VERDICTS,
    request_name,
)
from auscult.models.learning.window_ring import HOURS

ACTOR = "Sparkplug host"
"""A write does not say who wrote it: the broker's access list says who could."""
REASON = "asked for over Sparkplug"
LONGEST_REPORT_MIN = 60 * HOURS
"""The gateway stores the windows of these hours."""

Asked = tuple[CommandSpec[Any], BaseModel]


def action_of(command: NodeCommand, points: Sequence[str], last_event: str) -> HostAction | str:
    """Return what a command asks for, or why it is refused.

    Parameters
    ----------
    points : sequence of str
        Points of the machine.
    last_event : str
        Id of the machine's open event, else of its last one; empty without one.
    """
    machine = command.unit
    if machine is None:
        return f"{command.metric!r} cannot be commanded"
    try:
        spec, args = _asked(command, machine, points, last_event)
    except ValueError as refusal:
        return str(refusal)
    return HostAction(spec, args, command.t_ms, ACTOR)


def _asked(command: NodeCommand, machine: str, points: Sequence[str], last_event: str) -> Asked:
    value = command.value
    match command.metric:
        case name if name == ACKNOWLEDGE:
            if not last_event or value != last_event:
                raise ValueError(f"{str(value)[:64]!r} is not the machine's last event")
            return Commands.ACKNOWLEDGE, AcknowledgeArgs(event_id=last_event)
        case name if name == LABEL:
            return _label(str(value), last_event)
        case name if name == REPORT_FAULT:
            return Commands.REPORT_FAULT, _report(str(value), machine, command.t_ms)
        case name if name == SHELVE:
            if value == 0:
                return Commands.UNSHELVE, ReleaseArgs(machine=machine, comment=REASON)
            seconds = 60 * int(value)
            args = ShelveArgs(machine=machine, duration_s=seconds, reason=REASON)
            return Commands.SHELVE, args
        case name if name == OUT_OF_SERVICE:
            if value:
                out = OutOfServiceArgs(machine=machine, reason=REASON)
                return Commands.OUT_OF_SERVICE, out
            return Commands.RETURN_TO_SERVICE, ReleaseArgs(machine=machine, comment=REASON)
        case _:
            if value is not True:
                raise ValueError("write true to command it")
            return _button(command.metric, machine, points)


def _button(metric: str, machine: str, points: Sequence[str]) -> Asked:
    """Return what is asked for by writing true."""
    buttons: dict[str, Asked] = {
        START_BASELINE: (Commands.START_BASELINE, MachineArgs(machine=machine)),
        STOP_BASELINE: (Commands.STOP_BASELINE, StopBaselineArgs(machine=machine)),
        FINISH_BASELINE: (
            Commands.STOP_BASELINE,
            StopBaselineArgs(machine=machine, finish=True),
        ),
        ROLL_BACK: (Commands.ROLL_BACK, RollBackArgs(machine=machine)),
    }
    for point in points:
        for kind in SPECTRUM_KINDS:
            args = SpectrumArgs.model_validate({"machine": machine, "point": point, "kind": kind})
            buttons[request_name(point, kind)] = Commands.REQUEST_SPECTRUM, args
    if metric not in buttons:
        raise ValueError(f"{metric!r} cannot be commanded")
    return buttons[metric]


def _label(value: str, last_event: str) -> Asked:
    """Read `false_alarm` or, with the fault that was found, `confirmed_fault:outer`."""
    verdict, _, kind = (part.strip() for part in value.partition(":"))
    if not last_event:
        raise ValueError("the machine has had no event yet")
    if verdict not in VERDICTS:
        raise ValueError(f"{value[:64]!r} is no verdict: write one of {', '.join(VERDICTS)}")
    given = LabelArgs(
        event_id=last_event,
        verdict=Verdict(verdict),
        kind=kind[:MAX_KIND] or None,
        note=REASON,
    )
    return Commands.LABEL, given


def _report(value: str, machine: str, t_ms: int) -> ReportFaultArgs:
    """Read the minutes that a missed fault has lasted, `30` or, with its kind, `30:gear`."""
    minutes, _, kind = (part.strip() for part in value.partition(":"))
    number = int(minutes) if minutes.isascii() and minutes.isdigit() else 0
    if not 1 <= number <= LONGEST_REPORT_MIN:
        raise ValueError(
            f"{value[:64]!r} is no duration: write the minutes until now, 1 to {LONGEST_REPORT_MIN}"
        )
    return ReportFaultArgs(
        machine=machine,
        start_ms=t_ms - 60_000 * number,
        end_ms=t_ms,
        kind=kind[:MAX_KIND] or None,
        note=REASON,
    )
