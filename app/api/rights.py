"""Who asks, and what they may: dependencies of the endpoints."""

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
    """Return who asks; everything under /api/v1 but the session itself depends on it.

    A request with a token is the token's, whatever cookie it carries.
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
"""Whoever is signed in."""


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
    """Return who acts: the account, or, where login is off, whom the request names."""
    return person if person.name else replace(person, name=asked.actor)
