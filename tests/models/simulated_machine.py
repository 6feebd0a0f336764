"""Features of a machine without signals, for tests and studies of the whole detector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auscult.contract.records import OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.models.records import Observation

SPEC = FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500)
POINTS = ("de", "nde")
HOP_NS = 1_000_000_000
SLOW, FAST = OperatingState(1000.0), OperatingState(1500.0)


class SimulatedMachine:
    """Correlated log-normal features around a level for each operating state."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        d = len(SPEC)
        self.mixing = self.rng.normal(size=(4, d)) * 0.1
        self.level = self.rng.uniform(-3, 0, d)
        self.t_ns = 10**18

    def hop(
        self, state: OperatingState = SLOW, shift: float = 0.0, points: Sequence[str] = POINTS
    ) -> list[Observation]:
        self.t_ns += HOP_NS
        common = self.rng.normal(size=4)
        found = []
        for point in points:
            x = self.level + (0.3 if state == FAST else 0.0) + common @ self.mixing
            x = x + 0.1 * self.rng.normal(size=len(x)) + shift
            found.append(Observation(point, self.t_ns, np.exp(x).astype(np.float32), state))
        return found
