"""Which points are heard together, and where each of them stands in the arrays that judge them.

Mostly the same points come hop after hop, so where they stand is looked up once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.machine_model import KindModel, MachineModel
from auscult.models.records import Observation

Float32 = NDArray[np.float32]


def end_to_end(observations: Sequence[Observation]) -> Float32:
    """Features of all windows in one array."""
    if not observations:
        return np.zeros(0, np.float32)
    return np.concatenate([one.features for one in observations])


@dataclass(frozen=True, slots=True)
class KindRows:
    """Points of one kind among those heard.

    ``number`` is that of the kind in the model, ``places`` [n] which of the heard points they are,
    ``rows`` [shape=(n,)] where they stand in the kind's arrays, ``columns`` [shape=(n, width)]
    where the feature of each slot stands when the features of all heard points lie end to end,
    ``mask`` [shape=(n, width)] is 1 where there is one.
    """

    kind: KindModel
    number: int
    places: tuple[int, ...]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    mask: Float32

    def model_units(self, features: Float32) -> Float32:
        """Features of all heard points end to end → rows of ours [shape=(n, width)]."""
        return self.kind.slots.model_units(features.take(self.columns), self.mask)


@dataclass(frozen=True, slots=True)
class PointRows:
    """The judged ones among the heard points, kind by kind.

    ``rows`` [shape=(n + 1,)] says where the n ``points``, and the machine last, stand in the
    machine's arrays, or that they are all of them in order; ``variance`` is that of the points'
    fused statistic.
    """

    points: tuple[str, ...]
    rows: NDArray[np.intp] | slice
    variance: float
    kinds: tuple[KindRows, ...]

    @classmethod
    def of(
        cls, model: MachineModel, specs: Mapping[str, FeatureSpec], heard: tuple[str, ...]
    ) -> PointRows:
        """Look up where these points stand."""
        start = [0, *accumulate(len(specs[point]) for point in heard)]
        kinds = []
        for number, kind in enumerate(model.kinds):
            places = tuple(i for i, point in enumerate(heard) if point in kind.row)
            if not places:
                continue
            rows = np.array([kind.row[heard[i]] for i in places], np.intp)
            columns = kind.slots.columns[rows] + np.array([start[i] for i in places])[:, None]
            kinds.append(KindRows(kind, number, places, rows, columns, kind.slots.mask[rows]))
        points = tuple(heard[i] for own in kinds for i in own.places)
        rows = np.array([*(model.row[point] for point in points), len(model.row)], np.intp)
        variance = model.fusion.variance(rows[:-1])
        whole = points == model.points
        return cls(points, slice(None) if whole else rows, variance, tuple(kinds))
