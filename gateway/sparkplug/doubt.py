"""What was sent but may be lost: QoS 0 is not acknowledged.

What went into a connection that turns out to be dead is only known to be lost when the
keep-alive fails. Until then it is remembered, to be sent again as historical; a host that has it
already gets the same value with the same time.
"""

from __future__ import annotations

from collections import deque

from auscult.gateway.sparkplug.history import Stored

MAX_MESSAGES = 2_000
"""Bound of the memory that this takes; the oldest are the least in doubt."""
DOUBTFUL_KEEPALIVES = 2.0
"""A dead link is noticed after about 1.5 keep-alives (MQTT 3.1.1, 3.1.2.10)."""


class InDoubt:
    """The readings sent during the last two keep-alives."""

    def __init__(self) -> None:
        self._messages: deque[tuple[float, list[Stored]]] = deque(maxlen=MAX_MESSAGES)

    def sent(self, readings: list[Stored], keepalive_s: float, now_s: float) -> None:
        """Keep readings sent at the monotonic time `now_s`; discard old ones."""
        self._messages.append((now_s, readings))
        while now_s - self._messages[0][0] > DOUBTFUL_KEEPALIVES * keepalive_s:
            self._messages.popleft()

    def readings(self) -> list[Stored]:
        """Return all that is in doubt, oldest first."""
        return [reading for _, readings in self._messages for reading in readings]

    def clear(self) -> None:
        """Discard all: the connection has ended in order, or the readings are kept elsewhere."""
        self._messages.clear()
