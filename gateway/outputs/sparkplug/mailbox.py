"""What waits for the node's thread: events of the connection first, then work from the gateway."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from auscult.gateway.outputs.sparkplug.connection import Arrived, Event
from auscult.gateway.tags.metrics import Metric, Reading

MAX_WORK = 10_000
"""Updates that may wait while the thread is in a connection attempt (at most some seconds)."""
MAX_COMMANDS = 500
MAX_STATES = 100
"""Messages from outside that may wait; a flood of them is cut off here, not in the memory."""


@dataclass(frozen=True, slots=True)
class Update:
    """Readings of one unit."""

    unit: str | None
    readings: Mapping[str, Reading]


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """A device does not answer any more."""

    device: str
    reason: str


@dataclass(frozen=True, slots=True)
class DeviceBack:
    """A lost device answers again."""

    device: str


@dataclass(frozen=True, slots=True)
class Extension:
    """Further metrics of a unit."""

    unit: str | None
    metrics: tuple[Metric, ...]


Work = Update | DeviceLost | DeviceBack | Extension


class Mailbox:
    """Bounded lanes behind one lock; any thread may put, one takes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._link: deque[Event] = deque()
        self._states: deque[Arrived] = deque(maxlen=MAX_STATES)
        self._commands: deque[Arrived] = deque(maxlen=MAX_COMMANDS)
        self._work: deque[Work] = deque()
        self._stopping = False
        self.dropped = 0
        """Updates lost because too many waited."""

    @property
    def stopping(self) -> bool:
        """Return whether `stop` was called."""
        return self._stopping

    def stop(self) -> None:
        """Ask the thread to end."""
        with self._changed:
            self._stopping = True
            self._changed.notify()

    def put_event(self, event: Event, *, is_state: bool = False) -> None:
        """Add an event of the connection; of states and commands the newest are kept."""
        with self._changed:
            if not isinstance(event, Arrived):
                self._link.append(event)
            elif is_state:
                self._states.append(event)
            else:
                self._commands.append(event)
            self._changed.notify()

    def put_work(self, work: Work) -> None:
        """Add work; where too much waits, readings (and nothing else) are dropped."""
        with self._changed:
            if len(self._work) >= MAX_WORK and isinstance(work, Update):
                self.dropped += 1
                return
            self._work.append(work)
            self._changed.notify()

    def discard_events(self) -> None:
        """Drop what an ended connection has left behind."""
        with self._changed:
            self._link.clear()
            self._states.clear()
            self._commands.clear()

    def next_event(self, *, commands: bool) -> Event | None:
        """Take the next event: of the link itself, then STATE, then (if asked) commands."""
        with self._changed:
            for lane in (self._link, self._states, self._commands if commands else ()):
                if isinstance(lane, deque) and lane:
                    return lane.popleft()
            return None

    def next_work(self) -> Work | None:
        """Take the next work."""
        with self._changed:
            return self._work.popleft() if self._work else None

    def take_extensions(self) -> list[Extension]:
        """Take all waiting extensions, past whatever else waits."""
        with self._changed:
            taken = [work for work in self._work if isinstance(work, Extension)]
            if taken:
                self._work = deque(w for w in self._work if not isinstance(w, Extension))
            return taken

    def wait(self, until_s: float | None) -> None:
        """Wait for anything to happen, at most until the monotonic time `until_s`."""
        with self._changed:
            if self._stopping or self._link or self._states or self._commands or self._work:
                return
            timeout = None if until_s is None else max(0.0, until_s - time.monotonic())
            self._changed.wait(timeout)
