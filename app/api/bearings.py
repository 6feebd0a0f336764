"""The catalogue of bearings."""

from __future__ import annotations

from typing import Annotated, Self

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field, model_validator

from auscult.app.api.inputs import ActingBody, Reader, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import EngineerOfAll, acting
from auscult.app.commissioning.bearings import PUBLISHED, own_type, types, view_of
from auscult.app.store import bearings
from auscult.app.store.bearings import OwnBearing
from auscult.app.views import BearingCandidate, BearingCandidates, BearingList, CatalogueBearing
from auscult.contract.bearing_types import Geometry, Orders, candidates, search
from auscult.contract.message import now_ms
from auscult.contract.said import Rejection

router = APIRouter(prefix="/bearings", tags=["commissioning"])

Name = Annotated[str, Path(max_length=64, examples=["6205-2RS JEM SKF"])]
Text = Annotated[str, Query(max_length=64, description="Part of a designation", examples=["6205"])]
Order = Annotated[
    float, Query(gt=0, lt=200, description="Order of the comb's first line", examples=[4.95])
]
Tolerance = Annotated[
    float, Query(gt=0, le=0.1, description="Largest relative deviation: slip and error of speed")
]


class NewBearing(ActingBody):
    """A bearing by its geometry, or by its maker's fault orders."""

    name: str = Field(
        min_length=1, max_length=64, pattern=r"^[^;|/=@]+$", examples=["6305 of our supplier"]
    )
    balls: int | None = Field(default=None, ge=3, le=100, examples=[8])
    ball_diameter_mm: float | None = Field(default=None, ge=0.1, le=1000, examples=[10.3])
    pitch_diameter_mm: float | None = Field(default=None, ge=0.1, le=10_000, examples=[43.5])
    contact_angle_deg: float = Field(default=0, ge=0, lt=90)
    bpfo: float | None = Field(default=None, gt=0, lt=100, description="Outer race, orders")
    bpfi: float | None = Field(default=None, gt=0, lt=100, description="Inner race, orders")
    bsf: float | None = Field(default=None, gt=0, lt=100, description="Ball spin, orders")
    ftf: float | None = Field(default=None, gt=0, lt=1, description="Cage, orders")

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        geometry = (self.balls, self.ball_diameter_mm, self.pitch_diameter_mm)
        orders = (self.bpfo, self.bpfi, self.bsf, self.ftf)
        partly = any(one is None for one in geometry)
        if partly and all(one is None for one in orders):
            raise Rejection("bearing_incomplete", name=self.name)
        ball, pitch = self.ball_diameter_mm, self.pitch_diameter_mm
        if ball is not None and pitch is not None and ball >= pitch:
            raise Rejection("bearing_ball_too_large")
        if self.bpfo and self.bpfi and self.bpfo >= self.bpfi:
            raise Rejection("bearing_races_swapped", bpfo=self.bpfo, bpfi=self.bpfi)
        return self

    def own(self, actor: str) -> OwnBearing:
        """Return the entry to store."""
        if self.balls and self.ball_diameter_mm and self.pitch_diameter_mm:
            geometry = Geometry(
                self.balls, self.ball_diameter_mm, self.pitch_diameter_mm, self.contact_angle_deg
            )
            return OwnBearing(self.name, actor, Orders(self.name), geometry)
        return OwnBearing(
            self.name, actor, Orders(self.name, self.bpfo, self.bpfi, self.bsf, self.ftf)
        )


@router.get("", summary="All bearings, or those of a designation")
def list_bearings(reader: Reader, text: Text = "") -> BearingList:
    """Return own entries, then published ones, with their fault orders.

    A search ignores case, spaces and suffixes that no entry has: 6205-2Z/C3 finds 6205.
    """
    everything, own = types(reader)
    found = search(text, everything)
    return BearingList(items=[view_of(x, "own" if x.name in own else "published") for x in found])


@router.get("/candidates", summary="Bearings that could make a comb of lines")
def list_candidates(reader: Reader, order: Order, tolerance: Tolerance = 0.01) -> BearingCandidates:
    """Return the bearings with a part whose fault order is near `order`, exact entries first."""
    everything, own = types(reader)
    return BearingCandidates(
        items=[
            BearingCandidate(
                bearing=view_of(x.type, "own" if x.type.name in own else "published"),
                part=x.part,
                deviation=round(x.deviation, 5),
            )
            for x in candidates(order, tolerance, everything)
        ]
    )


@router.post("", summary="Add an own bearing", status_code=201, responses=documented(403, 409, 503))
def post_bearing(body: NewBearing, engineer: EngineerOfAll, dashboard: Running) -> CatalogueBearing:
    """Add an own entry, or replace the own entry of that name."""
    if body.name.lower() in {bearing.name.lower() for bearing in PUBLISHED}:
        raise ProblemError("bearing_published", status=409, name=body.name)
    person, now = acting(engineer, body), now_ms()
    bearing = body.own(person.name)
    dashboard.access.do(
        person,
        "add bearing",
        f"{body.name}: {bearing.geometry or bearing.orders}",
        lambda db: bearings.add(db, bearing, now),
    )
    return view_of(own_type(bearing), "own")


@router.delete(
    "/{name}", summary="Remove an own bearing", status_code=204, responses=documented(403, 404, 503)
)
def delete_bearing(
    name: Name, engineer: EngineerOfAll, dashboard: Running, reader: Reader
) -> Response:
    """Remove an own entry; machines that name it keep its geometry."""
    if name.lower() not in {bearing.name.lower() for bearing in bearings.own(reader)}:
        raise not_found("own_bearing", name)
    dashboard.access.do(engineer, "remove bearing", name, lambda db: bearings.remove(db, name))
    return Response(status_code=204)
