"""Reads wireless sensors and process values from other Sparkplug B edge nodes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from auscult.contract.machines import MachineSettings
from auscult.contract.said import Said
from auscult.contract.times import NS_PER_MS
from auscult.gateway.records import PointId, SourceFault
from auscult.gateway.sources.contract import SourceContext, SourceKind, SourceProblem
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.sparkplug.node import (
    ForeignNode,
    ForeignPayloadError,
    Gone,
    MetricValue,
    News,
)
from auscult.gateway.sources.sparkplug.settings import SparkplugSource, SparkplugTag
from auscult.gateway.sources.sparkplug.values import plain_value, samples_of
from auscult.gateway.sources.support.over_mqtt import OverMqtt, other_broker
from auscult.gateway.sources.support.process_tags import ProcessTags, TagError
from auscult.gateway.sources.support.samples import WaveformError
from auscult.gateway.sources.support.sender_time import TimeError, checked_ns
from auscult.gateway.tags.metrics import REBIRTH, DataType
from auscult.link.broker import BrokerSettings
from auscult.link.link import Received
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from auscult.sparkplug.topics import NAMESPACE

KINDS = ("BIRTH", "DATA", "DEATH")
ASK_AGAIN_S = 5.0
"""A node is asked for its births no more often: each costs it a burst of messages …"""
ASK_SELDOM_S = 320.0
"""… and each time after twice the pause, up to this, as long as it does not help."""


class SparkplugListener(OverMqtt):
    """A `Source` that reads one machine's sensors, as a Sparkplug host.

    Parameters
    ----------
    settings : SparkplugSource
    machine : MachineSettings
        Its points say rate and unit of the samples.
    broker : BrokerSettings
        Used where the settings name none.
    client_id : str
        Begins the client id, which must be unique at the broker.
    """

    def __init__(
        self,
        settings: SparkplugSource,
        machine: MachineSettings,
        broker: BrokerSettings,
        client_id: str,
    ) -> None:
        self._group = settings.group_id
        self._waveforms = {settings.address(w): w for w in settings.waveforms}
        self._process: dict[tuple[str, str, str], list[SparkplugTag]] = {}
        for tag in settings.tags:
            self._process.setdefault(settings.address(tag), []).append(tag)
        self._plates = {point.id: point for point in machine.channels}
        self._tags = ProcessTags(settings.stale_after_s)
        nodes: dict[str, set[str]] = {}
        for node, device, _ in (*self._waveforms, *self._process):
            nodes.setdefault(node, set()).add(device)
        self._nodes = {node: ForeignNode(devices) for node, devices in nodes.items()}
        self._ask_at_s = dict.fromkeys(nodes, 0.0)
        self._pause_s = dict.fromkeys(nodes, ASK_AGAIN_S)
        self._rates_hz = {
            (*settings.address(w)[:2], w.rate_metric): 0.0
            for w in settings.waveforms
            if w.rate_metric
        }
        self._last_ms: dict[PointId, int] = {}
        self._broken: set[PointId] = set()
        super().__init__(
            "sparkplug", settings.machine, settings.waveforms, settings.broker or broker,
            client_id, [topic for node in nodes for topic in self._topics(node)],
        )  # fmt: skip

    def _topics(self, node: str) -> Iterable[str]:
        head = f"{NAMESPACE}/{self._group}"
        for kind in KINDS:
            yield f"{head}/N{kind}/{node}"
            # Of all its devices: their messages count in the node's sequence.
            yield f"{head}/D{kind}/{node}/+"

    def note_connection(self) -> None:
        for name, node in self._nodes.items():
            node.disconnected()
            self._broken.update(self._points_of(name))

    def _lost(self) -> int:
        return sum(node.lost for node in self._nodes.values())

    def _look(self, inlet: Inlet, now_s: float) -> None:
        for name, node in self._nodes.items():
            self._tell(name, node.due(now_s), inlet, now_s)
            if node.wants_birth and now_s >= self._ask_at_s[name]:
                helped = now_s >= self._ask_at_s[name] + self._pause_s[name]
                self._pause_s[name] = (
                    ASK_AGAIN_S if helped else min(2 * self._pause_s[name], ASK_SELDOM_S)
                )
                self._ask_at_s[name] = now_s + self._pause_s[name]
                self._ask_for_birth(name)

    def _ask_for_birth(self, node: str) -> None:
        now_ms = time.time_ns() // NS_PER_MS
        payload = Payload(timestamp=now_ms)
        payload.metrics.add(
            name=REBIRTH, timestamp=now_ms, datatype=int(DataType.BOOLEAN), boolean_value=True
        )
        topic = f"{NAMESPACE}/{self._group}/NCMD/{node}"
        if self.link is not None:
            self.link.publish(topic, payload.SerializeToString(), qos=0)

    def _take(self, message: Received, inlet: Inlet, now_s: float) -> None:
        _, _, kind, name, *device = message.topic.split("/")
        if message.retained or name not in self._nodes:
            return
        try:
            news = self._nodes[name].take(kind, "".join(device), message.payload, now_s)
        except ForeignPayloadError as error:
            # The fault is the node's: any number of its devices may send malformed messages.
            self._feed.note(name, error.said)
            self._nodes[name].wants_birth = True
            return
        self._feed.clear(name)
        self._tell(name, news, inlet, now_s)

    def _tell(self, node: str, news: Iterable[News], inlet: Inlet, now_s: float) -> None:
        for one in news:
            if isinstance(one, Gone):
                self._lose(node, one.device, inlet)
                continue
            address = node, one.device, one.name
            if one.after_loss:
                self._broken.update(self._points_of(node))
            if address in self._rates_hz:
                self._take_rate(address, one)
            if address in self._process:
                self._take_value(address, one, now_s)
            if address in self._waveforms and not one.birth:
                self._take_waveform(address, one, inlet, now_s)

    def _take_rate(self, address: tuple[str, str, str], received: MetricValue) -> None:
        value = plain_value(received.metric, received.datatype)
        self._rates_hz[address] = value if isinstance(value, int | float) else 0.0

    def _take_value(
        self, address: tuple[str, str, str], received: MetricValue, now_s: float
    ) -> None:
        if received.metric.is_historical:
            return
        value = plain_value(received.metric, received.datatype)
        what = "/".join(filter(None, address))
        for tag in self._process[address]:
            if value is None:
                self._tags.discard(tag.name)
                continue
            try:
                self._tags.put(tag, value, now_s)
            except TagError as error:
                self._tags.discard(tag.name)
                self._feed.note(what, error.said)
            else:
                self._feed.clear(what)

    def _take_waveform(
        self, address: tuple[str, str, str], received: MetricValue, inlet: Inlet, now_s: float
    ) -> None:
        settings = self._waveforms[address]
        point = self._point(settings)
        t_ms = received.t_ms if received.t_ms is not None else time.time_ns() // NS_PER_MS
        last_ms = self._last_ms.get(point)
        if t_ms == last_ms or (received.metric.is_historical and t_ms < (last_ms or 0)):
            return  # a duplicate, or too late to be sorted in
        what = "/".join(filter(None, address))
        try:
            t0_ns = _t0_ns(t_ms)
            samples = samples_of(received.metric, received.datatype, settings)
        except WaveformError as error:
            self._fail(inlet, point, what, error.said)
            return
        self._feed.clear(what)
        self._last_ms[point] = t_ms
        plate = self._plates[settings.point]
        told_hz = self._rates_hz.get((*address[:2], settings.rate_metric))
        fs_hz = plate.fs_hz if told_hz is None else told_hz
        gap = point in self._broken
        self._broken.discard(point)
        block = self._feed.block(
            point, fs_hz, t0_ns, samples, plate.unit, gap=gap, state=self._tags.state(now_s)
        )
        self._feed.deliver(inlet, [block])

    def _lose(self, node: str, device: str | None, inlet: Inlet) -> None:
        """Take note of a death: nothing is known of its points and process values any more."""
        said = Said("node_dead", {"node": node})
        if device is not None:
            said = Said("device_dead", {"device": device})
        for address, waveform in self._waveforms.items():
            if address[0] == node and device in (None, address[1]):
                point = self._point(waveform)
                self._broken.add(point)
                inlet.put([SourceFault(point, time.time_ns(), said)], wait=False)
        for address, tags in self._process.items():
            if address[0] == node and device in (None, address[1]):
                for tag in tags:
                    self._tags.discard(tag.name)

    def _points_of(self, node: str) -> list[PointId]:
        return [self._point(w) for address, w in self._waveforms.items() if address[0] == node]


def _t0_ns(t_ms: int) -> int:
    try:
        return checked_ns(t_ms * NS_PER_MS, history=True)
    except TimeError as error:
        raise WaveformError("metric_time", t_ms=t_ms) from error


class SparkplugKind(SourceKind[SparkplugSource]):
    """Sensors of other Sparkplug B edge nodes."""

    settings = SparkplugSource

    def open(self, settings: SparkplugSource, context: SourceContext) -> SparkplugListener:
        machine = context.machines[settings.machine]
        return SparkplugListener(settings, machine, context.broker, context.client_id)

    def forbidden(self, settings: SparkplugSource, recordings_dir: Path) -> SourceProblem | None:
        del recordings_dir
        return other_broker(settings.broker)


KIND = SparkplugKind()
