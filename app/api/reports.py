"""Reports for managers: PDF pages, figures by the month, and what is sent every week."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Response

from auscult.app.api.inputs import ActingBody, Identity, MachineId, Reader, Running
from auscult.app.api.periods import Period
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import EngineerOfAll, acting
from auscult.app.dashboard import Dashboard
from auscult.app.identity import parts
from auscult.app.notify import regular
from auscult.app.people.sessions import Person
from auscult.app.reports import figures
from auscult.app.store import machines, notifications, report_schedules, scope
from auscult.app.store.connection import WritableDatabase
from auscult.app.views import (
    DeliveryPage,
    Figures,
    Language,
    ReportSchedule,
    ReportScheduleBody,
    ReportScheduleList,
)
from auscult.contract.message import now_ms

if TYPE_CHECKING:
    from auscult.app.reports.pages import Pages

router = APIRouter(tags=["report"])

PDF = "application/pdf"
AS_PDF: dict[int | str, dict[str, Any]] = {
    200: {"content": {PDF: {"schema": {"type": "string", "format": "binary"}}}}
}


class ScheduleRequest(ReportScheduleBody, ActingBody):
    """A report that is sent every week."""


@router.get(
    "/reports/plant.pdf", summary="The plant on a page", response_class=Response, responses=AS_PDF
)
def get_plant_report(
    period: Period, dashboard: Running, reader: Reader, language: Language = "en"
) -> Response:
    """Return status, cases and figures of a time as one A4 page."""
    return _as_file(_pages(dashboard, reader, language).plant(*period), "plant")


@router.get(
    "/machines/{machine_id}/report.pdf",
    summary="A machine on a page",
    response_class=Response,
    responses={**AS_PDF, **documented(404)},
)
def get_machine_report(
    machine_id: MachineId,
    period: Period,
    dashboard: Running,
    reader: Reader,
    language: Language = "en",
) -> Response:
    """Return headline, trend, the picture that proves it and what to do as one A4 page."""
    page = _pages(dashboard, reader, language).machine(machine_id, *period)
    if page is None:
        raise not_found("machine", machine_id)
    return _as_file(page, machine_id)


@router.get("/reports/figures", summary="Figures by the month")
def get_figures(
    dashboard: Running,
    reader: Reader,
    months: Annotated[int, Query(ge=1, le=figures.MOST_MONTHS)] = 12,
) -> Figures:
    """Return load of alarms, answers and time to acknowledge, oldest month first."""
    return figures.by_month(reader, dashboard.notifier.now(), months)


@router.get("/reports/schedules", summary="Reports that are sent every week")
def list_schedules(reader: Reader) -> ReportScheduleList:
    """Return the reports that are sent of what the caller sees, by name."""
    return ReportScheduleList(
        items=[
            one
            for one in report_schedules.view_all(reader)
            if scope.sees(one.site or (parts(one.machine_id)[0] if one.machine_id else ""))
        ]
    )


@router.post(
    "/reports/schedules",
    summary="Send a report every week",
    status_code=201,
    responses=documented(403, 404, 409),
)
def post_schedule(
    body: ScheduleRequest, engineer: EngineerOfAll, dashboard: Running
) -> ReportSchedule:
    """Store a schedule; its first report comes at its next time."""
    if len(report_schedules.view_all(dashboard.store.read())) >= report_schedules.MOST:
        raise ProblemError("list_full", status=409, most=report_schedules.MOST)
    return _put(dashboard, acting(engineer, body), uuid.uuid4().hex, body)


@router.put(
    "/reports/schedules/{schedule_id}", summary="Change a report", responses=documented(403, 404)
)
def put_schedule(
    schedule_id: Identity, body: ScheduleRequest, engineer: EngineerOfAll, dashboard: Running
) -> ReportSchedule:
    """Replace a schedule."""
    _schedule(dashboard, schedule_id)
    return _put(dashboard, acting(engineer, body), schedule_id, body)


@router.delete(
    "/reports/schedules/{schedule_id}",
    summary="Send a report no more",
    status_code=204,
    responses=documented(403, 404),
)
def delete_schedule(schedule_id: Identity, engineer: EngineerOfAll, dashboard: Running) -> Response:
    """Remove a schedule."""
    found = _schedule(dashboard, schedule_id)
    dashboard.access.do(
        engineer, "remove report", found.name, lambda db: report_schedules.remove(db, schedule_id)
    )
    return Response(status_code=204)


@router.post(
    "/reports/schedules/{schedule_id}/send",
    summary="Send a report now",
    responses=documented(403, 404),
)
async def post_send(
    schedule_id: Identity,
    body: ActingBody,
    engineer: EngineerOfAll,
    dashboard: Running,
    wait_s: Annotated[float, Query(ge=0, le=30)] = 20,
) -> DeliveryPage:
    """Send the report of the last seven days to its channels, and return what became of it."""
    found = await dashboard.working(_schedule, dashboard, schedule_id)
    reader = dashboard.store.read()
    new = regular.due(
        reader, dashboard.freshness(), [found], dashboard.notifier.now(),
        dashboard.settings.page_url, at_once=uuid.uuid4().hex,
    )  # fmt: skip

    def plan(db: WritableDatabase) -> None:
        for one in new:
            notifications.plan(db, one, now_ms())

    await dashboard.working(
        dashboard.access.do, acting(engineer, body), "send report", found.name, plan
    )
    sent = [await dashboard.delivered(one.key, wait_s) for one in new]
    return DeliveryPage(items=sent, failing=sum(one.state != "sent" for one in sent))


def _pages(dashboard: Dashboard, reader: Reader, language: str) -> Pages:
    from auscult.app.reports.pages import Pages  # 0.2 s: what writes PDF

    return Pages(reader, dashboard.freshness(), dashboard.notifier.now(), language)


def _as_file(content: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'inline; filename="auscult-{name}.pdf"'}
    return Response(content, media_type=PDF, headers=headers)


def _schedule(dashboard: Dashboard, identity: str) -> ReportSchedule:
    known = report_schedules.view_all(dashboard.store.read())
    found = next((one for one in known if one.id == identity), None)
    if found is None:
        raise not_found("report", identity)
    return found


def _put(
    dashboard: Dashboard, person: Person, identity: str, body: ScheduleRequest
) -> ReportSchedule:
    db = dashboard.store.read()
    known = {channel.id for channel in notifications.channels(db)}
    for channel in body.channels:
        if channel not in known:
            raise not_found("channel", channel)
    if body.machine_id and machines.view(db, dashboard.freshness(), body.machine_id) is None:
        raise not_found("machine", body.machine_id)
    dashboard.access.do(
        person,
        "set up report",
        body.name,
        lambda db: report_schedules.put(db, identity, body, person.name, now_ms()),
    )
    return _schedule(dashboard, identity)
