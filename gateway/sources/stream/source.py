"""Receives frames of samples over TCP or UDP, in order, with every loss counted."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import cast

from auscult.contract.said import Said
from auscult.contract.times import DAY_NS
from auscult.gateway.records import PointId
from auscult.gateway.sources.contract import (
    Source,
    SourceContext,
    SourceKind,
    SourceProblem,
)
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.stream.frames import Frame, FrameBuffer, FrameError, unpack
from auscult.gateway.sources.stream.settings import StreamSource
from auscult.gateway.sources.support.clock import SampleClock
from auscult.gateway.sources.support.sequencer import Sequencer

LOOK_S = 0.25
RECEIVE_BYTES = 65_536
UDP_MEMORY = 8_000_000
"""Datagrams that the system may hold for us while Python is busy; about 3 s of 16 channels."""
MAX_CONNECTIONS = 256
IDLE_S = 10.0
"""A connection without a frame is closed after this, or after `silent_after_s` if that is longer;
the sensor connects again when it measures."""
SEQUENCES = 1 << 32


class FrameReceiver:
    """From frames to blocks: order, losses, damage, times. It knows no socket."""

    def __init__(self, settings: StreamSource, feed: Feed) -> None:
        self._feed = feed
        self._silent_after_s = settings.silent_after_s
        self._points: dict[int, dict[int, PointId]] = defaultdict(dict)
        for one in settings.channels:
            self._points[one.sensor][one.channel] = PointId(settings.machine, one.point)
        self._sequencers = {sensor: Sequencer[Frame]() for sensor in self._points}
        self._clocks: dict[int, SampleClock] = {}
        self._heard_s: dict[int, float] = {}
        self._begun_s: float | None = None
        self.received = self.damaged = self.unknown = 0

    def clocks(self, source: str) -> dict[PointId, str]:
        """Name the clock of each point: the channels of one sensor share it."""
        return {
            point: f"{source}:{sensor}"
            for sensor, channels in self._points.items()
            for point in channels.values()
        }

    @property
    def lost(self) -> int:
        """Return the frames that did not come, by their numbers; a damaged one is among them."""
        return sum(one.lost for one in self._sequencers.values())

    @property
    def doubled(self) -> int:
        """Return the frames that came twice, or too late."""
        return sum(one.doubled for one in self._sequencers.values())

    def take(self, frame: Frame, inlet: Inlet, now_s: float) -> None:
        """Take one frame; its samples are passed on when all before it are there or given up."""
        self.received += 1
        sequencer = self._sequencers.get(frame.sensor)
        if sequencer is None:
            self.unknown += 1
            self._feed.note("unknown", Said("stream_unknown_sensor", {"sensor": frame.sensor}))
            return
        self._heard_s[frame.sensor] = now_s
        number = _near(frame.sequence, sequencer.expected)
        self._pass_on(sequencer.push(number, frame, now_s), inlet)

    def look(self, inlet: Inlet, now_s: float) -> None:
        """Give up frames that do not come, and report silent sensors."""
        self._begun_s = now_s if self._begun_s is None else self._begun_s
        for sensor, sequencer in self._sequencers.items():
            self._pass_on(sequencer.due(now_s), inlet)
            if now_s - self._heard_s.get(sensor, self._begun_s) < self._silent_after_s:
                self._feed.clear(f"sensor {sensor}")
                continue
            said = Said("stream_silent", {"sensor": sensor, "after_s": self._silent_after_s})
            if self._feed.note(f"sensor {sensor}", said):
                for point in self._points[sensor].values():
                    self._feed.fail(inlet, point, said)
        self._feed.lost = self.lost

    def _pass_on(self, ready: list[tuple[Frame, bool]], inlet: Inlet) -> None:
        for frame, lost_before in ready:
            self._deliver(frame, lost_before or frame.gap, inlet)

    def _deliver(self, frame: Frame, gap: bool, inlet: Inlet) -> None:
        t0_ns, broke = self._time(frame, gap)
        if t0_ns is None:
            return
        points = self._points[frame.sensor]
        blocks = [
            self._feed.block(
                points[channel], frame.fs_hz, t0_ns, row, frame.unit,
                gap=gap or broke, clipped=frame.clipped,
            )
            for channel, row in enumerate(frame.samples)
            if channel in points
        ]  # fmt: skip
        self._feed.deliver(inlet, blocks)

    def _time(self, frame: Frame, gap: bool) -> tuple[int | None, bool]:
        """Return UTC time of the first sample: the sensor's, or counted from the arrival."""
        now_ns = time.time_ns()
        count = frame.samples.shape[1]
        if frame.t0_ns == 0:
            clock = self._clocks.get(frame.sensor)
            if clock is None or gap or clock.fs_hz != frame.fs_hz:
                clock = self._clocks[frame.sensor] = SampleClock(frame.fs_hz)
            return clock.stamp(count, now_ns)
        if abs(frame.t0_ns - now_ns) > DAY_NS:
            said = Said("stream_time", {"sensor": frame.sensor, "t0_ns": frame.t0_ns})
            self._feed.note(f"time of {frame.sensor}", said)
            return None, False
        self._feed.clear(f"time of {frame.sensor}")
        return frame.t0_ns, False


