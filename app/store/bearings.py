"""Bearings that a plant has entered itself."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from auscult.app.commissioning.bearings import PUBLISHED, Geometry, entry
from auscult.app.store.connection import Database
from auscult.app.views import Bearing


def view_all(db: Database) -> list[Bearing]:
    """Return the catalogue: own entries first, then the published ones."""
    rows = db.query("SELECT * FROM bearing ORDER BY name")
    return [*(_view(row) for row in rows), *PUBLISHED]


def add(db: Database, name: str, geometry: Geometry, actor: str, now_ms: int) -> None:
    """Add an own entry, or replace it."""
    db.execute(
        "INSERT INTO bearing (name, geometry, actor, created_ms) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET name = excluded.name, geometry = excluded.geometry,"
        " actor = excluded.actor, created_ms = excluded.created_ms",
        (name, json.dumps(asdict(geometry)), actor, now_ms),
    )


def remove(db: Database, name: str) -> bool:
    """Remove an own entry; False if there is none of that name."""
    return bool(db.execute("DELETE FROM bearing WHERE name = ?", (name,)).rowcount)


def _view(row: dict[str, Any]) -> Bearing:
    geometry = Geometry(**json.loads(row["geometry"]))
    return entry(row["name"], geometry, f"entered by {row['actor']}", "own")
