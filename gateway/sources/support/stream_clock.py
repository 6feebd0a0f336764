"""Stream time against the wall clock, for sources that play a stream."""

from __future__ import annotations

from dataclasses import dataclass

from auscult.contract.times import NS_PER_S


@dataclass(frozen=True, slots=True)
class StreamClock:
    """When a moment of the stream is due, on the monotonic clock.

    Parameters
    ----------
    pace : float
        Stream seconds a real second; 0 = as fast as possible.
    start_ns : int
        UTC time at which the stream begins.
    now_ns : int
        UTC time (not before `start_ns`) that belongs to the monotonic time `now_s`.
    now_s : float

    Examples
    --------
    Ten minutes at ten times real time begin nine minutes ago and end now:

    >>> clock = StreamClock.begin(10, 600 * NS_PER_S, 0, 3600 * NS_PER_S, 0.0)
    >>> clock.start_ns / NS_PER_S, clock.due_s(600 * NS_PER_S), clock.due_s(610 * NS_PER_S)
    (3060.0, 60.0, 70.0)
    """

    pace: float
    start_ns: int
    now_ns: int
    now_s: float

    @classmethod
    def begin(
        cls, pace: float, span_ns: int, earliest_ns: int, now_ns: int, now_s: float
    ) -> StreamClock:
        """Begin a stream whose first `span_ns` are history, not before `earliest_ns`."""
        share = 0.0 if pace == 0 else 1 / pace
        back_ns = round(span_ns * max(1 - share, 0))
        start_ns = max(now_ns - back_ns, earliest_ns)
        return cls(pace, start_ns, max(now_ns, start_ns), now_s)

    def resumes(self, stream_end_ns: int) -> int:
        """Offset in the stream, ns, where a new run of the gateway continues; 0 = at its start.

        >>> StreamClock(1.0, 5 * NS_PER_S, 5 * NS_PER_S, 0.0).resumes(7 * NS_PER_S) / NS_PER_S
        2.0
        """
        return max(0, stream_end_ns - self.start_ns)

    def due_s(self, offset_ns: int) -> float:
        """Monotonic time at which a sample `offset_ns` after the start has been taken."""
        paced_s = offset_ns / NS_PER_S / self.pace if self.pace else 0.0
        present_s = (self.start_ns + offset_ns - self.now_ns) / NS_PER_S
        return self.now_s + max(paced_s, present_s)
