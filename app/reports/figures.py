"""Figures by the month: load of alarms, answers, time to acknowledge, and stops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import Final

from auscult.app.store import cases, labels
from auscult.app.store.alarm_load import alarm_load
from auscult.app.store.connection import Database
from auscult.app.views import Figures, MonthFigures, Outcome, Stops
from auscult.contract.label import Verdict

MOST_MONTHS: Final = 24
MOST_LABELS: Final = 10_000
"""Labelled events of a month that are counted; no plant answers more."""


def by_month(db: Database, now: datetime, months: int) -> Figures:
    """Return the figures of this month and those before it, oldest first."""
    year, month = now.year, now.month
    found = []
    for _ in range(months):
        since, until = _month(year, month, now.tzinfo)
        found.append(_of(db, f"{year}-{month:02}", since, until, now))
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)
    return Figures(months=found[::-1])


def _month(year: int, month: int, zone: tzinfo | None) -> tuple[datetime, datetime]:
    after = (year, month + 1) if month < 12 else (year + 1, 1)
    return datetime(year, month, 1, tzinfo=zone), datetime(*after, 1, tzinfo=zone)


def _of(db: Database, name: str, since: datetime, until: datetime, now: datetime) -> MonthFigures:
    since_ms = int(since.timestamp() * 1000)
    until_ms = int(min(until, now).timestamp() * 1000) + 1
    load = alarm_load(db, since_ms, until_ms, int(now.timestamp() * 1000))
    given = labels.newest_of_events(
        db,
        [
            row[0]
            for row in db.execute(
                "SELECT id FROM event WHERE started_ms >= ? AND started_ms < ?"
                " AND EXISTS (SELECT 1 FROM label WHERE label.event_id = event.id) LIMIT ?",
                (since_ms, until_ms, MOST_LABELS),
            )
        ],
    )
    verdicts = Counter(label.verdict for label in given.values() if label.undone_ms is None)
    opened = db.execute(
        "SELECT count(*) FROM machine_case WHERE kind = 'machine'"
        " AND opened_ms >= ? AND opened_ms < ?",
        (since_ms, until_ms),
    ).fetchone()[0]
    closed = db.execute(
        "SELECT count(*) FROM machine_case WHERE kind = 'machine'"
        " AND closed_ms >= ? AND closed_ms < ?",
        (since_ms, until_ms),
    ).fetchone()[0]
    findings = cases.findings(db, since_ms, until_ms)
    confirmed, false = verdicts[Verdict.CONFIRMED_FAULT], verdicts[Verdict.FALSE_ALARM]
    return MonthFigures(
        month=name,
        since_ms=since_ms,
        until_ms=until_ms,
        alarms=load.alarms,
        per_day=load.per_day,
        cases=opened,
        cases_closed=closed,
        answered=load.answered,
        confirmed=confirmed,
        false_alarms=false,
        planned_work=verdicts[Verdict.PLANNED_WORK],
        right_share=confirmed / (confirmed + false) if confirmed + false else None,
        median_acknowledge_s=load.median_answer_s,
        unacknowledged=load.unacknowledged,
        stops_avoided=_stops(one for one in findings if one.stop == "avoided"),
        stops=_stops(one for one in findings if one.stop == "happened"),
    )


def _stops(findings: Iterable[Outcome]) -> Stops:
    """Add up stops; what the plant did not state is counted, not estimated."""
    all_ = list(findings)
    priced = [(one.stop_h or 0.0) * c for one in all_ if (c := one.downtime_cost_per_h) is not None]
    return Stops(
        cases=len(all_),
        hours=sum(one.stop_h or 0.0 for one in all_),
        cost=sum(priced),
        without_cost=len(all_) - len(priced),
    )
