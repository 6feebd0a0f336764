"""Publishes all messages of the gateway: over MQTT, and to the listeners beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from ulid import ULID

from auscult.contract.message import Message
from auscult.gateway.publishing.retained import RetainedStates
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.outgoing import DatabaseWrite, Discarded, Lane, Outgoing

Listener = Callable[[Message], None]


@dataclass(frozen=True, slots=True)
class Publication:
    """A message that must not be lost, and its topic."""

    topic: str
    message: Message
    lane: Lane = Lane.EVENT


class Publisher:
    """Publishes states and messages; any thread may call it.

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
        self._listeners = tuple(listeners)

    def state(self, topic: str, message: Message) -> None:
        """Replace the state of a topic."""
        self._states.put(topic, message.to_json())
        for listener in self._listeners:
            listener(message)

    def send(
        self,
        publications: Sequence[Publication],
        writes: Sequence[DatabaseWrite] = (),
        on_discarded: Discarded | None = None,
    ) -> Future[None]:
        """Store messages and `writes` in one transaction, then send the messages: `Outbox.put`."""
        future = self._outbox.put(_outgoing(publications), writes, on_discarded)
        self._tell_listeners(publications)
        return future

    def store(self, publications: Sequence[Publication], writes: Sequence[DatabaseWrite]) -> None:
        """Store messages and `writes`, or raise and send nothing: `Outbox.store`."""
        self._outbox.store(_outgoing(publications), writes)
        self._tell_listeners(publications)

    def _tell_listeners(self, publications: Sequence[Publication]) -> None:
        for publication in publications:
            for listener in self._listeners:
                listener(publication.message)


def _outgoing(publications: Sequence[Publication]) -> list[Outgoing]:
    return [
        # A message that is published again (an answer) is a new entry of the outbox.
        Outgoing(str(ULID()), p.topic, p.message.payload(), p.lane, getattr(p.message, "id", ""))
        for p in publications
    ]
