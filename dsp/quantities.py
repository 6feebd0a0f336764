"""Overall values: the quantities that transmitters deliver, with their units.

A transmitter gives one number now and then: a velocity r.m.s., a temperature, a current. Each
becomes one feature. A quantity with a standard unit is converted, so that ISO zones and limits
apply alike to waveforms and to transmitters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.feature import Feature
from auscult.dsp.units import STANDARD_GRAVITY_M_S2

INTERVAL_S: Final = (1.0, 86_400.0)
"""Shortest and longest interval of an overall value."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of overall values.

    Parameters
    ----------
    feature : str
        Name of its feature.
    unit : str
        Unit of the feature; empty = the unit that the transmitter declares.
    scale : {"log", "linear"}
        ``log`` for levels, which are positive and vary in proportion to their size.
    units : mapping of unit to (gain, offset)
        Other units: value in `unit` = value × gain + offset.
    words : str
        Name in English.
    """

    feature: str
    unit: str
    scale: Literal["log", "linear"]
    words: str
    units: Mapping[str, tuple[float, float]] = field(default_factory=dict)


_ACCELERATION: Final = {"g": (STANDARD_GRAVITY_M_S2, 0.0), "mg": (STANDARD_GRAVITY_M_S2 / 1e3, 0.0)}
_VELOCITY: Final = {"in/s": (25.4, 0.0), "m/s": (1000.0, 0.0)}

QUANTITIES: Final[Mapping[str, Quantity]] = {
    "velocity_rms": Quantity("velocity_rms_mm_s", "mm/s", "log", "velocity r.m.s.", _VELOCITY),
    "velocity_peak": Quantity("velocity_peak_mm_s", "mm/s", "log", "velocity peak", _VELOCITY),
    "acceleration_rms": Quantity(
        "acceleration_rms_m_s2", "m/s²", "log", "acceleration r.m.s.", _ACCELERATION
    ),
    "acceleration_peak": Quantity(
        "acceleration_peak_m_s2", "m/s²", "log", "acceleration peak", _ACCELERATION
    ),
    "displacement_rms": Quantity(
        "displacement_rms_um",
        "µm",
        "log",
        "displacement r.m.s.",
        {"mm": (1000.0, 0.0), "mil": (25.4, 0.0)},
    ),
    "crest_factor": Quantity("crest_factor", "1", "log", "crest factor"),
    "kurtosis": Quantity("kurtosis", "1", "linear", "kurtosis"),
    "temperature": Quantity(
        "temperature_c",
        "°C",
        "linear",
        "temperature",
        {"°F": (5 / 9, -160 / 9), "K": (1.0, -273.15)},
    ),
    "current": Quantity("current", "", "linear", "current"),
    "voltage": Quantity("voltage", "", "linear", "voltage"),
    "power": Quantity("power", "", "linear", "power"),
    "pressure": Quantity("pressure", "", "linear", "pressure"),
    "flow": Quantity("flow", "", "linear", "flow"),
    "level": Quantity("fill_level", "", "linear", "fill level"),
    "speed": Quantity("speed", "", "linear", "speed"),
    "humidity": Quantity("humidity", "", "linear", "humidity"),
    "other": Quantity("value", "", "linear", "value"),
}
"""All quantities by name."""

QuantityName = Literal[
    "velocity_rms", "velocity_peak", "acceleration_rms", "acceleration_peak", "displacement_rms",
    "crest_factor", "kurtosis", "temperature", "current", "voltage", "power", "pressure", "flow",
    "level", "speed", "humidity", "other",
]  # fmt: skip

_SAME: Final = {"m/s2": "m/s²", "um": "µm", "C": "°C", "degC": "°C", "F": "°F", "degF": "°F"}
"""Other spellings of units."""


def conversion(quantity: str, unit: str) -> tuple[float, float] | None:
    """Gain and offset from a declared unit to the unit of the feature; None for a wrong unit.

    >>> conversion("temperature", "degC"), conversion("velocity_rms", "in/s")
    ((1.0, 0.0), (25.4, 0.0))
    >>> conversion("velocity_rms", "g") is None, conversion("current", "A")
    (True, (1.0, 0.0))
    """
    own = QUANTITIES[quantity]
    unit = _SAME.get(unit, unit)
    if not own.unit or unit == own.unit:
        return 1.0, 0.0
    return own.units.get(unit)


def units_of(quantity: str) -> tuple[str, ...]:
    """Return the units that a quantity may be declared in; empty = any."""
    own = QUANTITIES[quantity]
    return (own.unit, *own.units) if own.unit else ()


@lru_cache(maxsize=1024)
def conversion_of(quantity: str, configured: str, delivered: str) -> tuple[float, float] | None:
    """Gain and offset of a value in the unit `delivered`; None where the point can't have it.

    A quantity without a standard unit has only the unit that is configured.

    >>> conversion_of("current", "A", "V"), conversion_of("velocity_rms", "mm/s", "in/s")
    (None, (25.4, 0.0))
    """
    unit = delivered or configured
    if unit != configured and not units_of(quantity):
        return None
    return conversion(quantity, unit)


def feature_of(quantity: str, unit: str) -> Feature:
    """Return the feature of an overall value that is declared in `unit`."""
    own = QUANTITIES[quantity]
    return Feature(
        own.feature,
        own.unit or unit,
        "value",
        own.scale,
        f"{own.words}, as the transmitter delivers it",
        "the transmitter's data sheet",
        "what the quantity shows",
    )


def usual_interval_s(t_ns: NDArray[np.int64]) -> float:
    """Return the usual time between two values, within what a point may have.

    >>> usual_interval_s(np.array([0, 60, 60, 120, 3600]) * 10**9)
    60.0
    """
    steps = np.diff(np.unique(t_ns))
    usual = float(np.median(steps)) / 1e9 if len(steps) else INTERVAL_S[0]
    return min(max(usual, INTERVAL_S[0]), INTERVAL_S[1])
