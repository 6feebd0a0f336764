"""Alarms as people handle them (ISA-18.2): acknowledged, shelved, out of service.

An event is one alarm. Its state is derived, never stored, so that nothing has to happen at the
instant at which a shelf runs out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlite_utils import Database

from app.store.received import Change
from app.store.severity import SEVERITY
from app.views import Alarm, AlarmState, Suppression


@dataclass(frozen=True, slots=True)
class Handling:
    """What people have done so far: read once for many events."""

    acknowledged: dict[str, tuple[int, str, str, str]]
    """Event to time, actor, comment, and the worst condition then."""
    suppressed: dict[str, Suppression]
    """Machine to its shelf, also one that has run out, or its being out of service."""

    def of(self, event_id: str, machine_id: str, peak: str, is_open: bool, now_ms: int) -> Alarm:
        """Return the state of one event as an alarm."""
        when_ms, actor, comment, peak_then = self.acknowledged.get(event_id, (None, None, None, ""))
        shelf = self.suppressed.get(machine_id)
        acknowledged = when_ms is not None and SEVERITY[peak] <= SEVERITY[peak_then]
        if when_ms is not None and shelf is not None and shelf.until_ms is not None:
            # a timed shelf that has run out gives the alarm back unacknowledged
            acknowledged = acknowledged and not when_ms < shelf.until_ms <= now_ms
        state: AlarmState
        if shelf is not None and is_open and (shelf.until_ms is None or shelf.until_ms > now_ms):
            state = shelf.kind
        elif is_open:
            state = "acknowledged" if acknowledged else "unacknowledged"
        else:
            state = "normal" if when_ms is not None else "returned"
        return Alarm(state=state, acknowledged_ms=when_ms, acknowledged_by=actor, comment=comment)


def handling(db: Database, event_ids: Sequence[str]) -> Handling:
    """Read what people have done to these events and to all machines."""
    marks = ",".join("?" * len(event_ids))
    rows = db.execute(
        "SELECT event_id, at_ms, actor, comment, peak_condition FROM acknowledgement"
        f" WHERE event_id IN ({marks})",
        tuple(event_ids),
    )
    acknowledged = {row[0]: (row[1], row[2], row[3], row[4]) for row in rows}
    return Handling(acknowledged, _suppressions(db))


def suppressed_now(db: Database, now_ms: int) -> dict[str, Suppression]:
    """Return the machines whose alarms are suppressed at this instant."""
    return {
        machine: shelf
        for machine, shelf in _suppressions(db).items()
        if shelf.until_ms is None or shelf.until_ms > now_ms
    }


def acknowledge(db: Database, event_id: str, actor: str, comment: str, now_ms: int) -> None:
    """Acknowledge an event as bad as it is now; a worse condition will ask again."""
    db.execute(
        "INSERT OR REPLACE INTO acknowledgement (event_id, at_ms, actor, comment, peak_condition)"
        " SELECT id, ?, ?, ?, peak_condition FROM event WHERE id = ?",
        (now_ms, actor, comment, event_id),
    )


def suppress(
    db: Database,
    machine_id: str,
    kind: Literal["shelved", "out_of_service"],
    reason: str,
    actor: str,
    now_ms: int,
    until_ms: int | None,
) -> None:
    """Shelve a machine's alarms until a time, or take them out of service until further notice."""
    db.execute(
        "INSERT OR REPLACE INTO suppression (machine_id, kind, reason, actor, since_ms, until_ms)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (machine_id, kind, reason, actor, now_ms, until_ms),
    )


def end_suppression(db: Database, machine_id: str, actor: str, now_ms: int) -> list[str]:
    """End it by hand: the open events are acknowledged by who ends it; return their ids."""
    open_events = open_events_of(db, machine_id)
    for event_id in open_events:
        acknowledge(db, event_id, actor, "suppression ended", now_ms)
    db.execute("DELETE FROM suppression WHERE machine_id = ?", (machine_id,))
    return open_events


def open_events_of(db: Database, machine_id: str) -> list[str]:
    """Return the ids of a machine's open events."""
    sql = "SELECT id FROM event WHERE machine_id = ? AND phase <> 'end'"
    return [row[0] for row in db.execute(sql, (machine_id,))]


def run_out(db: Database, after_ms: int, now_ms: int) -> list[Change]:
    """Return what changed because a shelf ran out between two instants."""
    sql = "SELECT machine_id FROM suppression WHERE until_ms > ? AND until_ms <= ?"
    machines = [row[0] for row in db.execute(sql, (after_ms, now_ms))]
    return [Change("machine", machine) for machine in machines] + [
        Change("event", event) for machine in machines for event in open_events_of(db, machine)
    ]


def _suppressions(db: Database) -> dict[str, Suppression]:
    return {
        row.pop("machine_id"): Suppression(**row) for row in db.query("SELECT * FROM suppression")
    }
