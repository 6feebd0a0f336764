"""Closes connections whose request does not arrive: each would hold a descriptor without end."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEADERS_S = 20.0
"""The headers of a request must be complete within this time from the connection, or from their
first byte on an open one. Between requests uvicorn's own time for idle connections counts."""


class PunctualProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's HTTP protocol with a time limit for the headers."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the time."""
        super().connection_made(transport)
        self._late = self.loop.call_later(HEADERS_S, transport.close)

    def data_received(self, data: bytes) -> None:
        """Stop the time when a request is complete; start it at the next one's first byte."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_time()
        elif self._late is None:
            self._late = self.loop.call_later(HEADERS_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time."""
        self._stop_time()
        super().connection_lost(exc)

    def _stop_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
