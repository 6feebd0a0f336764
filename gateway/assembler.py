"""Blocks of samples to windows: overlap, gaps, duplicates, and start times that can't drift.

Each point fills one window at a time. When it is full, it joins the pending batch of all points
with its rate and length, and its tail becomes the head of the next window. Whatever breaks the
stream (a gap, an overlap, a wrong sequence, a jump in time) empties the window and is counted:
no window ever spans a break.
"""

from __future__ import annotations

from collections import deque
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


class _Piece(NamedTuple):
    """What a block told, and the sample (counted since the last break) at which it begins."""

    at: int
    t0_ns: int
    clipped: bool
    state: OperatingState | None


class _Pending:
    """Full windows of one rate and length that wait to be drained."""

    def __init__(self, fs_hz: float, n: int) -> None:
        self.fs_hz, self.n = fs_hz, n
        self.members = 0
        self._clear()

    def _clear(self) -> None:
        self._samples: NDArray[np.float32] | None = None
        self._points: list[PointId] = []
        self._t0_ns: list[int] = []
        self._states: list[OperatingState | None] = []
        self._clipped: list[bool] = []

    def add(
        self,
        point: PointId,
        samples: NDArray[np.float32],
        t0_ns: int,
        state: OperatingState | None,
        clipped: bool,
    ) -> None:
        row = len(self._points)
        if self._samples is None:
            self._samples = np.empty((self.members, self.n), np.float32)
        elif row == len(self._samples):
            grown = np.empty((2 * row, self.n), np.float32)
            grown[:row] = self._samples
            self._samples = grown
        self._samples[row] = samples
        self._points.append(point)
        self._t0_ns.append(t0_ns)
        self._states.append(state)
        self._clipped.append(clipped)

    def take(self) -> WindowBatch | None:
        """Hand over what is there, if anything."""
        if self._samples is None:
            return None
        batch = WindowBatch(
            points=tuple(self._points),
            fs_hz=self.fs_hz,
            samples=self._samples[: len(self._points)],
            t0_ns=np.array(self._t0_ns, np.int64),
            states=tuple(self._states),
            clipped=tuple(self._clipped),
        )
        self._clear()
        return batch


class _Stream:
    """The window that one point is filling."""

    __slots__ = (
        "counts", "fill", "hop", "n", "next_sequence", "next_t0_ns", "pending", "period_ns",
        "pieces", "plan", "point", "seen", "start", "window",
    )  # fmt: skip

    def __init__(self, point: PointId, plan: WindowPlan, pending: _Pending) -> None:
        self.point, self.plan, self.pending = point, plan, pending
        self.n, self.hop = plan.n_samples, plan.hop
        self.period_ns = 1e9 / plan.fs_hz
        self.window = np.empty(self.n, np.float32)
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
        """Take one block; full windows go to the pending batch."""
        self.counts.blocks += 1
        sequence, t0_ns, samples = block.sequence, block.t0_ns, block.samples
        on_time = abs(t0_ns - self.next_t0_ns) <= TIME_TOLERANCE_NS
        if sequence != self.next_sequence or not on_time or block.gap:
            if (sequence, t0_ns) in self.seen:
                self.counts.duplicates += 1
                return
            self._count_break(block)
            self.empty()
        length = samples.size
        self.seen.append((sequence, t0_ns))
        self.next_sequence = sequence + 1
        self.next_t0_ns = t0_ns + round(length * self.period_ns)
        self.pieces.append(_Piece(self.start + self.fill, t0_ns, block.clipped, block.state))
        taken = 0
        while taken < length:
            step = min(length - taken, self.n - self.fill)
            self.window[self.fill : self.fill + step] = samples[taken : taken + step]
            self.fill += step
            taken += step
            if self.fill == self.n:
                self._emit()

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
        first = pieces[0]
        state = next((p.state for p in reversed(pieces) if p.state is not None), None)
        clipped = any(p.clipped for p in pieces)
        t0_ns = first.t0_ns + round((self.start - first.at) * self.period_ns)
        self.pending.add(self.point, self.window, t0_ns, state, clipped)
        self.counts.windows += 1
        self.fill = self.n - self.hop
        self.window[: self.fill] = self.window[self.hop :]
        self.start += self.hop
        while len(pieces) > 1 and pieces[1].at <= self.start:
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
        self._pending: dict[tuple[float, int], _Pending] = {}
        self._streams: dict[PointId, _Stream] = {}
        for point, plan in plans.items():
            group = (plan.fs_hz, plan.n_samples)
            pending = self._pending.setdefault(group, _Pending(*group))
            pending.members += 1
            self._streams[point] = _Stream(point, plan, pending)

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

        A batch may hold several windows of one point, oldest first.
        """
        return [batch for p in self._pending.values() if (batch := p.take()) is not None]

    def reset(self, point: PointId) -> None:
        """Forget what a point has collected, as after a reconnect."""
        stream = self._streams[point]
        stream.empty()
        stream.next_sequence = None
