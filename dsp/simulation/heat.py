"""Load of a machine over time, and the temperature of a bearing that follows it."""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, pi, sin
from typing import Final

import numpy as np
from numpy.random import Generator

PERIOD_S: Final = 41.0
"""The load rises and falls within this time."""


@dataclass(frozen=True, slots=True)
class BearingHeat:
    """A bearing that is warmer than its surroundings in proportion to the load, without delay.

    Parameters
    ----------
    mean_load, swing : float
        Mean of the load and how far it moves to both sides, in % of the rated load; every load
        between is equally frequent.
    ambient_c : float
        In °C.
    rise_k : float
        Rise over the surroundings for each % of load.
    noise_k : float
        R.m.s. of the measurement's noise.

    Examples
    --------
    >>> heat = BearingHeat(ambient_c=20, noise_k=0)
    >>> [(round(heat.load(t)), round(heat.temperature_c(t))) for t in (0, PERIOD_S / 4)]
    [(55, 42), (70, 48)]
    """

    mean_load: float = 55.0
    swing: float = 15.0
    ambient_c: float = 22.0
    rise_k: float = 0.4
    noise_k: float = 0.2

    @classmethod
    def varied(cls, seed: int) -> BearingHeat:
        """Return a bearing whose surroundings and rise vary by seed, as those of machines do."""
        rng = np.random.default_rng((seed, 5))
        return cls(ambient_c=rng.uniform(18, 26), rise_k=rng.uniform(0.3, 0.5))

    def load(self, at_s: float) -> float:
        """Return the load in % of the rated one."""
        triangle = 2 / pi * asin(sin(2 * pi * at_s / PERIOD_S))
        return self.mean_load + self.swing * triangle

    def temperature_c(self, at_s: float, rng: Generator | None = None) -> float:
        """Return the temperature in °C; `rng` adds the noise of the measurement."""
        noise = 0.0 if rng is None else self.noise_k * rng.standard_normal()
        return float(self.ambient_c + self.rise_k * self.load(at_s) + noise)
