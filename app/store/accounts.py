"""A machine's account of false alarms: what happened, beside what its charts promise."""

from __future__ import annotations

import json
from typing import Any

from auscult.app.store.connection import Database
from auscult.app.views import FalseAlarmAccount
from auscult.contract.times import DAY_MS

DAYS = 365
"""The promise is a number of false events a year."""
MOST_EVENTS = 1000


def view(db: Database, machine_id: str, now_ms: int) -> FalseAlarmAccount:
    """Count the events of the last year that the charts opened, by their newest verdict.

    Events of limits and sensor faults do not count: the charts promise nothing of them.
    """
    since_ms = now_ms - DAYS * DAY_MS
    rows = db.records(
        "event",
        _judged,
        "SELECT id, message, ended_ms, (SELECT verdict FROM label WHERE label.event_id = event.id"
        " ORDER BY created_ms DESC, id DESC LIMIT 1) AS verdict FROM event"
        " WHERE machine_id = ? AND started_ms >= ? ORDER BY started_ms DESC LIMIT ?",
        (machine_id, since_ms, MOST_EVENTS),
    )
    verdicts = [(verdict, ended) for verdict, ended, learned in rows if learned]
    return FalseAlarmAccount(
        since_ms=since_ms,
        false_alarms=sum(verdict == "false_alarm" for verdict, _ in verdicts),
        unanswered=sum(ended and verdict in (None, "unsure") for verdict, ended in verdicts),
    )


def _judged(row: dict[str, Any]) -> tuple[str | None, bool, bool]:
    reasons = json.loads(row["message"])["reasons"]
    learned = any(reason.get("kind") == "learned" for reason in reasons)
    return row["verdict"], row["ended_ms"] is not None, learned
