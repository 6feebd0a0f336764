"""Commands to gateways."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from auscult.app.api.inputs import (
    ID_LENGTH,
    Asked,
    Limit,
    MachineFilter,
    MachineId,
    PointId,
    Reader,
)
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import Engineer, Technician
from auscult.app.api.sending import ANSWERS, Sending
from auscult.app.identity import parts
from auscult.app.store import commands
from auscult.app.views import Command, CommandPage
from auscult.contract.machines import LimitSettings
from auscult.contract.requests import (
    Commands,
    MachineArgs,
    RollBackArgs,
    SetLimitsArgs,
    SpectrumArgs,
    SpectrumKind,
    StopBaselineArgs,
    Why,
)

router = APIRouter(tags=["commands"])


class BaselineRequest(Asked):
    """Learn a new baseline."""

    reason: Why = ""


class BaselineStop(Asked):
    """End a healthy period before it is complete."""

    finish: bool = Field(default=False, description="Fit a baseline to the windows so far")
    reason: Why = ""


class LimitsRequest(Asked):
    """All fixed limits of a point."""

    limits: tuple[LimitSettings, ...] | None = Field(
        max_length=50, description="null = those of the gateway's configuration again"
    )
    reason: Why = ""


class RollBackRequest(Asked):
    """Go back to an earlier checkpoint."""

    checkpoint_id: str | None = Field(
        default=None, max_length=128, description="Default: the parent of the active one"
    )
    baseline_id: str | None = Field(
        default=None, max_length=128, description="An older baseline that is kept, instead"
    )


class SpectrumRequest(Asked):
    """Measure a spectrum now."""

    kind: SpectrumKind = "spectrum"


@router.post(
    "/machines/{machine_id}/baseline",
    summary="Start a new baseline",
    status_code=201,
    responses=ANSWERS,
)
async def post_baseline(
    machine_id: MachineId, body: BaselineRequest, person: Engineer, send: Sending
) -> Command:
    """Have the gateway discard the machine's baseline and learn a new one."""
    args = MachineArgs(machine=parts(machine_id)[-1], reason=body.reason)
    return await send(machine_id, Commands.START_BASELINE, person, body, args)


@router.post(
    "/machines/{machine_id}/baseline/stop",
    summary="End a healthy period",
    status_code=201,
    responses=ANSWERS,
)
async def post_baseline_stop(
    machine_id: MachineId, body: BaselineStop, person: Engineer, send: Sending
) -> Command:
    """Have the gateway discard a healthy period, or fit a baseline to its windows so far."""
    machine = parts(machine_id)[-1]
    args = StopBaselineArgs(machine=machine, finish=body.finish, reason=body.reason)
    return await send(machine_id, Commands.STOP_BASELINE, person, body, args)


@router.put(
    "/machines/{machine_id}/points/{point}/limits",
    summary="Set a point's fixed limits",
    status_code=201,
    responses=ANSWERS,
)
async def put_limits(
    machine_id: MachineId, point: PointId, body: LimitsRequest, person: Engineer, send: Sending
) -> Command:
    """Have the gateway check a point against these limits until they are replaced."""
    args = SetLimitsArgs(
        machine=parts(machine_id)[-1], point=point, limits=body.limits, reason=body.reason
    )
    return await send(machine_id, Commands.SET_LIMITS, person, body, args)


@router.post(
    "/machines/{machine_id}/roll-back",
    summary="Roll back to an earlier checkpoint",
    status_code=201,
    responses=ANSWERS,
)
async def post_roll_back(
    machine_id: MachineId, body: RollBackRequest, person: Engineer, send: Sending
) -> Command:
    """Have the gateway return to a checkpoint, without the later labels."""
    args = RollBackArgs(
        machine=parts(machine_id)[-1],
        checkpoint_id=body.checkpoint_id,
        baseline_id=body.baseline_id,
    )
    return await send(machine_id, Commands.ROLL_BACK, person, body, args)


@router.post(
    "/machines/{machine_id}/points/{point}/spectra",
    summary="Measure a spectrum now",
    status_code=201,
    responses=ANSWERS,
)
async def post_spectrum(
    machine_id: MachineId, point: PointId, body: SpectrumRequest, person: Technician, send: Sending
) -> Command:
    """Ask for a spectrum; it appears among the point's spectra."""
    args = SpectrumArgs(machine=parts(machine_id)[-1], point=point, kind=body.kind)
    return await send(machine_id, Commands.REQUEST_SPECTRUM, person, body, args)


@router.get("/commands", summary="The newest commands")
def list_commands(
    reader: Reader, machine_id: MachineFilter = None, limit: Limit = 50
) -> CommandPage:
    """Return commands with their state, labels included."""
    return CommandPage(items=commands.view_newest(reader, machine_id, limit))


@router.get("/commands/{command_id}", summary="One command", responses=documented(404))
def get_command(command_id: Annotated[str, Path(max_length=ID_LENGTH)], reader: Reader) -> Command:
    """Return a command with its state."""
    command = commands.view(reader, command_id)
    if command is None:
        raise not_found("command", command_id)
    return command
