"""Bearings that a plant has entered itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from auscult.app.store.connection import Database
from auscult.contract.bearing_types import Geometry, Orders


@dataclass(frozen=True, slots=True)
class OwnBearing:
    """An own entry and its author: by geometry, or else by its maker's orders."""

    name: str
    actor: str
    orders: Orders
    geometry: Geometry | None = None


def own(db: Database) -> list[OwnBearing]:
    """Return the own entries by name."""
    sql = "SELECT name, geometry, actor FROM bearing ORDER BY name"
    return list(db.records("bearing", _entry, sql, key="name"))


def _entry(row: dict[str, Any]) -> OwnBearing:
    name, actor, stored = row["name"], row["actor"], json.loads(row["geometry"])
    if "balls" in stored:
        geometry = Geometry(int(stored.pop("balls")), **stored)
        return OwnBearing(name, actor, Orders(name), geometry)
    return OwnBearing(name, actor, Orders(name, **stored))


def add(db: Database, bearing: OwnBearing, now_ms: int) -> None:
    """Add an own entry, or replace it."""
    stored = asdict(bearing.geometry or bearing.orders)
    stored.pop("name", None)
    db.execute(
        "INSERT INTO bearing (name, geometry, actor, created_ms) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET name = excluded.name, geometry = excluded.geometry,"
        " actor = excluded.actor, created_ms = excluded.created_ms",
        (bearing.name, json.dumps(stored), bearing.actor, now_ms),
    )


def remove(db: Database, name: str) -> bool:
    """Remove an own entry; False if there is none of that name."""
    return bool(db.execute("DELETE FROM bearing WHERE name = ?", (name,)).rowcount)
