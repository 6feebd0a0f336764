"""The catalogue of bearings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.app.views.base import View


class Orders(View):
    """Fault frequencies in orders of shaft speed, with a fixed outer ring."""

    bpfo: float = Field(description="Outer race")
    bpfi: float = Field(description="Inner race")
    bsf: float = Field(description="Ball spin; a ball fault strikes at twice this")
    ftf: float = Field(description="Cage")


class Bearing(View):
    """An entry of the bearing catalogue."""

    name: str = Field(examples=["6205-2RS JEM SKF"])
    balls: int = Field(description="Rolling elements (of one row)")
    ball_diameter_mm: float
    pitch_diameter_mm: float
    contact_angle_deg: float
    orders: Orders
    source: str = Field(description="Where the geometry was published, or who entered it")
    origin: Literal["published", "own"]


class BearingList(View):
    """The catalogue of bearings."""

    items: list[Bearing]
