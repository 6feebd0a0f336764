"""Puts numbered messages back in order: waits a little for a late one, notes a lost one."""

from __future__ import annotations

from typing import Generic, TypeVar

Item = TypeVar("Item")

DEPTH = 16
"""Messages that wait for an earlier one; wireless meshes reorder by a few."""
PATIENCE_S = 3.0
RESTART_BELOW = 1000
"""A number so far below the last one is not late: the sensor has restarted."""


class Sequencer(Generic[Item]):
    """The messages of one sensor.

    Examples
    --------
    >>> one = Sequencer()
    >>> [one.push(seq, str(seq), now_s=0) for seq in (5, 7, 6, 6)]
    [[('5', False)], [], [('6', False), ('7', False)], []]
    >>> one.push(9, "9", now_s=0), one.due(now_s=1), one.due(now_s=4)
    ([], [], [('9', True)])
    >>> one.lost, one.doubled
    (1, 1)
    """

    def __init__(self) -> None:
        self._next: int | None = None
        self._waiting: dict[int, Item] = {}
        self._since_s = 0.0
        self.lost = self.doubled = self.restarts = 0

    @property
    def expected(self) -> int | None:
        """Return the number that comes next, None before the first."""
        return self._next

    def push(self, seq: int, item: Item, now_s: float) -> list[tuple[Item, bool]]:
        """Take one; gives what is in order now, each with whether something before it is lost."""
        if self._next is None:
            self._next = seq
        if seq < self._next:
            if seq > 0 and self._next - seq < RESTART_BELOW:
                self.doubled += 1
                return []
            self.restarts += 1
            self._waiting.clear()
            self._next = seq + 1
            return [(item, True)]
        if seq in self._waiting:
            self.doubled += 1
            return []
        if not self._waiting:
            self._since_s = now_s
        self._waiting[seq] = item
        ready = self._ready(gap=False)
        while len(self._waiting) > DEPTH:
            ready += self._skip(now_s)
        return ready

    def due(self, now_s: float) -> list[tuple[Item, bool]]:
        """Give what has waited long enough for one that does not come."""
        ready = []
        while self._waiting and now_s - self._since_s > PATIENCE_S:
            ready += self._skip(now_s)
        return ready

    def _skip(self, now_s: float) -> list[tuple[Item, bool]]:
        first = min(self._waiting)
        self.lost += first - (self._next or 0)
        self._next, self._since_s = first, now_s
        return self._ready(gap=True)

    def _ready(self, gap: bool) -> list[tuple[Item, bool]]:
        ready = []
        while self._next is not None and self._next in self._waiting:
            ready.append((self._waiting.pop(self._next), gap))
            self._next += 1
            gap = False
        return ready
