"""Evidence over time: no value is shown before the time at which it was reached."""

from __future__ import annotations

from functools import partial

from auscult.app.cases import compose
from auscult.app.store import definitions, evidence, schema
from auscult.app.store.retention import RetentionPeriods, delete_old
from auscult.contract.times import HOUR_MS
from tests.app import messages as m
from tests.app.pump_events import NOW, PUMP, event, inventory, stored

MIN = 60_000
HOUR = HOUR_MS
T = 500_000 * HOUR
KEEP = RetentionPeriods(
    details_days=1, trends_days=30, events_days=30, spectra_per_point=9, clips_per_point=9
)


def shown(store) -> list[tuple[int, float]]:
    """Return minute since `T` and value."""
    series = evidence.view_since(store.read(), [PUMP], 0).get(PUMP, [])
    return [((at - T) // MIN, value) for at, value in series]


def note(store, *values: tuple[int, float]) -> None:
    for minute, value in values:
        store.write(partial(evidence.store, machine=PUMP, at_ms=T + minute * MIN, evidence=value))


def test_a_value_is_shown_when_it_was_reached_also_after_a_day(opened_store):
    # a machine is commissioned at 15 minutes past and alarms 6 minutes later
    note(opened_store, (15, 0.01), (17, 0.019), (20, 0.01), (21, 3.0), (29, 3.0), (35, 2.0))
    assert shown(opened_store) == [(17, 0.019), (21, 3.0), (35, 2.0)]
    delete_old(opened_store, KEEP, T + 24 * HOUR + 59 * MIN)
    assert len(shown(opened_store)) == 3
    delete_old(opened_store, KEEP, T + 25 * HOUR)
    assert shown(opened_store) == [(21, 3.0)]


def test_stored_hours_are_mended(opened_store):
    stored(opened_store, m.machine_state("pump-3", ts=T + 95 * MIN))

    def before(db) -> None:
        db.define("DROP TABLE evidence")
        db.define(next(one for one in definitions.CASES if "TABLE evidence" in one))
        rows = [
            (-60, 5000),  # an hour of more than a day ago
            (0, 3000), (10, 19), (20, 3000),  # the highest of this hour was reached at 20
            (60, 800), (70, 700), (90, 500),  # the highest of this one at its beginning
        ]  # fmt: skip
        for minute, milli in rows:
            db.execute("INSERT INTO evidence VALUES (?, ?, ?)", (PUMP, T + minute * MIN, milli))
        schema.times_of_evidence(db)

    opened_store.write(before)
    assert shown(opened_store) == [
        (-1, 5.0),
        (19, 0.019),
        (29, 3.0),
        (69, 0.8),
        (79, 0.7),
        (95, 0.5),
    ]


def test_a_case_shows_the_newest_evidence_too(opened_store):
    stored(opened_store, m.status(ts=NOW.now_ms), inventory(),
           event("e1", NOW.now_ms - HOUR),
           m.machine_state("pump-3", "alarm", ts=NOW.now_ms - 9 * MIN, evidence=3.0),
           m.machine_state("pump-3", "alarm", ts=NOW.now_ms - 3 * MIN, evidence=3.0))  # fmt: skip
    case = compose.view_detail(opened_store.read(), NOW, "e1")
    assert case is not None
    assert [(one.at_ms - NOW.now_ms) // MIN for one in case.evidence] == [-9, -3]
