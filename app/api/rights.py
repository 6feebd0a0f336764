"""The caller and the caller's rights: dependencies of the endpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request

from auscult.app.api.inputs import ActingBody, Running
from auscult.app.api.problems import ProblemError
from auscult.app.people.cookie import COOKIE, address_of, bearer_of
from auscult.app.people.sessions import Person
from auscult.app.views.roles import Role


def person(request: Request, dashboard: Running) -> Person:
    """Return the caller; every path under /api/v1 except the session depends on it.

    A token takes precedence over a cookie.
    """
    secret = bearer_of(request)
    if secret is not None:
        found = dashboard.gate.machine(secret, address_of(request))
        if found is None:
            raise ProblemError("token_unknown", status=401)
        return found
    found = dashboard.gate.person(request.cookies.get(COOKIE), address_of(request))
    if found is None:
        raise ProblemError("sign_in_first", status=401)
    return found


Viewer = Annotated[Person, Depends(person)]
"""Anyone signed in."""


def require(person: Person, role: Role) -> None:
    """Reject callers below this role."""
    if not person.role.may(role):
        raise ProblemError(
            "role_needed", status=403, needed=str(role), name=person.name, role=str(person.role)
        )


def _at_least(role: Role) -> Callable[[Person], Person]:
    def check(person: Viewer) -> Person:
        require(person, role)
        return person

    return check


Technician = Annotated[Person, Depends(_at_least(Role.TECHNICIAN))]
Engineer = Annotated[Person, Depends(_at_least(Role.ENGINEER))]
Administrator = Annotated[Person, Depends(_at_least(Role.ADMINISTRATOR))]


def acting(person: Person, asked: ActingBody) -> Person:
    """Return the acting person: the account, or with login off the name in the request."""
    return person if person.name else replace(person, name=asked.actor)