def _near(sequence: int, expected: int | None) -> int:
    """Count on beyond 32 bits: the number nearest to the one expected."""
    if expected is None:
        # numbered on from a multiple, so that a late one is not below the first
        return SEQUENCES + sequence
    half = SEQUENCES // 2
    return expected + (sequence - expected + half) % SEQUENCES - half


class StreamListener(Source):
    """A `Source` that receives frames."""

    def __init__(self, settings: StreamSource) -> None:
        self._settings = settings
        self._feed = Feed(self.name)
        self.receiver = FrameReceiver(settings, self._feed)
        self._buffers: dict[socket.socket, FrameBuffer] = {}
        self._frame_s: dict[socket.socket, float] = {}
        """When each connection sent its last frame, or began; monotonic."""
        self.port: int | None = None
        """The port that it listens at, None before it does."""

    @property
    def name(self) -> str:
        return f"stream:{self._settings.machine}"

    @property
    def clocks(self) -> Mapping[PointId, str]:
        return self.receiver.clocks(self.name)

    @property
    def status(self) -> Said:
        receiver = self.receiver
        said = self._feed.status
        if not receiver.damaged:
            return said
        damaged = Said("frames_damaged", {"count": receiver.damaged})
        return Said("parts", {"parts": (damaged,) if said.code == "source_ok" else (said, damaged)})

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        udp = self._settings.protocol == "udp"
        family = socket.AF_INET6 if ":" in self._settings.host else socket.AF_INET
        kind = socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
        with socket.socket(family, kind) as server, selectors.DefaultSelector() as selector:
            server.setblocking(False)
            if udp:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UDP_MEMORY)
            else:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((self._settings.host, self._settings.port))
            if not udp:
                server.listen(16)
            selector.register(server, selectors.EVENT_READ)
            self.port = server.getsockname()[1]
            try:
                while not stop.is_set():
                    for key, _ in selector.select(LOOK_S):
                        ready = cast(socket.socket, key.fileobj)
                        if udp:
                            self._read_datagrams(ready, inlet)
                        elif ready is server:
                            self._accept(server, selector)
                        else:
                            self._read_connection(ready, selector, inlet)
                    now_s = time.monotonic()
                    self._close_idle(selector, now_s)
                    self.receiver.look(inlet, now_s)
            finally:
                for connection in self._buffers:
                    connection.close()
                self._buffers.clear()
                self._frame_s.clear()
                self.port = None

    def _read_datagrams(self, server: socket.socket, inlet: Inlet) -> None:
        """Read what the system holds; then look at the clock again."""
        for _ in range(1000):
            try:
                data, address = server.recvfrom(RECEIVE_BYTES)
            except (BlockingIOError, ConnectionError):
                return
            if self._allowed(address[0]):
                self._take(data, inlet)

    def _take(self, data: bytes, inlet: Inlet) -> None:
        try:
            frame = unpack(data)
        except FrameError:
            self.receiver.damaged += 1
            return
        self.receiver.take(frame, inlet, time.monotonic())

    def _accept(self, server: socket.socket, selector: selectors.BaseSelector) -> None:
        try:
            connection, address = server.accept()
        except OSError:
            return
        if not self._allowed(address[0]) or len(self._buffers) >= MAX_CONNECTIONS:
            connection.close()
            return
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._buffers[connection] = FrameBuffer()
        self._frame_s[connection] = time.monotonic()
        selector.register(connection, selectors.EVENT_READ)

    def _read_connection(
        self, connection: socket.socket, selector: selectors.BaseSelector, inlet: Inlet
    ) -> None:
        try:
            data = connection.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        buffer = self._buffers[connection]
        if not data:
            self._close(connection, selector)
            return
        before = buffer.damaged
        for frame in buffer.add(data):
            self._frame_s[connection] = time.monotonic()
            self.receiver.take(frame, inlet, self._frame_s[connection])
        self.receiver.damaged += buffer.damaged - before

    def _close_idle(self, selector: selectors.BaseSelector, now_s: float) -> None:
        """Close connections without a frame for longer than a sensor may be silent."""
        idle_s = max(IDLE_S, self._settings.silent_after_s)
        for connection in [one for one, at_s in self._frame_s.items() if now_s - at_s > idle_s]:
            self._close(connection, selector)

    def _close(self, connection: socket.socket, selector: selectors.BaseSelector) -> None:
        selector.unregister(connection)
        connection.close()
        del self._buffers[connection], self._frame_s[connection]

    def _allowed(self, host: str) -> bool:
        networks = self._settings.allow
        if not networks:
            return True
        address = ip_address(host.partition("%")[0])
        return any(address in network for network in networks)


class StreamKind(SourceKind[StreamSource]):
    """Raw streams of microcontrollers."""

    settings = StreamSource

    def open(self, settings: StreamSource, context: SourceContext) -> StreamListener:
        del context
        return StreamListener(settings)

    def forbidden(self, settings: StreamSource, recordings_dir: Path) -> SourceProblem | None:
        """Allow it: the gateway only listens; ports of the system stay closed."""
        del recordings_dir
        if settings.port and settings.port < 1024:
            return SourceProblem(("port",), Said("value_at_least", {"limit": 1024}))
        return None


KIND = StreamKind()
