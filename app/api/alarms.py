"""Handling alarms (ISA-18.2): acknowledge, shelve, take out of service, and their figures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from sqlite_utils import Database

from app.api.inputs import (
    MAX_TIME_MS,
    ActingBody,
    EventId,
    MachineId,
    Reader,
    Running,
)
from app.api.rights import Engineer, Technician, acting, require
from app.clock import now_ms
from app.dashboard import Dashboard
from app.people.roles import Role
from app.problems import ProblemError, documented, not_found
from app.store import alarms, events, machines
from app.store.alarm_load import DAY_MS, alarm_load
from app.store.received import Change
from app.views import AlarmLoad, Event, Machine

router = APIRouter(tags=["alarms"])

MAX_SHELF_S = 7 * 86_400
"""Longer is out of service, which is an engineer's decision."""


class Acknowledge(ActingBody):
    """Say that someone knows."""

    comment: str = Field(default="", max_length=2000)


class Shelve(ActingBody):
    """Hide a machine's alarms for a while."""

    reason: str = Field(min_length=1, max_length=500)
    duration_s: int = Field(ge=60, le=MAX_SHELF_S)


class TakeOutOfService(ActingBody):
    """Hide a machine's alarms until further notice."""

    reason: str = Field(min_length=1, max_length=500)


@router.post(
    "/events/{event_id}/acknowledge",
    summary="Acknowledge an event",
    responses=documented(403, 404, 503),
)
def post_acknowledge(
    event_id: EventId, body: Acknowledge, technician: Technician, dashboard: Running, reader: Reader
) -> Event:
    """Acknowledge; this clears nothing, and a worse condition asks again."""
    if events.machine_of(reader, event_id) is None:
        raise not_found("event", event_id)
    person, now = acting(technician, body), now_ms()
    dashboard.gate.do(
        person,
        "acknowledge",
        f"event {event_id}: {body.comment}",
        lambda db: alarms.acknowledge(db, event_id, person.name, body.comment, now),
    )
    dashboard.hub.changed([Change("event", event_id)])
    event = events.view(reader, event_id)
    if event is None:
        raise not_found("event", event_id)
    return event


@router.post(
    "/machines/{machine_id}/shelve",
    summary="Shelve a machine's alarms",
    responses=documented(403, 404, 409, 503),
)
def post_shelve(
    machine_id: MachineId, body: Shelve, technician: Technician, dashboard: Running, reader: Reader
) -> Machine:
    """Shelve; when the time is over, what is still wrong is unacknowledged again."""
    person, now = acting(technician, body), now_ms()
    before = _machine(dashboard, reader, machine_id)
    if before.suppression is not None and before.suppression.kind == "out_of_service":
        raise ProblemError(409, "the machine is out of service: bring it back first")
    until_ms = now + 1000 * body.duration_s
    dashboard.gate.do(
        person,
        "shelve",
        f"{machine_id} for {body.duration_s} s: {body.reason}",
        lambda db: alarms.suppress(
            db, machine_id, "shelved", body.reason, person.name, now, until_ms
        ),
    )
    return _told(dashboard, reader, machine_id)


@router.post(
    "/machines/{machine_id}/out-of-service",
    summary="Take a machine's alarms out of service",
    responses=documented(403, 404, 503),
)
def post_out_of_service(
    machine_id: MachineId,
    body: TakeOutOfService,
    engineer: Engineer,
    dashboard: Running,
    reader: Reader,
) -> Machine:
    """Take out of service until someone brings it back."""
    person, now = acting(engineer, body), now_ms()
    _machine(dashboard, reader, machine_id)
    dashboard.gate.do(
        person,
        "out of service",
        f"{machine_id}: {body.reason}",
        lambda db: alarms.suppress(
            db, machine_id, "out_of_service", body.reason, person.name, now, None
        ),
    )
    return _told(dashboard, reader, machine_id)


@router.post(
    "/machines/{machine_id}/return-to-service",
    summary="End a shelf or bring back into service",
    responses=documented(403, 404, 503),
)
def post_return_to_service(
    machine_id: MachineId,
    body: ActingBody,
    technician: Technician,
    dashboard: Running,
    reader: Reader,
) -> Machine:
    """End it by hand: what is still wrong counts as acknowledged by who ends it."""
    person, now = acting(technician, body), now_ms()
    suppression = _machine(dashboard, reader, machine_id).suppression
    if suppression is not None:
        if suppression.kind == "out_of_service":
            require(person, Role.ENGINEER)
        dashboard.gate.do(
            person,
            "return to service",
            machine_id,
            lambda db: alarms.end_suppression(db, machine_id, person.name, now),
        )
    return _told(dashboard, reader, machine_id)


@router.get("/alarms/load", summary="How much the alarms ask of people")
def get_alarm_load(
    reader: Reader,
    since_ms: Annotated[
        int | None, Query(ge=0, lt=MAX_TIME_MS, description="Default: 7 days before `until_ms`")
    ] = None,
    until_ms: Annotated[
        int | None, Query(ge=0, lt=MAX_TIME_MS, description="Exclusive; default: now")
    ] = None,
) -> AlarmLoad:
    """Return the figures of ISA-18.2 for the alarms that began within a time."""
    now = now_ms()
    until_ms = until_ms if until_ms is not None else now + 1
    since_ms = since_ms if since_ms is not None else max(0, until_ms - 7 * DAY_MS)
    if since_ms >= until_ms:
        raise ProblemError(422, f"since_ms {since_ms} must be before until_ms {until_ms}")
    return alarm_load(reader, since_ms, until_ms, now)


def _machine(dashboard: Dashboard, reader: Database, machine_id: str) -> Machine:
    machine = machines.view(reader, dashboard.freshness(), machine_id)
    if machine is None:
        raise not_found("machine", machine_id)
    return machine


def _told(dashboard: Dashboard, reader: Database, machine_id: str) -> Machine:
    """Tell the pages of the machine and its open events; return the machine."""
    open_events = alarms.open_events_of(reader, machine_id)
    changes = [Change("event", event_id) for event_id in open_events]
    dashboard.hub.changed([Change("machine", machine_id), *changes])
    return _machine(dashboard, reader, machine_id)
