"""Drift: the baseline follows slow change, within bounds that a slow fault runs into.

Each normal window moves the followed baseline a little towards itself, with a time constant of
days. Nothing moves while any condition is open, and never past the bound from the commissioning
baseline, so that a fault which grows for months comes out as soon as it has used the bound up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.machine_model import KindModel
from auscult.models.settings import DetectorSettings

Float32 = NDArray[np.float32]

DB_PER_NEPER = 20 / np.log(10)
CLIP_SIGMA = 3.0
"""A single window pulls no harder than this."""
SHORTEST_GAP_S = 60.0
"""A point is followed no more often than this: thousands of windows within the time constant."""
LONGEST_GAP_S = 3600.0
"""A window stands for no more time than this, however long nothing was measured."""


class Drift:
    """How far the baseline of the points of one kind has moved.

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
        self._spread = spread
        self._per_second = 1.0 / (settings.drift_days * 86_400)
        self._last_ns = np.zeros(len(model.points), np.int64)
        self.due_ns = 0
        """Nothing moves before a window of this time …"""
        self.from_ns = 0
        """… unless it is before this one: then the sensor's clock was set back."""
        self.offset: Float32 = np.zeros_like(self.bound)

    def follow(self, rows: NDArray[np.intp], z: Float32, t_ns: Sequence[int]) -> None:
        """Move towards normal windows with z-scores z [shape=(n, width)] of these points."""
        times = np.array(t_ns, np.int64)
        if times.max() < self.from_ns:
            np.minimum(self._last_ns, times.max(), out=self._last_ns)
        passed = (times - self._last_ns[rows]) * 1e-9
        if passed.max() < SHORTEST_GAP_S and times.max() >= self.from_ns:
            return
        self._last_ns[rows] = times
        self.due_ns = int(self._last_ns.min() + SHORTEST_GAP_S * 1e9)
        self.from_ns = int(self._last_ns.min() - SHORTEST_GAP_S * 1e9)
        rate = np.clip(passed, 0.0, LONGEST_GAP_S) * self._per_second
        step = np.clip(z, -CLIP_SIGMA, CLIP_SIGMA) * self._spread[rows]
        step *= rate[:, None].astype(np.float32)
        moved = self.offset[rows] + step
        bound = self.bound[rows]
        self.offset[rows] = np.clip(moved, -bound, bound)
