"""What was sent but may be lost: QoS 0 is not acknowledged.

MQTT keeps the order of a connection, so the broker's answer to a ping proves that all sent before
the ping has arrived. What was sent after the last answered ping is remembered, to be sent again as
historical if the connection breaks; a host that has it already gets the same value with the same
time.
"""

from __future__ import annotations

from collections import deque

from auscult.gateway.outputs.sparkplug.history import StoredReading

MAX_READINGS = 100_000
"""Bound of the memory (about 30 MB): 1,600 readings/s for two keep-alives of 30 s."""


class InDoubt:
    """The readings sent since the last answered ping, at most `MAX_READINGS`; the oldest go.

    A host that writes more often than the keep-alive spares the pings: more is then in doubt.
    """

    def __init__(self) -> None:
        self._messages: deque[tuple[float, list[StoredReading]]] = deque()
        self._count = 0
        self._discarded: deque[tuple[float, int]] = deque()

    def sent(self, readings: list[StoredReading], now_s: float) -> None:
        """Keep readings sent at the monotonic time `now_s`."""
        self._messages.append((now_s, readings))
        self._count += len(readings)
        while self._count > MAX_READINGS:
            sent_s, oldest = self._messages.popleft()
            self._count -= len(oldest)
            self._discarded.append((sent_s, len(oldest)))

    def confirm(self, until_s: float) -> None:
        """Discard what was sent before the monotonic time `until_s`: the broker has it."""
        while self._messages and self._messages[0][0] < until_s:
            self._count -= len(self._messages.popleft()[1])
        while self._discarded and self._discarded[0][0] < until_s:
            self._discarded.popleft()

    def take(self) -> tuple[list[StoredReading], int]:
        """Return and discard all in doubt, oldest first, and how many more the bound discarded."""
        readings = [reading for _, readings in self._messages for reading in readings]
        beyond = sum(count for _, count in self._discarded)
        self.clear()
        return readings, beyond

    def clear(self) -> None:
        """Discard all: the connection has ended in order."""
        self._messages.clear()
        self._discarded.clear()
        self._count = 0
