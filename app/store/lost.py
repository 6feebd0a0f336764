"""Events that their gateway no longer has: its data folder is new, or a machine was taken out.

No window was measured that ends such an event. Where the gateway lost its memory, the event stays
open with what was known last, until a person closes it. Where a machine was taken out of the
gateway, it is closed. `lost_ms` distinguishes both from an event that the gateway ended.
"""

from __future__ import annotations

import json
from typing import Any

from auscult.app.identity import gateway_of
from auscult.app.store import audited, cases, checksums
from auscult.app.store.cases import NewEntry
from auscult.app.store.connection import Database, WritableDatabase
from auscult.app.store.received import Change

UNKNOWN_EVENT = "event_unknown"
"""The code by which a gateway rejects a command on an event that it does not have."""
ACTION = "event lost"
STAYS_OPEN = "open: its gateway no longer has it"
CLOSED = "closed: its gateway no longer has it"
_OPEN = "phase <> 'end' AND lost_ms IS NULL"
_WAITS = "phase = 'end' AND alarm_state <> 'normal'"


def note(db: Database, event_id: str, now_ms: int) -> None:
    """Note that the gateway of an open event does not have it."""
    _note(db, "id = ?", event_id, now_ms)


def note_of_gateway(db: Database, gateway: str, now_ms: int) -> None:
    """Note this for all machines of a gateway, which has a new data folder."""
    _note(db, "machine_id IN (SELECT id FROM machine WHERE gateway_id = ?)", gateway, now_ms)


def acknowledge(db: Database, event_id: str, now_ms: int, actor: str, comment: str) -> None:
    """Store an acknowledgement here, because the gateway does not have the event."""
    for event in _events(db, "id = ?", event_id):
        handling = event.body.get("handling") or {}
        handling |= {"acknowledged_by": actor, "acknowledged_ms": now_ms, "comment": comment}
        ended = event.body["phase"] == "end"
        event.body["handling"] = handling | {"state": "normal" if ended else "acknowledged"}
        event.store(db)


def close(db: Database, event_id: str, now_ms: int, actor: str, reason: str) -> bool:
    """Close one event for a person; False if there is none that is open or waits."""
    standing = _events(db, "id = ? AND (phase <> 'end' OR alarm_state <> 'normal')", event_id)
    for event in standing:
        event.end(now_ms)
        event.store(db, NewEntry(event.case, now_ms, actor, "lost", reason))
    return bool(standing)


def close_of_case(db: Database, case: str, now_ms: int) -> None:
    """Close the lost events of a case that a person closes."""
    for event in _events(db, "case_id = ? AND phase <> 'end' AND lost_ms IS NOT NULL", case):
        event.end(now_ms)
        event.store(db)


def close_of_machine(db: Database, machine: str, now_ms: int) -> None:
    """Close what is open or waits of a machine that was taken out of its gateway."""
    for event in _events(db, f"machine_id = ? AND ({_OPEN} OR {_WAITS})", machine):
        event.end(now_ms)
        event.tell(db, now_ms, CLOSED)


def _note(db: Database, where: str, value: str, now_ms: int) -> None:
    for event in _events(db, f"{where} AND {_OPEN}", value):
        event.body["lost_ms"] = now_ms
        event.tell(db, now_ms, STAYS_OPEN)


class _Event:
    """A stored event that is changed here."""

    def __init__(self, identity: str, machine: str, case: str | None, message: str) -> None:
        self.id = identity
        self.machine = machine
        self.case = case or identity
        self.body: dict[str, Any] = json.loads(message)

    def end(self, now_ms: int) -> None:
        """End the event with what was known last."""
        if self.body["phase"] != "end":
            ended_ms = self.body["updated_ms"]
            lost_ms = self.body.get("lost_ms") or now_ms
            self.body |= {"phase": "end", "ended_ms": ended_ms, "lost_ms": lost_ms}
        self.body["handling"] = {**(self.body.get("handling") or {}), "state": "normal"}

    def tell(self, db: Database, now_ms: int, outcome: str) -> None:
        """Store the event, with a line in its case's history and in the audit."""
        self.store(db, NewEntry(self.case, now_ms, "", "lost"))
        subject = audited.describe(db, self.machine, ACTION, {"event_id": self.id})
        audited.add(db, now_ms, gateway_of(self.machine), ACTION, subject, outcome)

    def store(self, db: Database, entry: NewEntry | None = None) -> None:
        """Store the event and bring its case up to date; announce both."""
        body, alarm = self.body, self.body.get("handling") or {}
        db.execute(
            "UPDATE event SET phase = ?, ended_ms = ?, lost_ms = ?, message = ?,"
            " alarm_state = coalesce(?, alarm_state),"
            " acknowledged_ms = coalesce(?, acknowledged_ms) WHERE id = ?",
            (
                body["phase"], body.get("ended_ms"), body.get("lost_ms"), json.dumps(body),
                alarm.get("state"), alarm.get("acknowledged_ms"), self.id,
            ),
        )  # fmt: skip
        checksums.seal(db, "event", self.id)
        cases.refresh(db, self.case, self.machine)
        if entry is not None:
            cases.add_entry(db, entry)
        if isinstance(db, WritableDatabase):
            db.announce([Change("event", self.id), Change("case", self.case)])


def _events(db: Database, where: str, value: str) -> list[_Event]:
    sql = f"SELECT id, machine_id, case_id, message FROM event WHERE {where}"
    return [_Event(*row) for row in db.execute(sql, (value,)).fetchall()]
