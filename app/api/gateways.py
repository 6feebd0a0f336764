"""Gateways."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import ID_LENGTH, Reader, Running
from auscult.app.api.problems import documented, not_found
from auscult.app.store import gateways
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
