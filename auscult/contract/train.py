"""The train of a machine as people configure it: shafts, bearings, gears, belts, blades."""

from __future__ import annotations

from math import pi
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, model_validator

from auscult.contract.said import Rejection
from auscult.contract.section import Section
from auscult.contract.topics import check_id
from auscult.dsp.bearing import Bearing
from auscult.dsp.bearing_types import find_type

Id = Annotated[str, AfterValidator(check_id)]
MEASURED_SHAFT: Final = "1"
"""The shaft whose speed the machine states or measures."""


class ShaftSettings(Section):
    """A further shaft of the train."""

    id: Id = Field(description="Id within the machine; `1` is the measured shaft")
    ratio: float = Field(gt=0, le=1000, description="Its speed over that of the measured shaft")


class OnShaft(Section):
    """A part of the train that turns with one of its shafts."""

    shaft: Id = Field(default=MEASURED_SHAFT, description="Shaft that it sits on")


class BearingSettings(OnShaft):
    """A rolling bearing: by a designation of the catalogue, by maker's factors, or by geometry."""

    name: str = Field(min_length=1, max_length=64, description="Designation, e.g. `6205`")
    bpfo: float | None = Field(default=None, gt=0, lt=100, description="Outer race, orders")
    bpfi: float | None = Field(default=None, gt=0, lt=100, description="Inner race, orders")
    bsf: float | None = Field(default=None, gt=0, lt=100, description="Ball spin, orders")
    ftf: float | None = Field(default=None, gt=0, lt=1, description="Cage, orders")
    balls: int | None = Field(default=None, ge=3, le=100, description="Number of rolling elements")
    ball_diameter_mm: float | None = Field(default=None, gt=0, description="Ball diameter, mm")
    pitch_diameter_mm: float | None = Field(default=None, gt=0, description="Pitch diameter, mm")
    contact_angle_deg: float = Field(default=0, ge=0, lt=90, description="Contact angle, degrees")
    approximate: bool = Field(
        default=False,
        description="Number or size of the rolling elements follow a convention, not the maker: "
        "a diagnosis then claims less",
    )

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        geometry = (self.balls, self.ball_diameter_mm, self.pitch_diameter_mm)
        orders = (self.bpfo, self.bpfi, self.bsf, self.ftf)
        if any(one is not None for one in (*geometry, *orders)):
            if all(one is None for one in orders) and any(one is None for one in geometry):
                raise Rejection("bearing_incomplete", name=self.name)
        elif find_type(self.name) is None:
            raise Rejection("bearing_not_described", name=self.name)
        ball, pitch = self.ball_diameter_mm, self.pitch_diameter_mm
        if ball is not None and pitch is not None and ball >= pitch:
            raise Rejection("bearing_ball_too_large")
        if self.bpfo and self.bpfi and self.bpfo >= self.bpfi:
            raise Rejection("bearing_races_swapped", bpfo=self.bpfo, bpfi=self.bpfi)
        return self

    @property
    def orders(self) -> Bearing:
        """Return the fault orders of its own shaft."""
        if self.balls and self.ball_diameter_mm and self.pitch_diameter_mm:
            return Bearing.from_geometry(
                self.balls,
                self.ball_diameter_mm,
                self.pitch_diameter_mm,
                self.contact_angle_deg,
                name=self.name,
            )
        found = find_type(self.name)
        if found is not None and all(
            one is None for one in (self.bpfo, self.bpfi, self.bsf, self.ftf)
        ):
            bearing = found.bearing
            return Bearing(self.name, bearing.bpfo, bearing.bpfi, bearing.bsf, bearing.ftf)
        return Bearing(self.name, self.bpfo, self.bpfi, self.bsf, self.ftf)

    @property
    def is_approximate(self) -> bool:
        """Return whether its orders follow a convention."""
        found = find_type(self.name)
        by_name = self.bpfo is None and self.bpfi is None and self.balls is None
        return self.approximate or (by_name and found is not None and found.approximate)


class GearSettings(OnShaft):
    """Two gears in mesh; the driving one sits on `shaft`."""

    driving_teeth: int = Field(ge=3, le=1000, description="Teeth of the driving gear")
    driven_teeth: int = Field(ge=3, le=1000, description="Teeth of the driven gear")
    driven_shaft: Id | None = Field(default=None, description="Shaft of the driven gear")


class BeltSettings(OnShaft):
    """A belt on a pulley of the train."""

    pulley_mm: float = Field(gt=0, description="Pitch diameter of the pulley on the shaft, mm")
    length_mm: float = Field(gt=0, description="Pitch length of the belt, mm")

    @model_validator(mode="after")
    def _goes_round_the_pulley(self) -> Self:
        if self.length_mm <= pi * self.pulley_mm:
            raise Rejection("belt_too_short", length=self.length_mm, least=pi * self.pulley_mm)
        return self

    @property
    def order(self) -> float:
        """Return the turns of the belt per turn of the shaft."""
        return pi * self.pulley_mm / self.length_mm


class BladeSettings(OnShaft):
    """A wheel with blades or vanes."""

    count: int = Field(ge=2, le=1000, description="Number of blades or vanes")
