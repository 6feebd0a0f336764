"""All that is stale now, for the pages."""

from __future__ import annotations

from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.store.received import Change

_HEARD = """
    SELECT 'gateway' AS kind, id, '' AS point, heard_ms, state FROM gateway
    UNION ALL
    SELECT 'machine', machine.id, '', machine.heard_ms, gateway.state
        FROM machine JOIN gateway ON gateway.id = machine.gateway_id WHERE machine.listed = 1
    UNION ALL
    SELECT 'point', machine.id, point.point, point.heard_ms, gateway.state
        FROM point JOIN machine ON machine.id = point.machine_id
        JOIN gateway ON gateway.id = machine.gateway_id WHERE point.listed = 1
"""


def stale_now(db: Database, freshness: Freshness) -> set[Change]:
    """Return all that is stale at this instant, named as changes are."""
    return {
        Change(kind, identity, point)
        for kind, identity, point, heard_ms, state in db.execute(_HEARD)
        if freshness.stale(heard_ms, state == "online")
    }
