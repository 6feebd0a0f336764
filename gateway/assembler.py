"""Blocks of samples to windows: overlap, gaps, duplicates, and start times that can't drift.

Each point fills one window at a time. When it is full, it joins the pending batch of all points
with its rate and length, and its tail becomes the head of the next window. Whatever breaks the
stream (a gap, an overlap, a wrong sequence, a jump in time) empties the window and is counted:
no window ever spans a break.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isclose

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


@dataclass(slots=True)
class _Piece:
    """A block's part of the window: the sample index at which it begins, and what it told."""

    at: int
    t0_ns: int
    clipped: bool
    state: OperatingState | None


@dataclass(slots=True)
class _Pending:
    """Full windows of one rate and length that wait to be drained."""

    samples: NDArray[np.float32]
    points: list[PointId] = field(default_factory=list)
    t0_ns: list[int] = field(default_factory=list)
    states: list[OperatingState | None] = field(default_factory=list)
    clipped: list[bool] = field(default_factory=list)

    def add(
        self,
        point: PointId,
        samples: NDArray[np.float32],
        t0_ns: int,
        state: OperatingState | None,
        clipped: bool,
    ) -> None:
        row = len(self.points)
        if row == len(self.samples):
            grown = np.empty((2 * row, samples.size), np.float32)
            grown[:row] = self.samples
            self.samples = grown
        self.samples[row] = samples
        self.points.append(point)
        self.t0_ns.append(t0_ns)
        self.states.append(state)
        self.clipped.append(clipped)


class _Stream:
    """The window that one point is filling."""

    __slots__ = (
        "counts", "fill", "hop", "n", "next_sequence", "next_t0_ns", "pieces", "plan", "point",
        "seen", "window",
    )  # fmt: skip

    def __init__(self, point: PointId, plan: WindowPlan) -> None:
        self.point, self.plan = point, plan
        self.n, self.hop = plan.n_samples, plan.hop
        self.window = np.empty(self.n, np.float32)
        self.fill = 0
        self.pieces: list[_Piece] = []
        self.next_sequence: int | None = None
        self.next_t0_ns = 0
        self.seen: deque[tuple[int, int]] = deque(maxlen=REMEMBERED_BLOCKS)
        self.counts = StreamCounts()

    def push(self, block: SampleBlock, pending: _Pending) -> None:
        """Take one block; full windows go to `pending`."""
        counts, samples = self.counts, block.samples
        counts.blocks += 1
        key = (block.sequence, block.t0_ns)
        if key in self.seen:
            counts.duplicates += 1
            return
        self.seen.append(key)
        if self._is_break(block):
            self.fill = 0
            self.pieces.clear()
        length = samples.size
        self.next_sequence = block.sequence + 1
        self.next_t0_ns = block.t0_ns + round(length * 1e9 / block.fs_hz)
        self.pieces.append(_Piece(self.fill, block.t0_ns, block.clipped, block.state))
        taken = 0
        while taken < length:
            step = min(length - taken, self.n - self.fill)
            self.window[self.fill : self.fill + step] = samples[taken : taken + step]
            self.fill += step
            taken += step
            if self.fill == self.n:
                self._emit(pending)

    def _is_break(self, block: SampleBlock) -> bool:
        """Whether the block does not follow the last one; counts why."""
        if self.next_sequence is None:
            return False
        counts = self.counts
        late_ns = block.t0_ns - self.next_t0_ns
        if block.sequence < self.next_sequence:
            counts.restarts += 1
            return True
        if block.gap or block.sequence > self.next_sequence:
            counts.gaps += 1
            return True
        if late_ns > TIME_TOLERANCE_NS:
            counts.gaps += self.plan.burst_s is None
            return True
        if late_ns < -TIME_TOLERANCE_NS:
            counts.overlaps += 1
            return True
        return False

    def _emit(self, pending: _Pending) -> None:
        """Hand the full window on and keep its tail."""
        first = self.pieces[0]
        state = next((p.state for p in reversed(self.pieces) if p.state is not None), None)
        clipped = any(p.clipped for p in self.pieces)
        t0_ns = first.t0_ns + round(-first.at * 1e9 / self.plan.fs_hz)
        pending.add(self.point, self.window, t0_ns, state, clipped)
        self.counts.windows += 1
        keep = max(self.n - self.hop, 0)
        self.window[:keep] = self.window[self.hop :]
        self.fill = keep
        for piece in self.pieces:
            piece.at -= self.hop
        while len(self.pieces) > 1 and self.pieces[1].at <= 0:
            del self.pieces[0]


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
        self._streams = {point: _Stream(point, plan) for point, plan in plans.items()}
        self._groups = {p: (s.plan.fs_hz, s.n) for p, s in self._streams.items()}
        sizes = list(self._groups.values())
        self._sizes = {group: sizes.count(group) for group in sizes}
        self._pending: dict[tuple[float, int], _Pending] = {}

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
        group = self._groups[block.point]
        pending = self._pending.get(group)
        if pending is None:
            rows = np.empty((self._sizes[group], stream.n), np.float32)
            pending = self._pending[group] = _Pending(rows)
        stream.push(block, pending)

    def drain(self) -> list[WindowBatch]:
        """Hand over all full windows, one batch for each rate and length, in order of completion.

        A batch may hold several windows of one point, oldest first.
        """
        batches = []
        for (fs_hz, _), pending in self._pending.items():
            if not pending.points:
                continue
            rows = len(pending.points)
            batches.append(
                WindowBatch(
                    points=tuple(pending.points),
                    fs_hz=fs_hz,
                    samples=pending.samples[:rows],
                    t0_ns=np.array(pending.t0_ns, np.int64),
                    states=tuple(pending.states),
                    clipped=tuple(pending.clipped),
                )
            )
        self._pending = {g: p for g, p in self._pending.items() if not p.points}
        return batches

    def reset(self, point: PointId) -> None:
        """Forget what a point has collected, as after a reconnect."""
        plan = self._streams[point].plan
        counts = self._streams[point].counts
        self._streams[point] = _Stream(point, plan)
        self._streams[point].counts = counts
