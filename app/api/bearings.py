"""The catalogue of bearings."""

from __future__ import annotations

from typing import Annotated, Self

from fastapi import APIRouter, Path, Response
from pydantic import Field, model_validator

from auscult.app.api.inputs import ActingBody, Reader, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Engineer, acting
from auscult.app.commissioning.bearings import PUBLISHED, catalogue, own_entry
from auscult.app.store import bearings
from auscult.app.store.bearings import Geometry, OwnBearing
from auscult.app.views import Bearing, BearingList
from auscult.gateway.messages.message import now_ms
from auscult.gateway.messages.said import Rejection

router = APIRouter(prefix="/bearings", tags=["commissioning"])

Name = Annotated[str, Path(max_length=64, examples=["6205-2RS JEM SKF"])]


class NewBearing(ActingBody):
    """A bearing's geometry, as its maker gives it."""

    name: str = Field(
        min_length=1, max_length=64, pattern=r"^[^;|/]+$", examples=["6305 of our supplier"]
    )
    balls: int = Field(ge=3, le=100, examples=[8])
    ball_diameter_mm: float = Field(ge=0.1, le=1000, examples=[10.3])
    pitch_diameter_mm: float = Field(ge=0.1, le=10_000, examples=[43.5])
    contact_angle_deg: float = Field(default=0, ge=0, lt=90)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.ball_diameter_mm >= self.pitch_diameter_mm:
            raise Rejection("bearing_ball_too_large")
        return self


@router.get("", summary="All bearings")
def list_bearings(reader: Reader) -> BearingList:
    """Return own entries, then those whose geometry was published, with their fault orders."""
    return BearingList(items=catalogue(reader))


@router.post("", summary="Add an own bearing", status_code=201, responses=documented(403, 409, 503))
def post_bearing(body: NewBearing, engineer: Engineer, dashboard: Running) -> Bearing:
    """Add an own entry, or replace the own entry of that name."""
    if body.name.lower() in {bearing.name.lower() for bearing in PUBLISHED}:
        raise ProblemError("bearing_published", status=409, name=body.name)
    person, now = acting(engineer, body), now_ms()
    geometry = Geometry(
        body.balls, body.ball_diameter_mm, body.pitch_diameter_mm, body.contact_angle_deg
    )
    bearing = OwnBearing(body.name, geometry, person.name)
    dashboard.gate.do(
        person,
        "add bearing",
        f"{body.name}: {geometry}",
        lambda db: bearings.add(db, bearing, now),
    )
    return own_entry(bearing)


@router.delete(
    "/{name}", summary="Remove an own bearing", status_code=204, responses=documented(403, 404, 503)
)
def delete_bearing(name: Name, engineer: Engineer, dashboard: Running, reader: Reader) -> Response:
    """Remove an own entry; machines that name it keep its geometry."""
    if name.lower() not in {bearing.name.lower() for bearing in bearings.own(reader)}:
        raise not_found("own_bearing", name)
    dashboard.gate.do(engineer, "remove bearing", name, lambda db: bearings.remove(db, name))
    return Response(status_code=204)
