"""What is known of a machine: its name plate, which selects ISO 20816 zones, and its train."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from auscult.contract.records import Direction, IsoClass
from auscult.dsp.bearing import FAULTS, Bearing


@dataclass(frozen=True, slots=True)
class PlacedBearing:
    """A bearing on a shaft of the train.

    Parameters
    ----------
    bearing : Bearing
        Orders of its own shaft.
    ratio : float
        Speed of its shaft over the measured speed.
    approximate : bool
        Its orders follow a convention, not the maker.
    """

    bearing: Bearing
    ratio: float = 1.0
    approximate: bool = False

    @property
    def measured(self) -> Bearing:
        """Return the bearing in orders of the measured shaft."""
        if self.ratio == 1.0:
            return self.bearing
        orders = {
            fault: order * self.ratio
            for fault in FAULTS
            if (order := self.bearing.order(fault)) is not None
        }
        return Bearing(self.bearing.name, **orders)


@dataclass(frozen=True, slots=True)
class Gear:
    """A pair of gears; ``ratio`` is the driving shaft's speed over the measured speed."""

    driving_teeth: int
    driven_teeth: int
    ratio: float = 1.0


@dataclass(frozen=True, slots=True)
class Train:
    """Shafts, gears and drives of a machine, in orders of its measured shaft.

    Parameters
    ----------
    directions : mapping of point to Direction
        Points whose direction is stated.
    shafts : mapping of point to str
        Shaft of each point: two coupled shafts turn at one speed and yet are two.
    gears : tuple of Gear
    belts, blades : tuple of float
        Orders of belts and blade passes.
    line_hz : float or None
        Line frequency of the motor.
    pole_pairs : int or None
    """

    directions: Mapping[str, Direction] = field(default_factory=dict)
    shafts: Mapping[str, str] = field(default_factory=dict)
    gears: tuple[Gear, ...] = ()
    belts: tuple[float, ...] = ()
    blades: tuple[float, ...] = ()
    line_hz: float | None = None
    pole_pairs: int | None = None

    def along(self, direction: Direction) -> tuple[str, ...]:
        """Return the points that measure in a direction."""
        return tuple(point for point, own in self.directions.items() if own == direction)


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
    train : Train
    """

    machine: str
    power_kw: float | None = None
    speed_rpm: float | None = None
    support: Literal["rigid", "flexible"] | None = None
    iso_class: IsoClass | None = None
    shaft_height_mm: float | None = None
    train: Train = field(default_factory=Train)
