"""Who asked this gateway for what, when, and what became of it."""

from __future__ import annotations

import time

from sqlite_utils import Database

KEPT_AUDIT = 100_000
OURSELVES = "auscult"
"""The actor of what the gateway does by itself."""


def audit(db: Database, actor: str, action: str, outcome: str) -> None:
    """Add a line to the audit, in the caller's transaction; it keeps the last `KEPT_AUDIT`."""
    db.execute(
        "INSERT INTO audit (at_ns, actor, action, outcome) VALUES (?, ?, ?, ?)",
        [time.time_ns(), actor, action, outcome],
    )
    db.execute("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", [KEPT_AUDIT])
