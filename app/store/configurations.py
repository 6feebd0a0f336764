"""The configuration of each gateway, as the gateway publishes it."""

from __future__ import annotations

from typing import Any

from auscult.app.identity import gateway_id
from auscult.app.store import instances, machines
from auscult.app.store.connection import Database
from auscult.app.store.freshness import outdated
from auscult.app.store.received import Origin
from auscult.contract.inventory import Configuration


def store(db: Database, origin: Origin, message: Configuration) -> str | None:
    """Store a gateway's configuration; return its id, None if a newer one is stored."""
    identity = machines.known_gateway(db, origin)
    if not instances.owns(db, origin, identity, message):
        return None
    row = db.execute("SELECT ts_ms FROM configuration WHERE gateway_id = ?", (identity,)).fetchone()
    if outdated(origin.now_ms, message.ts, row[0] if row else None):
        return None
    db.execute(
        "INSERT INTO configuration (gateway_id, ts_ms, message) VALUES (?, ?, ?)"
        " ON CONFLICT (gateway_id) DO UPDATE SET ts_ms = excluded.ts_ms,"
        " message = excluded.message",
        (gateway_id(origin.site, origin.gateway), message.ts, message.model_dump_json()),
    )
    return identity


def view(db: Database, gateway: str) -> Configuration | None:
    """Return a gateway's configuration, None before it has published one."""
    sql = "SELECT * FROM configuration WHERE gateway_id = ?"
    found = db.records("configuration", _view, sql, (gateway,), key="gateway_id")
    return next(found, None)


def _view(row: dict[str, Any]) -> Configuration:
    return Configuration.model_validate_json(row["message"])
