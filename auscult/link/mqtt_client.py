"""The MQTT client of paho, faster at receiving many messages.

Paho alone reads each message in four small pieces, waits for the socket before each, and sends
each acknowledgement by itself: 30 system calls a message, after each of which other threads may
run first. Here it reads ahead, and acknowledges many messages at once.
"""

from __future__ import annotations

import struct
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import MessageType, MQTTErrorCode

READ_AHEAD_BYTES = 65_536
PACKETS_A_TURN = 100
"""The client handles so many before it sends what waits."""


class MqttClient(paho.Client):
    """A client whose network thread runs `work`, which may start `serve` again when it fails.

    Between two attempts to connect it waits for `pause_s()`.
    """

    def __init__(
        self, work: Callable[[], None], pause_s: Callable[[], float], *args: Any, **kwargs: Any
    ) -> None:
        self._work = work
        self._pause_s = pause_s
        self._acknowledging = threading.Lock()
        self._acknowledged: deque[tuple[int, int]] = deque()
        self._woken = False
        self.connection = 0
        """Counts connections: in another one the same number means another message."""
        super().__init__(*args, **kwargs)

    def loop_forever(self, *_: Any, **__: Any) -> MQTTErrorCode:
        """Run the work; paho's network thread calls this."""
        self._work()
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def serve(self) -> None:
        """Serve the connection until it is stopped; raises what paho itself does not handle."""
        super().loop_forever(retry_first_connection=True)

    def acknowledge(self, connection: int, mid: int) -> None:
        """Acknowledge a message with QoS 1 of a connection; any thread may call it.

        The network thread sends what is acknowledged meanwhile together, and nothing that belongs
        to an earlier connection.
        """
        self._acknowledged.append((connection, mid))
        if not self._woken and self._sockpairW is not None:
            self._woken = True
            with suppress(BlockingIOError):  # full, so the network thread is about to wake
                self._sockpairW.send(b"0")

    def loop_read(self, max_packets: int = 1) -> MQTTErrorCode:
        """Handle packets that were read ahead, as many as may delay what waits to be sent."""
        for _ in range(PACKETS_A_TURN):
            code = super().loop_read(max_packets)
            connection = self.socket()
            if code or not isinstance(connection, _ReadAhead) or not connection.pending():
                break
        return code

    def loop_write(self) -> MQTTErrorCode:
        """Send acknowledgements and what else waits."""
        self._queue_acknowledgements()
        return super().loop_write()

    def disconnect(self, *args: Any, **kwargs: Any) -> MQTTErrorCode:
        """Disconnect after what was acknowledged before."""
        self._queue_acknowledgements()
        return super().disconnect(*args, **kwargs)

    def want_write(self) -> bool:
        """Tell whether anything waits to be sent."""
        return bool(self._acknowledged) or super().want_write()

    def _reconnect_wait(self) -> None:
        pause_s = self._pause_s()
        self.reconnect_delay_set(pause_s, pause_s)  # type: ignore[arg-type]
        super()._reconnect_wait()

    def _queue_acknowledgements(self) -> None:
        packets = []
        self._woken = False  # before it looks: what comes later wakes it again
        with self._acknowledging:
            while self._acknowledged:
                connection, mid = self._acknowledged.popleft()
                if connection == self.connection:
                    packets.append(struct.pack("!BBH", MessageType.PUBACK, 2, mid))
            if packets:
                self._packet_queue(MessageType.PUBACK, b"".join(packets), 0, 1)

    def _create_socket(self) -> Any:
        self.connection += 1
        return _ReadAhead(super()._create_socket())


class _ReadAhead:
    """A socket that receives more than it is asked for, and gives it out piece by piece."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._ahead = b""
        self._at = 0
        self._inner: Callable[[], int] = getattr(connection, "pending", int)
        self.send = connection.send
        self.fileno = connection.fileno
        self.setblocking = connection.setblocking
        self.close = connection.close

    def recv(self, size: int) -> bytes:
        """Return up to `size` bytes; none after the end of the connection."""
        if self._at >= len(self._ahead):
            self._ahead = self._connection.recv(max(size, READ_AHEAD_BYTES))
            self._at = 0
        piece = self._ahead[self._at : self._at + size]
        self._at += len(piece)
        return piece

    def pending(self) -> int:
        """Return how many bytes can be received without waiting."""
        return len(self._ahead) - self._at + self._inner()
