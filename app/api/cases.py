"""Cases: what is wrong, what to check, and the work on it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import (
    ID_LENGTH,
    PICTURE_BODY,
    ActingBody,
    Cursor,
    Limit,
    MachineFilter,
    Reader,
    Running,
)
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Technician, acting
from auscult.app.cases import compose, photo
from auscult.app.dashboard import Dashboard
from auscult.app.people.sessions import Person
from auscult.app.store import cases, commands, lost
from auscult.app.store.cases import NewEntry, NewPhoto
from auscult.app.store.connection import WritableDatabase
from auscult.app.store.received import Change
from auscult.app.views import Case, CaseDetail, CaseList, Finding, Mark, Outcome
from auscult.contract.message import MAX_TIME_MS, now_ms
from auscult.contract.requests import GivenWhy, Note

router = APIRouter(prefix="/cases", tags=["cases"])

CaseId = Annotated[str, Path(max_length=ID_LENGTH, description="Id of its first event")]
Name = Annotated[str, Field(max_length=64)]
CHANGED = documented(403, 404, 409, 503)


class AcknowledgeCase(ActingBody):
    """Acknowledge all events of a case that wait."""

    comment: Note = ""


class Assign(ActingBody):
    """Give a case to someone."""

    assignee: Name = Field(description="Empty = to no one")
    due_ms: int | None = Field(default=None, ge=0, lt=MAX_TIME_MS)


class NewNote(ActingBody):
    """Write a note."""

    text: GivenWhy
    mark: Mark | None = Field(default=None, description="Where in a plot it is")


class HandOver(ActingBody):
    """Hand a case over to the next shift or to someone."""

    text: GivenWhy
    assignee: Name = ""


class Close(ActingBody):
    """Close a case with what was found."""

    finding: Finding
    stop: Literal["avoided", "happened"] | None = Field(
        default=None, description="An unplanned stop that the case spared the plant, or did not"
    )
    stop_h: float | None = Field(
        default=None, ge=0, le=10_000, description="Its length, as the person estimates it"
    )


class SplitCases(ActingBody):
    """Treat each machine of a common cause on its own."""

    comment: Note = ""


class Reopen(ActingBody):
    """Open a closed case again."""

    reason: GivenWhy


@router.get("", summary="Cases, most urgent first", responses=UNCHANGED)
def list_cases(
    dashboard: Running,
    reader: Reader,
    response: Response,
    which: Annotated[
        Literal["active", "closed"], Query(description="Closed ones come page by page")
    ] = "active",
    machine_id: MachineFilter = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
) -> CaseList:
    """Return the cases that are not finished, or those that are, with the state of the plant."""
    freshness = dashboard.freshness()
    if which == "active":
        answer = compose.view_active(reader, freshness, machine_id)
    else:
        answer = compose.view_closed(reader, freshness, machine_id, limit, cursor)
    same(response, answer, if_none_match)
    return answer


@router.get("/{case_id}", summary="One case", responses=documented(404))
def get_case(case_id: CaseId, dashboard: Running, reader: Reader) -> CaseDetail:
    """Return a case with its proof, its history and what to check; an event's id names its case."""
    identity = cases.of_event(reader, case_id) or case_id
    case = compose.view_detail(reader, dashboard.freshness(), identity)
    if case is None:
        raise not_found("case", case_id)
    return case


@router.post("/{case_id}/acknowledge", summary="Acknowledge a case", responses=CHANGED)
async def post_acknowledge_case(
    case_id: CaseId, body: AcknowledgeCase, technician: Technician, dashboard: Running
) -> Case:
    """Acknowledge every event of the case that waits; a worse condition needs a new one."""
    case = await _case(dashboard, case_id)
    person = acting(technician, body)
    if case.kind == "machine":
        await dashboard.commands.acknowledge_case(case.id, person, body.comment, wait_s=5)
        return await _case(dashboard, case_id)
    now = now_ms()

    def job(db: WritableDatabase) -> None:
        seen = {"acknowledged_ms": now, "acknowledged_by": person.name}
        cases.update(db, case.id, unacknowledged=0, **seen)
        cases.add_entry(db, NewEntry(case.id, now, person.name, "acknowledged", body.comment))

    return await _changed(dashboard, case.id, person, "acknowledge case", body.comment, job)


