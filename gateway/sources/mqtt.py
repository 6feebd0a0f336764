"""Hears wireless sensors and process tags over MQTT."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gateway.messages.broker import BrokerSettings
from gateway.messages.link import Link, Received
from gateway.records import PointId, SampleBlock, SourceFault
from gateway.sources import Bursts
from gateway.sources.inlet import Inlet, Item
from gateway.sources.mqtt_settings import MqttSource, WaveformSettings
from gateway.sources.mqtt_waveform import WaveformError, WaveformHeader, read_waveform
from gateway.sources.process_tags import ProcessTags, TagError
from gateway.sources.sequencer import Sequencer
from models.records import OperatingState

log = logging.getLogger(__name__)

MAX_WAITING = 200
"""Messages that may wait in memory: at most 200 MB, in practice a few."""
LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class _Wave:
    header: WaveformHeader
    samples: NDArray[np.float32]
    state: OperatingState | None


class MqttListener:
    """A `Source` that hears one machine's sensors over MQTT.

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
        self._points = {w.topic: PointId(settings.machine, w.point) for w in settings.waveforms}
        self._sequencers = {topic: Sequencer[_Wave]() for topic in self._waveforms}
        self._tags = ProcessTags(settings.tags, settings.stale_after_s)
        self._faults: dict[str, str] = {}
        self._numbers: dict[PointId, int] = {}
        self._full = 0
        self._queue: queue.Queue[Received] = queue.Queue(MAX_WAITING)
        topics = dict.fromkeys([*self._waveforms, *(t.topic for t in settings.tags)])
        self._link = Link(
            settings.broker or broker,
            f"{client_id}-in-{settings.machine}",
            on_message=self._receive,
            subscriptions=list(topics),
            persistent=False,  # what a sensor measured while we were away comes too late
        )

    @property
    def name(self) -> str:
        return f"mqtt:{self._settings.machine}"

    @property
    def status(self) -> str:
        if not self._link.connected:
            return "not connected to its broker; trying again"
        lost = sum(s.lost for s in self._sequencers.values()) + self._full
        notes = [f"{topic}: {text}" for topic, text in sorted(self._faults.items())]
        notes += [f"{lost} messages lost"] if lost else []
        return "; ".join(notes) or "ok"

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        return {
            self._points[w.topic]: Bursts(w.burst_s, w.interval_s)
            for w in self._settings.waveforms
            if w.burst_s is not None and w.interval_s is not None
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
                    self._take(message, inlet)
                now_s = time.monotonic()
                for topic, sequencer in self._sequencers.items():
                    self._deliver(inlet, topic, sequencer.due(now_s))
        finally:
            self._link.stop()

    def _receive(self, message: Received) -> None:
        try:
            self._queue.put_nowait(message)
        except queue.Full:
            self._full += 1

    def _take(self, message: Received, inlet: Inlet) -> None:
        now_s = time.monotonic()
        self._take_tags(message, now_s)
        waveform = self._waveforms.get(message.topic)
        if waveform is not None and not message.retained:
            self._take_waveform(waveform, message.payload, inlet, now_s)

    def _take_tags(self, message: Received, now_s: float) -> None:
        if message.topic in self._waveforms:
            return
        try:
            self._tags.take(message.topic, message.payload, now_s)
        except TagError as error:
            self._note(message.topic, str(error))
        else:
            self._faults.pop(message.topic, None)

    def _take_waveform(
        self, waveform: WaveformSettings, payload: bytes, inlet: Inlet, now_s: float
    ) -> None:
        topic = waveform.topic
        try:
            header, samples = read_waveform(payload)
        except WaveformError as error:
            self._note(topic, str(error))
            text = f"a message on {topic} is no waveform: {error}"
            inlet.put([SourceFault(self._points[topic], time.time_ns(), text)], wait=False)
            return
        if self._faults.pop(topic, None) is not None:
            log.info("%s: %s delivers again", self.name, topic)
        wave = _Wave(header, samples, self._tags.state(now_s))
        self._deliver(inlet, topic, self._sequencers[topic].push(header.seq, wave, now_s))

    def _deliver(self, inlet: Inlet, topic: str, waves: list[tuple[_Wave, bool]]) -> None:
        items: list[Item] = [self._block(self._points[topic], w, gap) for w, gap in waves]
        if items and not inlet.put(items, wait=False):
            self._full += len(items)

    def _block(self, point: PointId, wave: _Wave, gap: bool) -> SampleBlock:
        # Our own count: it also jumps where the full inlet takes nothing, so that the loss shows.
        self._numbers[point] = number = self._numbers.get(point, -1) + 1
        header = wave.header
        return SampleBlock(
            point=point,
            fs_hz=header.fs_hz,
            t0_ns=header.t0_ns,
            sequence=number,
            samples=wave.samples,
            unit=header.unit,
            gap=gap,
            clipped=header.clipped,
            state=wave.state,
        )

    def _note(self, topic: str, text: str) -> None:
        if topic not in self._faults:
            log.warning("%s: %s: %s", self.name, topic, text)
        self._faults[topic] = text
