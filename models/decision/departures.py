"""The mean departure of each point since its evidence began to rise.

A single window scatters by one standard deviation in each feature, so a pattern of a few features
may be chance. The mean over an event's windows shows what the event changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.kind_model import KindScores

DEPARTS: Final = log(0.02)
"""ln p below which a window departs: one healthy window in 50. Others are not examined further."""
HORIZON: Final = 64
"""The mean follows a fault that changes: an older window counts as in a mean over so many."""


@dataclass(slots=True)
class Departure:
    """Mean of a point's windows.

    Parameters
    ----------
    windows : int
    z : np.ndarray [shape=(width,)]
        Mean z-scores.
    moved : np.ndarray [shape=(width,)]
        Mean change in model units (levels in nepers).
    """

    windows: int
    z: NDArray[np.float64]
    moved: NDArray[np.float64]

    @classmethod
    def from_window(cls, scores: KindScores, i: int) -> Departure:
        """Return the departure of window i alone."""
        z = scores.z[i].astype(np.float64)
        return cls(1, z, z * scores.kind.spread[scores.rows[i], scores.state[i]])

    def add(self, window: Departure) -> None:
        """Add a window."""
        self.windows += 1
        share = 1 / min(self.windows, HORIZON)
        self.z += share * (window.z - self.z)
        self.moved += share * (window.moved - self.moved)


class Departures:
    """Mean departures of the points of a kind; a healthy point has none."""

    def __init__(self) -> None:
        self._of: dict[int, Departure] = {}

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, scores: KindScores, departs: NDArray[np.bool_]) -> None:
        """Add the windows that depart [shape=(n,)]."""
        for i in np.flatnonzero(departs).tolist():
            row, window = int(scores.rows[i]), Departure.from_window(scores, i)
            if (known := self._of.get(row)) is None:
                self._of[row] = window
            else:
                known.add(window)

    def departure_of(self, row: int) -> Departure | None:
        """Return the departure of a point, by its row in the kind; None where none is known."""
        return self._of.get(row)

    def discard(self, ended: NDArray[np.bool_]) -> None:
        """Discard the points whose evidence is back at 0 [shape=(points of the kind,)]."""
        for row in [row for row in self._of if ended[row]]:
            del self._of[row]

    def clear(self) -> None:
        """Discard all, for example after maintenance."""
        self._of.clear()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Copy to named arrays; none without a departure."""
        if not self._of:
            return {}
        return {
            "counts": np.array([(row, one.windows) for row, one in self._of.items()], np.int64),
            "means": np.array([(one.z, one.moved) for one in self._of.values()]),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`."""
        self._of = {
            int(row): Departure(int(windows), z.copy(), moved.copy())
            for (row, windows), (z, moved) in zip(arrays["counts"], arrays["means"], strict=True)
        }