@router.post("/{case_id}/assign", summary="Assign a case", responses=CHANGED)
async def post_assign(
    case_id: CaseId, body: Assign, technician: Technician, dashboard: Running
) -> Case:
    """Set who has the case, and by when it is to be done."""
    person = acting(technician, body)

    def job(db: WritableDatabase) -> None:
        cases.update(db, case_id, assignee=body.assignee, due_ms=body.due_ms)
        cases.add_entry(db, NewEntry(case_id, now_ms(), person.name, "assigned", body.assignee))

    return await _changed(dashboard, case_id, person, "assign case", body.assignee, job)


@router.post("/{case_id}/notes", summary="Write a note", status_code=201, responses=CHANGED)
async def post_note(
    case_id: CaseId, body: NewNote, technician: Technician, dashboard: Running
) -> Case:
    """Add a note to the case's history."""
    person = acting(technician, body)
    entry = NewEntry(case_id, now_ms(), person.name, "note", body.text, mark=body.mark)
    return await _changed(
        dashboard, case_id, person, "note", body.text, lambda db: cases.add_entry(db, entry)
    )


@router.post("/{case_id}/hand-over", summary="Hand a case over", responses=CHANGED)
async def post_hand_over(
    case_id: CaseId, body: HandOver, technician: Technician, dashboard: Running
) -> Case:
    """Pass the case on with a word; without a name it is open to the next shift."""
    person = acting(technician, body)
    entry = NewEntry(case_id, now_ms(), person.name, "handed_over", body.text)

    def job(db: WritableDatabase) -> None:
        cases.update(db, case_id, assignee=body.assignee)
        cases.add_entry(db, entry)

    return await _changed(dashboard, case_id, person, "hand over case", body.text, job)


@router.post("/{case_id}/close", summary="Close a case", responses=CHANGED)
async def post_close(
    case_id: CaseId, body: Close, technician: Technician, dashboard: Running
) -> Case:
    """Close with the finding; a later departure opens a new case.

    The finding is offered as the label by the page; closing sends none. After a repair, the gateway
    compares the machine with before it (`check_repair`).
    """
    person = acting(technician, body)
    case = await _case(dashboard, case_id)
    if case.state == "open" and case.lost_ms is None:
        raise ProblemError("case_still_open", status=409)
    now = now_ms()
    entry = NewEntry(case.id, now, person.name, "closed", body.finding.text)
    finding = Outcome(
        **dict(body.finding),
        stop=body.stop,
        stop_h=body.stop_h if body.stop else None,
        downtime_cost_per_h=case.criticality.downtime_cost_per_h if body.stop else None,
    )

    def job(db: WritableDatabase) -> None:
        lost.close_of_case(db, case.id, now)
        cases.update(db, case.id, closed_ms=now, closed_by=person.name)
        cases.set_finding(db, case.id, finding.model_dump())
        if case.kind != "machine":
            cases.update(db, case.id, unacknowledged=0)
        cases.add_entry(db, entry)
        repaired = body.finding.result == "fault_repaired"
        dashboard.commands.close_case(db, case.id, person, body.finding.text, repaired)

    closed = await _changed(dashboard, case.id, person, "close case", body.finding.result, job)
    dashboard.commands.wake()
    return closed


@router.post("/{case_id}/check-repair", summary="Have a repair checked again", responses=CHANGED)
async def post_check_repair(
    case_id: CaseId, body: ActingBody, technician: Technician, dashboard: Running
) -> CaseDetail:
    """Send `check_repair` again, which the gateway rejected or did not answer in time."""
    person = acting(technician, body)
    case = await _detail(dashboard, case_id)
    if case.finding is None or case.finding.result != "fault_repaired":
        raise ProblemError("case_not_repaired", status=409)

    def job(db: WritableDatabase) -> None:
        newest = cases.newest_event(db, case.id)
        check = commands.view_repair_check(db, case.machine_id, newest, case.closed_ms or 0)
        if check is None or check.state in ("refused", "expired"):
            dashboard.commands.check_repair(db, case.id, person, now_ms())

    await dashboard.working(dashboard.store.write, job)
    dashboard.commands.wake()
    return await _detail(dashboard, case.id)


@router.post("/{case_id}/reopen", summary="Open a closed case again", responses=CHANGED)
async def post_reopen(
    case_id: CaseId, body: Reopen, technician: Technician, dashboard: Running
) -> Case:
    """Take a closing back."""
    person = acting(technician, body)
    entry = NewEntry(case_id, now_ms(), person.name, "reopened", body.reason)

    def job(db: WritableDatabase) -> None:
        cases.update(db, case_id, closed_ms=None, closed_by="", finding=None)
        cases.add_entry(db, entry)

    return await _changed(dashboard, case_id, person, "reopen case", body.reason, job)


