"""Maintenance systems as rows, and the order of a case."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from auscult.app.store import cases
from auscult.app.store.connection import Database
from auscult.app.views import OrderSystem, OrderSystemBody

MOST = 20


@dataclass(frozen=True, slots=True)
class StoredSystem:
    """A system with its secret headers."""

    system: OrderSystem
    secrets: dict[str, str]


def systems(db: Database) -> list[StoredSystem]:
    """Return the systems by name."""
    found = db.records("order_system", _system, "SELECT * FROM order_system ORDER BY id")
    return sorted(found, key=lambda one: (one.system.template.name.lower(), one.system.id))


def _system(row: dict[str, Any]) -> StoredSystem:
    secrets = json.loads(row["headers"])
    shown = OrderSystem(
        id=row["id"],
        headers=sorted(secrets),
        actor=row["actor"],
        changed_ms=row["changed_ms"],
        **json.loads(row["body"]),
    )
    return StoredSystem(shown, secrets)


def put(
    db: Database,
    identity: str,
    body: OrderSystemBody,
    headers: dict[str, str],
    actor: str,
    now_ms: int,
) -> None:
    """Store a system, or replace it."""
    db.execute(
        "INSERT INTO order_system (id, body, headers, actor, changed_ms) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET body = excluded.body, headers = excluded.headers,"
        " actor = excluded.actor, changed_ms = excluded.changed_ms",
        (
            identity,
            body.model_dump_json(include=set(OrderSystemBody.model_fields)),
            json.dumps(headers),
            actor,
            now_ms,
        ),
    )


def remove(db: Database, identity: str) -> bool:
    """Remove a system; False if there is none."""
    return bool(db.execute("DELETE FROM order_system WHERE id = ?", (identity,)).rowcount)


def case_of(db: Database, order_id: str) -> str | None:
    """Return the case of an order, None if there is none of that id."""
    row = db.execute("SELECT id FROM machine_case WHERE order_id = ?", (order_id,)).fetchone()
    return None if row is None else str(row[0])


def change(db: Database, case: str, **values: Any) -> None:
    """Change parts of a case's order."""
    row = cases.row(db, case)
    if row is not None and row["work_order"]:
        order = {**json.loads(row["work_order"]), **values}
        cases.update(db, case, work_order=json.dumps(order))
