"""The shift report."""

from __future__ import annotations

from fastapi import APIRouter, Response

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import Reader, Running
from auscult.app.api.periods import Period
from auscult.app.reports import shift
from auscult.app.views import ShiftReport

router = APIRouter(tags=["report"])


@router.get("/report", summary="What happened in a shift or a week", responses=UNCHANGED)
def get_report(
    period: Period,
    dashboard: Running,
    reader: Reader,
    response: Response,
    if_none_match: IfNoneMatch = None,
) -> ShiftReport:
    """Return new, open and ended cases, labels, learning, alarm figures and sensor health."""
    answer = shift.view(reader, dashboard.freshness(), *period)
    same(response, answer, if_none_match, but={"made_ms"})
    return answer
