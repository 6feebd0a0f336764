"""How people have handled alarms, in the gateway's database: a kill forgets nothing."""

from __future__ import annotations

from collections.abc import Iterable

from sqlite_utils import Database

from auscult.gateway.machines.alarms import Alarm, MachineAlarms, Suppression
from auscult.gateway.storage import archive
from auscult.gateway.storage.store import Store


def save(
    db: Database, machine: str, alarms: Iterable[Alarm], suppression: Suppression | None
) -> None:
    """Store changed alarms of a machine and its suppression, in the caller's transaction."""
    for alarm in alarms:
        save_alarm(db, alarm)
    db.execute("DELETE FROM suppressions WHERE machine = ?", [machine])
    if suppression is not None:
        s = suppression
        db.execute(
            "INSERT INTO suppressions (machine, kind, reason, actor, since_ns, until_ns)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [machine, s.kind, s.reason, s.actor, s.since_ns, s.until_ns],
        )


def save_alarm(db: Database, alarm: Alarm) -> None:
    """Store one alarm, in the caller's transaction."""
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


def restored(store: Store, machine: str) -> MachineAlarms:
    """Give the alarms of a machine as the last process left them."""
    rows = store.read(
        "SELECT event_id, state, changes, acknowledged_ns, acknowledged_by, comment FROM alarms"
        " WHERE machine = ? AND state <> 'normal'",
        [machine],
    )
    alarms = [
        Alarm(event, *rest)
        for event_id, *rest in rows
        if (event := archive.event(store, event_id)) is not None
    ]
    shelves = store.read(
        "SELECT kind, reason, actor, since_ns, until_ns FROM suppressions WHERE machine = ?",
        [machine],
    )
    return MachineAlarms(machine, alarms, Suppression(*shelves[0]) if shelves else None)
