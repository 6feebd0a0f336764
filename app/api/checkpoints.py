"""The checkpoints of a machine, and the decision on a candidate."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from auscult.app.api.inputs import Asked, MachineId, Reader
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import Engineer
from auscult.app.api.sending import ANSWERS, Sending
from auscult.app.identity import parts
from auscult.app.store import checkpoints
from auscult.app.views import Command, MachineCheckpoints
from auscult.contract.requests import Commands, ResolveArgs

router = APIRouter(prefix="/machines/{machine_id}", tags=["checkpoints"])


class ResolveRequest(Asked):
    """Decide on the candidate that runs in the shadow."""

    checkpoint_id: str = Field(max_length=128, description="The shown candidate")


@router.get("/checkpoints", summary="Checkpoints of a machine", responses=documented(404))
def get_checkpoints(machine_id: MachineId, reader: Reader) -> MachineCheckpoints:
    """Return checkpoints, newest first, the candidate's shadow run and the kept baselines."""
    found = checkpoints.view(reader, machine_id)
    if found is None:
        raise not_found("checkpoints", machine_id)
    return found


@router.post("/promote", summary="Let the candidate judge now", status_code=201, responses=ANSWERS)
async def post_promote(
    machine_id: MachineId, body: ResolveRequest, person: Engineer, send: Sending
) -> Command:
    """Have the gateway end the shadow run and activate the candidate."""
    args = ResolveArgs(machine=parts(machine_id)[-1], checkpoint_id=body.checkpoint_id)
    return await send(machine_id, Commands.PROMOTE, person, body, args)


@router.post("/reject", summary="Drop the candidate", status_code=201, responses=ANSWERS)
async def post_reject(
    machine_id: MachineId, body: ResolveRequest, person: Engineer, send: Sending
) -> Command:
    """Have the gateway end the shadow run and drop the candidate."""
    args = ResolveArgs(machine=parts(machine_id)[-1], checkpoint_id=body.checkpoint_id)
    return await send(machine_id, Commands.REJECT, person, body, args)
