"""Slow change: what moved slowly while the machine was healthy counts for less in the score.

A baseline of an hour holds no night and no warm week. So while its knowledge is provisional, the
mean of each hour's windows is taken in the coordinates of the score, and the directions in which
these means lie are learned. Along them the squared distance is divided by 1 plus the variance of
the means. A ramp then never departs in a direction that it has taken so far, whatever its size.

A fault must not become a direction. Hours count once the warning chart is at zero again, as in
`Offsets`: what comes faster than the chart discards opens an event, and nothing is learned of it.
Hours beyond the bound of `Drift`, and those with more impulses or stronger lines of a bearing than
the healthy machine, never count. A direction takes away no more than three times its own r.m.s.
movement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.times import DAY_NS, HOUR_NS
from auscult.models.baseline.kind_model import KindModel
from auscult.models.decision.drift import Drift

Float32 = NDArray[np.float32]
Rows = NDArray[np.intp]

DAYS: Final = 14
"""Days with running until a baseline is complete: two of each weekday."""
DIRECTIONS: Final = 3
"""Directions of a point: gain, temperature, and one more."""
FEWEST, ENOUGH = 10, 100
"""Windows of an hour's mean: its first ones, so that following costs little."""
WAITING: Final = 24
"""Hours that wait for the chart; older ones are left out."""
MOST: Final = 9.0
"""Most that a direction takes away, in units of the mean square of its movement."""
LEAST_LEFT: Final = 0.05
"""Least part of the squared distance that stays."""
INVARIANT_SIGMA: Final = 1.0
"""Rise of a feature that no slow change of a healthy machine moves, above which an hour never
counts."""
ERROR: Final = 3.0
"""Standard errors of an hour's mean that its bounds allow for."""
INVARIANT = ("kurtosis", "crest_factor", "shape_factor")
INVARIANT_ENDS = ("_prominence", "_sidebands")


def invariant(name: str) -> bool:
    """Return whether a feature shows impulses or lines of a fault, whatever the level."""
    return name in INVARIANT or name.endswith(INVARIANT_ENDS)


