"""Acknowledgement of events, and the figures of alarms (ISA-18.2).

The state of alarms is the gateway's; the dashboard sends requests and shows the answers.
"""

from __future__ import annotations

from fastapi import APIRouter, Response

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import Asked, EventId, Reader, Running
from auscult.app.api.periods import Period
from auscult.app.api.problems import not_found
from auscult.app.api.rights import Technician
from auscult.app.api.sending import ANSWERS, Sending
from auscult.app.store import events
from auscult.app.store.alarm_load import alarm_load
from auscult.app.views import AlarmLoad, SentCommand
from auscult.contract.message import now_ms
from auscult.contract.requests import (
    AcknowledgeArgs,
    Commands,
    Note,
)

router = APIRouter(tags=["alarms"])


class Acknowledge(Asked):
    """Acknowledge an event."""

    comment: Note = ""


@router.post(
    "/events/{event_id}/acknowledge",
    summary="Acknowledge an event",
    status_code=201,
    responses=ANSWERS,
)
async def post_acknowledge(
    event_id: EventId, body: Acknowledge, technician: Technician, dashboard: Running, send: Sending
) -> SentCommand:
    """Acknowledge; this clears nothing, and a worse condition needs a new acknowledgement."""
    event = await dashboard.reading(events.view, event_id)
    if event is None:
        raise not_found("event", event_id)
    args = AcknowledgeArgs(event_id=event_id, comment=body.comment, seen=event.peak_condition)
    return await send(event.machine_id, Commands.ACKNOWLEDGE, technician, body, args)


@router.get("/alarms/load", summary="The load of alarms on people", responses=UNCHANGED)
def get_alarm_load(
    period: Period, reader: Reader, response: Response, if_none_match: IfNoneMatch = None
) -> AlarmLoad:
    """Return the figures of ISA-18.2 for the alarms that began within a time."""
    answer = alarm_load(reader, *period, now_ms())
    same(response, answer, if_none_match)
    return answer
