"""Gateways: their status and inventory in, their view out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from auscult.app.identity import gateway_id
from auscult.app.store import instances, lost, machines
from auscult.app.store.connection import Database, WritableDatabase
from auscult.app.store.freshness import Freshness, heard_at_ms, outdated
from auscult.app.store.received import Change, Origin
from auscult.app.views import Gateway
from auscult.contract.inventory import Inventory
from auscult.contract.payloads import Status
from auscult.contract.said import Said


def store_status(db: Database, origin: Origin, message: Status) -> list[str]:
    """Store a status; return the ids of what changed: none if it is older than the stored one."""
    identity = machines.known_gateway(db, origin)
    if not instances.owns(db, origin, identity, message):
        return [identity]
    if message.state == "offline" and message.started_ms:
        # It stopped in order, so it is not a last will: another one may take its place at once.
        instances.release(db, identity)
    heard_ms, ts_ms = db.execute(
        "SELECT heard_ms, ts_ms FROM gateway WHERE id = ?", (identity,)
    ).fetchone()
    # The last will was made when the link began, so its time is not that of its sending.
    if message.state == "online" and outdated(origin.now_ms, message.ts, ts_ms):
        return []
    db.execute(
        "UPDATE gateway SET path = ?, status = ?, state = ?, ts_ms = ?, heard_ms = ? WHERE id = ?",
        (
            origin.path,
            message.model_dump_json(),
            message.state,
            message.ts if message.state == "online" else max(ts_ms, message.ts),
            heard_at_ms(origin.now_ms, message.ts, origin.retained, heard_ms),
            identity,
        ),
    )
    return [identity]


def store_inventory(db: Database, origin: Origin, message: Inventory) -> list[str]:
    """Store which machines and points there are; return the ids of the machines that changed.

    What is no longer in the inventory is no longer listed, but keeps its history.
    """
    identity = machines.known_gateway(db, origin)
    if not instances.owns(db, origin, identity, message):
        return []
    (stored_ts_ms,) = db.execute(
        "SELECT inventory_ts_ms FROM gateway WHERE id = ?", (identity,)
    ).fetchone()
    if message.ts == stored_ts_ms or outdated(origin.now_ms, message.ts, stored_ts_ms):
        return []
    db.execute("UPDATE gateway SET inventory_ts_ms = ? WHERE id = ?", (message.ts, identity))
    before = {row["id"] for row in db.query(_LISTED, (identity,))}
    db.execute("UPDATE machine SET listed = 0 WHERE gateway_id = ?", (identity,))
    listed = [machines.store_part(db, origin, part) for part in message.machines]
    for gone in before - set(listed):
        lost.close_of_machine(db, gone, origin.now_ms)
    return sorted(before | set(listed))


_LISTED = "SELECT id FROM machine WHERE gateway_id = ? AND listed = 1"


def enrol(db: WritableDatabase, site: str, gateway: str) -> None:
    """Add a gateway, so that its messages are stored."""
    identity = gateway_id(site, gateway)
    db.execute(
        "INSERT INTO gateway (id, site, gateway) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (identity, site, gateway),
    )
    db.announce([Change("gateway", identity)])


def view_all(db: Database, freshness: Freshness) -> list[Gateway]:
    """Return all gateways by name."""
    return list(_views(db, freshness, "true ORDER BY gateway.id", ()))


def view(db: Database, freshness: Freshness, identity: str) -> Gateway | None:
    """Return one gateway, None if it is unknown."""
    return next(_views(db, freshness, "gateway.id = ?", (identity,)), None)


def _views(
    db: Database, freshness: Freshness, where: str, values: tuple[Any, ...]
) -> Iterator[Gateway]:
    rows = db.query(
        "SELECT gateway.*, (SELECT count(*) FROM machine"
        " WHERE machine.gateway_id = gateway.id AND listed = 1) AS machines"
        f" FROM gateway WHERE {where}",
        values,
    )
    return db.damage.readable("gateway", rows, partial(_view, freshness=freshness))


def _view(row: dict[str, Any], freshness: Freshness) -> Gateway:
    status = Status.model_validate_json(row["status"]) if row["status"] else None
    online = status is not None and status.state == "online"
    shown = status.model_dump(exclude={"ts", "state", "instance"}) if status else {}
    if instances.has_rival(row, freshness.now_ms):
        said = Said("gateway_duplicate")
        shown["troubles"] = {**shown.get("troubles", {}), "duplicate": said.text}
        shown["troubles_said"] = {**shown.get("troubles_said", {}), "duplicate": said}
    return Gateway(
        id=row["id"],
        site=row["site"],
        gateway=row["gateway"],
        state="online" if online else "offline",
        stale=freshness.stale(row["heard_ms"], online),
        heard_ms=row["heard_ms"],
        updated_ms=row["ts_ms"],
        machines=row["machines"],
        **shown,
    )
