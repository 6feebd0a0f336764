"""Earlier baselines, kept for a roll-back."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass

from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptBaseline:
    """A baseline that a roll-back can reach; ``since_ns`` is when it became active."""

    baseline_id: str
    since_ns: int


def keep(
    db: Database, machine: str, baseline_id: str, state: bytes, since_ns: int, most: int
) -> None:
    """Keep a baseline that becomes active, in the caller's transaction; discard the oldest.

    The order is that of the rows: the newest has the last one, whatever the clock says.
    """
    db.execute(
        "REPLACE INTO baselines (machine, baseline_id, since_ns, sha256, state)"
        " VALUES (?, ?, ?, ?, ?)",
        [machine, baseline_id, since_ns, hashlib.sha256(state).hexdigest(), state],
    )
    db.execute(
        "DELETE FROM baselines WHERE machine = ? AND baseline_id NOT IN (SELECT baseline_id"
        " FROM baselines WHERE machine = ? ORDER BY rowid DESC LIMIT ?)",
        [machine, machine, most],
    )


def kept(store: Store, machine: str) -> list[KeptBaseline]:
    """Return the kept baselines of a machine, the last active one first."""
    rows = store.read(
        "SELECT baseline_id, since_ns FROM baselines WHERE machine = ? ORDER BY rowid DESC",
        [machine],
    )
    return [KeptBaseline(str(baseline_id), int(since_ns)) for baseline_id, since_ns in rows]


def state_of(store: Store, machine: str, baseline_id: str) -> bytes | None:
    """Return the detector's state of a kept baseline, None if it is missing or damaged."""
    rows = store.read(
        "SELECT state, sha256 FROM baselines WHERE machine = ? AND baseline_id = ?",
        [machine, baseline_id],
    )
    for state, sha256 in rows:
        if hashlib.sha256(state).hexdigest() == sha256:
            return bytes(state)
        log.error("%s: the kept baseline %s is damaged", machine, baseline_id)
    return None