class SlowChange:
    """Directions of slow change of the points of a kind.

    Parameters
    ----------
    model : KindModel
    drift : Drift
        Of the same points: how far the baseline follows, and its bound.
    """

    def __init__(self, model: KindModel, drift: Drift) -> None:
        points, width = drift.bound.shape
        whiten = model.distance.whiten
        self._drift = drift
        self._invariants = np.flatnonzero([invariant(name) for name in model.slots.names])
        self._coordinates = np.count_nonzero(np.abs(whiten).sum(1) > 0, axis=1)[:, None]
        """Coordinates that vary: the variance of each is the inverse."""
        coordinates = whiten.shape[2] - model.distance.slots + width
        self._z: Float32 = np.zeros((points, width), np.float32)
        self._w: Float32 = np.zeros((points, coordinates), np.float32)
        """Sums of the hour's z-scores and positions."""
        self._count = np.zeros(points)
        self._ends_ns = np.zeros(points, np.int64)
        self._waiting: list[list[tuple[int, Float32]]] = [[] for _ in range(points)]
        self.directions: Float32 = np.zeros((points, DIRECTIONS, coordinates), np.float32)
        """Unit vectors."""
        self.squares: Float32 = np.zeros((points, DIRECTIONS), np.float32)
        """Mean square of the hours' means along them."""
        self._hours = np.zeros(points)
        self._day = np.full(points, -1, np.int64)
        held_s = [point.windows * (point.mean_hop_s or 0.0) for point in model.points]
        days = np.array(held_s) * 1e9 // DAY_NS if model.kind != "value" else DAYS
        self.days = np.full(points, np.minimum(days, DAYS), np.int64)
        """Days known: those of the baseline, and of hours since; values know theirs elsewhere."""

    def apply(self, rows: Rows, w: Float32, squared: Float32) -> Float32:
        """Return the squared distances [shape=(n,)] of positions w [shape=(n, m)] without it."""
        own = self.squares.take(rows, axis=0)
        if not own.any():
            return squared
        along = np.einsum("nkm,nm->nk", self.directions.take(rows, axis=0), w) ** 2
        variance = own * self._coordinates.take(rows, axis=0)
        away = np.minimum(along * variance / (1 + variance), MOST * own).sum(1)
        left: Float32 = np.maximum(squared - away, LEAST_LEFT * squared).astype(np.float32)
        return left

    def add(self, rows: Rows, z: Float32, w: Float32, t_ns: int) -> None:
        """Add the windows of a hop without an event, each of another point."""
        ends = self._ends_ns[rows]
        over = (t_ns >= ends) | (t_ns < ends - HOUR_NS)
        takes = (self.days[rows] < DAYS) & (over | (self._count[rows] < ENOUGH))
        if not takes.any():
            return
        for row in rows[takes & over].tolist():
            self._end_hour(row)
            self._ends_ns[row] = t_ns + HOUR_NS
        self._z[rows] += z
        self._w[rows] += w
        self._count[rows] += 1

    def _end_hour(self, row: int) -> None:
        n, drift = self._count[row], self._drift
        if n >= FEWEST:
            z, used = self._z[row] / n, drift.bound[row] > 0
            moved = np.abs(z * drift.spread[row] + drift.offset[row])
            error = ERROR / np.sqrt(n)
            rises = z[self._invariants].max(initial=0.0) > INVARIANT_SIGMA + error
            bound = drift.bound[row] + error * drift.spread[row]
            if not rises and (moved <= bound)[used].all():
                self._waiting[row].append((int(self._ends_ns[row]), self._w[row] / n))
                del self._waiting[row][:-WAITING]
        self._z[row] = self._w[row] = self._count[row] = 0

    def settle(self, at_zero: NDArray[np.bool_], *, event: bool) -> None:
        """Learn the waiting hours where the warning chart is at zero; discard them in an event."""
        for row, waiting in enumerate(self._waiting):
            if waiting and (event or at_zero[row]):
                for at_ns, mean in () if event else waiting:
                    self._learn(row, at_ns, mean)
                waiting.clear()
        if event and self._count.any():
            self._z[:] = self._w[:] = 0
            self._count[:] = 0

    def _learn(self, row: int, at_ns: int, mean: Float32) -> None:
        n = self._hours[row] = self._hours[row] + 1
        kept = self.directions[row] * np.sqrt(self.squares[row] * (n - 1) / n)[:, None]
        _, sizes, vectors = np.linalg.svd(np.vstack([kept, mean / np.sqrt(n)]), full_matrices=False)
        self.directions[row] = vectors[:DIRECTIONS]
        self.squares[row] = sizes[:DIRECTIONS] ** 2
        if (day := at_ns // DAY_NS) != self._day[row]:
            self._day[row] = day
            self.days[row] += 1

    @property
    def days_missing(self) -> int:
        """Return the days with running until each point knows enough."""
        return int(DAYS - self.days.min())

    def to_arrays(self) -> Mapping[str, NDArray[Any]]:
        """Copy what was learned and what waits, to store them."""
        arrays = {name: array.copy() for name, array in self._arrays().items()}
        waiting = [(row, *one) for row, own in enumerate(self._waiting) for one in own]
        arrays["waiting_at"] = np.array([(row, t) for row, t, _ in waiting], np.int64)
        arrays["waiting"] = np.array([mean for *_, mean in waiting], np.float32)
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`; a state of an older version has none."""
        if not arrays:
            return
        for name, array in self._arrays().items():
            array[:] = arrays[name]
        for one in self._waiting:
            one.clear()
        for (row, t_ns), mean in zip(arrays["waiting_at"], arrays["waiting"], strict=True):
            self._waiting[int(row)].append((int(t_ns), mean))

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "directions": self.directions, "squares": self.squares, "hours": self._hours,
            "day": self._day, "days": self.days, "ends": self._ends_ns, "count": self._count,
            "z": self._z, "w": self._w,
        }  # fmt: skip
