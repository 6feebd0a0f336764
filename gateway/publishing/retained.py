"""Current states: the broker keeps the latest message of each topic (retained).

At most one message of a topic is on its way, so that one sent again after a reconnection can
never overtake and replace a newer one; what changes meanwhile is sent when it has arrived.
"""

from __future__ import annotations

import threading

from auscult.link.link import Link


class RetainedStates:
    """Publishes the latest payload of each topic, when it is new and after each reconnection."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._lock = threading.Lock()
        self._latest: dict[str, bytes] = {}
        self._waiting: set[str] = set()
        self._flying: set[str] = set()

    def put(self, topic: str, payload: bytes) -> None:
        """Replace the state of a topic; it is sent as soon as the broker can take it."""
        with self._lock:
            self._latest[topic] = payload
            self._waiting.add(topic)
        self._send(topic)

    def repeat(self, topic: str) -> None:
        """Send the state of a topic again: another client may have replaced it at the broker."""
        with self._lock:
            if topic in self._latest:
                self._waiting.add(topic)
        self._send(topic)

    def clear(self, topic: str) -> None:
        """Remove the state of a topic from the broker."""
        self.put(topic, b"")

    def connected(self) -> None:
        """Send all states again: the broker may have lost them."""
        with self._lock:
            self._waiting.update(self._latest)
            topics = list(self._waiting)
        for topic in topics:
            self._send(topic)

    def _send(self, topic: str) -> None:
        if not self._try_to_send(topic) and self._link.connected:
            # The connection came back in between, and `connected` found the topic on its way.
            self._try_to_send(topic)

    def _try_to_send(self, topic: str) -> bool:
        with self._lock:
            if topic in self._flying or topic not in self._waiting:
                return True
            self._flying.add(topic)
            self._waiting.discard(topic)
            payload = self._latest[topic]
        taken = self._link.publish(
            topic, payload, retain=True, on_delivered=lambda: self._arrived(topic)
        )
        if not taken:
            with self._lock:
                self._flying.discard(topic)
                self._waiting.add(topic)
        return taken

    def _arrived(self, topic: str) -> None:
        with self._lock:
            self._flying.discard(topic)
        self._send(topic)
