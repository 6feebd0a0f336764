"""`Feature`: name, unit, definition and source of a feature, and the fault it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LEVEL_FLOOR = 1e-9
"""Smallest value of a feature with ``scale="log"``, in its unit, so that its logarithm exists.

Nine decades below 1 g or 1 Pa: far below the noise of any sensor, far above float32 underflow.
"""


@dataclass(frozen=True, slots=True)
class Feature:
    """Description of one number computed from a window of samples.

    Parameters
    ----------
    name : str
        Permanent name; the detector finds its input slot by it.
    unit : str
        Physical unit, ``1`` for ratios.
    group : str
        Group of features that are computed together, for example ``band``.
    scale : {"log", "linear"}
        Scale on which the detector takes it: ``log`` for levels, always ≥ `LEVEL_FLOOR`;
        ``linear`` for values that may be zero or negative.
    definition, source, shows : str
        For people: formula, standard or book, and the fault it shows.
    model : bool
        Whether the detector uses it; the others are redundant or for people.
    version : int
        Of its values; increase it when the same samples give another value. Baselines then do
        without the feature until their next healthy period.
    added : bool
        Whether it came after version 0.3, whose stored states do not name their features.
    """

    name: str
    unit: str
    group: str
    scale: Literal["log", "linear"]
    definition: str
    source: str
    shows: str
    model: bool = True
    version: int = 1
    added: bool = False
