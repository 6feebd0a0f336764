"""Reports that are sent every week, as rows."""

from __future__ import annotations

import json
from typing import Any

from auscult.app.store.connection import Database
from auscult.app.views import ReportSchedule, ReportScheduleBody

MOST = 100


def view_all(db: Database) -> list[ReportSchedule]:
    """Return all schedules by name."""
    found = db.records("report_schedule", _view, "SELECT * FROM report_schedule ORDER BY id")
    return sorted(found, key=lambda one: (one.name.lower(), one.id))


def _view(row: dict[str, Any]) -> ReportSchedule:
    own = {key: row[key] for key in ("id", "actor", "changed_ms")}
    return ReportSchedule(**own, **json.loads(row["body"]))


def put(db: Database, identity: str, body: ReportScheduleBody, actor: str, now_ms: int) -> None:
    """Store a schedule, or replace it."""
    db.execute(
        "INSERT INTO report_schedule (id, body, actor, changed_ms) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET body = excluded.body, actor = excluded.actor,"
        " changed_ms = excluded.changed_ms",
        (
            identity,
            body.model_dump_json(include=set(ReportScheduleBody.model_fields)),
            actor,
            now_ms,
        ),
    )


def remove(db: Database, identity: str) -> bool:
    """Remove a schedule; False if there is none."""
    return bool(db.execute("DELETE FROM report_schedule WHERE id = ?", (identity,)).rowcount)
