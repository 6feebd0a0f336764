"""The last seconds of each point's raw signal, in memory: what a clip is cut from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gateway.records import PointId, SampleBlock
from gateway.windows.assembler import TIME_TOLERANCE_NS
from gateway.windows.points import PointPlan

SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive samples: float32 [shape=(n,)] in `unit`, the first at ``t0_ns``, UTC."""

    t0_ns: int
    samples: NDArray[np.float32]
    fs_hz: float
    unit: str
    speed_rpm: float | None = None


class RecentSamples:
    """A ring of the newest samples of one point that follow each other without a gap.

    Parameters
    ----------
    fs_hz : float
    unit : str
    capacity : int
        Samples that are kept.

    Examples
    --------
    >>> ring = RecentSamples(1000, "g", 3)
    >>> for i in range(3):
    ...     block = SampleBlock(PointId("m", "p"), 1000, i * 2_000_000, i, np.float32([i, i]), "g")
    ...     ring.push(block)
    >>> ring.last(10).samples
    array([1., 2., 2.], dtype=float32)
    """

    def __init__(self, fs_hz: float, unit: str, capacity: int) -> None:
        self._fs_hz, self._unit = fs_hz, unit
        self._ring = np.zeros(max(1, capacity), np.float32)
        self._held = self._end = 0
        self._next_ns = 0
        self._speed_rpm: float | None = None

    def __len__(self) -> int:
        return len(self._ring)

    def push(self, block: SampleBlock) -> None:
        """Take a block; after a gap only what follows it is kept."""
        if block.gap or abs(block.t0_ns - self._next_ns) > TIME_TOLERANCE_NS:
            self._held = 0
        samples = block.samples[-len(self._ring) :]
        n, size = len(samples), len(self._ring)
        first = min(n, size - self._end)
        self._ring[self._end : self._end + first] = samples[:first]
        self._ring[: n - first] = samples[first:]
        self._end = (self._end + n) % size
        self._held = min(self._held + n, size)
        self._next_ns = block.t0_ns + round(block.samples.size / self._fs_hz * SECOND_NS)
        self._speed_rpm = block.state.speed_rpm if block.state else None

    def last(self, n: int) -> Piece | None:
        """Give up to `n` newest samples, None if there are none."""
        n = min(n, self._held)
        if n == 0:
            return None
        samples = np.take(self._ring, range(self._end - n, self._end), mode="wrap")
        t0_ns = self._next_ns - round(n / self._fs_hz * SECOND_NS)
        return Piece(t0_ns, samples, self._fs_hz, self._unit, self._speed_rpm)


def rings(
    plans: Mapping[PointId, PointPlan], points: Iterable[PointId], seconds: float, max_bytes: int
) -> dict[PointId, RecentSamples]:
    """Make the rings of these points: `seconds` each, less where `max_bytes` does not suffice."""
    mine = {point: plans[point] for point in points}
    bytes_per_s = sum(4 * plan.window.fs_hz for plan in mine.values())
    kept_s = min(seconds, max_bytes / bytes_per_s) if bytes_per_s else seconds
    return {
        point: RecentSamples(plan.window.fs_hz, plan.unit, round(kept_s * plan.window.fs_hz))
        for point, plan in mine.items()
    }
