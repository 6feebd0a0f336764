"""What sources that hear a broker have in common: a bounded queue, a loop, blocks that count."""

from __future__ import annotations

import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.messages.broker import BrokerSettings
from auscult.gateway.messages.link import Link, Received
from auscult.gateway.records import PointId, SampleBlock, SourceFault
from auscult.gateway.settings.mqtt_source import SensorSettings
from auscult.gateway.sources import Bursts
from auscult.gateway.sources.inlet import Inlet
from auscult.models.records import OperatingState
from auscult.models.said import Said

log = logging.getLogger(__name__)

MAX_WAITING = 200
"""Messages that may wait in memory: at most 200 MB, in practice a few."""
LOOK_S = 0.5


class OverMqtt(ABC):
    """A `Source` that reads one machine's sensors over a broker.

    Parameters
    ----------
    kind, machine : str
        Name it in the gateway's status.
    sensors : sequence of SensorSettings
    broker : BrokerSettings
    client_id : str
        Begins the client id, which must be unique at the broker.
    subscriptions : sequence of str
    on_connected : callable, optional
        Called at each new connection, in the network thread.
    """

    def __init__(
        self, kind: str, machine: str, sensors: Sequence[SensorSettings], broker: BrokerSettings,
        client_id: str, subscriptions: Sequence[str],
        on_connected: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self._name = f"{kind}:{machine}"
        self._machine = machine
        self._sensors = tuple(sensors)
        self._faults: dict[str, Said] = {}
        self._numbers: dict[PointId, int] = {}
        self._full = 0
        self._queue: queue.Queue[Received] = queue.Queue(MAX_WAITING)
        self._link = Link(
            broker,
            f"{client_id}-in-{machine}",
            on_message=self._receive,
            on_connected=on_connected,
            subscriptions=subscriptions,
            persistent=False,  # what a sensor measured while we were away comes too late
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def status(self) -> Said:
        if not self._link.connected:
            return Said("source_not_connected")
        lost = self._lost() + self._full
        notes = [
            Said("source_part", {"what": what, "problem": said})
            for what, said in sorted(self._faults.items())
        ]
        notes += [Said("messages_lost", {"count": lost})] if lost else []
        return Said("parts", {"parts": tuple(notes)}) if notes else Said("source_ok")

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        return {
            self._point(sensor): Bursts(sensor.burst_s, sensor.interval_s)
            for sensor in self._sensors
            if sensor.burst_s is not None and sensor.interval_s is not None
        }

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        self._link.start()
        try:
            while not stop.is_set():
                try:
                    message = self._queue.get(timeout=LOOK_S)
                except queue.Empty:
                    pass
                else:
                    self._take(message, inlet, time.monotonic())
                self._look(inlet, time.monotonic())
        finally:
            self._link.stop()

    @abstractmethod
    def _take(self, message: Received, inlet: Inlet, now_s: float) -> None:
        """Take a message, in the source's own thread."""

    @abstractmethod
    def _look(self, inlet: Inlet, now_s: float) -> None:
        """Do what is due, at least twice a second."""

    @abstractmethod
    def _lost(self) -> int:
        """How many messages are known to be lost on their way here."""

    def _receive(self, message: Received) -> None:
        try:
            self._queue.put_nowait(message)
        except queue.Full:
            self._full += 1

    def _point(self, sensor: SensorSettings) -> PointId:
        return PointId(self._machine, sensor.point)

    def _deliver(self, inlet: Inlet, blocks: Sequence[SampleBlock]) -> None:
        if blocks and not inlet.put(blocks, wait=False):
            self._full += len(blocks)

    def _block(
        self, point: PointId, fs_hz: float, t0_ns: int, samples: NDArray[np.float32], unit: str,
        state: OperatingState | None, *, gap: bool, clipped: bool = False,
    ) -> SampleBlock:  # fmt: skip
        # Our own count: it also jumps where the full inlet takes nothing, so that the loss shows.
        self._numbers[point] = number = self._numbers.get(point, -1) + 1
        return SampleBlock(
            point=point,
            fs_hz=fs_hz,
            t0_ns=t0_ns,
            sequence=number,
            samples=samples,
            unit=unit,
            gap=gap,
            clipped=clipped,
            state=state,
        )

    def _fail(self, inlet: Inlet, point: PointId, what: str, problem: Said) -> None:
        """Report that a point's samples can't be used; `what` names topic or metric."""
        self._note(what, problem)
        said = Said("no_waveform", {"what": what, "problem": problem})
        inlet.put([SourceFault(point, time.time_ns(), said)], wait=False)

    def _note(self, what: str, problem: Said) -> None:
        if what not in self._faults:
            log.warning("%s: %s: %s", self.name, what, problem)
        self._faults[what] = problem

    def _well(self, what: str) -> None:
        """Clear a fault."""
        if self._faults.pop(what, None) is not None:
            log.info("%s: %s delivers again", self.name, what)
