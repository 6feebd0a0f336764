"""What sources that read from a broker share: one connection and one thread for all of a broker."""

from __future__ import annotations

import hashlib
import logging
import queue
import threading
import time
from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from paho.mqtt.matcher import MQTTMatcher

from auscult.contract.said import Said
from auscult.gateway.records import PointId
from auscult.gateway.sources.contract import Bursts, Source, SourceGroup, SourceProblem
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.support.mqtt_settings import SensorSettings
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link, Received

log = logging.getLogger(__name__)

MAX_WAITING: Final = 200
"""Messages of one topic that may wait in memory: a topic that floods takes no other's place."""
MAX_WAITING_BYTES: Final = 64_000_000
"""All messages of a broker that may wait in memory."""
MESSAGE_BYTES: Final = 1_000
"""What a message takes in memory beside its payload."""
LOOK_S: Final = 0.5


class OverMqtt(Source):
    """A `Source` that reads one machine's sensors over a broker, by the connection of its group.

    Parameters
    ----------
    kind, machine : str
        Name it in the gateway's status.
    sensors : sequence of SensorSettings
    broker : BrokerSettings
    client_id : str
        Begins the client id, which must be unique at the broker.
    subscriptions : sequence of str
    """

    def __init__(
        self, kind: str, machine: str, sensors: Sequence[SensorSettings], broker: BrokerSettings,
        client_id: str, subscriptions: Sequence[str],
    ) -> None:  # fmt: skip
        self._name = f"{kind}:{machine}"
        self._machine = machine
        self._sensors = tuple(sensors)
        self._by_broker = BrokerGroup(broker, client_id)
        self._feed = Feed(self._name)
        self.subscriptions = tuple(subscriptions)
        """Topic filters of the messages that it takes."""
        self.link: Link | None = None
        """The connection that its group gave it."""
        self.unread = 0
        """Messages for it that found no place in memory."""

    @property
    def name(self) -> str:
        return self._name

    @property
    def group(self) -> BrokerGroup:
        return self._by_broker

    @property
    def status(self) -> Said:
        if self.link is None or not self.link.subscribed:
            return Said("source_not_connected")
        if refusal := self.link.refusal(self.subscriptions):
            return refusal
        self._feed.lost = self._lost() + self.unread
        return self._feed.status

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        return {
            self._point(sensor): Bursts(sensor.burst_s, sensor.interval_s)
            for sensor in self._sensors
            if sensor.burst_s is not None and sensor.interval_s is not None
        }

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        self._by_broker.run([self], inlet, stop)

    def take(self, message: Received, inlet: Inlet) -> None:
        """Take a message of one of the subscriptions, in the group's thread."""
        what = f"messages of {message.topic}"
        self._guarded(what, lambda: self._take(message, inlet, time.monotonic()))

    def look(self, inlet: Inlet) -> None:
        """Do what is due, at least twice a second, in the group's thread."""
        self._guarded("what is due", lambda: self._look(inlet, time.monotonic()))

    def note_connection(self) -> None:
        """Note a new connection: messages before it may be lost. In the group's thread."""

    @abstractmethod
    def _take(self, message: Received, inlet: Inlet, now_s: float) -> None:
        """Take a message."""

    @abstractmethod
    def _look(self, inlet: Inlet, now_s: float) -> None:
        """Do what is due."""

    @abstractmethod
    def _lost(self) -> int:
        """Return how many messages are known to be lost on their way here."""

    def _guarded(self, what: str, call: Callable[[], None]) -> None:
        """Keep an error from the other sources of the group; the next success ends it."""
        try:
            call()
        except Exception as error:
            detail = f"{type(error).__name__}: {error}"
            if self._feed.note(what, Said("not_processed", {"detail": detail})):
                log.exception("%s: %s can't be processed", self._name, what)
        else:
            self._feed.clear(what)

    def _point(self, sensor: SensorSettings) -> PointId:
        return PointId(self._machine, sensor.point)

    def _fail(self, inlet: Inlet, point: PointId, what: str, problem: Said) -> None:
        """Report that a point's samples can't be used; `what` names topic or metric."""
        self._feed.note(what, problem)
        self._feed.fail(inlet, point, Said("no_waveform", {"what": what, "problem": problem}))


