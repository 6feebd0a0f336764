"""Times of a stream that never pauses: counted by its samples, pulled towards their arrival."""

from __future__ import annotations

from dataclasses import dataclass

NS_PER_S = 1_000_000_000
PULL = 0.02
"""Share of the difference that each block corrects: a converter 100 ppm off stays within 5 ms of
the arrival at blocks of 1 s, and a late block moves the time by a fiftieth of its delay."""
LARGEST_PULL_NS = 2_000_000
"""Most that one block corrects: the windows take 10 ms for a break."""
BREAK_NS = NS_PER_S
"""A difference beyond this is no drift: samples are missing, or the computer's clock was set."""


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
