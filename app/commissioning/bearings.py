"""Rolling bearings by designation: geometry from published measurements, orders computed from it.

A maker may put another number or size of balls under the same designation, so an entry names whose
bearing it is and where its geometry was published. Only what could be checked there is in the
list; plants add their own entries.
"""

from __future__ import annotations

from math import cos, radians
from typing import Literal

from auscult.app.store import bearings
from auscult.app.store.bearings import Geometry, OwnBearing
from auscult.app.store.connection import Database
from auscult.app.views import Bearing, Orders

MM_PER_INCH = 25.4


def orders_of(geometry: Geometry) -> Orders:
    """Compute the fault orders of a bearing with a fixed outer ring.

    Kinematics without slip (Randall and Antoni, Mech. Syst. Signal Process. 25 (2011) 485,
    eqs. 1–4); real bearings slip by 1–2 %.

    >>> orders = orders_of(Geometry(9, 0.3126, 1.537))
    >>> round(orders.bpfo, 4), round(orders.bpfi, 4), round(2 * orders.bsf, 4)
    (3.5848, 5.4152, 4.7134)
    """
    size = geometry.ball_diameter_mm / geometry.pitch_diameter_mm
    ratio = size * cos(radians(geometry.contact_angle_deg))
    return Orders(
        bpfo=geometry.balls / 2 * (1 - ratio),
        bpfi=geometry.balls / 2 * (1 + ratio),
        bsf=(1 - ratio**2) / (2 * size),
        ftf=(1 - ratio) / 2,
    )


def entry(
    name: str, geometry: Geometry, source: str, origin: Literal["published", "own"]
) -> Bearing:
    """Make an entry with its orders."""
    return Bearing(
        name=name,
        balls=geometry.balls,
        ball_diameter_mm=round(geometry.ball_diameter_mm, 4),
        pitch_diameter_mm=round(geometry.pitch_diameter_mm, 4),
        contact_angle_deg=geometry.contact_angle_deg,
        orders=orders_of(geometry),
        source=source,
        origin=origin,
    )


def _inches(balls: int, ball: float, pitch: float, angle_deg: float = 0.0) -> Geometry:
    return Geometry(balls, ball * MM_PER_INCH, pitch * MM_PER_INCH, angle_deg)


_CWRU = "Case Western Reserve University, Bearing Data Center: bearing information"

PUBLISHED: tuple[Bearing, ...] = tuple(
    entry(name, geometry, source, "published")
    for name, geometry, source in (
        ("6205-2RS JEM SKF", _inches(9, 0.3126, 1.537), _CWRU),
        ("6203-2RS JEM SKF", _inches(8, 0.2656, 1.122), _CWRU),
        (
            "6203 (Paderborn)",
            Geometry(8, 6.75, 28.55),
            "Lessmeier et al., Condition monitoring of bearing damage, PHM Europe 2016",
        ),
        (
            "ER-16K MB",
            Geometry(9, 7.9375, 38.5),
            "Forbes, Curtin University: inner and outer race bearing fault data, 2012",
        ),
        (
            "UER204 LDK",
            Geometry(8, 7.92, 34.55),
            "Wang et al., XJTU-SY bearing data, IEEE Trans. Reliability 69 (2020) 401",
        ),
        (
            "6804RS NSK",
            Geometry(13, 3.5, 25.6),
            "Nectoux et al., PRONOSTIA, IEEE PHM 2012",
        ),
        (
            "ZA-2115 Rexnord",
            _inches(16, 0.331, 2.815, 15.17),
            "Qiu et al., J. Sound Vib. 289 (2006) 1066 (IMS bearing data)",
        ),
    )
)
"""Bearings of published test rigs: those whose geometry anyone can check."""


def own_entry(bearing: OwnBearing) -> Bearing:
    """Make the entry of a bearing that the plant has entered itself."""
    return entry(bearing.name, bearing.geometry, f"entered by {bearing.actor}", "own")


def catalogue(db: Database) -> list[Bearing]:
    """Return own entries first, then the published ones."""
    return [*map(own_entry, bearings.own(db)), *PUBLISHED]
