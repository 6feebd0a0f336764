"""Events in the gateway's database."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from auscult.contract.event import Event
from auscult.contract.message import NS_PER_MS
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EventWrite:
    """Adds or replaces an event."""

    event: Event

    def write_to(self, db: Database) -> None:
        """Write the event, in the caller's transaction."""
        event = self.event
        db.execute(
            "INSERT OR REPLACE INTO events"
            " (event_id, machine, phase, condition, started_ns, updated_ns, ended_ns, record)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                event.event_id,
                event.machine,
                event.phase.value,
                event.condition.value,
                event.started_ms * NS_PER_MS,
                event.updated_ms * NS_PER_MS,
                None if event.ended_ms is None else event.ended_ms * NS_PER_MS,
                event.model_dump_json(),
            ],
        )


def open_event(store: Store, machine: str) -> Event | None:
    """Return the event of a machine that an earlier process left open."""
    rows = store.read(
        "SELECT record FROM events WHERE machine = ? AND ended_ns IS NULL"
        " ORDER BY rowid DESC LIMIT 1",
        [machine],
    )
    return _read(str(rows[0][0])) if rows else None


def event(store: Store, event_id: str) -> Event | None:
    """Return an event with its latest values, None if it is unknown."""
    rows = store.read("SELECT record FROM events WHERE event_id = ?", [event_id])
    return _read(str(rows[0][0])) if rows else None


def machine_of(store: Store, event_id: str) -> str | None:
    """Return the machine of an event, None if the event is unknown."""
    rows = store.read("SELECT machine FROM events WHERE event_id = ?", [event_id])
    return str(rows[0][0]) if rows else None


def _read(record: str) -> Event | None:
    try:
        return Event.model_validate_json(record)
    except ValueError as error:
        log.error("a stored event can't be read (%s) and is skipped: %s", error, record[:100])
        return None
