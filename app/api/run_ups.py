"""Run-ups and coast-downs of a point."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from auscult.app.api.inputs import ID_LENGTH, OF_A_POINT, Limit, MachineId, PointId, Reader
from auscult.app.api.problems import documented, not_found
from auscult.app.store import run_ups
from auscult.app.views import RunUpPage, RunUpView

router = APIRouter(tags=["run-ups"])


@router.get(
    "/machines/{machine_id}/points/{point}/run-ups",
    summary="Which run-ups and coast-downs a point has",
    **OF_A_POINT,
)
def list_run_ups(
    machine_id: MachineId, point: PointId, reader: Reader, limit: Limit = 50
) -> RunUpPage:
    """Return a point's newest run-ups and coast-downs, without their curves."""
    return RunUpPage(items=run_ups.view_newest(reader, machine_id, point, limit))


@router.get("/run-ups/{run_up_id}", summary="One run-up or coast-down", responses=documented(404))
def get_run_up(run_up_id: Annotated[str, Path(max_length=ID_LENGTH)], reader: Reader) -> RunUpView:
    """Return 1× over the speed, the critical speeds and the cascade."""
    found = run_ups.view(reader, run_up_id)
    if found is None:
        raise not_found("run_up", run_up_id)
    return found
