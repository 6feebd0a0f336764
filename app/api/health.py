"""Health of the dashboard, for people, load balancers and container health checks."""

from __future__ import annotations

from fastapi import APIRouter, Response

from auscult.app.api.inputs import Running
from auscult.app.views import Health

router = APIRouter(tags=["health"])


@router.get(
    "/api/health",
    summary="Health of the dashboard",
    responses={503: {"model": Health, "description": "Nothing can be stored or read"}},
)
def get_health(dashboard: Running, response: Response) -> Health:
    """Answer 200 while the dashboard can store and read, also without the broker; else 503."""
    health = dashboard.health()
    if health.status == "failing":
        response.status_code = 503
    return health
