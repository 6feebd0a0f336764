"""Alarms and suppressions of machines in the gateway's database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from auscult.contract.message import NS_PER_MS, millis
from auscult.contract.parts import SuppressionKind, SuppressionPart
from auscult.gateway.machines.alarms import Alarm, MachineAlarms
from auscult.gateway.storage import archive
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store


@dataclass(frozen=True, slots=True)
class AlarmsWrite:
    """Stores changed alarms of a machine and its present suppression."""

    machine: str
    alarms: tuple[Alarm, ...]
    suppression: SuppressionPart | None

    @classmethod
    def from_machine(cls, machine: MachineAlarms, changed: Iterable[Alarm]) -> Self:
        """Return the write of the alarms that changed, with the suppression of now."""
        return cls(machine.machine, tuple(changed), machine.suppression)

    def write_to(self, db: Database) -> None:
        """Write them, in the caller's transaction."""
        for alarm in self.alarms:
            _save_alarm(db, alarm)
        db.execute("DELETE FROM suppressions WHERE machine = ?", [self.machine])
        if self.suppression is not None:
            _save_suppression(db, self.machine, self.suppression)


def restored(store: Store, machine: str) -> MachineAlarms:
    """Return the alarms of a machine as the last process stored them."""
    rows = store.read(
        "SELECT event_id, state, changes, acknowledged_ns, acknowledged_by, comment FROM alarms"
        " WHERE machine = ? AND state <> 'normal' ORDER BY rowid",  # in order of the last change
        [machine],
    )
    alarms = [
        Alarm(event, *rest)
        for event_id, *rest in rows
        if (event := archive.event(store, event_id)) is not None
    ]
    shelves = store.read(
        "SELECT kind, reason, actor, since_ns, until_ns, event_id FROM suppressions"
        " WHERE machine = ?",
        [machine],
    )
    return MachineAlarms(machine, alarms, _suppression(*shelves[0]) if shelves else None)


def _suppression(
    kind: SuppressionKind,
    reason: str,
    actor: str,
    since_ns: int,
    until_ns: int | None,
    event_id: str | None,
) -> SuppressionPart:
    return SuppressionPart(
        kind=kind,
        reason=reason,
        actor=actor,
        since_ms=millis(since_ns),
        until_ms=None if until_ns is None else millis(until_ns),
        event_id=event_id,
    )


def _save_alarm(db: Database, alarm: Alarm) -> None:
    db.execute(
        "INSERT OR REPLACE INTO alarms (event_id, machine, state, changes, acknowledged_ns,"
        " acknowledged_by, comment) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            alarm.event.event_id,
            alarm.event.machine,
            alarm.state,
            alarm.changes,
            alarm.acknowledged_ns,
            alarm.acknowledged_by,
            alarm.comment,
        ],
    )


def _save_suppression(db: Database, machine: str, suppression: SuppressionPart) -> None:
    s = suppression
    until_ns = None if s.until_ms is None else s.until_ms * NS_PER_MS
    db.execute(
        "INSERT INTO suppressions (machine, kind, reason, actor, since_ns, until_ns, event_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [machine, s.kind, s.reason, s.actor, s.since_ms * NS_PER_MS, until_ns, s.event_id],
    )
