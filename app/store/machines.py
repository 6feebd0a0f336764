"""Machines and their points: states in, views out."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from auscult.app.identity import gateway_id, machine_id
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness, heard_at_ms, outdated
from auscult.app.store.need import need_of
from auscult.app.store.received import Origin
from auscult.app.views import Machine, Point
from auscult.contract.inventory import MachinePart
from auscult.contract.payloads import SEVERITY, MachineStateMessage, PointStateMessage
from auscult.contract.state import MachineState, PointState

log = logging.getLogger(__name__)

_RECORD: dict[str, TypeAdapter[Any]] = {
    "machine": TypeAdapter(MachineState),
    "point": TypeAdapter(PointState),
}


def known_gateway(db: Database, origin: Origin) -> str:
    """Return the gateway's id; its row is made with its first message."""
    identity = gateway_id(origin.site, origin.gateway)
    if db.execute("SELECT 1 FROM gateway WHERE id = ?", (identity,)).fetchone() is None:
        gateways = db.execute("SELECT count(*) FROM gateway").fetchone()[0]
        db.caps.check_gateway(origin, gateways)
        db.execute(
            "INSERT INTO gateway (id, site, gateway) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (identity, origin.site, origin.gateway),
        )
    return identity


def known(db: Database, origin: Origin, machine: str) -> str:
    """Return the machine's id; its rows are made with its first message."""
    identity = machine_id(origin.site, origin.gateway, machine)
    if ("machine", identity) in db.remembered:
        return identity
    if db.execute("SELECT 1 FROM machine WHERE id = ?", (identity,)).fetchone() is None:
        gateway = known_gateway(db, origin)
        count = "SELECT count(*) FROM machine WHERE gateway_id = ?"
        machines = db.execute(count, (gateway,)).fetchone()[0]
        db.caps.check(f"machines of gateway {gateway}", machines, db.caps.machines)
        db.execute(
            "INSERT INTO machine (id, gateway_id, machine) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (identity, gateway, machine),
        )
    db.remembered["machine", identity] = 1
    return identity


def may_own_event(db: Database, event_id: str, machine: str) -> bool:
    """Return whether an event is this machine's; one that is not stored (yet) may be."""
    row = db.execute("SELECT machine_id FROM event WHERE id = ?", (event_id,)).fetchone()
    if row is None or row[0] == machine:
        return True
    log.warning("a message of %s about the event %s of %s is rejected", machine, event_id, row[0])
    return False


def known_point(db: Database, origin: Origin, machine: str, point: str) -> int:
    """Return the point's number; its rows are made with its first message."""
    identity = machine_id(origin.site, origin.gateway, machine)
    if number := db.remembered.get(("point", identity, point)):
        return number
    row = db.execute(_POINT_NUMBER, (identity, point)).fetchone()
    if row is None:
        known(db, origin, machine)
        count = "SELECT count(*) FROM point WHERE machine_id = ?"
        points = db.execute(count, (identity,)).fetchone()[0]
        db.caps.check(f"points of machine {identity}", points, db.caps.points)
        db.execute(
            "INSERT INTO point (machine_id, point) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (identity, point),
        )
        row = db.execute(_POINT_NUMBER, (identity, point)).fetchone()
    number = db.remembered["point", identity, point] = int(row[0])
    return number


_POINT_NUMBER = "SELECT num FROM point WHERE machine_id = ? AND point = ?"


def store_part(db: Database, origin: Origin, part: MachinePart) -> str:
    """Store a machine's name plate and list its points; return the machine's id."""
    identity = known(db, origin, part.id)
    db.execute(
        "UPDATE machine SET listed = 1, part = ? WHERE id = ?", (part.model_dump_json(), identity)
    )
    db.execute("UPDATE point SET listed = 0 WHERE machine_id = ?", (identity,))
    for point in part.points:
        number = known_point(db, origin, part.id, point.id)
        db.execute(
            "UPDATE point SET listed = 1, part = ? WHERE num = ?", (point.model_dump_json(), number)
        )
    return identity


def store_machine_state(db: Database, origin: Origin, message: MachineStateMessage) -> str | None:
    """Store a machine's state; return its id, None if a newer one is stored."""
    identity = known(db, origin, message.machine)
    return identity if _stored_newer(db, origin, message, "machine", "id", identity) else None


