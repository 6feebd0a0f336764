"""The live stream: server-sent events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.concurrency import run_in_threadpool
from sse_starlette import EventSourceResponse, ServerSentEvent

from auscult.app.api.inputs import Running
from auscult.app.api.problems import ProblemError, documented
from auscult.app.api.rights import Viewer, caller
from auscult.app.live import Hub, LiveClient
from auscult.app.people.sessions import Person
from auscult.app.views import LIVE_VIEWS
from auscult.app.views.roles import Role
from auscult.contract.message import now_ms

log = logging.getLogger(__name__)

router = APIRouter(tags=["live"])

HEARTBEAT_S = 15
"""Shorter than the idle limits of common proxies (30 s and more)."""
SEND_TIMEOUT_S = 10
"""A client whose connection takes nothing for so long is dropped; it will connect again."""
CHECK_S = 300.0
"""How often session or token of a stream is checked; this also counts as their use: a page that
someone watches sends no other requests."""

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
    request: Request,
    last_event_id: Annotated[str | None, Header(max_length=64)] = None,
) -> EventSourceResponse:
    """Stream changes until the client goes, or its session or token ends."""
    again = partial(caller, request, dashboard)
    return EventSourceResponse(
        _stream(dashboard.hub, last_event_id is not None, person, again),
        ping=HEARTBEAT_S,
        send_timeout=SEND_TIMEOUT_S,
    )


async def _stream(
    hub: Hub, returning: bool, person: Person, again: Callable[[], Person]
) -> AsyncIterator[ServerSentEvent]:
    with hub.subscribe(returning, person.sites_of(Role.VIEWER)) as client:
        checks = asyncio.create_task(_check(client, person, again))
        try:
            async for event in client:
                yield ServerSentEvent(data=event.data, event=event.kind, id=event.id)
        finally:
            checks.cancel()


async def _check(client: LiveClient, person: Person, again: Callable[[], Person]) -> None:
    """Close the stream when the session or token ends, or its sites change."""
    sites = person.sites
    try:
        while person.sites == sites:
            left_s = CHECK_S
            if person.until_ms is not None:
                left_s = min(left_s, (person.until_ms - now_ms()) / 1000)
            await asyncio.sleep(max(left_s, 0.01))
            person = await run_in_threadpool(again)
    except ProblemError:
        log.debug("the session or token of a live stream has ended")
    except Exception:
        log.exception(
            "whether a live stream may continue can't be checked; the page connects again"
        )
    finally:
        client.close()


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
