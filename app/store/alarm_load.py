"""The load of alarms on people: the figures of ISA-18.2 and EEMUA 191."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence

from auscult.app.store.connection import Database
from auscult.app.views import AlarmLoad, MachineLoad

DAY_MS = 86_400_000
TEN_MIN_MS = 600_000
FLOOD = 10
"""More alarms than this in 10 minutes are a flood (ISA-18.2)."""
CHATTER = (3, 60_000)
"""So many alarms of one machine within so many ms are chattering (ISA-18.2: 3 in a minute)."""
TOP = 10


def alarm_load(db: Database, since_ms: int, until_ms: int, now_ms: int) -> AlarmLoad:
    """Count the alarms that began within a time; an event with a warning or alarm is one."""
    rows = db.execute(
        "SELECT machine_id, started_ms, peak_condition, phase, acknowledged_ms, alarm_state,"
        " EXISTS (SELECT 1 FROM label WHERE label.event_id = event.id)"
        " FROM event WHERE started_ms >= ? AND started_ms < ?"
        " AND peak_condition IN ('warning', 'alarm') ORDER BY started_ms",
        (since_ms, until_ms),
    ).fetchall()
    starts = [row[1] for row in rows]
    days = Counter((start - since_ms) // DAY_MS for start in starts)
    periods = Counter((start - since_ms) // TEN_MIN_MS for start in starts)
    by_machine: defaultdict[str, list[int]] = defaultdict(list)
    for machine, start, *_ in rows:
        by_machine[machine].append(start)
    answers = [(at - start) / 1000 for _, start, _, _, at, *_ in rows if at is not None]
    return AlarmLoad(
        since_ms=since_ms,
        until_ms=until_ms,
        alarms=len(rows),
        per_day=len(rows) * DAY_MS / (until_ms - since_ms),
        most_in_10_min=_most_within(starts, TEN_MIN_MS),
        flood_10_min_periods=sum(count > FLOOD for count in periods.values()),
        chattering=sorted(
            m for m, s in by_machine.items() if _most_within(s, CHATTER[1]) >= CHATTER[0]
        ),
        by_day=[days[i] for i in range(-(-(until_ms - since_ms) // DAY_MS))],
        standing=sum(row[3] != "end" for row in rows),
        stale=sum(phase != "end" and now_ms - start > DAY_MS for _, start, _, phase, *_ in rows),
        unacknowledged=sum(row[5] in ("unacknowledged", "returned") for row in rows),
        answered=sum(row[6] for row in rows),
        median_answer_s=statistics.median(answers) if answers else None,
        by_peak_condition=dict(Counter(row[2] for row in rows)),
        top=[
            MachineLoad(machine_id=machine, alarms=count)
            for machine, count in Counter(row[0] for row in rows).most_common(TOP)
        ],
    )


def _most_within(times_ms: Sequence[int], span_ms: int) -> int:
    """Return the most of these sorted times that any span so long holds.

    >>> _most_within([0, 5, 9, 10, 30], 10)
    3
    """
    return max(
        (i + 1 - bisect_left(times_ms, t - span_ms + 1) for i, t in enumerate(times_ms)), default=0
    )
