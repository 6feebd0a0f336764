"""The bounded queue between sources and the pipeline."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence

from auscult.gateway.records import PointValue, SampleBlock, SourceFault

Item = SampleBlock | PointValue | SourceFault

MAX_BYTES = 64_000_000
"""About 2 s of 256 channels at 25.6 kHz: rides out a pause, and memory stays bounded."""

TAKE_BYTES = 16_000_000
"""Taken at once: the windows of so much fit into memory several times over."""

TAKE_S = 1.0
"""Taken at once: what arrived within this time. Few slow points fill `TAKE_BYTES` in minutes only,
and status, trends and the steps of overload come between two takes."""

VALUE_BYTES = 200
"""What a value or a fault takes in memory."""


class Inlet:
    """Blocks in, in order; the pipeline takes many at once.

    Parameters
    ----------
    max_bytes : int
        Bound of the samples that wait.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._items: deque[Item] = deque()
        self._arrived: deque[tuple[float, int]] = deque()
        self._bytes = 0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def waiting_bytes(self) -> int:
        """Return the size of the samples that wait."""
        return self._bytes

    @property
    def waited_s(self) -> float:
        """Return how long the oldest items have waited; 0 where none wait."""
        with self._changed:
            return time.monotonic() - self._arrived[0][0] if self._arrived else 0.0

    def put(self, items: Sequence[Item], *, wait: bool) -> bool:
        """Add items together; False, and nothing done, where they don't fit (or it is closed).

        With `wait` it waits for room instead. Items larger than the bound go into an empty inlet.
        """
        size = sum(map(_size, items))
        with self._changed:
            while not self._closed and self._items and self._bytes + size > self._max_bytes:
                if not wait:
                    return False
                self._changed.wait()
            if self._closed:
                return False
            self._items.extend(items)
            self._arrived.append((time.monotonic(), len(items)))
            self._bytes += size
            self._changed.notify_all()
            return True

    def take(self, timeout_s: float) -> list[Item]:
        """Give items that wait, in order, up to `TAKE_BYTES` of `TAKE_S`.

        Waits `timeout_s` for the first.
        """
        with self._changed:
            if not self._items and not self._closed:
                self._changed.wait(timeout_s)
            items: list[Item] = []
            taken, most = 0, self._arrived_together()
            while len(items) < most and taken < TAKE_BYTES:
                item = self._items.popleft()
                items.append(item)
                taken += _size(item)
            self._bytes -= taken
            self._forget(len(items))
            self._changed.notify_all()
            return items

    def _arrived_together(self) -> int:
        """Count the oldest items that arrived within `TAKE_S`."""
        count = 0
        for arrived_s, items in self._arrived:
            if arrived_s - self._arrived[0][0] > TAKE_S:
                break
            count += items
        return count

    def _forget(self, count: int) -> None:
        """Remove the times of arrival of the oldest items."""
        while count:
            arrived_s, items = self._arrived.popleft()
            if items > count:
                self._arrived.appendleft((arrived_s, items - count))
                return
            count -= items

    def close(self) -> None:
        """Take nothing any more, and let go whoever waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _size(item: Item) -> int:
    return item.samples.nbytes if isinstance(item, SampleBlock) else VALUE_BYTES
