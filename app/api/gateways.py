"""Gateways."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Response

from auscult.app.api.conditional import UNCHANGED, IfNoneMatch, same
from auscult.app.api.inputs import ID_LENGTH, Reader, RequestBody, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Administrator
from auscult.app.identity import gateway_id as gateway_id_of
from auscult.app.store import gateways, removal
from auscult.app.views import Gateway, GatewayList, UnknownGateway, UnknownGatewayList
from auscult.contract.machines import Id

router = APIRouter(prefix="/gateways", tags=["gateways"])


@router.get("", summary="All gateways", responses=UNCHANGED)
def list_gateways(
    dashboard: Running, reader: Reader, response: Response, if_none_match: IfNoneMatch = None
) -> GatewayList:
    """Return every known gateway by name."""
    answer = GatewayList(items=gateways.view_all(reader, dashboard.freshness()))
    same(response, answer, if_none_match)
    return answer


class NewGateway(RequestBody):
    """A gateway to enrol, by the ids in its configuration."""

    site: Id
    gateway: Id


@router.get("/unknown", summary="Gateways in quarantine", responses=documented(403))
def list_unknown_gateways(_person: Administrator, dashboard: Running) -> UnknownGatewayList:
    """Return the gateways that send messages and are not enrolled.

    Always empty without `[dashboard] unknown_gateways = "quarantine"`.
    """
    quarantine = dashboard.store.engine.caps.quarantine
    found = quarantine.listed() if quarantine else []
    return UnknownGatewayList(items=[UnknownGateway(**asdict(one)) for one in found])


@router.post("", summary="Enrol a gateway", status_code=201, responses=documented(403, 409, 503))
def enrol_gateway(
    body: NewGateway, person: Administrator, dashboard: Running, reader: Reader
) -> Gateway:
    """Accept messages of a gateway from now on; it may be enrolled before it first connects."""
    identity = gateway_id_of(body.site, body.gateway)
    if gateways.view(reader, dashboard.freshness(), identity) is not None:
        raise ProblemError("gateway_known", status=409, gateway=identity)
    dashboard.access.do(
        person,
        "enrol gateway",
        identity,
        lambda db: gateways.enrol(db, body.site, body.gateway),
    )
    if quarantine := dashboard.store.engine.caps.quarantine:
        quarantine.release(identity)
    gateway = gateways.view(dashboard.store.read(), dashboard.freshness(), identity)
    if gateway is None:
        raise not_found("gateway", identity)
    return gateway


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
    dashboard.access.do(
        person, "delete gateway", gateway_id, lambda db: removal.delete_gateway(db, gateway_id)
    )
    dashboard.enrolment.write_list()
    return Response(status_code=204)
