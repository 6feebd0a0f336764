"""Reads overall values from Modbus devices, over TCP or a serial line."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from auscult.contract.machines import MachineSettings
from auscult.contract.said import Said
from auscult.gateway.records import PointId, PointValue
from auscult.gateway.sources.contract import (
    Source,
    SourceContext,
    SourceError,
    SourceProblem,
    not_from_page,
)
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.modbus.line import (
    LONGEST_PAUSE_S,
    LOOK_S,
    Line,
    LineDown,
    Lines,
    NoAnswerError,
)
from auscult.gateway.sources.modbus.register_maps import (
    Register,
    RegisterError,
    reads_of,
    registers_of,
)
from auscult.gateway.sources.modbus.settings import ModbusSource
from auscult.gateway.sources.registry import vendor
from auscult.gateway.sources.values import MessageError, ValueKind, scaled

AGAIN_S: Final = 1.0
"""First pause before a device or a line is asked again."""
LINES: Final = Lines()
EXCEPTIONS: Final = {
    1: "modbus_function", 2: "modbus_address", 10: "modbus_gateway", 11: "modbus_gateway",
}  # fmt: skip
"""Sentences of the exception codes that a wrong setting causes; MODBUS Application Protocol
Specification V1.1b3, clause 7."""


SERIAL_PORT: Final = re.compile(r"/dev/tty\w+|/dev/serial/by-(id|path)/[\w.:-]+|COM\d+")
"""Serial lines that the page may name: other texts are files or addresses to the serial library."""


class ModbusReader(Source):
    """A `Source` that polls one Modbus device; each point at its own interval.

    Raises
    ------
    RegisterError
        If a register is unknown.
    """

    def __init__(self, settings: ModbusSource, context: SourceContext) -> None:
        with vendor("pymodbus", "modbus"):
            import pymodbus  # noqa: F401 - missing packages are reported when a source is opened
        # Its lines repeat for each failed request; the source logs a loss once.
        logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)
        self._settings = settings
        self._registers = registers_of(settings)
        self._values = {value.point: value for value in settings.values}
        self._feed = Feed(self.name)
        self._interval_s = {
            value.point: context.point(PointId(settings.machine, value.point)).interval_s or 60.0
            for value in settings.values
        }
        self._down: Said | None = None

    @property
    def name(self) -> str:
        return f"modbus:{self._settings.machine}"

    @property
    def status(self) -> Said:
        return self._down or self._feed.status

    @property
    def _peer(self) -> str:
        own = self._settings
        return own.serial_port or f"{own.host}:{own.port}"

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        due_s = dict.fromkeys(self._registers, time.monotonic())
        while not stop.is_set():
            try:
                with LINES.use(self._settings) as line:
                    self._ask(line, due_s, inlet, stop)
            except LineDown as down:
                self._lost(inlet, down.said)
                stop.wait(AGAIN_S)

    def _ask(
        self, line: Line, due_s: dict[str, float], inlet: Inlet, stop: threading.Event
    ) -> None:
        """Poll until `stop` is set; a device that does not answer is asked less and less."""
        pause_s = 0.0
        while not stop.is_set():
            now_s = time.monotonic()
            points = [point for point, at_s in due_s.items() if at_s <= now_s]
            if not points:
                stop.wait(min(LOOK_S, max(0.01, min(due_s.values()) - now_s)))
                continue
            try:
                self._poll(line, points, inlet, stop)
            except LineDown as down:
                self._lost(inlet, down.said)
                stop.wait(AGAIN_S)
            except NoAnswerError:
                if pause_s:  # one lost answer is normal on a long line
                    self._lost(
                        inlet, Said("modbus_unanswered", {"unit_id": self._settings.unit_id})
                    )
                stop.wait(pause_s)
                pause_s = min(max(AGAIN_S, 2 * pause_s), LONGEST_PAUSE_S)
            else:
                pause_s = 0.0
                for point in points:
                    # A device that was away is not asked for what was missed.
                    due_s[point] = max(due_s[point] + self._interval_s[point], now_s)

    def _poll(self, line: Line, points: list[str], inlet: Inlet, stop: threading.Event) -> None:
        wanted = {point: self._registers[point] for point in points}
        words: dict[tuple[str, int], int] = {}
        refused: dict[tuple[str, int], Said] = {}
        for table, first, count in reads_of(list(wanted.values())):
            answer = line.read(self._settings, table, first, count, stop)
            if answer is None:
                return
            addresses = [(table, first + i) for i in range(count)]
            if answer.isError():
                number = getattr(answer, "exception_code", 0)
                detail = Said(EXCEPTIONS.get(number, "modbus_exception"), {"number": number})
                said = Said("register_refused", {"address": first, "detail": detail})
                refused |= dict.fromkeys(addresses, said)
            else:
                words |= zip(addresses, answer.registers, strict=False)
        self._down = None
        t_ns = time.time_ns()
        items: list[PointValue] = []
        for point, register in wanted.items():
            what = f"register {register.address}"
            at = [(register.table, register.address + i) for i in range(register.count)]
            problem: Said | None = next((refused[one] for one in at if one in refused), None)
            if problem is None:
                try:
                    number = register.number([words[one] for one in at])
                    item = self._item(point, register, number, t_ns)
                except KeyError:
                    problem = Said("metric_empty")
                except (RegisterError, MessageError) as error:
                    problem = error.said
            if problem is not None:
                self._feed.note(what, problem)
                self._feed.fail(inlet, PointId(self._settings.machine, point), problem)
                continue
            self._feed.clear(what)
            items.append(item)
        self._feed.deliver(inlet, items)

    def _item(self, point: str, register: Register, number: float, t_ns: int) -> PointValue:
        own = self._values[point]
        value = scaled(number, own)
        unit = own.unit or register.unit
        return PointValue(PointId(self._settings.machine, point), t_ns, value, unit, measured=False)

    def _lost(self, inlet: Inlet, detail: Said) -> None:
        said = Said("link_down", {"peer": self._peer, "detail": detail})
        if self._down != said:
            for point in self._registers:
                self._feed.fail(inlet, PointId(self._settings.machine, point), said)
        self._down = said


class ModbusKind(ValueKind[ModbusSource]):
    """Overall values from Modbus devices."""

    settings = ModbusSource
    page_if_allowed = True

    def open(self, settings: ModbusSource, context: SourceContext) -> ModbusReader:
        try:
            return ModbusReader(settings, context)
        except RegisterError as error:
            raise SourceError(error.said) from error

    def problems(self, settings: ModbusSource, machine: MachineSettings) -> Iterator[SourceProblem]:
        yield from super().problems(settings, machine)
        try:
            registers_of(settings)
        except RegisterError as error:
            yield SourceProblem(("register_map",), error.said)

    def forbidden(self, settings: ModbusSource, recordings_dir: Path) -> SourceProblem | None:
        if settings.serial_port and not SERIAL_PORT.fullmatch(settings.serial_port):
            return not_from_page("serial_port")
        return super().forbidden(settings, recordings_dir)


KIND = ModbusKind()
