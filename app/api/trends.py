"""Trends of a point's features."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from auscult.app.api.inputs import MachineId, PointId, Reader, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.store import trends
from auscult.app.store.trends import TrendRequest
from auscult.app.views import FeatureTrends
from auscult.contract.message import MAX_TIME_MS

router = APIRouter(prefix="/machines", tags=["trends"])

DEFAULT_SPAN_MS = 24 * 3600 * 1000


@router.get(
    "/{machine_id}/points/{point}/trend",
    summary="A point's features over time",
    response_model=FeatureTrends,
    responses=documented(404),
)
def get_trend(
    machine_id: MachineId,
    point: PointId,
    dashboard: Running,
    reader: Reader,
    start_ms: Annotated[
        int | None, Query(ge=0, lt=MAX_TIME_MS, description="Default: a day before `end_ms`")
    ] = None,
    end_ms: Annotated[
        int | None, Query(ge=0, lt=MAX_TIME_MS, description="Exclusive; default: now")
    ] = None,
    feature: Annotated[
        list[str] | None,
        Query(max_length=100, description="Features by name, repeatable; none = all"),
    ] = None,
    max_points: Annotated[
        int, Query(ge=1, le=5000, description="Down-sampled to at most as many, extremes kept")
    ] = 600,
) -> Response:
    """Return minimum, mean and maximum of features for each interval or bucket of intervals."""
    end_ms = end_ms if end_ms is not None else dashboard.freshness().now_ms + 1
    start_ms = start_ms if start_ms is not None else max(0, end_ms - DEFAULT_SPAN_MS)
    if start_ms >= end_ms:
        raise ProblemError("empty_period", status=422, start_ms=start_ms, end_ms=end_ms)
    wanted = TrendRequest(machine_id, point, start_ms, end_ms, max_points, tuple(feature or ()))
    trend = trends.encoded(reader, wanted)
    if trend is None:
        raise not_found("point", f"{machine_id}/{point}")
    return Response(trend, media_type="application/json")
