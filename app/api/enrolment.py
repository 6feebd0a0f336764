"""Enrolment of gateways by a short code: codes of administrators, requests of gateways."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from auscult.app.api.inputs import ID_LENGTH, Reader, RequestBody, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Administrator
from auscult.app.enrolment import codes, service
from auscult.app.enrolment.exchange import new_code
from auscult.app.people.cookie import address_of
from auscult.app.views import (
    EnrolmentAnswer,
    EnrolmentCodeList,
    MadeEnrolmentCode,
)
from auscult.contract.machines import Id
from auscult.contract.message import now_ms
from auscult.contract.times import HOUR_MS

router = APIRouter(prefix="/gateways/codes", tags=["gateways"])
box_router = APIRouter(prefix="/enrolment", tags=["gateways"])
"""Needs no sign-in: the code is the right."""


class NewEnrolmentCode(RequestBody):
    """The gateway that a code is for."""

    site: Id
    gateway: Id
    hours: float = Field(default=1, ge=0.05, le=codes.LONGEST_HOURS, description="Valid for, hours")


class EnrolmentRequest(RequestBody):
    """What a new gateway sends (`auscult enrol`)."""

    tag: str = Field(min_length=4, max_length=4, description="First four symbols of the code")
    nonce: str = Field(pattern=r"^[0-9a-f]{32}$", description="Random, new for each request")
    csr: str = Field(min_length=1, max_length=2000, description="Signing request, PEM, P-256")
    proof: str = Field(pattern=r"^[0-9a-f]{64}$", description="HMAC-SHA256 with the code's key")


@router.get("", summary="Enrolment codes", responses=documented(403))
def list_enrolment_codes(
    _person: Administrator, dashboard: Running, reader: Reader
) -> EnrolmentCodeList:
    """Return all codes, newest first; used ones stay until their gateway is deleted."""
    return EnrolmentCodeList(items=codes.view_all(reader, now_ms()), open=dashboard.enrolment.open)


@router.post("", summary="Make a code", status_code=201, responses=documented(403, 409, 503))
def make_enrolment_code(
    body: NewEnrolmentCode, person: Administrator, dashboard: Running
) -> MadeEnrolmentCode:
    """Make a code for one gateway; this answer alone holds it. An open code of it ends."""
    try:
        dashboard.enrolment.check_id(body.site, body.gateway)
    except service.EnrolmentError as error:
        raise ProblemError(error.said, status=409) from error
    code, now = new_code(), now_ms()
    dashboard.access.do(
        person,
        "make enrolment code",
        f"{body.site}/{body.gateway}",
        lambda db: codes.add(db, code, body.site, body.gateway, person.name, now, body.hours),
    )
    expires_ms = now + int(body.hours * HOUR_MS)
    return MadeEnrolmentCode(code=code, site=body.site, gateway=body.gateway, expires_ms=expires_ms)


@router.delete(
    "/{tag}", summary="Withdraw a code", status_code=204, responses=documented(403, 404, 503)
)
def withdraw_enrolment_code(
    tag: Annotated[str, Path(max_length=ID_LENGTH, examples=["K7Q2"])],
    person: Administrator,
    dashboard: Running,
) -> Response:
    """Withdraw a code that was not used."""
    if not dashboard.access.do(
        person, "withdraw enrolment code", tag, lambda db: codes.withdraw(db, tag)
    ):
        raise not_found("code", tag)
    return Response(status_code=204)


@box_router.post("", summary="Enrol by code", responses=documented(403, 429, 503))
def enrol_by_code(body: EnrolmentRequest, request: Request, dashboard: Running) -> EnrolmentAnswer:
    """Answer a new gateway with its certificate; the code is then used.

    The same request gets the same answer while the code is valid. Five wrong ones end the code.
    """
    address = address_of(request)
    dashboard.access.limit(address)
    asked = service.Request(body.tag.upper(), body.nonce, body.csr, body.proof)
    try:
        answer, proof = dashboard.enrolment.enrol(asked, address, now_ms())
    except service.EnrolmentError as error:
        dashboard.access.audit_action(address, "enrol by code", body.tag, "refused")
        raise ProblemError(error.said, status=403) from error
    dashboard.access.audit_action(
        address, "enrol by code", f"{answer.site}/{answer.gateway}", "done"
    )
    if quarantine := dashboard.store.engine.caps.quarantine:
        quarantine.release(f"{answer.site}~{answer.gateway}")
    return EnrolmentAnswer(**asdict(answer), proof=proof)
