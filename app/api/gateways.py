"""Gateways."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import ID_LENGTH, Reader, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Administrator
from auscult.app.store import gateways, removal
from auscult.app.views import Gateway, GatewayList

router = APIRouter(prefix="/gateways", tags=["gateways"])


@router.get("", summary="All gateways", responses=UNCHANGED)
def list_gateways(
    dashboard: Running, reader: Reader, response: Response, if_none_match: IfNoneMatch = None
) -> GatewayList:
    """Return every known gateway by name."""
    answer = GatewayList(items=gateways.view_all(reader, dashboard.freshness()))
    same(response, answer, if_none_match)
    return answer


@router.get("/{gateway_id}", summary="One gateway", responses=documented(404))
def get_gateway(
    gateway_id: Annotated[
        str, Path(max_length=ID_LENGTH, description="`site~gateway`", examples=["plant~gw1"])
    ],
    dashboard: Running,
    reader: Reader,
) -> Gateway:
    """Return one gateway with its own health."""
    gateway = gateways.view(reader, dashboard.freshness(), gateway_id)
    if gateway is None:
        raise not_found("gateway", gateway_id)
    return gateway


@router.delete(
    "/{gateway_id}",
    summary="Delete a gateway that is gone",
    status_code=204,
    responses=documented(403, 404, 409, 503),
)
def delete_gateway(
    gateway_id: Annotated[str, Path(max_length=ID_LENGTH, description="`site~gateway`")],
    person: Administrator,
    dashboard: Running,
    reader: Reader,
) -> Response:
    """Delete it with its machines and all their data; one that is online must be stopped first.

    A retained topic that is left at the broker makes it appear again.
    """
    gateway = gateways.view(reader, dashboard.freshness(), gateway_id)
    if gateway is None:
        raise not_found("gateway", gateway_id)
    if gateway.state == "online" and not gateway.stale:
        raise ProblemError("gateway_online", status=409, gateway=gateway_id)
    removal.delete_bulk(dashboard.store, gateway_id)
    dashboard.gate.do(
        person, "delete gateway", gateway_id, lambda db: removal.delete_gateway(db, gateway_id)
    )
    return Response(status_code=204)
