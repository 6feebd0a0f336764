"""Which role each endpoint of the API needs."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from auscult.app.api import rights
from auscult.app.http.server import create_app
from auscult.app.settings import DashboardSettings
from auscult.app.views.roles import Role
from auscult.link.broker import BrokerSettings

HEAD = """# Roles and endpoints

Each endpoint of the API with the roles that may use it; `–` needs no sign-in. Some endpoints check
further what the body asks for. `tests/app/test_rights.py` sends each request in each role to a
running dashboard.

A person or token with rights per site has the role of the table at each of its sites, and finds
nothing of another site (404). What all sites share (channels, rules, bearings, prescriptions,
maintenance systems, topics of the broker, updates) needs the role at all sites.
`tests/app/test_sites.py` sends each request for another site's machine, event and case
([record 38](decisions/0038-rights-per-site.md)).

| method | path | viewer | technician | engineer | administrator |
|---|---|---|---|---|---|
"""


def application() -> FastAPI:
    """Return the dashboard's application, without a database."""
    return create_app(DashboardSettings(), BrokerSettings())


def endpoints(app: FastAPI) -> Iterator[tuple[str, str, Role | None]]:
    """Give method, path and role of each endpoint under /api; None = without sign-in."""
    for included in app.routes:
        context = getattr(included, "include_context", None)
        routes = included.original_router.routes if context else [included]  # type: ignore[attr-defined]
        signed_in = context and any(d.dependency is rights.person for d in context.dependencies)
        for route in routes:
            path = f"{context.prefix if context else ''}{getattr(route, 'path', '')}"
            if isinstance(route, APIRoute) and path.startswith("/api/"):
                least = Role.VIEWER if signed_in else None
                for method in sorted(route.methods or ()):
                    yield method, path, _role(route.dependant) or least


def _role(dependant: Dependant) -> Role | None:
    """Return the highest role among an endpoint's dependencies."""
    found: list[Role] = []
    if dependant.call is rights.person:
        found.append(Role.VIEWER)
    closure = getattr(dependant.call, "__closure__", None) or ()
    found += [cell.cell_contents for cell in closure if isinstance(cell.cell_contents, Role)]
    found += [role for one in dependant.dependencies if (role := _role(one)) is not None]
    return max(found, key=list(Role).index, default=None)


def page() -> str:
    """Return the page."""
    rows = []
    for method, path, needed in sorted(endpoints(application()), key=lambda e: (e[1], e[0])):
        marks = ["–" if needed is None else "yes" if r.may(needed) else "" for r in Role]
        rows.append(f"| {method} | `{path}` | {' | '.join(marks)} |\n")
    return HEAD + "".join(rows)


def files() -> dict[str, str]:
    """Return the page by its path."""
    return {"docs/rights.md": page()}
