"""The catalogue of bearings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.app.views.base import View


class Orders(View):
    """Fault frequencies in orders of shaft speed, with a fixed outer ring; null where unknown."""

    bpfo: float | None = Field(description="Outer race")
    bpfi: float | None = Field(description="Inner race")
    bsf: float | None = Field(description="Ball spin; a ball fault strikes at twice this")
    ftf: float | None = Field(description="Cage")


class CatalogueBearing(View):
    """An entry of the bearing catalogue; the geometry is null where only orders are published."""

    name: str = Field(examples=["6205-2RS JEM SKF"])
    balls: int | None = Field(description="Rolling elements (of one row)")
    ball_diameter_mm: float | None
    pitch_diameter_mm: float | None
    contact_angle_deg: float
    orders: Orders
    source: str = Field(description="Where geometry or orders were published, or who entered them")
    origin: Literal["published", "own"]
    approximate: bool = Field(
        description="Number and size of the rolling elements follow a convention: ask the maker"
    )


class BearingList(View):
    """The catalogue of bearings, or what a search found in it."""

    items: list[CatalogueBearing]


class BearingCandidate(View):
    """A bearing whose part could make a comb of lines."""

    bearing: CatalogueBearing
    part: Literal["bpfo", "bpfi", "bsf"]
    deviation: float = Field(description="Order of the comb over that of the part, less 1")


class BearingCandidates(View):
    """Bearings that could make a comb, exact entries first."""

    items: list[BearingCandidate]
