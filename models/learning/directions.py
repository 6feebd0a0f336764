"""Directions of confirmed faults: they raise the score of windows that depart along them.

So the same fault is found at speeds and loads at which it never occurred, and where it is too weak
to depart from the baseline by itself. The unit vector d from the healthy windows of its operating
state to the faulty ones, in whitened coordinates, is the best linear discriminant under the
baseline's covariance (Fisher 1936). All confirmed faults of one kind share a direction. The
projection of a window on d is calibrated on all healthy windows of the replay: Student's t with
their mean and deviation. The window gets the smaller of the two p-values, the projection's times
the number of looks:

    p' = min(p, k j p_d)

with j directions and k ≥ 2: by Bonferroni's inequality the false alarms grow by half of the limit
at most. k is as large as the fault allows: p' reaches the limit at a third of its distance. So the
shift of a new speed along a clear fault raises nothing (docs/decisions/0052).

d has as many coordinates as there are windows, so windows from which it was found project farther
than others. Therefore calibration and k use held-out projections: each fold of the windows is
projected on the direction that the other folds give (cross-fitting).
Directions count only in operating states that the baseline holds: the shift of an unseen state may
lie along the fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp, stdtr

from auscult.contract.label import REPORTED
from auscult.models.learning.replay import ReplayRows, RowClass
from auscult.models.learning.settings import SETTINGS, LearningSettings

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

SIGMAS = np.array([0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0])
"""Normal scores at which the point's calibration is tabulated, σ."""
LOOKS = 2.0
"""Least factor of a projection's p-value, for the two looks at a window. It is so large that half
of the fault's windows, at `WEAKER` of its strength, stay beyond the limit (fewer where a point has
several directions): a clear one costs no false alarm."""
WEAKER = 1 / 3
"""Share of the confirmed strength, 10 dB less, that a fault may have at another load."""
FOLDS = 5
STATE_ROWS = 20.0
"""Healthy windows of a state at which their own mean counts as much as that of all states. Of 3, 10
and 20 it is best on gearbox_gfd and on bldc_audio M1; more were not tried."""
MOST_SIGMA = 8.0
SMALLEST_P = 1e-300
FEWEST_HEALTHY = 20
"""Healthy windows without which a projection is not calibrated."""
FEWEST_STATES = 4
"""Known operating states from which the fault of an event has a direction; a reported fault has one
anyway. With few or unknown states the shift of a new one may lie along it (docs/decisions/0052)."""


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
        """Return true if no score changes."""
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
    rows: ReplayRows,
    log_scores: Float32,
    settings: LearningSettings = SETTINGS,
) -> Directions:
    """Find the directions of confirmed faults, one for each kind, and for each event without.

    The newest ones, at most ``settings.directions``; a fault whose windows depart by no more than
    their own scatter explains gives none.

    Parameters
    ----------
    rows : ReplayRows
        Of confirmed faults, and healthy ones, which calibrate the projections.
    log_scores : np.ndarray [shape=(8,)]
        Of the point at `SIGMAS`.
    """
    none = Directions.none(rows.stored.positions.shape[1])
    faults = rows.select_classes(RowClass.CONFIRMED_FAULT)
    if len(faults) == 0:
        return none
    healthy = rows.select_classes(RowClass.HEALTHY)
    healthy = healthy.where(healthy.info["seen"] == 1)
    if len(healthy) < FEWEST_HEALTHY:
        return none
    if len(set(healthy.info["state"].tolist())) < FEWEST_STATES:
        faults = faults.where(np.char.startswith(faults.info["group"], REPORTED.encode()))
    normal = _Windows.from_rows(healthy)
    units, tails = [], []
    for fault in _by_kind(faults)[-settings.directions :] if settings.directions else []:
        windows = _Windows.from_rows(fault)
        unit = _clear_unit(_departures(windows, normal, None), settings)
        if unit is not None:
            units.append(unit.astype(np.float16))
            tails.append(_tail(windows, normal, settings))
    if not units:
        return none
    return Directions(np.stack(units), np.stack(tails).astype(np.float32), log_scores)


