"""The catalogue of bearings for people: the published entries, and those that a plant entered."""

from __future__ import annotations

from typing import Literal

from auscult.app.store import bearings
from auscult.app.store.bearings import OwnBearing
from auscult.app.store.connection import Database
from auscult.app.views import CatalogueBearing, Orders
from auscult.contract.bearing_types import CATALOGUE, BearingType, type_of

OWN_SOURCE = "entered by {actor}"


def view_of(
    one: BearingType, origin: Literal["published", "own"] = "published"
) -> CatalogueBearing:
    """Make the answer for an entry."""
    geometry, orders = one.geometry, one.bearing
    return CatalogueBearing(
        name=one.name,
        balls=geometry.balls if geometry else None,
        ball_diameter_mm=round(geometry.ball_diameter_mm, 4) if geometry else None,
        pitch_diameter_mm=round(geometry.pitch_diameter_mm, 4) if geometry else None,
        contact_angle_deg=geometry.contact_angle_deg if geometry else 0.0,
        orders=Orders(bpfo=orders.bpfo, bpfi=orders.bpfi, bsf=orders.bsf, ftf=orders.ftf),
        source=one.source,
        origin=origin,
        approximate=one.approximate,
    )


PUBLISHED: tuple[CatalogueBearing, ...] = tuple(view_of(one) for one in CATALOGUE)


def own_type(own: OwnBearing) -> BearingType:
    """Make the entry of a bearing that the plant has entered itself."""
    source = OWN_SOURCE.format(actor=own.actor)
    if own.geometry is not None:
        return type_of(own.name, own.geometry, source)
    return BearingType(own.name, own.orders, source)


def types(db: Database) -> tuple[list[BearingType], set[str]]:
    """Return all entries, own ones first, and the names of the own ones."""
    own = [own_type(one) for one in bearings.own(db)]
    return [*own, *CATALOGUE], {one.name for one in own}


def catalogue(db: Database) -> list[CatalogueBearing]:
    """Return own entries first, then the published ones."""
    return [*(view_of(own_type(one), "own") for one in bearings.own(db)), *PUBLISHED]
