"""Faults that a person reports after the fact: their windows come from the ring into the replay."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from auscult.models.learning.machine_replay import MachineReplay
from auscult.models.learning.window_ring import WindowRing
from auscult.models.records import ScoredWindow


class ReportedFaults:
    """The windows of the last hours, and the reports about them; any thread may call it.

    Parameters
    ----------
    ring : WindowRing
    replay : MachineReplay
    lock : threading.Lock
        Guards the replay.
    process : callable
        Passes the windows so far to the replay.
    """

    def __init__(
        self,
        ring: WindowRing,
        replay: MachineReplay,
        lock: threading.Lock,
        process: Callable[[], None],
    ) -> None:
        self._ring = ring
        self._replay = replay
        self._lock = lock
        self._process = process

    def keep(self, windows: Sequence[ScoredWindow]) -> None:
        """Keep the windows of a hop for hours; never waits."""
        self._ring.add(windows)

    def flush(self) -> None:
        """Write the newest windows to disk."""
        self._ring.flush()

    @property
    def since_ns(self) -> int | None:
        """Return the time of the oldest window that a report can reach, None if there is none."""
        return self._ring.since_ns

    def store(self, event_id: str, start_ns: int, end_ns: int) -> tuple[str, ...]:
        """Store the windows of a stretch of time as those of an event, once.

        Label the event as a confirmed fault then: the heads learn to raise scores along it.

        Parameters
        ----------
        event_id : str
            Begins with `REPORTED`.
        start_ns, end_ns : int
            UTC.

        Returns
        -------
        tuple of str
            Points with windows of that time; empty if none is stored any more.
        """
        windows = self._ring.between(start_ns, end_ns)
        with self._lock:
            self._process()
            return self._replay.store_report(windows, event_id, start_ns, end_ns)

    def tried(self, event_id: str, start_ns: int, end_ns: int) -> MachineReplay | None:
        """Return a copy of the replay with a report, None if no window of its time is stored."""
        windows = self._ring.between(start_ns, end_ns)
        with self._lock:
            self._process()
            copy = self._replay.copied()
        return copy if copy.store_report(windows, event_id, start_ns, end_ns) else None