def store_point_state(db: Database, origin: Origin, message: PointStateMessage) -> str | None:
    """Store a point's state; return its machine's id, None if a newer one is stored."""
    number = known_point(db, origin, message.machine, message.point)
    newer = _stored_newer(db, origin, message, "point", "num", number)
    return machine_id(origin.site, origin.gateway, message.machine) if newer else None


def _stored_newer(
    db: Database,
    origin: Origin,
    message: MachineStateMessage | PointStateMessage,
    table: str,
    key: str,
    value: str | int,
) -> bool:
    at = f"WHERE {key} = ?"
    stored = db.execute(f"SELECT ts_ms, heard_ms FROM {table} {at}", (value,)).fetchone()
    if outdated(origin.now_ms, message.ts, stored[0]):
        return False
    heard_ms = heard_at_ms(origin.now_ms, message.ts, origin.retained, stored[1])
    db.execute(
        f"UPDATE {table} SET state = ?, ts_ms = ?, heard_ms = ? {at}",
        (_RECORD[table].dump_json(message).decode(), message.ts, heard_ms, value),
    )
    return True


def view_all(db: Database, freshness: Freshness) -> list[Machine]:
    """Return all machines of the gateways' lists, worst first, then by name.

    A machine that its gateway lost with an open event is among them until a person closes it.
    """
    views = _machines(db, freshness, f"machine.listed = 1 OR {_DEPARTS}", ())
    return sorted(views, key=lambda m: (-SEVERITY[m.condition], m.name.lower(), m.id))


def view(db: Database, freshness: Freshness, identity: str) -> Machine | None:
    """Return one machine, None if it is unknown."""
    return next(_machines(db, freshness, "machine.id = ?", (identity,)), None)


def view_some(db: Database, freshness: Freshness, identities: tuple[str, ...]) -> Iterator[Machine]:
    """Give machines by their ids."""
    marks = ",".join("?" * len(identities))
    return _machines(db, freshness, f"machine.id IN ({marks})", identities)


def view_points_of(
    db: Database, freshness: Freshness, identities: tuple[str, ...]
) -> dict[str, list[Point]]:
    """Return the listed points of some machines, in the order they were configured."""
    marks = ",".join("?" * len(identities))
    where = f"point.listed = 1 AND point.machine_id IN ({marks}) ORDER BY point.num"
    found: dict[str, list[Point]] = {}
    for point in _points(db, freshness, where, identities):
        found.setdefault(point.machine_id, []).append(point)
    return found


def name_of(db: Database, identity: str) -> str:
    """Return what people call a machine, empty if it is unknown."""
    row = db.execute("SELECT machine, part FROM machine WHERE id = ?", (identity,)).fetchone()
    part = db.damage.decoded("machine", identity, row[1]) if row else {}
    return str(part.get("name") or row[0]) if row else ""


def name_plate(db: Database, identity: str) -> dict[str, Any]:
    """Return what only the machine's own page needs of its name plate."""
    row = db.execute("SELECT part FROM machine WHERE id = ?", (identity,)).fetchone()
    part = db.damage.decoded("machine", identity, row[0] if row else "")
    shown = ("bearings", "gear_teeth", "zones", "zones_refusal", "zones_said")
    return {key: part[key] for key in shown if key in part}


