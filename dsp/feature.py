"""What one feature is: its name, unit, definition, source, and the fault it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LEVEL_FLOOR = 1e-9
"""Smallest value of a feature with ``scale="log"``, in its unit, so that its logarithm exists.

Nine decades below 1 g or 1 Pa: far below the noise of any sensor, far above float32 underflow.
"""


@dataclass(frozen=True, slots=True)
class Feature:
    """One number that a window of samples is reduced to.

    Parameters
    ----------
    name : str
        Final name; the detector finds its input slot by it.
    unit : str
        Physical unit, ``1`` for ratios.
    group : str
        Group of features that are computed together, for example ``band``.
    scale : {"log", "linear"}
        How a detector should look at it: ``log`` = level-like, always ≥ `LEVEL_FLOOR`;
        ``linear`` = may be zero or negative.
    definition, source, shows : str
        For people: formula, standard or book, and the fault it shows.
    model : bool
        Whether the feature is of the non-redundant set that is meant for the detector.
    """

    name: str
    unit: str
    group: str
    scale: Literal["log", "linear"]
    definition: str
    source: str
    shows: str
    model: bool = True
