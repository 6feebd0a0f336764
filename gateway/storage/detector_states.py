"""States of the detectors, stored so that a kill loses at most a minute.

The last few states of each machine are kept; a damaged one is skipped for an older one. The model
is most of a state and changes only with the baseline, so it is stored beside them, in two copies.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store, StoreError
from auscult.models.baseline.container import divide, join

log = logging.getLogger(__name__)

COPIES = 2
"""Copies of a model: all states of a baseline need it."""
KEPT = 3
"""States kept of a machine: if the newest is damaged, there is an older one."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """A state with a correct hash; `stream_ns` is the end of the machine's stream."""

    state: bytes
    stream_ns: int


def save(db: Database, machine: str, state: bytes, stream_ns: int) -> None:
    """Add a state of a machine and discard the oldest, in the caller's transaction."""
    own, model = divide(state)
    of_model = _hash(model) if model else ""
    for copy in range(COPIES if model else 0):
        db.execute(
            "INSERT OR IGNORE INTO detector_models (machine, sha256, copy, model)"
            " VALUES (?, ?, ?, ?)",
            [machine, of_model, copy, model],
        )
    db.execute(
        "INSERT INTO detector_states (machine, saved_ns, stream_ns, sha256, state, model_sha256)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [machine, time.time_ns(), stream_ns, _hash(own), own, of_model],
    )
    db.execute(
        "DELETE FROM detector_states WHERE machine = ? AND id NOT IN"
        " (SELECT id FROM detector_states WHERE machine = ? ORDER BY id DESC LIMIT ?)",
        [machine, machine, KEPT],
    )
    db.execute(
        "DELETE FROM detector_models WHERE machine = ? AND sha256 NOT IN"
        " (SELECT model_sha256 FROM detector_states WHERE machine = ?)",
        [machine, machine],
    )


def good_states(store: Store, machine: str) -> Iterator[SavedState]:
    """Yield the states of a machine with a correct hash, newest first."""
    numbers = store.read(
        "SELECT id FROM detector_states WHERE machine = ? ORDER BY id DESC", [machine]
    )
    for (number,) in numbers:
        # Each is read separately: a damaged page must not hide the others.
        try:
            [(state, sha256, stream_ns, of_model)] = store.read(
                "SELECT state, sha256, stream_ns, model_sha256 FROM detector_states WHERE id = ?",
                [number],
            )
        except StoreError as error:
            log.error("%s: saved state %d can't be read (%s); skipped", machine, number, error)
            continue
        if _hash(state) != sha256:
            log.error("%s: saved state %d is damaged; the one before is used", machine, number)
        elif not of_model:
            yield SavedState(state, stream_ns)
        elif (model := _good_model(store, machine, of_model)) is not None:
            yield SavedState(join(state, model), stream_ns)
        else:
            log.error("%s: the model of saved state %d is lost", machine, number)


def _good_model(store: Store, machine: str, sha256: str) -> bytes | None:
    """Return the first good copy of a model, None without one; discard the damaged ones.

    All copies are checked at each start, so that a damaged one does not wait for the damage of the
    other.
    """
    good: bytes | None = None
    for copy in range(COPIES):
        try:
            rows = store.read(
                "SELECT model FROM detector_models WHERE machine = ? AND sha256 = ? AND copy = ?",
                [machine, sha256, copy],
            )
        except StoreError as error:
            log.error("%s: a copy of its model can't be read (%s)", machine, error)
            continue
        if rows and _hash(rows[0][0]) == sha256:
            good = good or bytes(rows[0][0])
            continue
        log.error("%s: copy %d of its model is damaged or missing", machine, copy)
        # The next state stores it again.
        store.write(partial(_discard_model, machine=machine, sha256=sha256, copy=copy))
    return good


def _discard_model(db: Database, machine: str, sha256: str, copy: int) -> None:
    db.execute(
        "DELETE FROM detector_models WHERE machine = ? AND sha256 = ? AND copy = ?",
        [machine, sha256, copy],
    )


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class StreamEndWrite:
    """Moves the end of a machine's published stream forward."""

    machine: str
    stream_ns: int

    def write_to(self, db: Database) -> None:
        """Write the end, in the caller's transaction; an earlier one changes nothing."""
        db.execute(
            "INSERT INTO counters VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
            [_counter(self.machine), self.stream_ns],
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
