"""Trends and events as tables."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse, StreamingResponse
from starlette.background import BackgroundTask

from auscult.app.api.inputs import ID_LENGTH, MachineFilter, Running
from auscult.app.api.periods import Period
from auscult.app.api.problems import documented
from auscult.app.api.tables import csv_lines, parquet_file
from auscult.app.dashboard import Dashboard
from auscult.app.store import exports
from auscult.app.store.tiers import AS_SENT, DAY_S, HOUR_S

router = APIRouter(prefix="/exports", tags=["exports"])

TIERS = {"sent": AS_SENT, "hour": HOUR_S, "day": DAY_S}
Tier = Annotated[
    Literal["sent", "hour", "day"],
    Query(description="As the gateways sent them, or by the hour or day; extremes are kept"),
]
PointFilter = Annotated[
    str | None, Query(max_length=ID_LENGTH, description="Of points of this name only")
]
PARQUET = "application/vnd.apache.parquet"
_KINDS = {
    "peak_evidence": "float64", "peak_p_value": "float64", "minimum": "float64", "mean": "float64",
    "maximum": "float64", "windows": "int64",
}  # fmt: skip


def _answers(media_type: str, *problems: int) -> dict[int | str, dict[str, Any]]:
    schema = {"type": "string", **({"format": "binary"} if media_type == PARQUET else {})}
    content = {media_type: {"schema": schema}}
    return {200: {"content": content, "description": "The table"}, **documented(*problems)}


@router.get(
    "/trends.csv",
    summary="Trends as CSV",
    response_class=Response,
    responses=_answers("text/csv"),
)
def export_trends_csv(
    period: Period,
    dashboard: Running,
    machine_id: MachineFilter = None,
    point: PointFilter = None,
    tier: Tier = "hour",
) -> Response:
    """Return a row for each point, interval and feature, oldest first."""
    return _csv(
        _trends(dashboard, period, machine_id, point, tier), exports.TREND_COLUMNS, "trends"
    )


@router.get(
    "/trends.parquet",
    summary="Trends as Parquet",
    response_class=Response,
    responses=_answers(PARQUET, 501),
)
def export_trends_parquet(
    period: Period,
    dashboard: Running,
    machine_id: MachineFilter = None,
    point: PointFilter = None,
    tier: Tier = "hour",
) -> Response:
    """Return a row for each point, interval and feature, oldest first."""
    pieces = _trends(dashboard, period, machine_id, point, tier)
    return _parquet(pieces, exports.TREND_COLUMNS, "trends")


@router.get(
    "/events.csv",
    summary="Events as CSV",
    response_class=Response,
    responses=_answers("text/csv"),
)
def export_events_csv(
    period: Period, dashboard: Running, machine_id: MachineFilter = None
) -> Response:
    """Return the events that began within the time, oldest first, each with its newest label."""
    pieces = exports.events(dashboard.store.read, machine_id, *period)
    return _csv(pieces, exports.EVENT_COLUMNS, "events")


@router.get(
    "/events.parquet",
    summary="Events as Parquet",
    response_class=Response,
    responses=_answers(PARQUET, 501),
)
def export_events_parquet(
    period: Period, dashboard: Running, machine_id: MachineFilter = None
) -> Response:
    """Return the events that began within the time, oldest first, each with its newest label."""
    pieces = exports.events(dashboard.store.read, machine_id, *period)
    return _parquet(pieces, exports.EVENT_COLUMNS, "events")


def _trends(
    dashboard: Dashboard,
    period: tuple[int, int],
    machine_id: str | None,
    point: str | None,
    tier: str,
) -> Any:
    read = dashboard.store.read
    points = exports.trend_points(read(), machine_id, point)
    return exports.trends(read, points, TIERS[tier], *period)


def _csv(pieces: Any, columns: tuple[str, ...], name: str) -> Response:
    return StreamingResponse(
        csv_lines(pieces, columns), media_type="text/csv", headers=_as_file(f"{name}.csv")
    )


def _parquet(pieces: Any, columns: tuple[str, ...], name: str) -> Response:
    kinds = {c: _KINDS.get(c, "int64" if c.endswith("_ms") else "string") for c in columns}
    path = parquet_file(pieces, kinds)
    return FileResponse(
        path,
        media_type=PARQUET,
        headers=_as_file(f"{name}.parquet"),
        background=BackgroundTask(path.unlink, missing_ok=True),
    )


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="auscult-{name}"'}
