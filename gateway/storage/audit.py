"""The audit: who asked the gateway for what, when, and the outcome."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass

from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store

log = logging.getLogger(__name__)

KEPT_AUDIT = 100_000
SELF = "auscult"
"""The actor of the gateway's own actions."""


def audit(db: Database, actor: str, action: str, outcome: str) -> None:
    """Add a line to the audit, in the caller's transaction; it keeps the last `KEPT_AUDIT`."""
    db.execute(
        "INSERT INTO audit (at_ns, actor, action, outcome) VALUES (?, ?, ?, ?)",
        [time.time_ns(), actor, action, outcome],
    )
    db.execute("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", [KEPT_AUDIT])


@dataclass(frozen=True, slots=True)
class AuditWrite:
    """Adds a line to the audit."""

    actor: str
    action: str
    outcome: str

    def write_to(self, db: Database) -> None:
        """Write the line, in the caller's transaction."""
        audit(db, self.actor, self.action, self.outcome)


REFUSALS_EACH_S = 10.0
"""Rejections are audited at most this often, with their number: a flood must not fill the disk."""
SHOWN = 64


class Refusals:
    """Audits requests that are rejected before they become commands; any thread may call it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._number = 0
        self._audited_s = -REFUSALS_EACH_S

    def count_rejection(self, actor: str, what: str, reason: str) -> None:
        """Count a rejection, and audit it when due."""
        with self._lock:
            self._number += 1
            if time.monotonic() - self._audited_s < REFUSALS_EACH_S:
                return
            self._audited_s = time.monotonic()
            number, self._number = self._number, 0
        log.warning("%d command(s) rejected, the last on %r: %s", number, what[:SHOWN], reason)
        text = f"refused ({number}): {reason}"
        self._store.write(lambda db: audit(db, actor, what[:SHOWN], text))