@router.post("/{case_id}/split", summary="Split a common cause", responses=CHANGED)
async def post_split(
    case_id: CaseId, body: SplitCases, technician: Technician, dashboard: Running
) -> Case:
    """Say that the machines of `common` have no cause in common: each case is one of its own."""
    person, now = acting(technician, body), now_ms()
    case = await _case(dashboard, case_id)
    apart = [one.id for one in case.common.cases] if case.common else []

    def job(db: WritableDatabase) -> None:
        for one in apart:
            cases.add_entry(db, NewEntry(one, now, person.name, "split", body.comment))
        db.announce([Change("case", one) for one in apart])

    return await _changed(dashboard, case.id, person, "split cases", body.comment, job)


@router.post(
    "/{case_id}/photos",
    summary="Add a photo",
    status_code=201,
    responses=documented(403, 404, 409, 503),
    openapi_extra=PICTURE_BODY,
)
async def post_photo(
    case_id: CaseId,
    request: Request,
    technician: Technician,
    dashboard: Running,
    caption: Annotated[str, Query(max_length=200)] = "",
    actor: Annotated[
        str, Query(min_length=1, max_length=64, description="Where login is off")
    ] = "someone",
) -> CaseDetail:
    """Store a picture: made smaller, upright, and without place, time and maker of the phone."""
    person = acting(technician, ActingBody(actor=actor))
    case = await _case(dashboard, case_id)
    if case.photos >= cases.MOST_PHOTOS:
        raise ProblemError("photos_full", status=409, most=cases.MOST_PHOTOS)
    body = await request.body()
    made = await photo.encoded_in_turn(body)
    now, identity = now_ms(), uuid.uuid4().hex
    new = NewPhoto(
        identity, case.id, now, person.name, caption, made.width, made.height, made.image
    )
    entry = NewEntry(case.id, now, person.name, "photo", caption, identity)

    def job(db: WritableDatabase) -> None:
        cases.add_photo(db, new)
        cases.add_entry(db, entry)

    await _changed(dashboard, case.id, person, "add photo", identity, job)
    return await _detail(dashboard, case.id)


@router.get(
    "/{case_id}/photos/{photo_id}",
    summary="A photo",
    response_class=Response,
    responses={
        200: {"content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}},
        **documented(404),
    },
)
def get_photo(
    case_id: CaseId, photo_id: Annotated[str, Path(max_length=64)], reader: Reader
) -> Response:
    """Return the picture as JPEG; it never changes."""
    image = cases.photo(reader, case_id, photo_id)
    if image is None:
        raise not_found("photo", photo_id)
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(image, media_type="image/jpeg", headers=headers)


@router.delete(
    "/{case_id}/photos/{photo_id}", summary="Remove a photo", responses=documented(403, 404, 503)
)
async def delete_photo(
    case_id: CaseId,
    photo_id: Annotated[str, Path(max_length=64)],
    technician: Technician,
    dashboard: Running,
) -> CaseDetail:
    """Remove a picture; the history keeps that there was one."""

    def job(db: WritableDatabase) -> None:
        if not cases.remove_photo(db, case_id, photo_id):
            raise not_found("photo", photo_id)

    await _changed(dashboard, case_id, technician, "remove photo", photo_id, job)
    return await _detail(dashboard, case_id)


async def _case(dashboard: Dashboard, case_id: str) -> Case:
    case = await dashboard.reading(compose.view, dashboard.freshness(), case_id)
    if case is None:
        raise not_found("case", case_id)
    return case


async def _detail(dashboard: Dashboard, case_id: str) -> CaseDetail:
    case = await dashboard.reading(compose.view_detail, dashboard.freshness(), case_id)
    if case is None:
        raise not_found("case", case_id)
    return case


async def _changed(
    dashboard: Dashboard,
    case_id: str,
    person: Person,
    action: str,
    what: str,
    job: Callable[[WritableDatabase], object],
) -> Case:
    """Do something to a case, audited and announced; return the case after it."""
    case = await _case(dashboard, case_id)
    subject = f"{case.machine_name}, {case.text}: {what}" if what else case.machine_name

    def both(db: WritableDatabase) -> None:
        job(db)
        db.announce([Change("case", case_id)])

    await dashboard.working(dashboard.access.do, person, action, subject, both)
    return await _case(dashboard, case_id)
