"""Machines with their points."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import ID_LENGTH, MachineId, PointId, Reader, Running
from auscult.app.api.problems import documented, not_found
from auscult.app.cases import earlier
from auscult.app.store import accounts, checkpoints, events, machines
from auscult.app.views import EarlierCases, MachineDetail, MachineList, Point, SisterList
from auscult.contract.message import now_ms

router = APIRouter(prefix="/machines", tags=["machines"])


@router.get("", summary="All machines, worst first", responses=UNCHANGED)
def list_machines(
    dashboard: Running, reader: Reader, response: Response, if_none_match: IfNoneMatch = None
) -> MachineList:
    """Return every machine that a gateway listens to, with its condition and baseline progress."""
    answer = MachineList(items=machines.view_all(reader, dashboard.freshness()))
    same(response, answer, if_none_match)
    return answer


@router.get("/{machine_id}", summary="One machine", responses=documented(404))
def get_machine(machine_id: MachineId, dashboard: Running, reader: Reader) -> MachineDetail:
    """Return a machine with its points and the open event."""
    freshness = dashboard.freshness()
    machine = machines.view(reader, freshness, machine_id)
    if machine is None:
        raise not_found("machine", machine_id)
    return MachineDetail(
        **dict(machine),
        **machines.name_plate(reader, machine_id),
        point_states=machines.view_points(reader, freshness, machine_id),
        event=events.view(reader, machine.event_id) if machine.event_id else None,
        account=accounts.view(reader, machine_id, now_ms()),
        detectable=checkpoints.detectable(reader, machine_id),
    )


@router.get("/{machine_id}/sisters", summary="Machines of the same make", responses=documented(404))
def list_sisters(machine_id: MachineId, reader: Reader) -> SisterList:
    """Return the machines with the same points and the same name plate, by name."""
    if not machines.name_of(reader, machine_id):
        raise not_found("machine", machine_id)
    return SisterList(items=earlier.sisters_of(reader, machine_id))


@router.get(
    "/{machine_id}/earlier-cases",
    summary="What was found at a machine and its sisters",
    responses=documented(404),
)
def list_earlier_cases(
    machine_id: MachineId,
    dashboard: Running,
    reader: Reader,
    case_id: Annotated[
        str | None,
        Query(max_length=ID_LENGTH, description="Cases before this one, the most similar first"),
    ] = None,
) -> EarlierCases:
    """Return the machines of the same make, and the answered cases of all of them."""
    if not machines.name_of(reader, machine_id):
        raise not_found("machine", machine_id)
    return earlier.of_machine(reader, dashboard.freshness(), machine_id, case_id)


@router.get("/{machine_id}/points/{point}", summary="One point", responses=documented(404))
def get_point(machine_id: MachineId, point: PointId, dashboard: Running, reader: Reader) -> Point:
    """Return the current state of one measuring point."""
    found = machines.view_point(reader, dashboard.freshness(), machine_id, point)
    if found is None:
        raise not_found("point", f"{machine_id}/{point}")
    return found
