"""Events that their gateway no longer has: a new data folder, or a machine that was taken out.

Such a gateway can't acknowledge or end them, so the dashboard closes them and shows why.
"""

from __future__ import annotations

import json

from auscult.app.store import cases, checksums
from auscult.app.store.cases import NewEntry
from auscult.app.store.connection import Database, WritableDatabase
from auscult.app.store.received import Change

UNKNOWN_EVENT = "event_unknown"
"""The code by which a gateway rejects a command on an event that it does not have."""
_STANDING = "(phase <> 'end' OR alarm_state <> 'normal') AND lost_ms IS NULL"


def close(db: Database, event_id: str, now_ms: int, actor: str = "", reason: str = "") -> bool:
    """Close one event; False if there is none that is open or waits."""
    return bool(_close(db, "id = ?", event_id, now_ms, actor, reason))


def close_of_gateway(db: Database, gateway: str, now_ms: int) -> None:
    """Close what is open or waits of all machines of a gateway: its data folder is new."""
    _close(db, "machine_id IN (SELECT id FROM machine WHERE gateway_id = ?)", gateway, now_ms)


def close_of_machine(db: Database, machine: str, now_ms: int) -> None:
    """Close what is open or waits of a machine that its gateway no longer has."""
    _close(db, "machine_id = ?", machine, now_ms)


def _close(
    db: Database, where: str, value: str, now_ms: int, actor: str = "", reason: str = ""
) -> int:
    rows = db.execute(
        f"SELECT id, machine_id, case_id, message FROM event WHERE {where} AND {_STANDING}",
        (value,),
    ).fetchall()
    for identity, machine, case, message in rows:
        body = json.loads(message)
        ended_ms = body.get("ended_ms") or body["updated_ms"]
        handling = {**(body.get("handling") or {}), "state": "normal"}
        body |= {"phase": "end", "ended_ms": ended_ms, "handling": handling, "lost_ms": now_ms}
        db.execute(
            "UPDATE event SET phase = 'end', ended_ms = ?, alarm_state = 'normal', lost_ms = ?,"
            " message = ? WHERE id = ?",
            (ended_ms, now_ms, json.dumps(body), identity),
        )
        checksums.seal(db, "event", identity)
        if case is not None:
            cases.refresh(db, case, machine)
            cases.add_entry(db, NewEntry(case, now_ms, actor, "lost", reason))
        if isinstance(db, WritableDatabase):
            db.announce([Change("event", identity), Change("case", case or identity)])
    return len(rows)
