"""Which gateway owns an id: a second one with the same site and id replaces nothing."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from auscult.app.store import lost
from auscult.app.store.connection import Database
from auscult.app.store.freshness import heard_at_ms
from auscult.app.store.received import Origin

log = logging.getLogger(__name__)

SILENT_MS = 120_000
"""The owner of an id that is silent for so long has gone: two gateways that end each other's
connections to the broker still publish about every 30 s."""


class FromInstance(Protocol):
    """A message that names the data folder of its gateway."""

    @property
    def ts(self) -> int: ...
    @property
    def instance(self) -> str: ...


def owns(db: Database, origin: Origin, identity: str, message: FromInstance) -> bool:
    """Tell whether a message is of the gateway that owns the id; note a second gateway.

    A gateway becomes the owner when there is none, or when the owner is silent.
    """
    if not message.instance:
        return True  # of an older gateway
    row = db.execute(
        "SELECT instance, instance_ms, rival_ms FROM gateway WHERE id = ?", (identity,)
    ).fetchone()
    owner, owner_ms, rival_ms = row
    at_ms = heard_at_ms(origin.now_ms, message.ts, origin.retained, None)
    if owner == message.instance:
        if at_ms > owner_ms:
            db.execute("UPDATE gateway SET instance_ms = ? WHERE id = ?", (at_ms, identity))
        return True
    if not owner or at_ms - owner_ms > SILENT_MS:
        db.execute(
            "UPDATE gateway SET instance = ?, instance_ms = ? WHERE id = ?",
            (message.instance, at_ms, identity),
        )
        if owner:
            # What the earlier owner published counts no more, however new it is.
            db.execute(
                "UPDATE gateway SET ts_ms = 0, inventory_ts_ms = 0 WHERE id = ?", (identity,)
            )
            db.execute("DELETE FROM configuration WHERE gateway_id = ?", (identity,))
            lost.note_of_gateway(db, identity, origin.now_ms)
        return True
    if at_ms - rival_ms > SILENT_MS:
        log.warning(
            "gateway %s: a second gateway with the same site and id publishes; its machines are "
            "not shown: end it, or change its gateway.id", identity,
        )  # fmt: skip
    db.execute("UPDATE gateway SET rival_ms = ? WHERE id = ?", (at_ms, identity))
    return False


def release(db: Database, identity: str) -> None:
    """Note that the owner stopped in order: the next gateway owns the id at once."""
    db.execute("UPDATE gateway SET instance_ms = 0 WHERE id = ?", (identity,))


def has_rival(row: Mapping[str, Any], now_ms: int) -> bool:
    """Tell whether a second gateway published lately."""
    return bool(now_ms - row["rival_ms"] <= SILENT_MS)
