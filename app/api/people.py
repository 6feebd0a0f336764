"""Accounts and the audit: for administrators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from auscult.app.api.inputs import Limit, Reader, RequestBody, Running
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import Administrator
from auscult.app.api.tables import csv_lines
from auscult.app.people import accounts, audit
from auscult.app.people.accounts import NAME_PATTERN, Account, AccountUpdate
from auscult.app.people.audit import AuditEntry, AuditFilter, AuditPage
from auscult.app.people.passwords import MAX_LENGTH
from auscult.app.store.audited import in_words
from auscult.app.views import View
from auscult.app.views.roles import Role, SiteRoles, highest
from auscult.contract.message import MAX_TIME_MS, now_ms

router = APIRouter(tags=["people"])


def _which(
    actor: Annotated[str | None, Query(max_length=128, description="Of this actor only")] = None,
    action: Annotated[str | None, Query(max_length=64, description="Of this kind only")] = None,
    text: Annotated[
        str | None, Query(max_length=100, description="Found in subject or outcome")
    ] = None,
    since_ms: Annotated[int | None, Query(ge=0, lt=MAX_TIME_MS)] = None,
    until_ms: Annotated[int | None, Query(ge=0, lt=MAX_TIME_MS)] = None,
) -> AuditFilter:
    return AuditFilter(actor, action, text, since_ms, until_ms)


Which = Annotated[AuditFilter, Depends(_which)]


class AccountList(View):
    """All accounts."""

    items: list[Account]


class NewAccount(RequestBody):
    """An account to make."""

    name: str = Field(pattern=NAME_PATTERN)
    role: Role
    sites: SiteRoles = Field(default_factory=dict)
    password: str = Field(min_length=1, max_length=MAX_LENGTH)


class AccountChange(RequestBody):
    """What to change; what is left out stays. Also ends a lock-out."""

    role: Role | None = None
    sites: SiteRoles | None = Field(
        default=None,
        description="Empty = all sites; for an account of some sites only together with `role`",
    )
    disabled: bool | None = None
    password: str | None = Field(default=None, min_length=1, max_length=MAX_LENGTH)


@router.get("/people", summary="All accounts", responses=documented(403))
def list_people(_person: Administrator, reader: Reader) -> AccountList:
    """Return all accounts by name."""
    return AccountList(items=accounts.view_all(reader))


@router.post("/people", summary="Make an account", status_code=201, responses=documented(403, 503))
def post_person(body: NewAccount, person: Administrator, dashboard: Running) -> Account:
    """Make an account with a role and a first password."""
    password_hash = dashboard.access.hashed(body.password, body.name)
    now = now_ms()
    dashboard.access.do(
        person,
        "make account",
        f"{body.name}: {in_words(body.sites) if body.sites else body.role}",
        lambda db: accounts.add(db, body.name, body.role, password_hash, now, body.sites),
    )
    role = highest(body.sites) if body.sites else body.role
    return Account(name=body.name, role=role, sites=body.sites, disabled=False, created_ms=now)


@router.patch("/people/{name}", summary="Change an account", responses=documented(403, 404, 503))
def patch_person(
    name: Annotated[str, Path(max_length=64)],
    body: AccountChange,
    person: Administrator,
    dashboard: Running,
    reader: Reader,
) -> Account:
    """Change role, password or state of an account; its sessions end."""
    before = accounts.view(reader, name)
    if before is None:
        raise not_found("account", name)
    password_hash = dashboard.access.hashed(body.password, name) if body.password else None
    change = AccountUpdate(body.role, body.sites, body.disabled, password_hash)
    said = body.model_dump(exclude_none=True, exclude={"password"}, mode="json")
    said |= {"password": "changed"} if password_hash else {}
    dashboard.access.do(
        person,
        "change account",
        f"{before.name}: {in_words(said)}",
        lambda db: accounts.change(db, before.name, change),
        ends_rights=True,
    )
    return accounts.view(reader, name) or before


@router.get("/audit", summary="The audit, newest first", responses=documented(403))
def list_audit(
    _person: Administrator,
    reader: Reader,
    which: Which,
    limit: Limit = 100,
    before: Annotated[int | None, Query(ge=1, lt=1 << 62)] = None,
) -> AuditPage:
    """Return who did what, when and from where."""
    return audit.view_page(reader, which, limit, before)


@router.get(
    "/audit.csv",
    summary="The audit as a table",
    response_class=Response,
    responses={
        200: {"content": {"text/csv": {"schema": {"type": "string"}}}},
        **documented(403),
    },
)
def get_audit_table(_person: Administrator, dashboard: Running, which: Which) -> StreamingResponse:
    """Return the audit as CSV, oldest first."""
    pieces = audit.pieces(dashboard.store.read, which)
    return StreamingResponse(
        csv_lines(pieces, list(AuditEntry.model_fields)),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="auscult-audit.csv"'},
    )
