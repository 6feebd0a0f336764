"""The fitted baseline of a machine: its kinds of points, and the fusion of their p-values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Coverage, Detectable
from auscult.models.baseline.calibration import Calibration, Persistence
from auscult.models.baseline.fusion import Fusion, fused_ln_p
from auscult.models.baseline.kind_model import KindModel
from auscult.models.baseline.states import StateMap
from auscult.models.records import ScoredWindow

Float64 = NDArray[np.float64]

FUSED_WINDOWS = 50.0
"""Baseline windows at which the calibration of the fused statistic counts as much as theory."""


@dataclass(frozen=True)
class MachineModel:
    """The fitted baseline of a machine."""

    kinds: tuple[KindModel, ...]
    states: StateMap
    fusion: Fusion
    seen: Calibration | None
    """Of the fused statistic; None for a machine with one point."""
    unseen: Calibration | None
    persistence: Persistence
    windows: int
    outliers: int
    hop_s: float
    """Median time between windows in the baseline."""
    mean_hop_s: float
    """Mean time between windows, pauses included: it gives the number of windows a year."""
    baseline_id: str
    model_id: str
    coverage: Coverage | None = None
    """Completeness of the baseline."""
    detectable: tuple[Detectable, ...] = ()
    """The least faults that it would find."""
    healthy: list[ScoredWindow] = field(default_factory=list, compare=False, repr=False)
    """Windows of the healthy period for learning from labels, which then empties it; not stored."""

    @cached_property
    def row(self) -> dict[str, int]:
        """Return the row of each point in the machine's arrays."""
        return {point: row for row, point in enumerate(self.points)}

    def baseline_value(self, point: str, feature: str) -> float | None:
        """Baseline of a feature in its unit: the largest median over operating states."""
        medians = self._medians(point, feature)
        return None if medians is None else float(medians.max())

    def lowest_value(self, point: str, feature: str) -> float | None:
        """Return the lowest median of a feature over operating states, in its unit."""
        medians = self._medians(point, feature)
        return None if medians is None else float(medians.min())

    def _medians(self, point: str, feature: str) -> Float64 | None:
        for kind in self.kinds:
            if point in kind.row and feature in kind.slots.names:
                slot = kind.slots.names.index(feature)
                location = kind.location[kind.row[point], :, slot].astype(np.float64)
                return np.exp(location) if kind.slots.level[slot] else location
        return None

    @property
    def predicts_states(self) -> bool:
        """Return whether windows of unseen states are compared with a prediction of their state."""
        return all(kind.predicted is not None for kind in self.kinds)

    @property
    def points(self) -> tuple[str, ...]:
        """Return all points, kind by kind, in the order of rows in the machine's arrays."""
        return tuple(point for kind in self.kinds for point in kind.slots.points)

    def fuse(self, ln_p: Float64, variance: float, seen: bool) -> float:
        """Return the calibrated logarithm of the machine's p-value from its points' ln p.

        Parameters
        ----------
        ln_p : np.ndarray [shape=(points,)]
        variance : float
            Of Fisher's statistic of these points (`Fusion.variance`).
        seen : bool
            Whether the baseline holds the operating state.
        """
        fused = fused_ln_p(ln_p, variance)
        calibration = self.seen if seen else self.unseen
        if calibration is None or len(ln_p) == 1:
            return fused
        trust = calibration.n / (calibration.n + FUSED_WINDOWS)
        calibrated = calibration.ln_p_of_one(-fused)
        return trust * calibrated + (1 - trust) * fused
