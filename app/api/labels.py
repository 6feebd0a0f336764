"""Labels: verdicts on events, and the ledger of what they changed."""

from __future__ import annotations

from typing import Annotated, Any, Self

from fastapi import APIRouter, Path, Response
from pydantic import model_validator

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import (
    ID_LENGTH,
    ActingBody,
    Asked,
    Cursor,
    EventId,
    Limit,
    MachineFilter,
    MachineId,
    Reader,
    Running,
    WaitS,
)
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Technician, acting
from auscult.app.api.sending import ASKED, ask
from auscult.app.dashboard import Dashboard
from auscult.app.identity import parts
from auscult.app.store import events, labels, machines
from auscult.app.views import LabelPage, LabelPreview, LabelView
from auscult.contract import label
from auscult.contract.message import now_ms
from auscult.contract.requests import (
    Commands,
    FaultTime,
    GivenVerdict,
    Note,
    PreviewArgs,
    PreviewFaultArgs,
    ReportFaultArgs,
    WorkS,
    reported_event_id,
)
from auscult.contract.said import Rejection

router = APIRouter(tags=["labels"])


class _Verdict(GivenVerdict, ActingBody):
    @model_validator(mode="after")
    def _kind_needs_a_fault(self) -> Self:
        if self.kind is not None and self.verdict is not label.Verdict.CONFIRMED_FAULT:
            raise Rejection("kind_without_fault")
        return self


class LabelRequest(_Verdict, Asked):
    """A technician's verdict on an event."""

    note: Note = ""
    work_s: WorkS = None


class PreviewRequest(_Verdict):
    """A verdict to try."""


@router.post(
    "/events/{event_id}/labels",
    summary="Label an event",
    status_code=201,
    responses={
        200: {
            "model": LabelView,
            "description": "The label was stored before (a repeated request)",
        },
        **documented(403, 404, 409, 503),
    },
)
async def post_label(
    event_id: EventId,
    body: LabelRequest,
    technician: Technician,
    dashboard: Running,
    response: Response,
    wait_s: WaitS = 2,
) -> LabelView:
    """Store a label and send it to the gateway, waiting a moment for what it changes.

    It acknowledges the alarms of its case. A label that the gateway can't take now stays `pending`
    or `sent` and is sent again until the gateway acknowledges it or it expires; each step is a live
    event. With `planned_work` nothing alarms and nothing is learned until `/work-finished`, or for
    `work_s`.
    """
    machine = await dashboard.reading(events.machine_of, event_id)
    if machine is None:
        raise not_found("event", event_id)
    person = acting(technician, body)
    given = label.Label(
        label_id=body.id,
        event_id=event_id,
        machine=parts(machine)[-1],
        verdict=body.verdict,
        kind=body.kind,
        actor=person.name,
        note=body.note,
        created_ms=now_ms(),
    )
    if not await dashboard.commands.send_label(machine, given, person, wait_s, body.work_s):
        response.status_code = 200
    stored = await dashboard.reading(labels.view, body.id)
    if stored is None:
        raise not_found("label", body.id)
    return stored


@router.post("/events/{event_id}/preview", summary="What a label would change", responses=ASKED)
async def post_preview(
    event_id: EventId,
    body: PreviewRequest,
    technician: Technician,
    dashboard: Running,
    wait_s: WaitS = 5,
) -> LabelPreview:
    """Have the gateway learn a label on a copy and return the effect; nothing is changed.

    The gateway's gate decides as for a real label, after the labels that wait already.
    """
    machine = await dashboard.reading(events.machine_of, event_id)
    if machine is None:
        raise not_found("event", event_id)
    args = PreviewArgs(event_id=event_id, verdict=body.verdict, kind=body.kind)
    person = acting(technician, body)
    spec = Commands.PREVIEW_LABEL
    answer = await ask(dashboard, machine, spec, person, args, wait_s)
    if answer.preview is None:
        raise ProblemError("no_preview", status=424)
    return LabelPreview(event_id=event_id, machine_id=machine, **dict(answer.preview))


class _Span(FaultTime, ActingBody):
    pass


class FaultRequest(_Span, Asked):
    """A fault that raised no event: its time, and its kind if it is known."""

    note: Note = ""


@router.post(
    "/machines/{machine_id}/faults",
    summary="Report a missed fault",
    status_code=201,
    responses={
        200: {
            "model": LabelView,
            "description": "The report was stored before (a repeated request)",
        },
        **documented(403, 404, 409, 503),
    },
)
async def post_fault(
    machine_id: MachineId,
    body: FaultRequest,
    technician: Technician,
    dashboard: Running,
    response: Response,
    wait_s: WaitS = 2,
) -> LabelView:
    """Have the gateway learn a fault that nothing detected, from its windows of that time.

    The windows become an event with the verdict `confirmed_fault`; label that event again to
    correct or withdraw the report. The gateway stores the windows of the last 12 hours.
    """
    await _known(dashboard, machine_id)
    person = acting(technician, body)
    given = label.Label(
        label_id=body.id,
        event_id=reported_event_id(body.id),
        machine=parts(machine_id)[-1],
        verdict=label.Verdict.CONFIRMED_FAULT,
        kind=body.kind,
        actor=person.name,
        note=body.note,
        created_ms=now_ms(),
    )
    args = ReportFaultArgs(machine=given.machine, note=body.note, **_time(body))
    if not await dashboard.commands.send_report(machine_id, given, args, person, wait_s):
        response.status_code = 200
    stored = await dashboard.reading(labels.view, body.id)
    if stored is None:
        raise not_found("label", body.id)
    return stored


@router.post(
    "/machines/{machine_id}/faults/preview",
    summary="What a report of a missed fault would change",
    responses=ASKED,
)
async def post_fault_preview(
    machine_id: MachineId,
    body: _Span,
    technician: Technician,
    dashboard: Running,
    wait_s: WaitS = 5,
) -> LabelPreview:
    """Have the gateway learn a missed fault on a copy and return the effect."""
    args = PreviewFaultArgs(machine=parts(machine_id)[-1], **_time(body))
    person = acting(technician, body)
    answer = await ask(dashboard, machine_id, Commands.PREVIEW_FAULT, person, args, wait_s)
    if answer.preview is None:
        raise ProblemError("no_preview", status=424)
    return LabelPreview(event_id="", machine_id=machine_id, **dict(answer.preview))


def _time(body: FaultTime) -> dict[str, Any]:
    return {"start_ms": body.start_ms, "end_ms": body.end_ms, "kind": body.kind}


async def _known(dashboard: Dashboard, machine_id: str) -> None:
    if await dashboard.reading(machines.view, dashboard.freshness(), machine_id) is None:
        raise not_found("machine", machine_id)


@router.get("/labels", summary="The label ledger, newest first", responses=UNCHANGED)
def list_labels(
    reader: Reader,
    response: Response,
    machine_id: MachineFilter = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    if_none_match: IfNoneMatch = None,
) -> LabelPage:
    """Return labels with what each changed: before, after, accepted or why not."""
    answer = labels.view_page(reader, machine_id, limit, cursor)
    same(response, answer, if_none_match)
    return answer


@router.get("/labels/{label_id}", summary="One label", responses=documented(404))
def get_label(label_id: Annotated[str, Path(max_length=ID_LENGTH)], reader: Reader) -> LabelView:
    """Return a label with its state and lesson."""
    stored = labels.view(reader, label_id)
    if stored is None:
        raise not_found("label", label_id)
    return stored
