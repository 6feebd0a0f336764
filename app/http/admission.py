"""Checks a request before its body is read: who sends it, how large it is, and how slowly it comes.

FastAPI reads and parses a JSON body before it asks who sends it. So an anonymous request could fill
the memory.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from auscult.app.api.commissioning import MAX_TABLE
from auscult.app.api.problems import ProblemError, answer, unavailable
from auscult.app.api.rights import caller
from auscult.app.cases import photo
from auscult.app.http.security import SAFE_METHODS
from auscult.app.store.connection import StoreUnavailableError
from auscult.contract.requests import MAX_DELTA_BASE64, Commands
from auscult.contract.said import Said

if TYPE_CHECKING:
    from auscult.app.dashboard import Dashboard

SESSION = "/api/v1/session"
ENROLMENT = "/api/v1/enrolment"
MAX_SESSION_BYTES = 4096
"""Name, password and code, or a new gateway's request: all that may come without a session."""
MAX_BYTES = 65_536
"""A label with a note of 2,000 characters in any script takes less than 16 kB."""
LARGER_BYTES = {
    "/configuration/table": 4 * MAX_TABLE + MAX_BYTES,
    "/configuration": 2 * Commands.CONFIGURE.max_bytes,
    "/tables": 2 * Commands.MAP_TABLE.max_bytes,
    "/photos": photo.MOST_BYTES,
    "/map/picture": photo.MOST_BYTES,
    "/delta": MAX_DELTA_BASE64 + MAX_BYTES,
}
"""Limits of the few larger bodies, by the end of their path."""
BODY_S = 30.0
"""A body must be complete within this time."""


class Admission:
    """Rejects requests to the API without a session, with a body too large, or too slow."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] != "http"
            or scope["method"] in SAFE_METHODS
            or not scope["path"].startswith("/api/")
        ):
            await self._app(scope, receive, send)
            return
        try:
            limit = _limit(scope["path"])
            if limit > MAX_SESSION_BYTES:
                await asyncio.to_thread(_signed_in, Request(scope))
            async with asyncio.timeout(BODY_S):
                body = await _body(Request(scope, receive), limit)
        except ProblemError as error:
            rejection = answer(scope["path"], error.status, error.said)
        except TimeoutError:
            rejection = answer(scope["path"], 408, Said("body_too_slow", {"limit_s": BODY_S}))
        except StoreUnavailableError as error:
            rejection = unavailable(scope["path"], error)
        else:
            await self._app(scope, _replayed(body, receive), send)
            return
        await rejection(scope, receive, send)


def _signed_in(request: Request) -> None:
    dashboard: Dashboard = request.app.state.dashboard
    caller(request, dashboard)


def _limit(path: str) -> int:
    if path.startswith(SESSION) or path == ENROLMENT:
        return MAX_SESSION_BYTES
    return next((most for end, most in LARGER_BYTES.items() if path.endswith(end)), MAX_BYTES)


async def _body(request: Request, limit: int) -> bytes:
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > limit:
        raise ProblemError("body_too_large", status=413, limit=limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise ProblemError("body_too_large", status=413, limit=limit)
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Give the body that was read, then what the client sends next (its end)."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
