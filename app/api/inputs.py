"""Inputs that endpoints share: ids in paths, sizes of pages, the actor."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import Depends, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from auscult.app.api.problems import documented, not_found
from auscult.app.dashboard import Dashboard
from auscult.app.store import machines
from auscult.app.store.connection import Database

ID_LENGTH = 256
"""Longest id in a path: three parts of 64 with their separators, and room."""


def _dashboard(request: Request) -> Dashboard:
    dashboard: Dashboard = request.app.state.dashboard
    return dashboard


def _reader(dashboard: Running) -> Database:
    return dashboard.store.read()


Running = Annotated[Dashboard, Depends(_dashboard)]
"""The running dashboard."""
Reader = Annotated[Database, Depends(_reader)]
"""A read-only connection."""

MachineId = Annotated[
    str,
    Path(max_length=ID_LENGTH, description="`site~gateway~machine`", examples=["plant~gw1~pump-3"]),
]
GatewayId = Annotated[
    str, Path(max_length=ID_LENGTH, description="`site~gateway`", examples=["plant~gw1"])
]
PointId = Annotated[str, Path(max_length=ID_LENGTH, examples=["DE-H"])]
Identity = Annotated[str, Path(max_length=64)]
"""Of what the dashboard stores for itself."""
EventId = Annotated[str, Path(max_length=ID_LENGTH, description="The event's ULID")]


def _known_point(machine_id: MachineId, point: PointId, reader: Reader) -> None:
    """Reject a point that is unknown, or of a site that the caller may not read."""
    if machines.point_number(reader, machine_id, point) is None:
        raise not_found("point", f"{machine_id}/{point}")


OF_A_POINT: Final[dict[str, Any]] = {
    "dependencies": [Depends(_known_point)],
    "responses": documented(404),
}
"""Of an endpoint that lists something of a point."""
MachineFilter = Annotated[
    str | None, Query(max_length=ID_LENGTH, description="Of this machine only")
]
Limit = Annotated[int, Query(ge=1, le=200, description="How many at most")]
Cursor = Annotated[
    str | None, Query(max_length=400, description="`next_cursor` of the page before")
]
PICTURE_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in ("image/jpeg", "image/png", "image/webp")
        },
    }
}
"""What OpenAPI says of an endpoint that takes a picture."""


class RequestBody(BaseModel):
    """A body; unknown keys are rejected.

    It is built with its endpoint, also where it extends a message that is built on first use.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=False)


class ActingBody(RequestBody):
    """A body of a request that is recorded in the actor's name."""

    actor: str = Field(
        default="someone",
        min_length=1,
        max_length=64,
        description="The actor where login is off; otherwise the signed-in account counts",
    )


class Asked(ActingBody):
    """What every request to a gateway carries."""

    id: str = Field(
        pattern=r"^[A-Za-z0-9_\-]{8,64}$",
        description="Made by the client, new for each request (a UUID or ULID): a repetition with "
        "the same id is done once",
    )


WaitS = Annotated[
    float,
    Query(ge=0, le=30, description="How long to wait for the gateway's answer, s"),
]
