"""A TCP proxy that delays, stops and cuts what passes through it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Proxy:
    """Forwards a port of this machine to another one, in a thread of its own.

    ``latency_s`` delays each chunk; ``open`` is cleared to hold all traffic back, as a network does
    that drops every packet.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self.latency_s = 0.0
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._open = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._call(self._serve())
        self.port: int = self._server.sockets[0].getsockname()[1]

    def hold(self) -> None:
        """Let nothing through, without closing a connection."""
        self._loop.call_soon_threadsafe(self._open.clear)

    def release(self) -> None:
        """Let all through again."""
        self._loop.call_soon_threadsafe(self._open.set)

    def cut(self) -> None:
        """Reset all connections."""

        def reset() -> None:
            for writer in self._writers:
                writer.transport.abort()

        self._loop.call_soon_threadsafe(reset)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _call(self, work: Awaitable[T]) -> T:
        async def waited() -> T:
            return await work

        return asyncio.run_coroutine_threadsafe(waited(), self._loop).result(10)

    async def _serve(self) -> asyncio.Server:
        self._open.set()
        return await asyncio.start_server(self._accept, "127.0.0.1", 0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        try:
            await asyncio.gather(
                self._forward(reader, far_writer), self._forward(far_reader, writer)
            )
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            for one in (writer, far_writer):
                one.transport.abort()
                self._writers.discard(one)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self.latency_s:
                await asyncio.sleep(self.latency_s)
            await self._open.wait()
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError
