"""The shift report."""

from __future__ import annotations

from fastapi import APIRouter

from app.api.inputs import Reader, Running
from app.api.periods import Period
from app.store import report
from app.views import ShiftReport

router = APIRouter(tags=["report"])


@router.get("/report", summary="What happened in a shift or a week")
def get_report(period: Period, dashboard: Running, reader: Reader) -> ShiftReport:
    """Return new, open and closed events, labels, learning, alarm figures and sensor health."""
    return report.view(reader, dashboard.freshness(), *period)
