"""Deletes a gateway that is gone, with all that was stored of it."""

from __future__ import annotations

from auscult.app.store.connection import WritableDatabase
from auscult.app.store.database import DashboardStore
from auscult.app.store.retention import delete_in_pieces

_MACHINES = "(SELECT id FROM machine WHERE gateway_id = ?)"
_PIECES = (
    f"""DELETE FROM trend WHERE (point, tier_s, start_ms) IN
        (SELECT point, tier_s, start_ms FROM trend WHERE point IN
         (SELECT num FROM point WHERE machine_id IN {_MACHINES}) LIMIT ?)""",
    *(
        f"DELETE FROM {table} WHERE id IN"
        f" (SELECT id FROM {table} WHERE machine_id IN {_MACHINES} LIMIT ?)"
        for table in ("spectrum", "run_up", "clip", "event", "label", "case_entry")
    ),
    *(
        f"""DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE case_id IN
        (SELECT id FROM machine_case WHERE machine_id IN {_MACHINES}) LIMIT ?)"""
        for table in ("case_photo", "delivery")
    ),
    "DELETE FROM command WHERE id IN (SELECT id FROM command WHERE gateway_id = ? LIMIT ?)",
)
"""The bulk, each piece in a transaction of its own."""
_REST = (
    f"DELETE FROM machine_case WHERE machine_id IN {_MACHINES}",
    f"DELETE FROM evidence WHERE machine_id IN {_MACHINES}",
    f"DELETE FROM checkpoints WHERE machine_id IN {_MACHINES}",
    f"DELETE FROM point WHERE machine_id IN {_MACHINES}",
    "DELETE FROM machine WHERE gateway_id = ?",
    "DELETE FROM configuration WHERE gateway_id = ?",
    "DELETE FROM enrolment WHERE site || '~' || gateway = ?",
    "DELETE FROM gateway WHERE id = ?",
)


def delete_bulk(store: DashboardStore, gateway: str) -> None:
    """Delete what a gateway has sent, a few rows at a time so that nothing else waits."""
    for sql in _PIECES:
        delete_in_pieces(store, sql, (gateway,))


def delete_gateway(db: WritableDatabase, gateway: str) -> None:
    """Delete the gateway and its machines, after `delete_bulk`."""
    for sql in _REST:
        db.execute(sql, (gateway,))
    db.remembered.clear()
