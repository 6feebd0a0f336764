"""A line to Modbus devices, shared by all sources that name it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from auscult.contract.said import Rejection, Said
from auscult.gateway.settings.source import line_differs
from auscult.gateway.sources.modbus.settings import ModbusSource
from auscult.gateway.sources.registry import vendor
from auscult.gateway.sources.support.reach import why_unopened, why_unreached

LOOK_S: Final = 0.25
"""How often a waiting user looks whether it must stop."""
FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
"""Longest pause before the next attempt to connect."""
CHARACTER_BITS: Final = 11
SILENT_CHARACTERS: Final = 3.5
LEAST_SILENCE_S: Final = 0.001_75
"""Silence between frames; MODBUS over Serial Line V1.02, clause 2.5.1.1."""


class LineDown(Rejection):
    """The line can't be used; its sentence names the cause and the remedy."""


class NoAnswerError(Exception):
    """The device did not answer; the line works, as far as is known."""


class Line:
    """A serial line or a connection to a host: one client, one request after another.

    A thread sends the requests in their order: a user waits for at most one request of each other
    user. After a failure the line connects again after 1 s, 2 s … `LONGEST_PAUSE_S`.

    Parameters
    ----------
    settings : ModbusSource
        Of the first user.
    """

    def __init__(self, settings: ModbusSource) -> None:
        with vendor("pymodbus", "modbus"):
            from pymodbus import client, exceptions
        self._client_module, self._exceptions = client, exceptions
        self.settings = settings
        self.users = 0
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="modbus-line")
        self._client: Any = None
        self._answered: set[int] = set()
        """Units that answered over this connection."""
        self._pause_s = FIRST_PAUSE_S
        self._retry_s = 0.0
        self._why = Said("source_not_connected")

    def read(
        self, settings: ModbusSource, table: str, first: int, count: int, stop: threading.Event
    ) -> Any:
        """Read registers of a device: pymodbus' answer, None if `stop` is set before.

        Parameters
        ----------
        settings : ModbusSource
            Unit id and longest wait.
        table : {"holding", "input"}
        first, count : int
            Address of the first register, and how many.
        stop : threading.Event

        Raises
        ------
        LineDown
            If the line can't be opened, or fails.
        NoAnswerError
            If the device does not answer in time.
        """
        answer = self._worker.submit(self._read, settings, table, first, count)
        while not stop.is_set():
            if wait([answer], LOOK_S).done:
                return answer.result()
        answer.cancel()
        return None

    def _read(self, settings: ModbusSource, table: str, first: int, count: int) -> Any:
        client = self._connected(settings.timeout_s)
        client.comm_params.timeout_connect = settings.timeout_s
        if settings.serial_port:
            silence_s = SILENT_CHARACTERS * CHARACTER_BITS / settings.baud_rate
            time.sleep(max(LEAST_SILENCE_S, silence_s))
        read = client.read_holding_registers if table == "holding" else client.read_input_registers
        unit_id = settings.unit_id
        try:
            answer = read(first, count=count, device_id=unit_id)
        except self._exceptions.ModbusIOException as error:
            others_answer = self._answered and unit_id not in self._answered
            if settings.host and not others_answer:  # it may no longer know the connection
                self._close()
            raise NoAnswerError from error
        except (self._exceptions.ModbusException, OSError) as error:
            self._close()
            raise LineDown("text", text=str(error)[:100]) from error
        self._answered.add(unit_id)
        return answer

    def _connected(self, timeout_s: float) -> Any:
        if self._client is not None and self._client.connected:
            return self._client
        if time.monotonic() < self._retry_s:
            raise LineDown(self._why)
        self._client = self._new_client(timeout_s)
        if self._client.connect():
            self._pause_s = FIRST_PAUSE_S
            return self._client
        own = self.settings
        self._why = (
            why_unreached(own.host, own.port, timeout_s)
            if own.host
            else why_unopened(own.serial_port)
        )
        self._retry_s = time.monotonic() + self._pause_s
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        raise LineDown(self._why)

    def _new_client(self, timeout_s: float) -> Any:
        # Without repetitions: a device that is away must not hold the line twice as long.
        own = self.settings
        if own.host:
            return self._client_module.ModbusTcpClient(
                own.host, port=own.port, timeout=timeout_s, retries=0
            )
        return self._client_module.ModbusSerialClient(
            own.serial_port,
            baudrate=own.baud_rate,
            parity=own.parity[0].upper(),
            timeout=timeout_s,
            retries=0,
        )

    def _close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None
        self._answered.clear()

    def end(self, discard: Callable[[], bool]) -> None:
        """Close the client after the requests that wait, and end if `discard` allows it."""
        self._worker.submit(self._end, discard)

    def _end(self, discard: Callable[[], bool]) -> None:
        self._close()
        if discard():
            self._worker.shutdown(wait=False)


class Lines:
    """The lines that the sources of this process use."""

    def __init__(self) -> None:
        self._open: dict[str, Line] = {}
        self._lock = threading.Lock()

    @contextmanager
    def use(self, settings: ModbusSource) -> Iterator[Line]:
        """Share the line that the settings name; the end of the last use closes it.

        Raises
        ------
        LineDown
            If the line is in use with other serial settings.
        """
        key, _ = settings.line
        with self._lock:
            line = self._open.get(key)
            if line is None:
                line = self._open[key] = Line(settings)
            elif not line.users:  # about to be closed; connects again for this use
                line.settings = settings
            elif found := line_differs(line.settings, settings):
                raise LineDown(found[1])
            line.users += 1
        try:
            yield line
        finally:
            with self._lock:
                line.users -= 1
                if not line.users:
                    line.end(partial(self._discard, key, line))

    def _discard(self, key: str, line: Line) -> bool:
        """Discard a line unless a source uses it again, or it is discarded already."""
        with self._lock:
            unused = self._open.get(key) is line and not line.users
            if unused:
                del self._open[key]
            return unused
