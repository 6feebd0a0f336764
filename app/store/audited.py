"""What the audit says of commands: sent, then done or rejected when the gateway answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from auscult.app.store.commands import without_bulk
from auscult.app.store.connection import Database
from auscult.contract.requests import Commands

SENT = "sent"
DONE = "done"
NO_ANSWER = "no answer"
ALL_SITES = "all sites"
"""What no chosen site means in the rights of a person or token."""
QUESTIONS = {Commands.PREVIEW_LABEL.name, Commands.PREVIEW_FAULT.name}
"""Change nothing, so that their answers are not audited."""
_NOT_SHOWN = {"machine", "event_id", "seen", "url", "key", "sha256", "size"}


def describe(db: Database, target: str, name: str, args: dict[str, Any]) -> str:
    """Return what a command is about, in words: the machine by its name, the event by its time."""
    shown = without_bulk(name, args)
    words = [_event(db, shown["event_id"])] if "event_id" in shown else []
    words += [
        f"{key.replace('_', ' ')} {in_words(value)}"
        for key, value in shown.items()
        if key not in _NOT_SHOWN and value not in (None, "", [], ())
    ]
    return ": ".join(part for part in (_target(db, target), ", ".join(words)) if part)


def add_answer(db: Database, command_id: str, now_ms: int, outcome: str) -> None:
    """Add an entry with the answer to a command, in the name of the person who gave it."""
    row = db.execute(
        "SELECT name, actor, gateway_id, machine_id, args FROM command WHERE id = ?", (command_id,)
    ).fetchone()
    if row is None or row[0] in QUESTIONS:
        return
    name, actor, gateway, machine, args = row
    subject = describe(db, machine or gateway, name, json.loads(args))
    add(db, now_ms, actor, name, subject, outcome)


def add(db: Database, now_ms: int, actor: str, action: str, subject: str, outcome: str) -> None:
    """Add an entry on what no client asked for at this moment."""
    db.execute(
        "INSERT INTO audit (at_ms, actor, address, action, subject, outcome)"
        " VALUES (?, ?, '', ?, ?, ?)",
        (now_ms, actor, action, subject[:500], outcome[:500]),
    )


def _target(db: Database, target: str) -> str:
    row = db.execute("SELECT part FROM machine WHERE id = ?", (target,)).fetchone()
    name = db.damage.decoded("machine", target, row[0]).get("name") if row else ""
    return f"{name} ({target})" if name else target


def _event(db: Database, event_id: str) -> str:
    row = db.execute("SELECT started_ms FROM event WHERE id = ?", (event_id,)).fetchone()
    if row is None:
        return f"event {event_id}"
    return f"event of {datetime.fromtimestamp(row[0] / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def in_words(value: Any) -> str:
    """Return a value of a request as people read it.

    >>> in_words({"role": "viewer", "sites": {"north": "engineer", "south": "viewer"}})
    'role viewer, sites north engineer, south viewer'
    >>> in_words({"role": "viewer", "sites": {}})
    'role viewer, all sites'
    """
    if isinstance(value, dict):
        return ", ".join(
            ALL_SITES if (k, v) == ("sites", {}) else f"{k} {in_words(v)}"
            for k, v in value.items()
            if v is not None
        )
    if isinstance(value, list | tuple):
        return "; ".join(in_words(one) for one in value)
    return str(value)
