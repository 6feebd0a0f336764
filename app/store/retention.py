"""Deletes rows beyond their retention, a few at a time so that nothing else waits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from auscult.app.store import evidence, run_ups, spectra_kept
from auscult.app.store.connection import Database
from auscult.app.store.database import DashboardStore
from auscult.contract.times import DAY_MS, HOUR_MS

DELIVERIES_DAYS = 400
"""Messages are shown that long: a year and a month for the figures of a year."""
ROWS_A_JOB = 5000
"""Deleted in one transaction: bounds how long messages wait for the writer."""


@dataclass(frozen=True, slots=True)
class RetentionPeriods:
    """How long rows are kept; an open event and its evidence are never deleted."""

    details_days: int
    """Trends as sent; the hours and days made of them stay for ``trends_days``."""
    trends_days: int
    events_days: int
    spectra_per_point: int
    """Of each kind, beside those that belong to an event: see `spectra_kept`; run-ups too."""
    clips_per_point: int


def delete_old(store: DashboardStore, keep: RetentionPeriods, now_ms: int) -> int:
    """Delete rows beyond their retention; return how many."""
    details_ms = now_ms - min(keep.details_days, keep.trends_days) * DAY_MS
    trends_ms = now_ms - keep.trends_days * DAY_MS
    events_ms = now_ms - keep.events_days * DAY_MS
    total = 0
    for sql, values in (
        (_DETAILS, (details_ms,)),
        (_TRENDS, (trends_ms,)),
        (_EVENTS, (events_ms,)),
        (_LABELS, (events_ms,)),
        (_COMMANDS, (events_ms,)),
        (_TROUBLES, (events_ms,)),
        *((sql, ()) for sql in _CASES),
        (_DELIVERIES, (now_ms - DELIVERIES_DAYS * DAY_MS,)),
        (_EVIDENCE_DETAILS, (_hour(now_ms - evidence.DETAILS_MS),)),
        (_EVIDENCE, (now_ms - evidence.KEPT_MS,)),
        (_SPECTRA_OF_EVENTS, ()),
        (_CLIPS, (keep.clips_per_point,)),
    ):
        total += delete_in_pieces(store, sql, values)
    for table, surplus_of_all in (
        ("spectrum", spectra_kept.surplus_of_all),
        ("run_up", run_ups.surplus_of_all),
    ):
        gone = surplus_of_all(store.read(), keep.spectra_per_point)
        for first in range(0, len(gone), ROWS_A_JOB):
            ids = gone[first : first + ROWS_A_JOB]
            total += store.write(partial(_delete_ids, table=table, ids=ids))
    if total:
        store.write(lambda db: db.give_back())
    return total


def _hour(at_ms: int) -> int:
    return at_ms - at_ms % HOUR_MS


def delete_in_pieces(store: DashboardStore, sql: str, values: tuple[int | str, ...]) -> int:
    """Delete rows, at most `ROWS_A_JOB` in a transaction (the last value of `sql`)."""
    total = 0
    while True:
        count = store.write(lambda db: _delete_some(db, sql, values))
        total += count
        if count < ROWS_A_JOB:
            return total


def _delete_some(db: Database, sql: str, values: tuple[int | str, ...]) -> int:
    return db.execute(sql, (*values, ROWS_A_JOB)).rowcount


def _delete_ids(db: Database, table: str, ids: list[str]) -> int:
    marks = ",".join("?" * len(ids))
    return db.execute(f"DELETE FROM {table} WHERE id IN ({marks})", ids).rowcount


_DETAILS = """DELETE FROM trend WHERE (point, tier_s, start_ms) IN
    (SELECT point, tier_s, start_ms FROM trend WHERE tier_s = 0 AND end_ms < ? LIMIT ?)"""
_TRENDS = """DELETE FROM trend WHERE (point, tier_s, start_ms) IN
    (SELECT point, tier_s, start_ms FROM trend WHERE end_ms < ? LIMIT ?)"""
_EVENTS = """DELETE FROM event WHERE id IN
    (SELECT id FROM event WHERE phase = 'end' AND ended_ms < ? LIMIT ?)"""
_LABELS = """DELETE FROM label WHERE id IN
    (SELECT id FROM label WHERE created_ms < ?
     AND NOT EXISTS (SELECT 1 FROM event WHERE event.id = label.event_id) LIMIT ?)"""
_COMMANDS = """DELETE FROM command WHERE id IN
    (SELECT id FROM command WHERE created_ms < ? AND state NOT IN ('pending', 'sent')
     AND NOT EXISTS (SELECT 1 FROM label WHERE label.id = command.id) LIMIT ?)"""
_TROUBLES = """DELETE FROM machine_case WHERE id IN (SELECT id FROM machine_case
    WHERE kind <> 'machine' AND open_events = 0 AND last_ms < ? LIMIT ?)"""
_CASES = (
    """DELETE FROM machine_case WHERE id IN (SELECT id FROM machine_case
        WHERE kind = 'machine'
        AND NOT EXISTS (SELECT 1 FROM event WHERE event.case_id = machine_case.id) LIMIT ?)""",
    *(
        f"""DELETE FROM {table} WHERE id IN (SELECT id FROM {table}
        WHERE case_id <> ''
        AND NOT EXISTS (SELECT 1 FROM machine_case WHERE machine_case.id = {table}.case_id)
        LIMIT ?)"""
        for table in ("case_entry", "case_photo")
    ),
)
_DELIVERIES = """DELETE FROM delivery WHERE id IN
    (SELECT id FROM delivery WHERE created_ms < ? AND state <> 'waiting' LIMIT ?)"""
_EVIDENCE_DETAILS = f"""DELETE FROM evidence WHERE (machine_id, step_ms) IN
    (SELECT machine_id, step_ms FROM evidence AS one WHERE step_ms < ? AND EXISTS
        (SELECT 1 FROM evidence AS other WHERE other.machine_id = one.machine_id
         AND other.step_ms >= one.step_ms - one.step_ms % {HOUR_MS}
         AND other.step_ms < one.step_ms - one.step_ms % {HOUR_MS} + {HOUR_MS}
         AND (other.milli, -other.step_ms) > (one.milli, -one.step_ms))
     LIMIT ?)"""
"""All but the highest of each hour, the first of equals."""
_EVIDENCE = """DELETE FROM evidence WHERE (machine_id, step_ms) IN
    (SELECT machine_id, step_ms FROM evidence WHERE step_ms < ? LIMIT ?)"""
_SPECTRA_OF_EVENTS = """DELETE FROM spectrum WHERE id IN
    (SELECT id FROM spectrum WHERE event_id IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM event WHERE event.id = spectrum.event_id)
     AND EXISTS (SELECT 1 FROM spectrum AS newer WHERE newer.machine_id = spectrum.machine_id
        AND newer.point = spectrum.point AND newer.window_ms > spectrum.window_ms)
     LIMIT ?)"""
_CLIPS = """DELETE FROM clip WHERE id IN
    (SELECT id FROM (SELECT id, row_number() OVER
        (PARTITION BY machine_id, point ORDER BY asked_ms DESC, id DESC) AS place
        FROM clip) AS placed
     WHERE place > ? LIMIT ?)"""
