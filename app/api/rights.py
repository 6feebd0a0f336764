"""The caller and the caller's rights: dependencies of the endpoints."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from auscult.app.api.inputs import ActingBody, Running
from auscult.app.api.problems import ProblemError
from auscult.app.dashboard import Dashboard
from auscult.app.people.cookie import COOKIE, address_of, bearer_of
from auscult.app.people.sessions import Person
from auscult.app.store import scope
from auscult.app.store.places import site_of
from auscult.app.views.roles import Role


async def person(request: Request, dashboard: Running) -> Person:
    """Return the caller; every path under /api/v1 except the session depends on it.

    A token takes precedence over a cookie. From here on the request reads the caller's sites only.
    """
    found = await run_in_threadpool(caller, request, dashboard)
    scope.limit(found.sites)  # in the request's own task, so that the endpoint has it too
    return found


def caller(request: Request, dashboard: Dashboard) -> Person:
    """Return who sends a request; raises what an answer of 401 says."""
    secret = bearer_of(request)
    if secret is not None:
        found = dashboard.access.machine(secret, address_of(request))
        if found is None:
            raise ProblemError("token_unknown", status=401)
        return found
    found = dashboard.access.person(request.cookies.get(COOKIE), address_of(request))
    if found is None:
        raise ProblemError("sign_in_first", status=401)
    return found


Viewer = Annotated[Person, Depends(person)]
"""Anyone signed in."""


def require(person: Person, role: Role) -> None:
    """Reject callers below this role."""
    if not person.role.may(role):
        raise _below(person, role, person.role)


def at_least(role: Role, *, everywhere: bool = False) -> Callable[..., Coroutine[Any, Any, Person]]:
    """Reject callers below this role; those with roles at sites act on what is theirs only.

    With `everywhere` the role must count at all sites: for what all sites share.
    """

    async def check(request: Request, person: Viewer, dashboard: Running) -> Person:
        require(person, role)
        if person.sites is None:
            return person
        if everywhere:
            raise ProblemError("all_sites_needed", status=403, name=person.name)
        ids = request.path_params
        site = await run_in_threadpool(lambda: site_of(dashboard.store.read(), ids))
        own = person.sites.get(site) if site is not None else None
        if own is not None and not own.may(role):
            raise _below(person, role, own)  # what the caller may not see at all is not found
        scope.limit(person.sites_of(role))
        return person

    return check


def _below(person: Person, needed: Role, own: Role) -> ProblemError:
    values = {"needed": str(needed), "role": str(own)}
    if not person.name:
        return ProblemError("role_needed_login_off", status=403, **values)
    return ProblemError("role_needed", status=403, name=person.name, **values)


Technician = Annotated[Person, Depends(at_least(Role.TECHNICIAN))]
Engineer = Annotated[Person, Depends(at_least(Role.ENGINEER))]
EngineerOfAll = Annotated[Person, Depends(at_least(Role.ENGINEER, everywhere=True))]
"""Of all sites: for channels, rules, catalogues, and whatever else the sites share."""
Administrator = Annotated[Person, Depends(at_least(Role.ADMINISTRATOR, everywhere=True))]


def acting(person: Person, asked: ActingBody) -> Person:
    """Return the acting person: the account, or with login off the name in the request."""
    return person if person.name else replace(person, name=asked.actor)
