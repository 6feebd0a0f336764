"""States of the detectors, stored so that a kill loses at most a minute.

The last few states of each machine are kept; a damaged one is skipped for an older one.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass

from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store, StoreError

log = logging.getLogger(__name__)

KEPT = 3
"""States kept of a machine: if the newest is damaged, there is an older one."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """A state with a correct hash; `stream_ns` is the end of the machine's stream."""

    state: bytes
    stream_ns: int


def save(db: Database, machine: str, state: bytes, stream_ns: int) -> None:
    """Add a state of a machine and discard the oldest, in the caller's transaction."""
    db.execute(
        "INSERT INTO detector_states (machine, saved_ns, stream_ns, sha256, state)"
        " VALUES (?, ?, ?, ?, ?)",
        [machine, time.time_ns(), stream_ns, hashlib.sha256(state).hexdigest(), state],
    )
    db.execute(
        "DELETE FROM detector_states WHERE machine = ? AND id NOT IN"
        " (SELECT id FROM detector_states WHERE machine = ? ORDER BY id DESC LIMIT ?)",
        [machine, machine, KEPT],
    )


def good_states(store: Store, machine: str) -> Iterator[SavedState]:
    """Yield the states of a machine with a correct hash, newest first."""
    numbers = store.read(
        "SELECT id FROM detector_states WHERE machine = ? ORDER BY id DESC", [machine]
    )
    for (number,) in numbers:
        # Each is read separately: a damaged page must not hide the others.
        try:
            [(state, sha256, stream_ns)] = store.read(
                "SELECT state, sha256, stream_ns FROM detector_states WHERE id = ?", [number]
            )
        except StoreError as error:
            log.error("%s: saved state %d can't be read (%s); skipped", machine, number, error)
            continue
        if hashlib.sha256(state).hexdigest() == sha256:
            yield SavedState(state, stream_ns)
        else:
            log.error("%s: saved state %d is damaged; the one before is used", machine, number)


def note_stream_end(db: Database, machine: str, stream_ns: int) -> None:
    """Store the end of a machine's published stream, in the caller's transaction."""
    db.execute(
        "INSERT INTO counters VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
        [_counter(machine), stream_ns],
    )


def stream_end_ns(store: Store, machine: str) -> int:
    """Return the end of the machine's stream, 0 without one."""
    [(end_ns,)] = store.read(
        "SELECT max(end_ns) FROM (SELECT max(stream_ns) AS end_ns FROM detector_states"
        " WHERE machine = ? UNION ALL SELECT value FROM counters WHERE name = ?)",
        [machine, _counter(machine)],
    )
    return int(end_ns or 0)


def _counter(machine: str) -> str:
    return f"stream_end_ns/{machine}"
