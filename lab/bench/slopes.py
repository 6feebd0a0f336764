"""Growth of a sampled quantity: its slope with a confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import linregress, t

FILLING = 0.25
"""Share of the samples left out at the begin, in which caches fill."""


@dataclass(frozen=True, slots=True)
class Slope:
    """Change of a quantity an hour, ± `half` with 95 % confidence."""

    per_hour: float
    half: float

    @property
    def flat(self) -> bool:
        """Return whether it can't be distinguished from 0."""
        return abs(self.per_hour) <= self.half

    def __str__(self) -> str:
        verdict = "not distinguishable from 0" if self.flat else "it changes"
        return f"{self.per_hour:+.3f} ± {self.half:.3f} an hour ({verdict})"


def slope(hours: Sequence[float], values: Sequence[float]) -> Slope:
    """Fit a line to what follows the first quarter.

    Successive samples of memory are alike, so they count for less than independent ones: the
    interval is widened by the autocorrelation r of the residuals at one step, √((1+r)/(1−r))
    (Santer et al. 2000, doi:10.1029/1999JD901105).
    """
    x, y = (np.asarray(one, float)[int(len(hours) * FILLING) :] for one in (hours, values))
    if np.ptp(y) == 0:
        return Slope(0.0, 0.0)
    line = linregress(x, y)
    rest = y - line.intercept - line.slope * x
    r = float(np.clip(rest[1:] @ rest[:-1] / max(rest @ rest, 1e-12), 0, 0.99))
    n = max(3.0, len(x) * (1 - r) / (1 + r))
    half = float(t.ppf(0.975, n - 2)) * line.stderr * np.sqrt((1 + r) / (1 - r))
    return Slope(float(line.slope), float(half))
