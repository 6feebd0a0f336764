"""Signing in and out."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request, Response
from pydantic import Field

from auscult.app.api.inputs import RequestBody, Running
from auscult.app.api.problems import ProblemError, documented
from auscult.app.api.rights import Viewer
from auscult.app.people import accounts
from auscult.app.people.access import NotAdmittedError
from auscult.app.people.accounts import NAME_PATTERN, AccountUpdate
from auscult.app.people.cookie import COOKIE, address_of, with_session
from auscult.app.people.passwords import MAX_LENGTH
from auscult.app.views import View
from auscult.app.views.roles import Role

router = APIRouter(prefix="/session", tags=["people"])


class Session(View):
    """Who is signed in, and otherwise what the page must ask for."""

    login_required: bool
    first_start: bool = Field(description="There is no account: ask for an administrator")
    name: str | None = Field(description="Null without a session, or with login off")
    role: Role | None = Field(
        description="The highest one, where `sites` has several; null without a session"
    )
    sites: dict[str, Role] | None = Field(
        default=None, description="Role at each site; null = `role` at all sites"
    )
    demo: bool = Field(default=False, description="This is the demonstration (`auscult demo`)")
    time_zone: str = Field(description="Of the plant (IANA): all times are shown in it")
    cases_a_week: int | None = Field(
        default=None, description="Machines that people can look at in a week; null = not stated"
    )
    currency: str = Field(default="", description="Sign of the currency of downtime costs")


class SignIn(RequestBody):
    """Name and password."""

    name: str = Field(min_length=1, max_length=64)
    password: str = Field(min_length=1, max_length=MAX_LENGTH)


class FirstAdministrator(RequestBody):
    """The first account."""

    name: str = Field(pattern=NAME_PATTERN)
    password: str = Field(min_length=1, max_length=MAX_LENGTH)
    code: str = Field(max_length=64, description="From the server's log or data folder")


class NewPassword(RequestBody):
    """A change of one's own password."""

    old: str = Field(min_length=1, max_length=MAX_LENGTH)
    new: str = Field(min_length=1, max_length=MAX_LENGTH)


@router.get("", summary="Who is signed in")
def get_session(request: Request, dashboard: Running) -> Session:
    """Return who is signed in; answers without login."""
    access = dashboard.access
    person = access.person(request.cookies.get(COOKIE), address_of(request))
    return Session(
        login_required=access.required,
        first_start=access.first_start,
        name=(person.name or None) if person else None,
        role=person.role if person else None,
        sites=dict(person.sites) if person and person.sites is not None else None,
        demo=dashboard.settings.demo,
        time_zone=dashboard.time_zone,
        cases_a_week=dashboard.settings.cases_a_week if person else None,
        currency=dashboard.settings.currency if person else "",
    )


@router.post("", summary="Sign in", status_code=204, responses=documented(401, 429, 503))
async def post_session(body: SignIn, request: Request, dashboard: Running) -> Response:
    """Begin a session; its token comes as a cookie that scripts can't read."""
    access, address = dashboard.access, address_of(request)
    token = await access.admitted(
        address, partial(access.sign_in, body.name, body.password, address)
    )
    return with_session(Response(status_code=204), request, token)


@router.post(
    "/first-administrator",
    summary="Make the first account",
    status_code=204,
    responses=documented(403, 429, 503),
)
async def post_first_administrator(
    body: FirstAdministrator, request: Request, dashboard: Running
) -> Response:
    """Make the administrator, once, and begin a session."""
    access, address = dashboard.access, address_of(request)
    make = partial(access.first_administrator, body.name, body.password, body.code, address)
    try:
        token = await access.admitted(address, make)
    except NotAdmittedError as error:
        raise ProblemError(error.said, status=403) from error
    return with_session(Response(status_code=204), request, token)


@router.put(
    "/password",
    summary="Change one's own password",
    status_code=204,
    responses=documented(401, 403, 503),
)
def put_password(body: NewPassword, person: Viewer, dashboard: Running) -> Response:
    """Change the password; all sessions of the account end."""
    if not person.name or not dashboard.access.confirms(person, body.old):
        raise ProblemError("old_password_wrong", status=403)
    password_hash = dashboard.access.hashed(body.new, person.name)
    change = AccountUpdate(password_hash=password_hash)
    dashboard.access.do(
        person,
        "change password",
        person.name,
        lambda db: accounts.change(db, person.name, change),
        ends_rights=True,
    )
    return Response(status_code=204)


@router.delete("", summary="Sign out", status_code=204, responses=documented(401, 503))
def delete_session(request: Request, person: Viewer, dashboard: Running) -> Response:
    """End the session."""
    if token := request.cookies.get(COOKIE):
        dashboard.access.sign_out(person, token)
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, path="/")
    return response
