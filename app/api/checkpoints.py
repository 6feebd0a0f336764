"""The checkpoints of a machine."""

from __future__ import annotations

from fastapi import APIRouter

from auscult.app.api.inputs import MachineId, Reader
from auscult.app.api.problems import documented, not_found
from auscult.app.store import checkpoints
from auscult.app.views import MachineCheckpoints

router = APIRouter(prefix="/machines/{machine_id}", tags=["checkpoints"])


@router.get("/checkpoints", summary="Checkpoints of a machine", responses=documented(404))
def get_checkpoints(machine_id: MachineId, reader: Reader) -> MachineCheckpoints:
    """Return checkpoints, newest first, the candidate's shadow run and the kept baselines."""
    found = checkpoints.view(reader, machine_id)
    if found is None:
        raise not_found("checkpoints", machine_id)
    return found
