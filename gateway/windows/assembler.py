"""Blocks of samples to windows: overlap, gaps, duplicates, and start times that can't drift.

Each point fills one window at a time. When it is full, it joins the pending batch of all points
with its rate and length, and its tail becomes the head of the next window. Whatever breaks the
stream (a gap, an overlap, a wrong sequence, a jump in time) empties the window and is counted:
no window ever spans a break.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gateway.records import PointId, SampleBlock, WindowBatch
from models.records import OperatingState

TIME_TOLERANCE_NS = 10_000_000
"""Stamps may be this far from where the previous block ended: network stamps jitter by ms, while a
lost packet (usually 20 ms or more) also shows in the sequence."""

REMEMBERED_BLOCKS = 64
"""Duplicates (QoS 1 redelivery, merged paths) arrive within this many blocks."""

SPARE_SLABS = 2
"""Rows for windows that are kept for reuse; what a burst needs beyond them is given back."""


class BlockMismatchError(ValueError):
    """A block's point, rate or unit is not what the point was configured for."""


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
        Length of the bursts of a point that measures now and then; the window is then at most a
        burst, and the pause between bursts is not a gap.
    """

    fs_hz: float
    window_s: float
    overlap: float
    unit: str
    burst_s: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < 1:
            raise ValueError(f"overlap = {self.overlap} is outside 0..1 (1 excluded)")
        if self.n_samples < 1:
            raise ValueError(f"window_s = {self.window_s} holds no sample at {self.fs_hz:g} Hz")

    @property
    def n_samples(self) -> int:
        """Window length in samples."""
        length_s = self.window_s if self.burst_s is None else min(self.window_s, self.burst_s)
        return round(length_s * self.fs_hz)

    @property
    def hop(self) -> int:
        """Samples from one window's start to the next one's."""
        return max(1, round(self.n_samples * (1 - self.overlap)))


@dataclass(slots=True)
class StreamCounts:
    """What happened to the blocks of one point since the start."""

    blocks: int = 0
    windows: int = 0
    gaps: int = 0
    """Samples are missing: told by the source, by the sequence, or by the time."""
    overlaps: int = 0
    """A block began before the previous one had ended (a clock stepped back)."""
    restarts: int = 0
    """The sequence began anew or went back."""
    duplicates: int = 0
    """Blocks that had been seen; dropped."""

    @property
    def breaks(self) -> int:
        """Times the window had to be emptied."""
        return self.gaps + self.overlaps + self.restarts


_Piece = tuple[int, int, bool, OperatingState | None]
"""What a block told: the sample (counted since the last break) at which it begins, its time,
whether it was clipped, and the operating state."""


class _Slab:
    """Rows in which the points of a group fill their windows, so that a batch needs no copy."""

    __slots__ = ("samples", "unread", "used")

    def __init__(self, rows: int, n: int) -> None:
        self.samples = np.empty((rows, n), np.float32)
        self.used = 0
        self.unread = rows


class _Full(NamedTuple):
    """A full window: its row in a slab, and what belongs to it."""

    slab: _Slab
    row: int
    point: PointId
    t0_ns: int
    state: OperatingState | None
    clipped: bool


class _Group:
    """Points of one rate and length, and their full windows that wait to be drained."""

    def __init__(self, fs_hz: float, n: int, members: int) -> None:
        self.fs_hz, self.n, self.members = fs_hz, n, members
        self.full: list[_Full] = []
        self._slab: _Slab | None = None
        self._read: list[_Slab] = []
        self._spare: list[_Slab] = []

    def row(self) -> tuple[_Slab, int]:
        """Return the next free row."""
        slab = self._slab
        if slab is None or slab.used == len(slab.samples):
            slab = self._slab = self._spare.pop() if self._spare else _Slab(self.members, self.n)
        slab.used += 1
        return slab, slab.used - 1

    def take(self) -> WindowBatch | None:
        """Hand over what is there, if anything; without a copy where the points keep step."""
        full, self.full = self.full, []
        self._reuse(full)
        if not full:
            return None
        slab, row = full[0].slab, full[0].row
        if all(f.slab is slab and f.row == row + i for i, f in enumerate(full)):
            samples = slab.samples[row : row + len(full)]
        else:
            samples = np.stack([f.slab.samples[f.row] for f in full])
        return WindowBatch(
            points=tuple([f.point for f in full]),
            fs_hz=self.fs_hz,
            samples=samples,
            t0_ns=np.array([f.t0_ns for f in full], np.int64),
            states=tuple([f.state for f in full]),
            clipped=tuple([f.clipped for f in full]),
        )

    def _reuse(self, full: list[_Full]) -> None:
        """Take back slabs that were read whole: fresh memory costs more than filling it."""
        for slab in self._read:
            slab.used, slab.unread = 0, len(slab.samples)
        self._spare = (self._read + self._spare)[:SPARE_SLABS]
        self._read = []
        for window in full:
            window.slab.unread -= 1
            if window.slab.unread == 0:
                self._read.append(window.slab)


class _Stream:
    """The window that one point is filling."""

    __slots__ = (
        "counts", "fill", "group", "hop", "n", "next_sequence", "next_t0_ns", "period_ns",
        "pieces", "plan", "point", "row", "seen", "slab", "start", "window",
    )  # fmt: skip

    def __init__(self, point: PointId, plan: WindowPlan, group: _Group) -> None:
        self.point, self.plan, self.group = point, plan, group
        self.n, self.hop = plan.n_samples, plan.hop
        self.period_ns = 1e9 / plan.fs_hz
        self._next_row()
        self.seen: deque[tuple[int, int]] = deque(maxlen=REMEMBERED_BLOCKS)
        self.counts = StreamCounts()
        self.next_sequence: int | None = None
        self.next_t0_ns = 0
        self.empty()

    def empty(self) -> None:
        """Begin a new window; samples are counted from here."""
        self.start = self.fill = 0
        self.pieces: deque[_Piece] = deque()

    def push(self, block: SampleBlock) -> None:
        """Take one block; full windows go to the group."""
        sequence, t0_ns, samples = block.sequence, block.t0_ns, block.samples
        self.counts.blocks += 1
        late_ns = t0_ns - self.next_t0_ns
        if sequence != self.next_sequence or block.gap or abs(late_ns) > TIME_TOLERANCE_NS:
            if (sequence, t0_ns) in self.seen:
                self.counts.duplicates += 1
                return
            self._count_break(block)
            self.empty()
        self.seen.append((sequence, t0_ns))
        self.next_sequence = sequence + 1
        length = samples.size
        self.next_t0_ns = t0_ns + round(length * self.period_ns)
        fill = self.fill
        self.pieces.append((self.start + fill, t0_ns, block.clipped, block.state))
        if fill + length < self.n:
            self.window[fill : fill + length] = samples
            self.fill = fill + length
        else:
            self._fill(samples)

    def _fill(self, samples: NDArray[np.float32]) -> None:
        """Take samples that complete one window or more."""
        taken = 0
        while taken < samples.size:
            step = min(samples.size - taken, self.n - self.fill)
            self.window[self.fill : self.fill + step] = samples[taken : taken + step]
            self.fill += step
            taken += step
            if self.fill == self.n:
                self._emit()

    def _next_row(self) -> None:
        """Move on to a fresh row."""
        self.slab, self.row = self.group.row()
        self.window = self.slab.samples[self.row]

    def _count_break(self, block: SampleBlock) -> None:
        """Count why the block does not follow the last one."""
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
        """Hand the full window on and keep its tail."""
        pieces = self.pieces
        at, t0_ns, _, _ = pieces[0]
        state = next((p[3] for p in reversed(pieces) if p[3] is not None), None)
        clipped = any([p[2] for p in pieces])  # noqa: C419 (faster for a few)
        t0_ns += round((self.start - at) * self.period_ns)
        slab, row, done = self.slab, self.row, self.window
        self.group.full.append(_Full(slab, row, self.point, t0_ns, state, clipped))
        self.counts.windows += 1
        self._next_row()
        self.fill = self.n - self.hop
        self.window[: self.fill] = done[self.hop :]
        self.start += self.hop
        while len(pieces) > 1 and pieces[1][0] <= self.start:
            pieces.popleft()


class WindowAssembler:
    """Cuts the streams of many points into windows and batches those of equal rate and length.

    Not thread-safe: one thread pushes and drains.

    Parameters
    ----------
    plans : mapping of PointId to WindowPlan

    Examples
    --------
    >>> point = PointId("pump", "drive_end")
    >>> assembler = WindowAssembler({point: WindowPlan(1000.0, 0.1, 0.5, "g")})
    >>> assembler.push(SampleBlock(point, 1000.0, 0, 0, np.zeros(200, np.float32), "g"))
    >>> [batch] = assembler.drain()
    >>> batch.samples.shape, batch.t0_ns.tolist()
    ((3, 100), [0, 50000000, 100000000])
    """

    def __init__(self, plans: Mapping[PointId, WindowPlan]) -> None:
        sizes = Counter((plan.fs_hz, plan.n_samples) for plan in plans.values())
        self._groups = {size: _Group(*size, members) for size, members in sizes.items()}
        self._streams = {
            point: _Stream(point, plan, self._groups[plan.fs_hz, plan.n_samples])
            for point, plan in plans.items()
        }

    @property
    def counts(self) -> Mapping[PointId, StreamCounts]:
        """What happened to the blocks of each point."""
        return {point: stream.counts for point, stream in self._streams.items()}

    def push(self, block: SampleBlock) -> None:
        """Take one block of one point.

        Parameters
        ----------
        block : SampleBlock
            Samples may hold NaN (`dsp` flags them).

        Raises
        ------
        BlockMismatchError
            If the point is not configured, or its rate or unit differs from the configured one.
        """
        stream = self._streams.get(block.point)
        if stream is None:
            raise BlockMismatchError(f"point {block.point} is not configured; add it or drop it")
        plan = stream.plan
        if block.fs_hz != plan.fs_hz and not isclose(block.fs_hz, plan.fs_hz, rel_tol=1e-6):
            raise BlockMismatchError(
                f"{block.point}: block at {block.fs_hz:g} Hz, configured {plan.fs_hz:g} Hz; "
                f"correct fs_hz of the point or the sensor's rate"
            )
        if block.unit != plan.unit:
            raise BlockMismatchError(
                f"{block.point}: block in {block.unit!r}, configured {plan.unit!r}; "
                f"correct unit of the point or the source"
            )
        stream.push(block)

    def drain(self) -> list[WindowBatch]:
        """Hand over all full windows, one batch for each rate and length, in order of completion.

        A batch may hold several windows of one point, oldest first. Its samples are valid until
        the next call.
        """
        return [batch for g in self._groups.values() if (batch := g.take()) is not None]

    def reset(self, point: PointId) -> None:
        """Forget what a point has collected, as after a reconnect."""
        stream = self._streams[point]
        stream.empty()
        stream.next_sequence = None
