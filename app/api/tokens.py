"""Tokens of machines: for administrators."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response
from pydantic import Field

from auscult.app.api.inputs import ID_LENGTH, Reader, RequestBody, Running
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import Administrator
from auscult.app.people import tokens
from auscult.app.store.audited import in_words
from auscult.app.views import MadeToken, TokenList
from auscult.app.views.roles import Role
from auscult.contract.machines import Id
from auscult.contract.message import MAX_TIME_MS, now_ms

router = APIRouter(prefix="/tokens", tags=["people"])


ProgramRole = Literal["viewer", "technician", "engineer"]
"""No program administers accounts."""


class NewToken(RequestBody):
    """A token to make."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._\-]{1,62}$",
        description="The program that uses it; the audit names it `token:` and this",
        examples=["maintenance system"],
    )
    role: ProgramRole = Field(
        default="viewer", description="Its rights; no program administers accounts"
    )
    sites: dict[Id, ProgramRole] = Field(
        default={}, max_length=1000, description="Role at each site; empty = `role` at all sites"
    )
    expires_ms: int | None = Field(
        default=None, ge=0, lt=MAX_TIME_MS, description="Null = until it is revoked"
    )


@router.get("", summary="All tokens", responses=documented(403))
def list_tokens(_person: Administrator, reader: Reader) -> TokenList:
    """Return all tokens without their secrets, newest first, revoked ones too."""
    return TokenList(items=tokens.view_all(reader))


@router.post("", summary="Make a token", status_code=201, responses=documented(403, 503))
def post_token(body: NewToken, person: Administrator, dashboard: Running) -> MadeToken:
    """Make a token; this answer alone holds its secret."""
    now = now_ms()
    sites = {site: Role(role) for site, role in body.sites.items()}
    secret, made = dashboard.access.do(
        person,
        "make token",
        f"{body.name}: {in_words(body.sites) if body.sites else body.role}",
        lambda db: tokens.make(
            db, body.name, Role(body.role), sites, person.name, now, body.expires_ms
        ),
    )
    return MadeToken(**dict(made), secret=secret)


@router.delete(
    "/{token_id}", summary="Revoke a token", status_code=204, responses=documented(403, 404, 503)
)
def delete_token(
    token_id: Annotated[str, Path(max_length=ID_LENGTH)],
    person: Administrator,
    dashboard: Running,
    reader: Reader,
) -> Response:
    """Revoke; it is invalid from now on, and stays in the list."""
    token = tokens.view(reader, token_id)
    if token is None:
        raise not_found("token", token_id)
    now = now_ms()
    dashboard.access.do(
        person,
        "revoke token",
        token.name,
        lambda db: tokens.revoke(db, token_id, now),
        ends_rights=True,
    )
    return Response(status_code=204)
