"""Begins each request without a caller: a connection of a proxy carries those of many people."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from auscult.app.store.scope import unlimited


class NoCaller:
    """Discards the sites of the request before on the same connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with unlimited():
            await self._app(scope, receive, send)
