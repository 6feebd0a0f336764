"""Bearings that a plant has entered itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from auscult.app.store.connection import Database


@dataclass(frozen=True, slots=True)
class Geometry:
    """What fault frequencies follow from; diameters in mm, the contact angle in degrees."""

    balls: int
    ball_diameter_mm: float
    pitch_diameter_mm: float
    contact_angle_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class OwnBearing:
    """An own entry and its author."""

    name: str
    geometry: Geometry
    actor: str


def own(db: Database) -> list[OwnBearing]:
    """Return the own entries by name."""
    rows = db.query("SELECT name, geometry, actor FROM bearing ORDER BY name")
    return [
        OwnBearing(row["name"], Geometry(**json.loads(row["geometry"])), row["actor"])
        for row in rows
    ]


def add(db: Database, bearing: OwnBearing, now_ms: int) -> None:
    """Add an own entry, or replace it."""
    db.execute(
        "INSERT INTO bearing (name, geometry, actor, created_ms) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET name = excluded.name, geometry = excluded.geometry,"
        " actor = excluded.actor, created_ms = excluded.created_ms",
        (bearing.name, json.dumps(asdict(bearing.geometry)), bearing.actor, now_ms),
    )


def remove(db: Database, name: str) -> bool:
    """Remove an own entry; False if there is none of that name."""
    return bool(db.execute("DELETE FROM bearing WHERE name = ?", (name,)).rowcount)
