"""What sources that read from a broker share: a bounded queue and a loop."""

from __future__ import annotations

import queue
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence

from auscult.gateway.messages.broker import BrokerSettings
from auscult.gateway.messages.link import Link, Received
from auscult.gateway.records import PointId
from auscult.gateway.settings.mqtt_source import SensorSettings
from auscult.gateway.sources.contract import Bursts, Source, SourceProblem
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet
from auscult.models.said import Said

MAX_WAITING = 200
"""Messages that may wait in memory: at most 200 MB, in practice a few."""
LOOK_S = 0.5


class OverMqtt(Source):
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
        self._feed = Feed(self._name)
        self._queue: queue.Queue[Received] = queue.Queue(MAX_WAITING)
        self._unread = 0
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
        self._feed.lost = self._lost() + self._unread
        return self._feed.status

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
            self._unread += 1

    def _point(self, sensor: SensorSettings) -> PointId:
        return PointId(self._machine, sensor.point)

    def _fail(self, inlet: Inlet, point: PointId, what: str, problem: Said) -> None:
        """Report that a point's samples can't be used; `what` names topic or metric."""
        self._feed.note(what, problem)
        self._feed.fail(inlet, point, Said("no_waveform", {"what": what, "problem": problem}))


def other_broker(broker: BrokerSettings | None) -> SourceProblem | None:
    """Reject another broker in a commissioned source: its secrets would be in a stored message."""
    if broker is None:
        return None
    return SourceProblem(("broker",), Said("source_other_broker"))
