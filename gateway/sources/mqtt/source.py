"""Reads wireless sensors and process tags over MQTT, in Auscult's own envelope and plain JSON."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.contract.message import NS_PER_S
from auscult.contract.records import OperatingState
from auscult.contract.said import Said
from auscult.gateway.sources.contract import SourceContext, SourceKind, SourceProblem
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.mqtt.settings import MqttSource, WaveformSettings
from auscult.gateway.sources.mqtt.waveform import WaveformHeader, read_waveform
from auscult.gateway.sources.support.clock import SampleClock, SenderClock
from auscult.gateway.sources.support.over_mqtt import OverMqtt, other_broker
from auscult.gateway.sources.support.process_tags import ProcessTags, TagError, value_at
from auscult.gateway.sources.support.samples import WaveformError
from auscult.gateway.sources.support.sender_time import TimeError, checked_ns
from auscult.gateway.sources.support.sequencer import Sequencer
from auscult.link.broker import BrokerSettings
from auscult.link.link import Received

REORDERED = 64
"""Messages by which one may come late; a number further back is a restart of the sensor."""


@dataclass(frozen=True, slots=True)
class _Wave:
    header: WaveformHeader
    samples: NDArray[np.float32]
    state: OperatingState | None


class MqttListener(OverMqtt):
    """A `Source` that reads one machine's sensors over MQTT.

    Parameters
    ----------
    settings : MqttSource
    broker : BrokerSettings
        Used where the settings name none.
    client_id : str
        Begins the client id, which must be unique at the broker.
    """

    def __init__(self, settings: MqttSource, broker: BrokerSettings, client_id: str) -> None:
        self._settings = settings
        self._waveforms = {w.topic: w for w in settings.waveforms}
        self._sequencers = {topic: Sequencer[_Wave]() for topic in self._waveforms}
        self._clocks: dict[str, SampleClock] = {}
        self._last: dict[str, tuple[int, int]] = {}
        self._senders = {
            topic: SenderClock() for topic, w in self._waveforms.items() if w.burst_s is None
        }
        self._tags = ProcessTags(settings.stale_after_s)
        super().__init__(
            "mqtt",
            settings.machine,
            settings.waveforms,
            settings.broker or broker,
            client_id,
            list(dict.fromkeys([*self._waveforms, *(t.topic for t in settings.tags)])),
        )

    def _lost(self) -> int:
        return sum(sequencer.lost for sequencer in self._sequencers.values())

    def _look(self, inlet: Inlet, now_s: float) -> None:
        for topic, sequencer in self._sequencers.items():
            self._pass_on(inlet, self._waveforms[topic], sequencer.due(now_s))

    def _take(self, message: Received, inlet: Inlet, now_s: float) -> None:
        waveform = self._waveforms.get(message.topic)
        if waveform is None:
            self._take_tags(message, now_s)
        elif not message.retained:
            self._take_waveform(waveform, message.payload, inlet, now_s)

    def _take_tags(self, message: Received, now_s: float) -> None:
        """Take a message's values; one that can't be read is unknown from now on."""
        wrong = []
        for tag in self._settings.tags:
            if tag.topic != message.topic:
                continue
            try:
                self._tags.put(tag, value_at(message.payload, tag.pointer), now_s)
            except TagError as error:
                self._tags.discard(tag.name)
                wrong.append(Said("source_part", {"what": tag.name, "problem": error.said}))
        if wrong:
            self._feed.note(message.topic, Said("parts", {"parts": tuple(wrong)}))
        else:
            self._feed.clear(message.topic)

    def _take_waveform(
        self, waveform: WaveformSettings, payload: bytes, inlet: Inlet, now_s: float
    ) -> None:
        topic = waveform.topic
        try:
            header, samples = read_waveform(payload)
            if header.t0_ns:
                checked_ns(header.t0_ns, history=True)
        except (WaveformError, TimeError) as error:
            self._fail(inlet, self._point(waveform), topic, error.said)
            return
        self._feed.clear(topic)
        t0_ns = self._t0_ns(topic, header, samples.size)
        header = header.model_copy(update={"t0_ns": t0_ns})
        wave = _Wave(header, samples, self._tags.state(now_s))
        self._pass_on(inlet, waveform, self._sequencers[topic].push(header.seq, wave, now_s))

    def _t0_ns(self, topic: str, header: WaveformHeader, count: int) -> int:
        """Time of the first sample by this computer's clock; 0 from a sender without a clock."""
        now_ns = time.time_ns()
        if header.t0_ns:
            sender = self._senders.get(topic)
            length_ns = count / header.fs_hz * NS_PER_S
            return sender.stamp(header.t0_ns, length_ns, now_ns) if sender else header.t0_ns
        seq, (last_seq, last_ns) = header.seq, self._last.get(topic, (-1, 0))
        clock = self._clocks.get(topic)
        if clock is None or clock.fs_hz != header.fs_hz or seq < last_seq - REORDERED:
            clock = self._clocks[topic] = SampleClock(header.fs_hz)
        elif seq <= last_seq:
            return last_ns - round((last_seq - seq) * count / header.fs_hz * NS_PER_S)
        else:
            clock.lose((seq - last_seq - 1) * count)
        t0_ns, _ = clock.stamp(count, now_ns)
        self._last[topic] = (seq, t0_ns)
        return t0_ns

    def _pass_on(
        self, inlet: Inlet, waveform: WaveformSettings, waves: list[tuple[_Wave, bool]]
    ) -> None:
        point = self._point(waveform)
        blocks = [
            self._feed.block(
                point, w.header.fs_hz, w.header.t0_ns, w.samples, w.header.unit,
                gap=gap, clipped=w.header.clipped, state=w.state,
            )
            for w, gap in waves
        ]  # fmt: skip
        self._feed.deliver(inlet, blocks)


class MqttKind(SourceKind[MqttSource]):
    """Waveforms and process values over MQTT."""

    settings = MqttSource

    def open(self, settings: MqttSource, context: SourceContext) -> MqttListener:
        return MqttListener(settings, context.broker, context.client_id)

    def forbidden(self, settings: MqttSource, recordings_dir: Path) -> SourceProblem | None:
        del recordings_dir
        return other_broker(settings.broker)


KIND = MqttKind()
