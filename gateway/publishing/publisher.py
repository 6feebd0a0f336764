"""All that the gateway says goes through here: to MQTT, and to whoever listens beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from ulid import ULID

from auscult.gateway.messages.message import Message
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.storage.outbox import Lane, Outbox, Outgoing, Work

Listener = Callable[[Message], None]


@dataclass(frozen=True, slots=True)
class Publication:
    """A message that must not be lost, and where it goes."""

    topic: str
    message: Message
    lane: Lane = Lane.EVENT


class Publisher:
    """Sends states and messages; any thread may call it.

    Parameters
    ----------
    states : RetainedStates
    outbox : Outbox
    listeners : sequence of callable
        Get each message too, in the caller's thread, so they must be quick.
    """

    def __init__(
        self, states: RetainedStates, outbox: Outbox, listeners: Sequence[Listener] = ()
    ) -> None:
        self._states = states
        self._outbox = outbox
        self._listeners = list(listeners)

    def listen(self, listener: Listener) -> None:
        """Add a listener."""
        self._listeners.append(listener)

    def state(self, topic: str, message: Message) -> None:
        """Replace the state of a topic."""
        self._states.put(topic, message.to_json())
        for listener in self._listeners:
            listener(message)

    def send(self, spoken: Sequence[Publication], work: Work | None = None) -> Future[None]:
        """Store messages (and do `work` in the same transaction), then send them."""
        outgoing = [
            # What is said again (an answer) is a new entry of the outbox.
            Outgoing(
                str(ULID()), s.topic, s.message.payload(), s.lane, getattr(s.message, "id", "")
            )
            for s in spoken
        ]
        future = self._outbox.put(outgoing, work)
        for s in spoken:
            for listener in self._listeners:
                listener(s.message)
        return future
