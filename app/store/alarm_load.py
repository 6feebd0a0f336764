"""The load of alarms on people: the figures of ISA-18.2 and EEMUA 191."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from auscult.app.store import tiers
from auscult.app.store.connection import Database
from auscult.app.views import AlarmLoad, MachineLoad
from auscult.contract.parts import WAITING
from auscult.contract.times import DAY_MS

TEN_MIN_MS = 600_000
FLOOD = 10
"""More alarms than this in 10 minutes are a flood (ISA-18.2)."""
CHATTER = (3, 60_000)
"""So many alarms of one machine within so many ms are chattering (ISA-18.2: 3 in a minute)."""
TOP = 10


class _Alarm(NamedTuple):
    """An event with a warning or alarm."""

    machine_id: str
    started_ms: int
    peak_condition: str
    phase: str
    acknowledged_ms: int | None
    state: str
    answered: bool


_ALARMS: Final = (
    "SELECT machine_id, started_ms, peak_condition, phase, acknowledged_ms, alarm_state,"
    " EXISTS (SELECT 1 FROM label WHERE label.event_id = event.id)"
    " FROM event WHERE started_ms >= ? AND started_ms < ?"
    " AND peak_condition IN ('warning', 'alarm') ORDER BY started_ms"
)


def alarm_load(db: Database, since_ms: int, until_ms: int, now_ms: int) -> AlarmLoad:
    """Count the alarms that began within a time; an event with a warning or alarm is one."""
    alarms = [_Alarm(*row) for row in db.execute(_ALARMS, (since_ms, until_ms)).fetchall()]
    starts = [alarm.started_ms for alarm in alarms]
    days = Counter((start - since_ms) // DAY_MS for start in starts)
    periods = Counter((start - since_ms) // TEN_MIN_MS for start in starts)
    by_machine: defaultdict[str, list[int]] = defaultdict(list)
    for alarm in alarms:
        by_machine[alarm.machine_id].append(alarm.started_ms)
    standing = [alarm for alarm in alarms if alarm.phase != "end"]
    waited_s = [
        (alarm.acknowledged_ms - alarm.started_ms) / 1000
        for alarm in alarms
        if alarm.acknowledged_ms is not None
    ]
    watched_ms = max(0, min(until_ms, now_ms) - max(since_ms, _first_ms(db, now_ms)))
    return AlarmLoad(
        since_ms=since_ms,
        until_ms=until_ms,
        watched_s=watched_ms / 1000,
        alarms=len(alarms),
        per_day=len(alarms) * DAY_MS / watched_ms if watched_ms >= DAY_MS else None,
        most_in_10_min=_most_within(starts, TEN_MIN_MS),
        flood_10_min_periods=sum(count > FLOOD for count in periods.values()),
        chattering=sorted(
            machine
            for machine, own in by_machine.items()
            if _most_within(own, CHATTER[1]) >= CHATTER[0]
        ),
        by_day=[days[i] for i in range(-(-(until_ms - since_ms) // DAY_MS))],
        standing=len(standing),
        stale=sum(now_ms - alarm.started_ms > DAY_MS for alarm in standing),
        unacknowledged=sum(alarm.state in WAITING for alarm in alarms),
        answered=sum(alarm.answered for alarm in alarms),
        median_answer_s=statistics.median(waited_s) if waited_s else None,
        by_peak_condition=dict(Counter(alarm.peak_condition for alarm in alarms)),
        top=[
            MachineLoad(machine_id=machine, alarms=count)
            for machine, count in Counter(alarm.machine_id for alarm in alarms).most_common(TOP)
        ],
    )


def _first_ms(db: Database, now_ms: int) -> int:
    """Return when the first event or value that is stored began; `now_ms` without any."""
    (event,) = db.execute("SELECT min(started_ms) FROM event").fetchone()
    trend = tiers.oldest_ms(db) or now_ms
    return trend if event is None else min(trend, int(event))


def _most_within(times_ms: Sequence[int], span_ms: int) -> int:
    """Return the most of these sorted times that any span so long holds.

    >>> _most_within([0, 5, 9, 10, 30], 10)
    3
    """
    return max(
        (i + 1 - bisect_left(times_ms, t - span_ms + 1) for i, t in enumerate(times_ms)), default=0
    )
