"""The input slots of the autoencoder: a fixed place for each feature of each point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.catalogue import RENAMED
from auscult.dsp.feature import LEVEL_FLOOR
from auscult.dsp.spec import FeatureSpec

Float32 = NDArray[np.float32]
Known = Mapping[str, int]
"""Features by name, each with the version of its values."""


SPREAD_FLOOR = 0.01
"""Smallest spread of a feature: 0.09 dB where ``scale="log"``, 1 % of the size of a linear one.
Rounding and the repeatability of a sensor chain are below it."""


def under_todays_names(stored: Known) -> Known:
    """Return the features that an earlier release stored, under the names of this one."""
    return {RENAMED.get(name, name): version for name, version in stored.items()}


class SlotError(ValueError):
    """More distinct features than the autoencoder has slots."""


@dataclass(frozen=True)
class Slots:
    """Input slots of the points of one kind on one machine.

    A feature takes the same slot at each point, so that one autoencoder serves all points. If a
    point lacks the feature, the slot is masked.

    Parameters
    ----------
    points : tuple of str
    names : tuple of str
        Feature of each used slot.
    versions : tuple of int
        Version of each feature's values.
    columns : np.ndarray [shape=(points, width)]
        Column in the point's feature vector; any known one where masked.
    mask : np.ndarray [shape=(points, width), dtype=float32]
        1 where the point has the feature.
    level : np.ndarray [shape=(width,), dtype=bool]
        Whether the slot takes the natural logarithm of a feature with ``scale="log"``.
    least_size : np.ndarray [shape=(width,), dtype=float32]
        Size below which a value of the slot counts as small (`StateScaling.fit`).
    """

    points: tuple[str, ...]
    names: tuple[str, ...]
    versions: tuple[int, ...]
    columns: NDArray[np.intp]
    mask: Float32
    level: NDArray[np.bool_]
    least_size: Float32

    @classmethod
    def assign(
        cls, specs: Mapping[str, FeatureSpec], width: int, known: Known | None = None
    ) -> Slots:
        """Assign slots to the model features of these points, in order of first appearance.

        Parameters
        ----------
        specs : mapping of point to FeatureSpec
        width : int
            Number of slots.
        known : mapping of feature name to version, optional
            Only these features take slots, in this order: those that a baseline was fitted to. One
            that the points lack, or whose values another version computes, is masked.

        Raises
        ------
        SlotError
            If they need more than `width` slots.
        """
        if known is None:
            known = {f.name: f.version for s in specs.values() for f in s.features if f.model}
        names = tuple(known)
        if len(names) > width:
            raise SlotError(
                f"{len(names)} distinct features for {width} slots; give the machine's points of "
                f"one kind the same bearings and gears"
            )
        columns = np.zeros((len(specs), width), np.intp)
        mask = np.zeros((len(specs), width), np.float32)
        level = np.zeros(width, bool)
        least_size = np.ones(width, np.float32)
        for row, spec in enumerate(specs.values()):
            # a masked slot reads a column that is known: another one may hold NaN
            columns[row] = next((spec.index[name] for name in known if name in spec.index), 0)
            for slot, (name, version) in enumerate(known.items()):
                if spec.versions.get(name) == version:
                    columns[row, slot] = spec.index[name]
                    mask[row, slot] = 1.0
                    level[slot] = spec.features[spec.index[name]].scale == "log"
                    if spec.kind == "value" and not level[slot]:
                        # 0.02 bar may be a usual pressure; a step of the resolution is 1 σ.
                        least_size[slot] = spec.resolution / SPREAD_FLOOR
        return cls(tuple(specs), names, tuple(known.values()), columns, mask, level, least_size)

    @property
    def known(self) -> Known:
        """Return the features in their slots."""
        return dict(zip(self.names, self.versions, strict=True))

    def model_units(self, x: Float32, mask: Float32) -> Float32:
        """Convert features in their slots [shape=(n, width)] to model units.

        Features with ``scale="log"`` become natural logarithms; masked slots are 0.
        """
        units: Float32 = np.where(self.level, np.log(np.maximum(x, LEVEL_FLOOR)), x)
        units *= mask
        return units

    def model_units_of(self, values: Float32, row: int) -> Float32:
        """Convert feature vectors [shape=(n, d)] of one point to rows in model units."""
        x: Float32 = values[:, self.columns[row]].astype(np.float32)
        return self.model_units(x, self.mask[row])
