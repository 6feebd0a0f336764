"""The rows of the points of a hop in the arrays of the model.

Mostly the same points arrive hop after hop, so their rows are looked up once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.kind_model import KindModel
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.records import Observation

Float32 = NDArray[np.float32]


def end_to_end(observations: Sequence[Observation]) -> Float32:
    """Return the features of all windows in one array."""
    if not observations:
        return np.zeros(0, np.float32)
    return np.concatenate([one.features for one in observations])


@dataclass(frozen=True, slots=True)
class KindRows:
    """The points of one kind in a hop.

    Attributes
    ----------
    kind : KindModel
    number : int
        Index of the kind in the model.
    places : tuple of n int
        Index of each point in the hop.
    rows : np.ndarray [shape=(n,)]
        Row of each point in the arrays of the kind.
    columns : np.ndarray [shape=(n, width)]
        Index of each slot's feature in the features of the hop end to end.
    mask : np.ndarray [shape=(n, width)]
        1 where a slot has a feature, else 0.
    """

    kind: KindModel
    number: int
    places: tuple[int, ...]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    mask: Float32

    def model_units(self, features: Float32) -> Float32:
        """Return the model units [shape=(n, width)] from the features of the hop end to end."""
        return self.kind.slots.model_units(features.take(self.columns), self.mask)


@dataclass(frozen=True, slots=True)
class PointRows:
    """The points of a hop that have a model, kind by kind.

    Attributes
    ----------
    points : tuple of n str
    rows : np.ndarray [shape=(n + 1,)] or slice
        Row of each point, and last of the machine, in the machine's arrays; a slice if the hop
        holds all points in order.
    rows_of_points : np.ndarray [shape=(n,)]
        Row of each point.
    variance : float
        Variance of Fisher's statistic of these points (`Fusion.variance`).
    kinds : tuple of KindRows
    """

    points: tuple[str, ...]
    rows: NDArray[np.intp] | slice
    rows_of_points: NDArray[np.intp]
    variance: float
    kinds: tuple[KindRows, ...]

    @classmethod
    def for_points(
        cls, model: MachineModel, specs: Mapping[str, FeatureSpec], present: tuple[str, ...]
    ) -> PointRows:
        """Look up the rows of these points."""
        start = [0, *accumulate(len(specs[point]) for point in present)]
        kinds = []
        for number, kind in enumerate(model.kinds):
            places = tuple(i for i, point in enumerate(present) if point in kind.row)
            if not places:
                continue
            rows = np.array([kind.row[present[i]] for i in places], np.intp)
            columns = kind.slots.columns[rows] + np.array([start[i] for i in places])[:, None]
            kinds.append(KindRows(kind, number, places, rows, columns, kind.slots.mask[rows]))
        points = tuple(present[i] for own in kinds for i in own.places)
        rows = np.array([*(model.row[point] for point in points), len(model.row)], np.intp)
        variance = model.fusion.variance(rows[:-1])
        whole = points == model.points
        return cls(points, slice(None) if whole else rows, rows[:-1], variance, tuple(kinds))
