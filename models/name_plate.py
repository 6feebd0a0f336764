"""Name-plate data of a machine, which select its ISO 20816 zones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

IsoClass = Literal["group1", "group2", "I", "II", "III", "IV"]


@dataclass(frozen=True, slots=True)
class NamePlate:
    """Name-plate data; None = unknown.

    Parameters
    ----------
    machine : str
        Id of the machine.
    power_kw : float or None
        Rated power, > 0.
    speed_rpm : float or None
        Rated shaft speed, > 0.
    support : {"rigid", "flexible"} or None
        Rigid when the lowest natural frequency in the measured direction is at least 1.25 times
        the main excitation (ISO 20816-3).
    iso_class : str or None
        ``group1`` or ``group2`` of ISO 20816-3, or class ``I`` … ``IV`` of ISO 10816-1; None
        derives the group from the power.
    shaft_height_mm : float or None
        Height of the motor's shaft: selects a group of ISO 20816-3 if the power is unknown.
    """

    machine: str
    power_kw: float | None = None
    speed_rpm: float | None = None
    support: Literal["rigid", "flexible"] | None = None
    iso_class: IsoClass | None = None
    shaft_height_mm: float | None = None
