"""Handling alarms (ISA-18.2): acknowledge, shelve, take out of service, and their figures.

The state of alarms is the gateway's; the dashboard sends requests and shows the answers.
"""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import Field

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import Asked, EventId, MachineId, Reader, Running
from auscult.app.api.periods import Period
from auscult.app.api.problems import not_found
from auscult.app.api.rights import Engineer, Technician
from auscult.app.api.sending import ANSWERS, Sending
from auscult.app.identity import parts
from auscult.app.store import events
from auscult.app.store.alarm_load import alarm_load
from auscult.app.views import AlarmLoad, Command
from auscult.contract.message import now_ms
from auscult.contract.payloads import MAX_SHELF_S
from auscult.contract.requests import (
    AcknowledgeArgs,
    Commands,
    GivenWhy,
    Note,
    OutOfServiceArgs,
    ReleaseArgs,
    ShelveArgs,
    Why,
)

router = APIRouter(tags=["alarms"])


class Acknowledge(Asked):
    """Acknowledge an event."""

    comment: Note = ""


class Shelve(Asked):
    """Hide a machine's alarms for a while."""

    reason: GivenWhy
    duration_s: int = Field(ge=60, le=MAX_SHELF_S)


class TakeOutOfService(Asked):
    """Hide a machine's alarms until further notice."""

    reason: GivenWhy


class Release(Asked):
    """End a shelf or planned work, or bring back into service."""

    comment: Why = ""


@router.post(
    "/events/{event_id}/acknowledge",
    summary="Acknowledge an event",
    status_code=201,
    responses=ANSWERS,
)
async def post_acknowledge(
    event_id: EventId, body: Acknowledge, technician: Technician, dashboard: Running, send: Sending
) -> Command:
    """Acknowledge; this clears nothing, and a worse condition needs a new acknowledgement."""
    event = await dashboard.reading(events.view, event_id)
    if event is None:
        raise not_found("event", event_id)
    args = AcknowledgeArgs(event_id=event_id, comment=body.comment, seen=event.peak_condition)
    return await send(event.machine_id, Commands.ACKNOWLEDGE, technician, body, args)


@router.post(
    "/machines/{machine_id}/shelve",
    summary="Shelve a machine's alarms",
    status_code=201,
    responses=ANSWERS,
)
async def post_shelve(
    machine_id: MachineId, body: Shelve, technician: Technician, send: Sending
) -> Command:
    """Shelve; alarms that are still open after the time are unacknowledged again."""
    machine = parts(machine_id)[-1]
    args = ShelveArgs(machine=machine, duration_s=body.duration_s, reason=body.reason)
    return await send(machine_id, Commands.SHELVE, technician, body, args)


@router.post(
    "/machines/{machine_id}/unshelve",
    summary="End a shelf",
    status_code=201,
    responses=ANSWERS,
)
async def post_unshelve(
    machine_id: MachineId, body: Release, technician: Technician, send: Sending
) -> Command:
    """End it by hand; alarms that are still open count as acknowledged by the caller."""
    args = ReleaseArgs(machine=parts(machine_id)[-1], comment=body.comment)
    return await send(machine_id, Commands.UNSHELVE, technician, body, args)


@router.post(
    "/machines/{machine_id}/out-of-service",
    summary="Take a machine's alarms out of service",
    status_code=201,
    responses=ANSWERS,
)
async def post_out_of_service(
    machine_id: MachineId, body: TakeOutOfService, engineer: Engineer, send: Sending
) -> Command:
    """Take out of service until someone brings it back."""
    args = OutOfServiceArgs(machine=parts(machine_id)[-1], reason=body.reason)
    return await send(machine_id, Commands.OUT_OF_SERVICE, engineer, body, args)


@router.post(
    "/machines/{machine_id}/return-to-service",
    summary="Bring a machine back into service",
    status_code=201,
    responses=ANSWERS,
)
async def post_return_to_service(
    machine_id: MachineId, body: Release, engineer: Engineer, send: Sending
) -> Command:
    """Bring it back; alarms that are still open count as acknowledged by the caller."""
    args = ReleaseArgs(machine=parts(machine_id)[-1], comment=body.comment)
    return await send(machine_id, Commands.RETURN_TO_SERVICE, engineer, body, args)


@router.post(
    "/machines/{machine_id}/work-finished",
    summary="End planned work",
    status_code=201,
    responses=ANSWERS,
)
async def post_work_finished(
    machine_id: MachineId, body: Release, technician: Technician, send: Sending
) -> Command:
    """End it: the gateway decides again and compares the machine with before the work."""
    args = ReleaseArgs(machine=parts(machine_id)[-1], comment=body.comment)
    return await send(machine_id, Commands.FINISH_WORK, technician, body, args)


@router.get("/alarms/load", summary="The load of alarms on people", responses=UNCHANGED)
def get_alarm_load(
    period: Period, reader: Reader, response: Response, if_none_match: IfNoneMatch = None
) -> AlarmLoad:
    """Return the figures of ISA-18.2 for the alarms that began within a time."""
    answer = alarm_load(reader, *period, now_ms())
    same(response, answer, if_none_match)
    return answer
