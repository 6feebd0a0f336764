"""What arrives on a topic filter within a few seconds: numbers, and what they probably are.

The dashboard listens at its own broker with a connection of its own; nothing is stored.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, Final

from pydantic_core import from_json

from auscult.app.views.topics import TopicValue, TopicValues
from auscult.contract.said import Said
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link, Received, nothing_arrived

MAX_VALUES = 200
"""Values of one preview; a page shows no more."""
MAX_BYTES = 64_000
"""A longer message is not opened."""
MAX_DEPTH = 8
CONNECT_S = 5.0
OWN = "auscult/"
"""Topics of Auscult's own, which hold no sensor."""

WORDS: Final = (
    ("vrms", "velocity_rms", "mm/s"),
    ("v_rms", "velocity_rms", "mm/s"),
    ("velocity", "velocity_rms", "mm/s"),
    ("apeak", "acceleration_peak", "g"),
    ("a_peak", "acceleration_peak", "g"),
    ("arms", "acceleration_rms", "g"),
    ("acceleration", "acceleration_rms", "g"),
    ("temp", "temperature", "°C"),
    ("tc", "temperature", "°C"),
    ("humid", "humidity", "%"),
    ("current", "current", "A"),
    ("volt", "voltage", "V"),
    ("power", "power", "W"),
    ("press", "pressure", "bar"),
    ("flow", "flow", "m³/h"),
    ("speed", "speed", "r/min"),
    ("rpm", "speed", "r/min"),
)
"""Parts of keys, with the quantity and the usual unit that they mean."""


def proposed(topic: str, path: str) -> tuple[str, str]:
    """Return the quantity and unit that a key probably means.

    >>> proposed("zigbee2mqtt/pump", "/temperature"), proposed("a/b", "/x")
    (('temperature', '°C'), ('other', '1'))
    """
    key = (path.rpartition("/")[2] or topic.rpartition("/")[2]).casefold()
    return next(((quantity, unit) for word, quantity, unit in WORDS if word in key), ("other", "1"))


def numbers_in(message: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, float]]:
    """Yield each number of a message with its JSON pointer.

    >>> list(numbers_in({"a": [1, {"b/c": 2.5}], "on": True}))
    [('/a/0', 1.0), ('/a/1/b~1c', 2.5)]
    """
    if depth > MAX_DEPTH:
        return
    if isinstance(message, dict):
        for key, value in message.items():
            step = str(key).replace("~", "~0").replace("/", "~1")
            yield from numbers_in(value, f"{path}/{step}", depth + 1)
    elif isinstance(message, list):
        for number, value in enumerate(message):
            yield from numbers_in(value, f"{path}/{number}", depth + 1)
    elif isinstance(message, int | float) and not isinstance(message, bool) and isfinite(message):
        yield path, float(message)


class TopicPreview:
    """Collects the values of messages; the network thread calls `read`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.messages = 0
        """Messages of others than Auscult."""
        self._values: dict[tuple[str, str], TopicValue] = {}
        self._clock = clock
        self._fresh: dict[tuple[str, str], tuple[float, int]] = {}
        """When the first message came that the broker had not kept, s, and how many since."""
        self._lock = threading.Lock()

    def read(self, message: Received) -> None:
        """Read a message; what is no JSON or too long has no values."""
        if message.topic.startswith(OWN):
            return
        self.messages += 1
        if len(message.payload) > MAX_BYTES:
            return
        try:
            content = from_json(message.payload)
        except ValueError:
            return
        now_s = self._clock()
        with self._lock:
            for path, value in numbers_in(content):
                key = message.topic, path
                before = self._values.get(key)
                if before is None and len(self._values) >= MAX_VALUES:
                    return
                since_s, more = self._fresh.get(key, (now_s, -1))
                if not message.retained:
                    more += 1
                    self._fresh[key] = since_s, more
                quantity, unit = proposed(*key)
                self._values[key] = TopicValue(
                    topic=message.topic,
                    path=path,
                    value=value,
                    messages=before.messages + 1 if before else 1,
                    interval_s=_interval(now_s - since_s, more),
                    quantity=quantity,
                    unit=unit,
                )

    @property
    def values(self) -> tuple[TopicValue, ...]:
        """Return the values so far, by topic and path."""
        with self._lock:
            return tuple(self._values[key] for key in sorted(self._values))


def _interval(seconds: float, times: int) -> float | None:
    """Return the mean time between values that came again so often, rounded."""
    return max(1.0, float(f"{seconds / times:.2g}")) if times > 0 else None


def preview(broker: BrokerSettings, topic_filter: str, seconds: float) -> TopicValues:
    """Listen to a topic filter for some seconds; say why where no number arrives.

    Raises
    ------
    TimeoutError
        If the broker does not accept the connection.
    """
    found = TopicPreview()
    link = Link(
        broker,
        f"auscult-preview-{secrets.token_hex(4)}",
        on_message=found.read,
        subscriptions=[topic_filter],
        persistent=False,
    )
    link.start()
    try:
        if not link.wait_connected(CONNECT_S):
            raise TimeoutError
        time.sleep(seconds)
        said = link.refusal([topic_filter])
    finally:
        link.stop()
    if not found.values:
        said = said or _why_nothing(broker, found.messages, topic_filter, seconds)
    return TopicValues(items=found.values, reason=said.text if said else "", said=said)


def _why_nothing(broker: BrokerSettings, messages: int, topic_filter: str, seconds: float) -> Said:
    if messages:
        return Said("no_numbers_on_topic", {"count": messages, "topic": topic_filter})
    return nothing_arrived(broker, topic_filter, seconds)
