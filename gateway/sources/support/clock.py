"""Times of a stream that never pauses: counted by its samples, pulled towards their arrival."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from auscult.contract.message import NS_PER_S

PULL = 0.02
"""Share of the difference that each block corrects: a converter 100 ppm off stays within 5 ms of
the arrival at blocks of 1 s, and a late block moves the time by a fiftieth of its delay."""
LARGEST_PULL_NS = 2_000_000
"""Most that one block corrects: the windows take 10 ms for a break."""
BREAK_NS = NS_PER_S
"""A difference beyond this is no drift: samples are missing, or the computer's clock was set."""
DELAYS = 16
"""The least delay of this many blocks is that of an idle network."""


@dataclass(slots=True)
class SampleClock:
    """Stamps blocks of one stream.

    Examples
    --------
    >>> clock = SampleClock(1000.0)
    >>> clock.stamp(250, 1_000_000_000), clock.stamp(250, 1_250_000_000)
    ((750000000, True), (1000000000, False))
    """

    fs_hz: float
    _next_ns: float = -1.0

    def stamp(self, count: int, arrival_ns: int) -> tuple[int, bool]:
        """Give the UTC time of the first of `count` samples, and whether the stream broke there.

        Parameters
        ----------
        count : int
            Samples of the block.
        arrival_ns : int
            UTC time at which its last sample was available.
        """
        length_ns = count / self.fs_hz * NS_PER_S
        measured_ns = arrival_ns - length_ns
        difference_ns = measured_ns - self._next_ns
        broke = self._next_ns < 0 or abs(difference_ns) > BREAK_NS
        if broke:
            t0_ns = measured_ns
        else:
            pull_ns = max(-LARGEST_PULL_NS, min(PULL * difference_ns, LARGEST_PULL_NS))
            t0_ns = self._next_ns + pull_ns
        self._next_ns = t0_ns + length_ns
        return round(t0_ns), broke

    def lose(self, count: int) -> None:
        """Note that so many samples are missing before the next block."""
        if self._next_ns >= 0:
            self._next_ns += count / self.fs_hz * NS_PER_S


@dataclass(slots=True)
class SenderClock:
    """Corrects the stamps of a sender whose clock drifts against this computer's.

    The first block's delay, from its last sample to its arrival, is kept: a change of the least
    delay is drift. A block that was stored at the sender and arrives much later changes nothing.

    Examples
    --------
    >>> clock = SenderClock()
    >>> ahead = [clock.stamp(i * 1_000_100_000, 10**9, i * 10**9) for i in range(5000)]
    >>> round((ahead[-1] - 4999 * 10**9) / 10**6)  # ms; 500 by the sender's clock
    5
    """

    _first_ns: int | None = None
    _correction_ns: float = 0.0
    _delays: deque[int] = field(default_factory=lambda: deque(maxlen=DELAYS))

    def stamp(self, t0_ns: int, length_ns: float, arrival_ns: int) -> int:
        """Give the UTC time of a block's first sample by this computer's clock.

        Parameters
        ----------
        t0_ns : int
            The same by the sender's clock.
        length_ns : float
            Length of the block.
        arrival_ns : int
            UTC time of its arrival.
        """
        delay_ns = round(arrival_ns - t0_ns - length_ns)
        if self._first_ns is None:
            self._first_ns = delay_ns
        if abs(delay_ns - self._first_ns - self._correction_ns) <= BREAK_NS:
            self._delays.append(delay_ns)
            away_ns = min(self._delays) - self._first_ns - self._correction_ns
            self._correction_ns += max(-LARGEST_PULL_NS, min(PULL * away_ns, LARGEST_PULL_NS))
        return t0_ns + round(self._correction_ns)