def plates(db: Database) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the id and the name plate of each machine that its gateway lists."""
    rows = db.execute("SELECT id, part FROM machine WHERE listed = 1 AND part IS NOT NULL")
    for identity, part in rows.fetchall():
        if plate := db.damage.decoded("machine", identity, part):
            yield identity, plate


def asking(db: Database, question_id: str) -> str | None:
    """Return the machine with a question that waits for an answer, None if none has it."""
    rows = db.execute(
        "SELECT id, state FROM machine WHERE state LIKE ? AND listed = 1", (f"%{question_id}%",)
    ).fetchall()
    states = ((str(id_), db.damage.decoded("machine", id_, text)) for id_, text in rows)
    return next((id_ for id_, state in states if _asks(state, question_id)), None)


def _asks(state: dict[str, Any], question_id: str) -> bool:
    return any(one["id"] == question_id for one in state.get("questions", []))


def view_points(db: Database, freshness: Freshness, identity: str) -> list[Point]:
    """Return the listed points of a machine, in the order they were configured."""
    where = "point.machine_id = ? AND point.listed = 1 ORDER BY point.num"
    return list(_points(db, freshness, where, (identity,)))


def view_all_points(db: Database, freshness: Freshness) -> list[Point]:
    """Return the listed points of all listed machines."""
    return list(_points(db, freshness, "point.listed = 1 AND machine.listed = 1", ()))


def view_point(db: Database, freshness: Freshness, identity: str, point: str) -> Point | None:
    """Return one point of a machine, None if it is unknown."""
    where = "point.machine_id = ? AND point.point = ?"
    return next(_points(db, freshness, where, (identity, point)), None)


def point_number(db: Database, identity: str, point: str) -> int | None:
    """Return the number by which trends know a point, None if it is unknown."""
    row = db.execute(_POINT_NUMBER, (identity, point)).fetchone()
    return None if row is None else int(row[0])


_DEPARTS = (
    "EXISTS (SELECT 1 FROM machine_case WHERE machine_id = machine.id"
    " AND kind = 'machine' AND open_events > 0)"
)
_ONLINE = "gateway.state = 'online' AS online"
_UNHEARD = {"condition": "unknown", "quality": "bad", "window_ms": 0}


def _machines(
    db: Database, freshness: Freshness, where: str, values: tuple[Any, ...]
) -> Iterator[Machine]:
    rows = db.query(
        f"SELECT machine.*, {_ONLINE}, (SELECT count(*) FROM point"
        " WHERE point.machine_id = machine.id AND point.listed = 1) AS points"
        f" FROM machine LEFT JOIN gateway ON gateway.id = machine.gateway_id WHERE {where}",
        values,
    )
    return db.damage.readable("machine", rows, partial(_machine, db, freshness=freshness))


def _machine(db: Database, row: dict[str, Any], freshness: Freshness) -> Machine:
    part = db.damage.decoded("machine", row["id"], row["part"])
    record = json.loads(row["state"]) if row["state"] else _UNHEARD
    joined = {
        "id": row["id"],
        "gateway_id": row["gateway_id"],
        "machine": row["machine"],
        "name": part.get("name") or row["machine"],
        "points": row["points"],
        "stale": not row["listed"] or freshness.stale(row["heard_ms"], bool(row["online"])),
        "heard_ms": row["heard_ms"],
        "updated_ms": row["ts_ms"],
    }
    if record.get("awaiting_approval"):
        joined["approval_asked_ms"] = _active_since_ms(db, row["id"])
    plate = {k: part[k] for k in ("area", "power_kw", "speed_rpm", "support") if k in part}
    machine = Machine.model_validate({**record, **plate, **joined})
    return machine.model_copy(update={"need": need_of(machine)})


def _active_since_ms(db: Database, identity: str) -> int | None:
    row = db.execute("SELECT message FROM checkpoints WHERE machine_id = ?", (identity,)).fetchone()
    known = db.damage.decoded("checkpoints", identity, row[0]) if row else {}
    return next((one["since_ms"] for one in known.get("baselines", ()) if one["active"]), None)


def _points(
    db: Database, freshness: Freshness, where: str, values: tuple[Any, ...]
) -> Iterator[Point]:
    rows = db.query(
        f"SELECT point.*, machine.machine, {_ONLINE} FROM point"
        " JOIN machine ON machine.id = point.machine_id"
        f" LEFT JOIN gateway ON gateway.id = machine.gateway_id WHERE {where}",
        values,
    )
    read = partial(_point, db, freshness=freshness)
    return db.damage.readable("point", rows, read, lambda row: row["num"])


def _point(db: Database, row: dict[str, Any], freshness: Freshness) -> Point:
    part = db.damage.decoded("point", row["num"], row["part"])
    record = json.loads(row["state"]) if row["state"] else _UNHEARD
    interval_s = part.get("interval_s")
    joined = {
        "machine_id": row["machine_id"],
        "machine": row["machine"],
        "point": row["point"],
        "name": part.get("name") or row["point"],
        "stale": freshness.stale(row["heard_ms"], bool(row["online"]), interval_s),
        "heard_ms": row["heard_ms"],
        "updated_ms": row["ts_ms"],
    }
    shown = ("kind", "unit", "fs_hz", "quantity", "interval_s", "limits")
    plate = {k: part[k] for k in shown if k in part}
    return Point.model_validate({**record, **plate, **joined})
