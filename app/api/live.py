"""The live stream: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header
from sse_starlette import EventSourceResponse, ServerSentEvent

from auscult.app.api.inputs import Running
from auscult.app.api.problems import documented
from auscult.app.api.rights import Viewer
from auscult.app.live import Hub
from auscult.app.views import LIVE_VIEWS
from auscult.app.views.roles import Role

router = APIRouter(tags=["live"])

HEARTBEAT_S = 15
"""Shorter than the idle limits of common proxies (30 s and more)."""
SEND_TIMEOUT_S = 10
"""A client whose connection takes nothing for so long is dropped; it will connect again."""

_DESCRIPTION = """Each event's type says what its data is: {kinds}; the same models as the \
resources themselves, to replace what the page holds.

`hello` comes first on a new connection; `resync` says that events may have been missed (after a \
reconnection, or when the client was too slow): fetch the shown resources again. A comment line \
comes every {heartbeat} s. Changes that follow one another quickly are joined."""


@router.get(
    "/live",
    summary="What changes, as it changes",
    description=_DESCRIPTION.format(
        kinds=", ".join(f"`{kind}` a {view.__name__}" for kind, view in LIVE_VIEWS.items()),
        heartbeat=HEARTBEAT_S,
    ),
    response_class=EventSourceResponse,
    responses={
        200: {
            "description": "A stream of server-sent events",
            "content": {
                "text/event-stream": {
                    "schema": {"$ref": "#/components/schemas/LiveEvent"},
                }
            },
        },
        **documented(503),
    },
)
async def get_live(
    person: Viewer,
    dashboard: Running,
    last_event_id: Annotated[str | None, Header(max_length=64)] = None,
) -> EventSourceResponse:
    """Stream changes until the client goes."""
    return EventSourceResponse(
        _stream(dashboard.hub, last_event_id is not None, person.sites_of(Role.VIEWER)),
        ping=HEARTBEAT_S,
        send_timeout=SEND_TIMEOUT_S,
    )


async def _stream(
    hub: Hub, returning: bool, sites: frozenset[str] | None
) -> AsyncIterator[ServerSentEvent]:
    with hub.subscribe(returning, sites) as client:
        async for event in client:
            yield ServerSentEvent(data=event.data, event=event.kind, id=event.id)


def live_event_schema() -> dict[str, Any]:
    """Return the OpenAPI schema of one event: its type decides what its data is."""
    return {
        "title": "LiveEvent",
        "description": "One server-sent event, its data parsed",
        "oneOf": [
            {
                "type": "object",
                "required": ["type", "data"],
                "properties": {
                    "type": {"type": "string", "const": kind},
                    "data": {"$ref": f"#/components/schemas/{view.__name__}"},
                },
            }
            for kind, view in LIVE_VIEWS.items()
        ]
        + [
            {
                "type": "object",
                "required": ["type"],
                "properties": {"type": {"type": "string", "enum": ["hello", "resync"]}},
            }
        ],
    }
