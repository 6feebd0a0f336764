"""The plant's map: its picture, and the places of machines."""

from __future__ import annotations

from auscult.app.store.connection import Database
from auscult.app.views.plant_map import MapPicture, MapPlace, PlantMap

STEPS_A_SIDE = 1000
"""Places are stored in thousandths of a side."""


def view(db: Database) -> PlantMap:
    """Return the map; places of machines that are gone are left out."""
    picture = next(iter(db.query("SELECT id, width, height FROM map_picture")), None)
    places = db.query(
        "SELECT map_place.machine_id, x_milli, y_milli FROM map_place"
        " JOIN machine ON machine.id = map_place.machine_id ORDER BY map_place.machine_id"
    )
    return PlantMap(
        picture=MapPicture(**picture) if picture else None,
        places=[
            MapPlace(
                machine_id=row["machine_id"],
                x=row["x_milli"] / STEPS_A_SIDE,
                y=row["y_milli"] / STEPS_A_SIDE,
            )
            for row in places
        ],
    )


def place(db: Database, machine: str, x: float, y: float) -> None:
    """Put a machine on the map, or move it there."""
    db.execute(
        "INSERT INTO map_place (machine_id, x_milli, y_milli) VALUES (?, ?, ?)"
        " ON CONFLICT (machine_id) DO UPDATE SET x_milli = excluded.x_milli,"
        " y_milli = excluded.y_milli",
        (machine, round(STEPS_A_SIDE * x), round(STEPS_A_SIDE * y)),
    )


def take_off(db: Database, machine: str) -> bool:
    """Take a machine off the map; False if it was not on it."""
    return bool(db.execute("DELETE FROM map_place WHERE machine_id = ?", (machine,)).rowcount)


def set_picture(db: Database, identity: str, width: int, height: int, image: bytes) -> None:
    """Store a picture in place of the present one."""
    remove_picture(db)
    db.execute(
        "INSERT INTO map_picture (id, width, height, image) VALUES (?, ?, ?, ?)",
        (identity, width, height, image),
    )


def remove_picture(db: Database) -> bool:
    """Remove the picture; False if there is none."""
    return bool(db.execute("DELETE FROM map_picture").rowcount)


def picture(db: Database, identity: str) -> bytes | None:
    """Return the picture's JPEG, None if it is not the present one."""
    row = db.execute("SELECT image FROM map_picture WHERE id = ?", (identity,)).fetchone()
    return None if row is None else bytes(row[0])