def _by_kind(faults: ReplayRows) -> list[ReplayRows]:
    """Part faults by their kinds, those without one by event; the newest last."""
    kinds = [kind or event for kind, event in faults.info[["kind", "group"]].tolist()]
    parts = [
        faults.where(np.array([one == kind for one in kinds])) for kind in dict.fromkeys(kinds)
    ]
    return sorted(parts, key=lambda part: int(part.info["t_ns"].max()))


class _Windows(NamedTuple):
    """Windows with their operating states, in folds: consecutive windows of each state."""

    positions: Float32
    states: NDArray[np.uint32]
    folds: NDArray[np.intp]

    @classmethod
    def from_rows(cls, rows: ReplayRows) -> _Windows:
        states, t_ns = rows.info["state"], rows.info["t_ns"]
        folds = np.empty(len(rows), np.intp)
        for first, state in enumerate(np.unique(states)):
            own = np.flatnonzero(states == state)
            own = own[np.argsort(t_ns[own], kind="stable")]
            # From another fold on for each state: states of few windows would all share the first.
            folds[own] = (np.arange(len(own)) * FOLDS // len(own) + first) % FOLDS
        return cls(rows.positions, states, folds)


def _tail(windows: _Windows, normal: _Windows, settings: LearningSettings) -> Float64:
    """Return the mean, deviation and number of the healthy projections, and ln k; all held out.

    A single window, such as the mean that a delta carries, can't be held out from itself.
    """
    faulty, healthy = (np.empty(len(one.folds)) for one in (windows, normal))
    for fold in range(FOLDS):
        departures = _departures(windows, normal, fold)
        along = _unit(departures if len(departures) else _departures(windows, normal, None))
        for values, one in ((faulty, windows), (healthy, normal)):
            mine = one.folds == fold
            values[mine] = one.positions[mine] @ along
    n = len(healthy)
    mean, deviation = healthy.mean(), healthy.std(ddof=1)
    strength = (np.median(faulty) - mean) / deviation / np.sqrt(1 + 1 / n)
    weaker = np.log(max(stdtr(n - 1, -WEAKER * strength), SMALLEST_P))
    looks = max(np.log(settings.p_limit) - weaker, np.log(LOOKS))
    return np.array([mean, deviation, n, looks])


def _ln_p(along: Float32, tails: NDArray[np.floating]) -> Float64:
    """Return the logarithm of the p-values of projections [shape=(n, j)], before any factor."""
    mean, deviation, n = tails[:, :3].T.astype(np.float64)
    t = (along - mean) / deviation / np.sqrt(1 + 1 / n)
    ln_p: Float64 = np.log(np.maximum(stdtr(n - 1, -t), SMALLEST_P))
    return ln_p


def _departures(windows: _Windows, normal: _Windows, left_out: int | None) -> Float32:
    """Departures of faulty windows from healthy ones [shape=(n, m)], without those of a fold.

    Each departs from the healthy ones of its own state, drawn to those of all states where they
    are few.
    """
    kept, healthy = windows.folds != left_out, normal.folds != left_out
    departures = windows.positions[kept]
    all_states = _mean(normal.positions, healthy)
    for state in np.unique(windows.states[kept]):
        of_state = healthy & (normal.states == state)
        trust = np.float32(of_state.sum() / (of_state.sum() + STATE_ROWS))
        own = _mean(normal.positions, of_state)
        departures[windows.states[kept] == state] -= all_states + trust * (own - all_states)
    return np.asarray(departures, np.float32)


def _clear_unit(departures: Float32, settings: LearningSettings) -> Float32 | None:
    """Return `_unit` if windows depart by more than their own scatter explains, else None."""
    n = len(departures)
    mean = departures.mean(0)
    scatter = (float(np.vdot(departures, departures)) / n - mean @ mean) / max(1, n - 1)
    return _unit(departures) if mean @ mean > settings.direction_signal * scatter else None


def _unit(departures: Float32) -> Float32:
    """Return the unit vector of the mean departure [shape=(m,)]; 0 where there is none."""
    mean = departures.mean(0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), SMALLEST_P), np.float32)


def _mean(positions: Float32, of: NDArray[np.bool_]) -> Float32:
    """Return the mean of some positions [shape=(m,)] without a copy of them; 0 of none."""
    return (of.astype(np.float32) @ positions) / np.float32(max(1, of.sum()))
