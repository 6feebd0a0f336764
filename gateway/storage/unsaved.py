"""Messages that the database can't store at the moment: kept in memory, in order and bounded."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from auscult.gateway.storage.outgoing import Lane, OutboxEntry, Outgoing
from auscult.gateway.storage.store import StoreError

log = logging.getLogger(__name__)

UNSAVED_MAX = 5_000
"""Messages kept in memory while the database fails, and writes that wait after their messages were
sent. The oldest trends, spectra and clips are dropped first, then the oldest of all."""
UNSAVED_BYTES: Final = 50_000_000
"""The same as bytes: a clip has up to a megabyte."""


class Unsaved:
    """Entries that wait for the database; any thread may call it."""

    def __init__(self) -> None:
        self._entries: deque[OutboxEntry] = deque()
        self._lock = threading.Lock()
        self._dropped = 0

    def __bool__(self) -> bool:
        return bool(self._entries)

    @property
    def messages(self) -> int:
        """Return the number of messages that are neither stored nor sent."""
        with self._lock:
            return sum(len(entry.messages) for entry in self._entries)

    @property
    def dropped(self) -> int:
        """Return the number of messages that were discarded."""
        return self._dropped

    def keep(self, entry: OutboxEntry) -> None:
        """Keep an entry behind the others; the oldest are discarded beyond the bound."""
        beyond = []
        with self._lock:
            self._entries.append(entry)
            count, size = (sum(n) for n in zip(*map(_size, self._entries), strict=True))
            while count > UNSAVED_MAX or (size > UNSAVED_BYTES and len(self._entries) > 1):
                first = next((n for n, one in enumerate(self._entries) if _gives_way(one)), 0)
                beyond.append(self._entries[first])
                del self._entries[first]
                one = _size(beyond[-1])
                count, size = count - one[0], size - one[1]
        for oldest in beyond:
            self._dismiss(oldest, StoreError("too many messages wait for the database"))

    def discard(self, entry: OutboxEntry, error: Exception) -> None:
        """Count and log an entry whose writes failed: a repetition would fail too."""
        count = len(entry.messages)
        log.error("a write failed: discarded with %d unsent messages", count, exc_info=error)
        self._dismiss(entry, error)

    def _dismiss(self, entry: OutboxEntry, error: Exception) -> None:
        with self._lock:
            self._dropped += len(entry.messages)
            entry.messages.clear()
        if entry.on_discarded is not None:
            entry.on_discarded(error)

    def remove_all(self) -> list[OutboxEntry]:
        """Remove and return all entries, to store them."""
        with self._lock:
            taken = list(self._entries)
            self._entries.clear()
        return taken

    def give_back(self, entries: Sequence[OutboxEntry]) -> None:
        """Put what could not be stored before all others again."""
        with self._lock:
            self._entries.extendleft(reversed(entries))

    def send(self, publish: Callable[[Outgoing], bool]) -> None:
        """Send the messages in order while `publish` takes them; their writes still wait."""
        with self._lock:
            entries = list(self._entries)
        for entry in entries:
            while message := self._taken_from(entry):
                if not publish(message):
                    self._put_back(entry, message)
                    return
            if not entry.writes:
                with self._lock, suppress(ValueError):  # it may have been discarded meanwhile
                    self._entries.remove(entry)

    def _taken_from(self, entry: OutboxEntry) -> Outgoing | None:
        """Take the next message: what is being sent can't be discarded meanwhile."""
        with self._lock:
            return entry.messages.pop(0) if entry.messages else None

    def _put_back(self, entry: OutboxEntry, message: Outgoing) -> None:
        with self._lock:
            if any(one is entry for one in self._entries):
                entry.messages.insert(0, message)
            else:
                self._dropped += 1


def _gives_way(entry: OutboxEntry) -> bool:
    """Return whether it holds only trends, spectra and clips."""
    return not entry.writes and all(one.lane is Lane.TREND for one in entry.messages)


def _size(entry: OutboxEntry) -> tuple[int, int]:
    """Count the places and bytes that an entry takes."""
    return max(1, len(entry.messages)), sum(len(one.payload) for one in entry.messages)
