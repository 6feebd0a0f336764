"""From blocks of samples to windows: overlap, gaps, duplicates, and start times without drift.

Each point fills pages of one hop. A window is the newest pages; the next window shares all of them
but one. So each sample is stored once, for as long as a window or a clip needs it. A break of the
stream (a gap, an overlap, a wrong sequence, a jump in time) empties the window and is counted: no
window spans a break.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import isclose

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import OperatingState
from auscult.contract.said import Rejection
from auscult.gateway.records import PointId, SampleBlock, Window

TIME_TOLERANCE_NS = 10_000_000
"""Stamps may be this far from where the previous block ended: network stamps jitter by ms, while a
lost packet (usually 20 ms or more) also shows in the sequence."""

REMEMBERED_BLOCKS = 64
"""Duplicates (QoS 1 redelivery, merged paths) arrive within this many blocks."""


class BlockMismatchError(Rejection):
    """A block's point, rate or unit differs from the configuration."""


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """How one point is cut into windows.

    Parameters
    ----------
    fs_hz : float
        Configured rate.
    window_s : float
        Window length.
    overlap : float
        Share of a window that the next one repeats, 0 ≤ overlap < 1.
    unit : str
        Configured unit.
    burst_s : float or None
        Length of the bursts of a point that measures in bursts; the window is then at most a
        burst, and the pause between bursts is not a gap.
    """

    fs_hz: float
    window_s: float
    overlap: float
    unit: str
    burst_s: float | None = None

    n_samples: int = field(init=False)
    """Window length in samples."""
    hop: int = field(init=False)
    """Samples between the starts of two windows."""
    pages: int = field(init=False)
    """Pages of one hop that a window takes; the last one may be partly used."""

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < 1:
            raise ValueError(f"overlap = {self.overlap} is outside 0..1 (1 excluded)")
        length_s = self.window_s if self.burst_s is None else min(self.window_s, self.burst_s)
        n_samples = round(length_s * self.fs_hz)
        if n_samples < 1:
            raise ValueError(f"window_s = {self.window_s} holds no sample at {self.fs_hz:g} Hz")
        hop = max(1, round(n_samples * (1 - self.overlap)))
        put = object.__setattr__  # read for every block and window
        put(self, "n_samples", n_samples)
        put(self, "hop", hop)
        put(self, "pages", -(-n_samples // hop))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Consecutive samples: float32 [shape=(n,)] in `unit`, the first at ``t0_ns``, UTC."""

    t0_ns: int
    samples: NDArray[np.float32]
    fs_hz: float
    unit: str
    speed_rpm: float | None = None


@dataclass(slots=True)
class StreamCounts:
    """Counts of the blocks of one point since the start."""

    used: int = 0
    """Blocks that became part of the stream."""
    windows: int = 0
    """Windows made of them."""
    gaps: int = 0
    """Samples are missing, by the source's flag, the sequence or the time."""
    overlaps: int = 0
    """A block began before the previous one had ended (a clock stepped back)."""
    restarts: int = 0
    """The sequence restarted or went back."""
    duplicates: int = 0
    """Blocks that came twice; discarded."""


_BlockPlace = tuple[int, int, bool, OperatingState | None]
"""A block: its first sample (counted since the last break), its time, whether it was clipped, and
the operating state."""


class _SampleStream:
    """The newest samples of one point, in pages of one hop that its windows share."""

    __slots__ = (
        "begun",
        "blocks",
        "counts",
        "fill",
        "full",
        "hop",
        "next_sequence",
        "next_t0_ns",
        "page",
        "pages",
        "period_ns",
        "plan",
        "point",
        "seen",
        "start",
        "tail",
    )  # fmt: skip

    def __init__(self, point: PointId, plan: WindowPlan, pages: int, full: list[Window]) -> None:
        self.point, self.plan, self.full = point, plan, full
        self.hop = plan.hop
        self.tail = plan.n_samples - (plan.pages - 1) * plan.hop
        self.period_ns = 1e9 / plan.fs_hz
        self.pages: deque[NDArray[np.float32]] = deque(maxlen=max(pages, plan.pages))
        self.seen: deque[tuple[int, int]] = deque(maxlen=REMEMBERED_BLOCKS)
        self.counts = StreamCounts()
        self.next_sequence: int | None = None
        self.next_t0_ns = 0
        self.empty()

    def empty(self) -> None:
        """Start a new window; samples are counted from here."""
        self.pages.clear()
        self.start = self.begun = self.fill = 0
        self.blocks: deque[_BlockPlace] = deque()
        self._turn_page()

    def push(self, block: SampleBlock) -> None:
        """Add one block; full windows are queued."""
        sequence, t0_ns, samples = block.sequence, block.t0_ns, block.samples
        late_ns = t0_ns - self.next_t0_ns
        if sequence != self.next_sequence or block.gap or abs(late_ns) > TIME_TOLERANCE_NS:
            if (sequence, t0_ns) in self.seen:
                self.counts.duplicates += 1
                return
            self._count_break(block)
            self.empty()
        self.counts.used += 1
        self.seen.append((sequence, t0_ns))
        self.next_sequence = sequence + 1
        length = samples.size
        self.next_t0_ns = t0_ns + round(length * self.period_ns)
        if not length:
            return  # a source that sends nothing but these must fill no memory
        fill = self.fill
        at = (self.begun - 1) * self.hop + fill
        self.blocks.append((at, t0_ns, block.clipped, block.state))
        if fill + length < self.tail:
            self.page[fill : fill + length] = samples
            self.fill = fill + length
        else:
            self._fill(samples)

    def last(self, n: int) -> Excerpt | None:
        """Return up to `n` newest consecutive samples."""
        skip = (len(self.pages) - 1) * self.hop + self.fill - n
        held = [*islice(self.pages, len(self.pages) - 1), self.page[: self.fill]]
        while skip > 0:
            first = held.pop(0)
            if skip < first.size:
                held.insert(0, first[skip:])
            skip -= first.size
        samples = np.concatenate(held)
        if not samples.size:
            return None
        t0_ns = self.next_t0_ns - round(samples.size * self.period_ns)
        state = self.blocks[-1][3]
        speed_rpm = state.speed_rpm if state else None
        return Excerpt(t0_ns, samples, self.plan.fs_hz, self.plan.unit, speed_rpm)

    def _fill(self, samples: NDArray[np.float32]) -> None:
        """Add samples that reach the end of a window or a page."""
        taken, size = 0, samples.size
        while taken < size:
            if self.fill == self.hop:
                self._turn_page()
            edge = self.tail if self.fill < self.tail else self.hop
            step = min(size - taken, edge - self.fill)
            self.page[self.fill : self.fill + step] = samples[taken : taken + step]
            self.fill += step
            taken += step
            if self.fill == self.tail and self.begun >= self.plan.pages:
                self._emit()

    def _turn_page(self) -> None:
        """Start a new page; the oldest one stays in memory as long as a window uses it."""
        self.page = np.empty(self.hop, np.float32)
        self.pages.append(self.page)
        self.begun += 1
        self.fill = 0

    def _count_break(self, block: SampleBlock) -> None:
        """Count the kind of break before this block."""
        expected, counts = self.next_sequence, self.counts
        if expected is None:
            return
        if block.sequence < expected:
            counts.restarts += 1
        elif block.gap or block.sequence > expected:
            counts.gaps += 1
        elif block.t0_ns < self.next_t0_ns:
            counts.overlaps += 1
        elif self.plan.burst_s is None:
            counts.gaps += 1

    def _emit(self) -> None:
        """Queue the full window."""
        blocks, plan, kept = self.blocks, self.plan, len(self.pages)
        at, t0_ns, _, _ = blocks[0]
        state = next((p[3] for p in reversed(blocks) if p[3] is not None), None)
        clipped = any([p[2] for p in blocks])  # noqa: C419 (faster for a few)
        t0_ns += round((self.start - at) * self.period_ns)
        parts = (*islice(self.pages, kept - plan.pages, kept - 1), self.page[: self.tail])
        self.full.append(Window(self.point, plan.fs_hz, plan.unit, t0_ns, parts, state, clipped))
        self.counts.windows += 1
        self.start += self.hop
        while len(blocks) > 1 and blocks[1][0] <= self.start:
            blocks.popleft()


class WindowAssembler:
    """Cuts the streams of many points into windows.

    Not thread-safe: one thread pushes and drains.

    Parameters
    ----------
    plans : mapping of PointId to WindowPlan
    pages : mapping of PointId to int, optional
        Pages of one hop that are kept of a point at least, so that `last` can give them.

    Examples
    --------
    >>> point = PointId("pump", "drive_end")
    >>> assembler = WindowAssembler({point: WindowPlan(1000.0, 0.1, 0.5, "g")})
    >>> assembler.push(SampleBlock(point, 1000.0, 0, 0, np.zeros(200, np.float32), "g"))
    >>> [(window.samples.size, window.t0_ns) for window in assembler.drain()]
    [(100, 0), (100, 50000000), (100, 100000000)]
    """

    def __init__(
        self, plans: Mapping[PointId, WindowPlan], pages: Mapping[PointId, int] | None = None
    ) -> None:
        self._full: list[Window] = []
        self._streams = {
            point: _SampleStream(point, plan, (pages or {}).get(point, 0), self._full)
            for point, plan in plans.items()
        }

    @property
    def counts(self) -> Mapping[PointId, StreamCounts]:
        """Return the counts of the blocks of each point."""
        return {point: stream.counts for point, stream in self._streams.items()}

    def push(self, block: SampleBlock) -> None:
        """Add one block of one point.

        Parameters
        ----------
        block : SampleBlock
            Samples may hold NaN (`dsp` flags them); they are copied.

        Raises
        ------
        BlockMismatchError
            If the point is not configured, or its rate or unit differs from the configured one.
        """
        stream = self._streams.get(block.point)
        if stream is None:
            raise BlockMismatchError("point_not_configured", point=str(block.point))
        plan = stream.plan
        if block.fs_hz != plan.fs_hz and not isclose(block.fs_hz, plan.fs_hz, rel_tol=1e-6):
            raise BlockMismatchError("wrong_rate", fs_hz=block.fs_hz, configured_hz=plan.fs_hz)
        if block.unit != plan.unit:
            raise BlockMismatchError("wrong_unit", unit=block.unit, configured=plan.unit)
        stream.push(block)

    def drain(self) -> list[Window]:
        """Return all full windows in order of completion, and clear the queue."""
        full = self._full.copy()
        self._full.clear()
        return full

    def last(self, point: PointId, n: int) -> Excerpt | None:
        """Return up to `n` newest samples of a point without a gap, None if there are none."""
        return self._streams[point].last(n)

    def reset(self, point: PointId) -> None:
        """Discard the samples of a point, for example after a reconnection."""
        stream = self._streams[point]
        stream.empty()
        stream.next_sequence = None
