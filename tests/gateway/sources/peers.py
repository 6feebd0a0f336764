"""Devices and servers that sources of overall values read, and what a source delivers."""

from __future__ import annotations

import asyncio
import os
import select
import threading
import tty
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from asyncua import Server, ua
from asyncua.common.callback import CallbackType
from pymodbus.simulator import DataType, SimData, SimDevice

from auscult.contract.machines import MachineSettings
from auscult.gateway.records import PointValue, SourceFault
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.inlet import Inlet
from tests.waiting import DEADLINE_S


def machine(*points: str, interval_s: float = 1) -> MachineSettings:
    return MachineSettings(
        id="pump",
        points=[
            {"id": p, "kind": "value", "quantity": "temperature", "unit": "°C",
             "interval_s": interval_s} for p in points
        ],
    )  # fmt: skip


class Received:
    """Runs a source and keeps what it delivers."""

    def __init__(self, source) -> None:
        self.source, self.items = source, []
        self._inlet, self._stop = Inlet(), threading.Event()
        self._threads = [
            threading.Thread(target=source.run, args=(self._inlet, self._stop)),
            threading.Thread(target=self._take),
        ]

    def _take(self) -> None:
        while not self._stop.is_set():
            self.items += self._inlet.take(0.05)

    def values(self, point: str) -> list[float]:
        own = [i for i in self.items if isinstance(i, PointValue) and i.point.point == point]
        return [round(item.value, 6) for item in own]

    def faults(self, point: str) -> list[str]:
        own = [i for i in self.items if isinstance(i, SourceFault) and i.point.point == point]
        return [item.said.code for item in own]

    def __enter__(self) -> Received:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(DEADLINE_S)


def context(own: MachineSettings, tmp_path: Path, broker=None) -> SourceContext:
    return SourceContext({own.id: own}, broker, "test", tmp_path)


@contextmanager
def modbus_device(port: int, words: dict[int, int], serve=None):
    """A pymodbus server with these holding registers, over TCP or as `serve` makes it."""
    from pymodbus.server import ModbusTcpServer

    serve = serve or partial(ModbusTcpServer, address=("127.0.0.1", port))
    loop = asyncio.new_event_loop()
    first, last = min(words), max(words)
    registers = [words.get(a, 0) for a in range(first, last + 1)]
    device = SimDevice(1, simdata=[SimData(first, values=registers, datatype=DataType.REGISTERS)])
    started = threading.Event()
    holder: dict[str, Any] = {}

    async def begin() -> None:
        holder["server"] = serve(device)
        await holder["server"].listen()
        started.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(begin())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(DEADLINE_S)
    yield
    asyncio.run_coroutine_threadsafe(holder["server"].shutdown(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join(DEADLINE_S)


@contextmanager
def serial_pair():
    """Two serial lines whose ends are joined, as a cable joins them: their names."""
    ends = [os.openpty() for _ in range(2)]
    for _, line in ends:
        tty.setraw(line)
    masters, ended = [master for master, _ in ends], threading.Event()

    def join() -> None:
        while not ended.is_set():
            for ready in select.select(masters, [], [], 0.05)[0]:
                other = masters[1 - masters.index(ready)]
                os.write(other, os.read(ready, 1024))

    thread = threading.Thread(target=join)
    thread.start()
    try:
        yield tuple(os.ttyname(line) for _, line in ends)
    finally:
        ended.set()
        thread.join()
        for pair in ends:
            for end in pair:
                os.close(end)


class OpcUaPeer:
    """An asyncua server in a loop of its own: variable `Pump.T`, and `more`: `Pump.0`, …."""

    def __init__(self, port: int, more: int = 0) -> None:
        self.url = f"opc.tcp://127.0.0.1:{port}"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._started = threading.Event()
        self.subscribed: list[int] = []
        """Nodes of each request to subscribe."""
        self.read: list[int] = []
        """Nodes of each request to read."""
        self._more = more

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._loop.run_forever()

    async def _start(self) -> None:
        self._server = Server()
        await self._server.init()
        self._server.set_endpoint(self.url)
        index = await self._server.register_namespace("test")
        self.t = await self._server.nodes.objects.add_variable(
            ua.NodeId("Pump.T", index), "T", 40.0
        )
        for number in range(self._more):
            node = ua.NodeId(f"Pump.{number}", index)
            await self._server.nodes.objects.add_variable(node, str(number), float(number))
        self._server.subscribe_server_callback(
            CallbackType.ItemSubscriptionCreated,
            lambda event, _: self.subscribed.append(len(event.request_params.ItemsToCreate)),
        )
        self._server.subscribe_server_callback(
            CallbackType.PreRead,
            lambda event, _: (
                event.is_external and self.read.append(len(event.request_params.NodesToRead))
            ),
        )
        await self._server.start()
        self._started.set()

    def write(self, value, status=ua.StatusCodes.Good) -> None:
        data = ua.DataValue(ua.Variant(value, ua.VariantType.Double), ua.StatusCode(status))
        asyncio.run_coroutine_threadsafe(self.t.write_value(data), self._loop).result()

    def __enter__(self) -> OpcUaPeer:
        self._thread.start()
        assert self._started.wait(DEADLINE_S)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE_S)
