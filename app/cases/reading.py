"""What a case is made of, read for several machines at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from auscult.app.store import machines
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.views import Machine, Point

MACHINES_A_QUERY = 400


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A machine with its name plate and points."""

    machine: Machine
    plate: dict[str, Any]
    points: tuple[Point, ...]

    def point(self, identity: str | None) -> Point | None:
        """Return a point, None where the machine has no such point."""
        return next((p for p in self.points if p.point == identity), None)

    def point_name(self, point: str | None) -> str:
        """Return the name of a point; its id where it has none."""
        return next((p.name for p in self.points if p.point == point), point or "")


def surroundings(
    db: Database, freshness: Freshness, identities: Iterable[str]
) -> dict[str, Surroundings]:
    """Return machines with their name plates and points, by id."""
    wanted = sorted(set(identities))
    found: dict[str, Surroundings] = {}
    for start in range(0, len(wanted), MACHINES_A_QUERY):
        some = tuple(wanted[start : start + MACHINES_A_QUERY])
        points = machines.view_points_of(db, freshness, some)
        plates = _plates(db, some)
        for machine in machines.view_some(db, freshness, some):
            found[machine.id] = Surroundings(
                machine, plates.get(machine.id, {}), tuple(points.get(machine.id, ()))
            )
    return found


def _plates(db: Database, identities: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    marks = ",".join("?" * len(identities))
    rows = db.execute(f"SELECT id, part FROM machine WHERE id IN ({marks})", identities)  # noqa: S608 - ours
    return {identity: db.damage.decoded("machine", identity, part) for identity, part in rows}
