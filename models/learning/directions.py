"""Directions of reported faults: a missed fault raises the score of windows that depart along it.

A person reports a stretch of time in which the machine was faulty although nothing alarmed. The
unit vector d from the healthy windows to the reported ones, in whitened coordinates, is the best
linear discriminant under the baseline's covariance (Fisher 1936). The projection of a window on d
is calibrated on healthy windows of the replay: Student's t with their mean and deviation. The
window gets the smaller of the two p-values, the projection's times the number of looks:

    p' = min(p, k j p_d)

with j directions and k ≥ 2: by Bonferroni's inequality the false alarms grow by half of the limit
at most. k is as large as the reported fault allows.
Directions count only in operating states that the baseline holds: the shift of an unseen state may
lie along the fault.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp, stdtr

from auscult.models.learning.replay import RowClass, Rows
from auscult.models.learning.settings import SETTINGS, LearningSettings

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

REPORTED = "report-"
"""Ids of reported faults begin with it."""
SIGMAS = np.array([0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0])
"""Normal scores at which the point's calibration is tabulated, σ."""
LOOKS, MOST_LOOKS = 2.0, 1e4
"""Factor of a projection's p-value: at least for the two looks at a window, and as far as the
reported windows stay `MARGIN` beyond the limit: a clear fault costs no false alarm at all."""
MARGIN = 2.0
"""In the logarithm of the p-value."""
MOST_SIGMA = 8.0
SMALLEST_P = 1e-300
FEWEST_HEALTHY = 20
"""Healthy windows without which a projection is not calibrated."""


@dataclass(frozen=True, slots=True)
class Directions:
    """Directions of a point, with the calibration of their projections.

    Parameters
    ----------
    units : np.ndarray [shape=(j, m), dtype=float16]
    tails : np.ndarray [shape=(j, 4), dtype=float32]
        Mean and standard deviation of healthy projections, their number, and ln k.
    log_scores : np.ndarray [shape=(8,), dtype=float32]
        Log score of the point at each of `SIGMAS`.
    """

    units: NDArray[np.float16]
    tails: Float32
    log_scores: Float32

    @classmethod
    def none(cls, coordinates: int = 0) -> Directions:
        """Return what changes nothing."""
        return cls(
            np.zeros((0, coordinates), np.float16),
            np.zeros((0, 4), np.float32),
            np.zeros(len(SIGMAS), np.float32),
        )

    @property
    def is_none(self) -> bool:
        """True if no score changes."""
        return len(self.units) == 0

    def raised(self, positions: Float32, log_scores: Float64) -> Float64:
        """Return log scores [shape=(n,)], none lower, of windows at positions [shape=(n, m)]."""
        if self.is_none:
            return log_scores
        ln_p = _ln_p(positions @ self.units.astype(np.float32).T, self.tails)
        ln_p = (ln_p + self.tails[:, 3]).min(1) + np.log(len(self.units))
        sigma = np.minimum(-ndtri_exp(np.minimum(ln_p, log_ndtr(0.0))), MOST_SIGMA)
        at = np.interp(sigma, SIGMAS, self.log_scores)
        slope = (self.log_scores[-1] - self.log_scores[-2]) / (SIGMAS[-1] - SIGMAS[-2])
        at += np.maximum(0.0, sigma - SIGMAS[-1]) * slope
        return np.where(sigma > 0, np.maximum(log_scores, at), log_scores)


def find_directions(
    rows: Rows,
    reported: Rows,
    log_scores: Float32,
    settings: LearningSettings = SETTINGS,
) -> Directions:
    """Find the directions of reported faults.

    The newest ones, at most ``settings.directions``; a report whose windows depart by no more than
    their own scatter explains gives none.

    Parameters
    ----------
    rows : Rows
        To train on, with healthy ones, which calibrate the projections.
    reported : Rows
        Of reported faults.
    log_scores : np.ndarray [shape=(8,)]
        Of the point at `SIGMAS`.
    """
    none = Directions.none(rows.stored.positions.shape[1])
    if len(reported) == 0:
        return none
    healthy = rows.of(RowClass.HEALTHY)
    healthy = healthy.where(healthy.info["seen"] == 1)
    if len(healthy) < FEWEST_HEALTHY:
        return none
    of_event = {event: reported.of_event(event) for event in reported.groups}
    newest = sorted(of_event, key=lambda event: int(of_event[event].info["t_ns"].max()))
    positions = healthy.positions
    centre = positions.mean(0)
    units, tails = [], []
    for event in newest[-settings.directions :] if settings.directions else []:
        unit = _unit(of_event[event].positions - centre, settings)
        if unit is not None:
            units.append(unit.astype(np.float16))
            along = positions @ unit
            tail = np.array([along.mean(), along.std(ddof=1), len(along), 0.0])
            clear = np.median(_ln_p(of_event[event].positions @ unit[:, None], tail[None]))
            tail[3] = np.clip(
                np.log(settings.p_limit) - MARGIN - clear, *np.log([LOOKS, MOST_LOOKS])
            )
            tails.append(tail)
    if not units:
        return none
    return Directions(np.stack(units), np.stack(tails).astype(np.float32), log_scores)


def _ln_p(along: Float32, tails: NDArray[np.floating]) -> Float64:
    """Logarithm of the p-values of projections [shape=(n, j)], before any factor."""
    mean, deviation, n = tails[:, :3].T.astype(np.float64)
    t = (along - mean) / deviation / np.sqrt(1 + 1 / n)
    ln_p: Float64 = np.log(np.maximum(stdtr(n - 1, -t), SMALLEST_P))
    return ln_p


def _unit(departures: Float32, settings: LearningSettings) -> Float32 | None:
    """Return the unit vector of the mean departure [shape=(m,)], None if scatter explains it."""
    n, mean = len(departures), departures.mean(0)
    length = float(np.linalg.norm(mean))
    scatter = ((departures - mean) ** 2).sum(1).sum() / max(1, n - 1) / n
    if length**2 <= settings.direction_signal * scatter or length == 0:
        return None
    return np.asarray(mean / length, np.float32)
