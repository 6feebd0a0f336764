"""The checkpoints of machines, as their gateways list them."""

from __future__ import annotations

from auscult.app.store import machines
from auscult.app.store.connection import Database
from auscult.app.store.freshness import outdated
from auscult.app.store.received import Origin
from auscult.app.views import MachineCheckpoints
from auscult.contract.learning import Checkpoints
from auscult.contract.records import Detectable


def store(db: Database, origin: Origin, message: Checkpoints) -> str | None:
    """Store a machine's list; return the machine's id, None if a newer list is stored."""
    identity = machines.known(db, origin, message.machine)
    row = db.execute("SELECT ts_ms FROM checkpoints WHERE machine_id = ?", (identity,)).fetchone()
    if outdated(origin.now_ms, message.ts, row[0] if row else None):
        return None
    db.execute(
        "INSERT INTO checkpoints (machine_id, ts_ms, message) VALUES (?, ?, ?)"
        " ON CONFLICT (machine_id) DO UPDATE SET ts_ms = excluded.ts_ms,"
        " message = excluded.message",
        (identity, message.ts, message.model_dump_json()),
    )
    return identity


def view(db: Database, machine_id: str) -> MachineCheckpoints | None:
    """Return a machine's list, None before its gateway has sent one."""
    rows = db.execute(
        "SELECT machine_id, message FROM checkpoints WHERE machine_id = ?", (machine_id,)
    )
    return next(db.damage.readable("checkpoints", rows, _view, lambda row: row[0]), None)


def detectable(db: Database, machine_id: str) -> tuple[Detectable, ...]:
    """Return the least changes and faults that a baseline would find; empty if unknown."""
    rows = db.execute(
        "SELECT machine_id, message FROM checkpoints WHERE machine_id = ?", (machine_id,)
    )
    found = db.damage.readable("checkpoints", rows, _detectable, lambda row: row[0])
    return next(found, ())


def _detectable(row: tuple[str, str]) -> tuple[Detectable, ...]:
    return Checkpoints.model_validate_json(row[1]).detectable


def _view(row: tuple[str, str]) -> MachineCheckpoints:
    machine_id, message = row[0], Checkpoints.model_validate_json(row[1])
    return MachineCheckpoints(
        machine_id=machine_id,
        updated_ms=message.ts,
        active=message.active,
        candidate=message.candidate,
        shadow=message.shadow,
        checkpoints=message.checkpoints,
        waiting=message.waiting,
        baselines=message.baselines,
    )
