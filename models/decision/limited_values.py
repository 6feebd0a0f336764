"""What a limit compares: a feature of the window, or the r.m.s. of a band with own edges.

A limit names an own band as ``rms_<low>_<high>hz``. Its r.m.s. is the root of the summed powers of
the log bands (40 of equal ratio, a quarter octave each) between the edges. A log band that an edge
cuts counts with its share of the width, so an edge is as steep as one log band is wide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.contract.own_band import own_band_hz
from auscult.contract.said import Rejection
from auscult.dsp.spec import FeatureSpec


class LimitError(Rejection):
    """A limit of a feature that the point does not have; the message names both."""


@dataclass(frozen=True, slots=True)
class LimitedValue:
    """How the value of a limit follows from the features of a window.

    ``columns`` [shape=(k,)] are summed as powers with ``weights`` [shape=(k,)]; of a plain feature
    there is one column, whose value is compared as it is.
    """

    unit: str
    is_level: bool
    columns: NDArray[np.intp]
    weights: NDArray[np.float64] | None = None

    def compute(self, values: NDArray[np.float32]) -> float:
        """Return the value of a window's features [shape=(d,)]."""
        if self.weights is None:
            return float(values[self.columns[0]])
        return float(np.sqrt(self.weights @ np.square(values[self.columns], dtype=np.float64)))


def limited_value(spec: FeatureSpec, point: str, name: str) -> LimitedValue:
    """Return how a limit on this feature or own band is read.

    Raises
    ------
    LimitError
        If the point has no such feature, or the band is outside its log bands or narrower than
        one of them.

    Examples
    --------
    >>> spec = FeatureSpec.vibration(25600, 25600, "g")
    >>> values = np.ones(len(spec), np.float32)
    >>> round(limited_value(spec, "de", "rms_10_12800hz").compute(values) ** 2)
    40
    """
    column = spec.index.get(name)
    if column is not None:
        feature = spec.features[column]
        return LimitedValue(feature.unit, feature.scale == "log", np.array([column]))
    edges = own_band_hz(name)
    if edges is None or "band_00" not in spec.index:
        raise LimitError("no_feature", point=point, feature=name)
    low, high = edges
    bands = spec.band_edges_hz
    from_hz, to_hz = float(bands[0, 0]), float(bands[-1, 1])
    narrowest = float(bands[0, 1] / bands[0, 0])
    # A thousandth is the rounding of edges that a person reads and enters.
    if not (from_hz <= 1.001 * low and high <= 1.001 * to_hz and high >= 0.999 * narrowest * low):
        raise LimitError(
            "band_outside", point=point, low_hz=low, high_hz=high, from_hz=from_hz, to_hz=to_hz
        )
    covered = np.minimum(bands[:, 1], high) - np.maximum(bands[:, 0], low)
    weights = np.clip(covered / (bands[:, 1] - bands[:, 0]), 0.0, 1.0)
    used = np.flatnonzero(weights)
    first = spec.index["band_00"]
    unit = spec.features[first].unit
    return LimitedValue(unit, True, first + used, weights[used])
