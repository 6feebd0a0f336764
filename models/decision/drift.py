"""Drift: the baseline follows slow change, within bounds.

Each normal window moves the followed baseline towards itself, with a time constant of days. The
baseline does not move while a condition is on, and never beyond the bound around the fitted
baseline. So a fault that grows for months is detected as soon as it exceeds the bound.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.scales import DB_PER_NEPER
from auscult.models.baseline.kind_model import KindModel
from auscult.models.settings import DetectorSettings

Float32 = NDArray[np.float32]

CLIP_SIGMA = 3.0
"""Limit of a window's z-scores in an update."""
SHORTEST_GAP_S = 60.0
"""Time between updates of a point: there are thousands within the time constant."""
LONGEST_GAP_S = 3600.0
"""Longest time that a window represents after a pause in the measurement, or the point's hop."""


class Drift:
    """Distance of the followed baseline from the fitted one, for the points of a kind.

    ``offset`` [shape=(points, width), dtype=float32] is in model units and always within
    ``bound`` of 0.
    """

    def __init__(self, model: KindModel, settings: DetectorSettings) -> None:
        spread = model.spread.mean(axis=1)
        level = settings.drift_bound_db / DB_PER_NEPER
        self.bound: Float32 = np.where(
            model.slots.level, np.float32(level), settings.drift_bound_sigma * spread
        ).astype(np.float32)
        self.bound *= model.slots.mask
        self.spread = spread
        self._longest_s = np.array([max(LONGEST_GAP_S, p.hop_s or 0.0) for p in model.points])
        self._per_second = 1.0 / (settings.drift_days * 86_400)
        self._last_ns = np.zeros(len(model.points), np.int64)
        self.due_ns = 0
        """Time of the next update."""
        self.from_ns = 0
        """A window before this time shows that the sensor's clock was set back."""
        self.offset: Float32 = np.zeros_like(self.bound)

    def times(self) -> NDArray[np.int64]:
        """Copy when each row was last followed, and the bounds of the next time, to store them."""
        return np.append(self._last_ns, (self.due_ns, self.from_ns))

    def resume(self, times: NDArray[np.int64]) -> None:
        """Resume from `times`, so that the next windows are followed as without a restart."""
        self._last_ns[:] = times[:-2]
        self.due_ns, self.from_ns = int(times[-2]), int(times[-1])

    def follow(self, rows: NDArray[np.intp], z: Float32, t_ns: Sequence[int]) -> None:
        """Move towards normal windows of these points, with z-scores z [shape=(n, width)]."""
        times = np.array(t_ns, np.int64)
        if times.max() < self.from_ns:
            np.minimum(self._last_ns, times.max(), out=self._last_ns)
        passed = (times - self._last_ns[rows]) * 1e-9
        if passed.max() < SHORTEST_GAP_S and times.max() >= self.from_ns:
            return
        self._last_ns[rows] = times
        self.due_ns = int(self._last_ns.min() + SHORTEST_GAP_S * 1e9)
        self.from_ns = int(self._last_ns.min() - SHORTEST_GAP_S * 1e9)
        rate = np.clip(passed, 0.0, self._longest_s[rows]) * self._per_second
        step = np.clip(z, -CLIP_SIGMA, CLIP_SIGMA) * self.spread[rows]
        step *= rate[:, None].astype(np.float32)
        moved = self.offset[rows] + step
        bound = self.bound[rows]
        self.offset[rows] = np.clip(moved, -bound, bound)