@dataclass(frozen=True, slots=True)
class BrokerGroup(SourceGroup):
    """The sources of one broker, with the same credentials: one connection and one thread.

    Parameters
    ----------
    broker : BrokerSettings
    client_id : str
        Begins the client id.
    """

    broker: BrokerSettings
    client_id: str

    @property
    def name(self) -> str:
        return f"mqtt:{self.broker.host}:{self.broker.port}"

    def run(self, sources: Sequence[Source], inlet: Inlet, stop: threading.Event) -> None:
        own = [source for source in sources if isinstance(source, OverMqtt)]
        # Two connections to one broker, with different credentials, need different ids.
        digest = hashlib.sha256(self.broker.model_dump_json().encode()).hexdigest()[:8]
        _Reader(own, self.broker, f"{self.client_id}-in-{digest}").run(inlet, stop)


class _Reader:
    """A connection with a bounded queue; it hands each message to the sources that want it."""

    def __init__(self, sources: Sequence[OverMqtt], broker: BrokerSettings, client_id: str) -> None:
        self._sources = sources
        self._takers = MQTTMatcher()  # type: ignore[no-untyped-call]
        takers: dict[str, list[OverMqtt]] = defaultdict(list)
        for source in sources:
            for topic_filter in source.subscriptions:
                takers[topic_filter].append(source)
        for topic_filter, some in takers.items():
            self._takers[topic_filter] = some
        self._queue: queue.SimpleQueue[Received | None] = queue.SimpleQueue()
        self._changing = threading.Lock()
        self._waiting: Counter[str] = Counter()
        self._waiting_bytes = 0
        self._link = Link(
            broker,
            client_id,
            on_message=self._receive,
            on_connected=lambda: self._queue.put(None),
            subscriptions=list(takers),
            persistent=False,  # what a sensor measured while we were away comes too late
        )

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        """Read until `stop` is set."""
        for source in self._sources:
            source.link = self._link
        self._link.start()
        look_s = time.monotonic()
        try:
            while not stop.is_set():
                self._next(inlet)
                if time.monotonic() >= look_s:
                    look_s = time.monotonic() + LOOK_S
                    for source in self._sources:
                        source.look(inlet)
        finally:
            self._link.stop()

    def _next(self, inlet: Inlet) -> None:
        try:
            message = self._queue.get(timeout=LOOK_S)
        except queue.Empty:
            return
        if message is None:
            for source in self._sources:
                source.note_connection()
            return
        with self._changing:
            self._waiting_bytes -= _size(message)
            self._waiting[message.topic] -= 1
            if not self._waiting[message.topic]:
                del self._waiting[message.topic]
        for source in self._takers_of(message.topic):
            source.take(message, inlet)

    def _receive(self, message: Received) -> None:
        with self._changing:
            fits = (
                self._waiting[message.topic] < MAX_WAITING
                and self._waiting_bytes + _size(message) <= MAX_WAITING_BYTES
            )
            if fits:
                self._waiting[message.topic] += 1
                self._waiting_bytes += _size(message)
        if fits:
            self._queue.put(message)
            return
        for source in self._takers_of(message.topic):
            source.unread += 1

    def _takers_of(self, topic: str) -> Sequence[OverMqtt]:
        """Return the sources with a matching filter, each once."""
        matches = self._takers.iter_match(topic)  # type: ignore[no-untyped-call]
        return list(dict.fromkeys(source for some in matches for source in some))


def _size(message: Received) -> int:
    return MESSAGE_BYTES + len(message.payload)


def other_broker(broker: BrokerSettings | None) -> SourceProblem | None:
    """Reject another broker in a commissioned source: its secrets would be in a stored message."""
    if broker is None:
        return None
    return SourceProblem(("broker",), Said("source_other_broker"))
