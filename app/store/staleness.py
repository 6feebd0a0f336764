"""What is stale now, to tell pages of what has fallen silent."""

from __future__ import annotations

from sqlite_utils import Database

from app.store.freshness import Freshness
from app.store.received import Change

_HEARD = """
    SELECT 'gateway' AS kind, id, '' AS point, heard_ms, status ->> 'state' AS state FROM gateway
    UNION ALL
    SELECT 'machine', machine.id, '', machine.heard_ms, gateway.status ->> 'state'
        FROM machine JOIN gateway ON gateway.id = machine.gateway_id WHERE machine.listed
    UNION ALL
    SELECT 'point', machine.id, point.point, point.heard_ms, gateway.status ->> 'state'
        FROM point JOIN machine ON machine.id = point.machine_id
        JOIN gateway ON gateway.id = machine.gateway_id WHERE point.listed
"""


def stale_now(db: Database, freshness: Freshness) -> set[Change]:
    """Return all that is stale at this instant, named as changes are."""
    return {
        Change(kind, identity, point)
        for kind, identity, point, heard_ms, state in db.execute(_HEARD)
        if freshness.stale(heard_ms, state == "online")
    }
