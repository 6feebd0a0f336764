"""Runs the Modbus TCP server in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path

from pymodbus.constants import ExcCodes
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from auscult.contract.inventory import Inventory
from auscult.contract.message import Message
from auscult.gateway.outputs.contract import Output
from auscult.gateway.outputs.modbus.registers import REGISTERS, RegisterBank
from auscult.gateway.outputs.modbus.settings import ModbusSettings
from auscult.gateway.tags.readings import readings_of
from auscult.host.supervised import Supervised

log = logging.getLogger(__name__)

READ_REGISTERS = (3, 4)
"""Holding and input registers show the same: some PLCs read only the one, some the other."""
STOP_TIMEOUT_S = 3.0
MAP_FILE = "registers.csv"


class ModbusServer(Output):
    """The gateway's registers.

    Parameters
    ----------
    settings : ModbusSettings
    inventory : Inventory
        The gateway's machines and points; their order is that of the blocks.
    data_dir : Path
        Gets the map of this gateway, `registers.csv`.
    """

    def __init__(self, settings: ModbusSettings, inventory: Inventory, data_dir: Path) -> None:
        self._settings = settings
        self._bank = RegisterBank(inventory)
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._server: ModbusTcpServer | None = None
        self._stop = threading.Event()
        self.thread = Supervised("modbus", self._run, self._stop)
        self.ready = threading.Event()
        data_dir.mkdir(parents=True, exist_ok=True)
        (data_dir / MAP_FILE).write_text(self._bank.table(), encoding="utf-8")

    @property
    def trouble(self) -> str:
        """Return what keeps the server from running; else empty."""
        return self.thread.trouble

    def start(self) -> None:
        """Begin to serve; `ready` is set when clients may connect."""
        self.thread.start()

    def stop(self) -> None:
        """End all connections and the thread."""
        self._stop.set()
        if not self.thread.is_alive():
            return
        if not self.thread.trouble:
            self.ready.wait(STOP_TIMEOUT_S)
        if self._server is not None and self._loop.is_running():
            asyncio.run_coroutine_threadsafe(self._server.shutdown(), self._loop)
        self.thread.join(STOP_TIMEOUT_S)

    def publish(self, message: Message) -> None:
        """Put the values of a message into the registers."""
        carried = readings_of(message)
        if carried is not None:
            with self._lock:
                self._bank.update(carried.machine, carried.readings)

    def _run(self) -> None:
        if self._stop.is_set():
            return
        if self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        settings = self._settings
        registers = SimData(0, values=[0] * REGISTERS, datatype=DataType.REGISTERS)
        devices = [
            SimDevice(settings.unit_id, simdata=[registers], action=self._access),
            # pymodbus passes what is for no other unit to unit 0.
            SimDevice(0, simdata=[registers], action=self._another_unit),
        ]
        self._server = ModbusTcpServer(devices, address=(settings.host, settings.port))
        await self._server.serve_forever(background=True)
        log.info("Modbus server listens on %s:%s", settings.host, settings.port)
        self.ready.set()
        await self._server.serving

    async def _access(
        self,
        function: int,
        start: int,
        address: int,
        count: int,
        current: list[int],
        written: list[int] | list[bool] | None,
    ) -> ExcCodes | None:
        """Fill in what a client reads; pymodbus asks for each access."""
        if function not in READ_REGISTERS or written is not None:
            return ExcCodes.ILLEGAL_FUNCTION
        if not self._bank.holds(address, count):
            return ExcCodes.ILLEGAL_ADDRESS
        with self._lock:
            current[address - start : address - start + count] = self._bank.read(address, count)
        return None

    @staticmethod
    async def _another_unit(*_: object) -> ExcCodes:
        """Answer as a gateway that reaches no such unit."""
        return ExcCodes.GATEWAY_NO_RESPONSE
