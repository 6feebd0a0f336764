"""Events."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import (
    ActingBody,
    Cursor,
    EventId,
    Limit,
    MachineFilter,
    Reader,
    Running,
)
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Engineer, acting
from auscult.app.store import events, lost
from auscult.app.store.events import EventFilter
from auscult.app.views import EventDetail, EventPage
from auscult.contract.message import MAX_TIME_MS, now_ms
from auscult.contract.parts import AlarmState
from auscult.contract.payloads import Condition
from auscult.contract.requests import GivenWhy

router = APIRouter(prefix="/events", tags=["events"])


@router.get("", summary="Events, newest first", responses=UNCHANGED)
def list_events(
    reader: Reader,
    response: Response,
    machine_id: MachineFilter = None,
    state: Annotated[
        Literal["open", "closed"] | None, Query(description="Only open or only closed ones")
    ] = None,
    peak_condition: Annotated[
        Condition | None, Query(description="Only those whose worst condition was this")
    ] = None,
    labelled: Annotated[
        bool | None, Query(description="Only with, or only without a label")
    ] = None,
    alarm: Annotated[
        list[AlarmState], Query(description="Only those in one of these states (repeat it)")
    ] = [],  # noqa: B006 - FastAPI copies it
    since_ms: Annotated[
        int | None, Query(ge=0, lt=MAX_TIME_MS, description="Only those that had not ended then")
    ] = None,
    until_ms: Annotated[
        int | None, Query(ge=0, lt=MAX_TIME_MS, description="Only those that began before")
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
) -> EventPage:
    """Return a page of events; follow `next_cursor` for the rest."""
    which = EventFilter(
        machine_id, state, peak_condition, labelled, tuple(alarm), since_ms, until_ms
    )
    answer = events.view_page(reader, which, limit, cursor)
    same(response, answer, if_none_match)
    return answer


class Retire(ActingBody):
    """Close an event that its gateway can't close."""

    reason: GivenWhy


@router.post(
    "/{event_id}/retire",
    summary="Close an event that its gateway no longer has",
    responses=documented(403, 404, 409),
)
def post_retire(
    event_id: EventId, body: Retire, engineer: Engineer, dashboard: Running
) -> EventDetail:
    """Close it here; if its gateway has it after all, the gateway's next word opens it again."""
    found = events.view_detail(dashboard.store.read(), event_id)
    if found is None:
        raise not_found("event", event_id)
    person = acting(engineer, body)
    done = dashboard.access.do(
        person,
        "retire event",
        f"{found.machine_name}: {body.reason}",
        lambda db: lost.close(db, event_id, now_ms(), person.name, body.reason),
    )
    if not done:
        raise ProblemError("event_not_standing", status=409)
    return events.view_detail(dashboard.store.read(), event_id) or found


@router.get("/{event_id}", summary="One event", responses=documented(404))
def get_event(event_id: EventId, reader: Reader) -> EventDetail:
    """Return an event with its reasons, spectra and labels."""
    event = events.view_detail(reader, event_id)
    if event is None:
        raise not_found("event", event_id)
    return event
