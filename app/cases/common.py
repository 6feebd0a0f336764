"""Departures of several machines of one area that begin within minutes: probably one cause."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import Final

from auscult.app.cases.location import diagnosis_of
from auscult.app.identity import gateway_of, parts
from auscult.app.store import cases, events, machines
from auscult.app.store.cases import Began
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.store.troubles import Blind, listed_machines
from auscult.app.views import CaseRef, CommonCause

WINDOW_MS: Final = 600_000
"""One cause shows at all machines within this time: each decides by the minute."""
SEVERAL: Final = 3
RARE_PER_YEAR: Final = 1e-3
"""What chance brings about more often in an area says nothing of a cause."""
EVENTS: Final = 10
"""Events of a case in which its fault is looked for."""
SHIPPED_PER_YEAR: Final = 1.0
"""Budget of false events of machines that do not report theirs."""
_YEAR_MS: Final = 365.25 * 86_400_000


def by_chance_per_year(count: int, false_per_year: float) -> float:
    """Return how often a year `count` false events begin within `WINDOW_MS`; never too low.

    Independent events begin as a Poisson process. Each is followed by at least n = count - 1 more
    within the window with a probability of at most m^n / n!, where m is the expected number.

    Parameters
    ----------
    count : int
        At least 1.
    false_per_year : float
        False events of all machines of the area; above 0.

    Examples
    --------
    >>> f"{by_chance_per_year(3, 20.0):.1e}"
    '1.4e-06'
    """
    expected = false_per_year * WINDOW_MS / _YEAR_MS
    return false_per_year * prod(expected / n for n in range(1, count))


def causes(db: Database, freshness: Freshness) -> dict[str, CommonCause]:
    """Return what probably has one cause, by the id of each active case of it."""
    began = cases.began(db, freshness.now_ms)
    if not any(_bursts(began)):
        return {}
    listed = listed_machines(db)
    sizes = Counter(_place(one) for one in listed.values())
    areas: dict[tuple[str, str], list[Began]] = {}
    for one in began:
        if one.machine_id in listed:
            areas.setdefault(_place(listed[one.machine_id]), []).append(one)
    found: dict[str, CommonCause] = {}
    for place, some in areas.items():
        for together in _bursts(some):
            burst = _alike(db, together)
            if len(burst) < SEVERAL:
                continue
            budget = _budget(db, freshness, burst)
            chance = by_chance_per_year(len(burst), budget * sizes[place])
            if chance <= RARE_PER_YEAR:
                common = _common(burst, listed, chance)
                found |= dict.fromkeys((one.id for one in burst), common)
    return found


def _place(machine: Blind) -> tuple[str, str]:
    """Return site and area; the gateway where a machine has no area."""
    return (parts(machine.id)[0], machine.area) if machine.area else (gateway_of(machine.id), "")


def _budget(db: Database, freshness: Freshness, burst: Sequence[Began]) -> float:
    """Return the largest budget of false events a year of these machines."""
    some = machines.view_some(db, freshness, tuple(one.machine_id for one in burst))
    known = (m.warranty.false_alarms_per_year for m in some if m.warranty)
    return max(known, default=SHIPPED_PER_YEAR)


def _bursts(began: Sequence[Began]) -> Iterator[list[Began]]:
    """Give what began within `WINDOW_MS`, the most at once first; `began` by time."""
    left = list(began)
    while left:
        times = [one.opened_ms for one in left]
        ends = [bisect_right(times, at + WINDOW_MS) for at in times]
        first = max(range(len(left)), key=lambda at: ends[at] - at)
        if ends[first] - first < SEVERAL:
            return
        yield left[first : ends[first]]
        del left[first : ends[first]]


def _alike(db: Database, burst: Sequence[Began]) -> list[Began]:
    """Return those with the fault that most of them share, or with none; another is a cause itself.

    A fault that is named at one machine only explains no other.
    """
    by_case = cases.event_ids(db, [one.id for one in burst], EVENTS)
    known = events.view_some(db, [event for ids in by_case.values() for event in ids])
    faults: dict[str, str | None] = {}
    for case, ids in by_case.items():
        named = diagnosis_of(r for i in ids if i in known for r in known[i].reasons)
        faults[case] = named.fault if named else None
    counts = Counter(fault for fault in faults.values() if fault)
    shared = [fault for fault, count in counts.most_common(1) if count > 1]
    return [one for one in burst if faults.get(one.id) in (None, *shared)]


def _common(burst: Sequence[Began], listed: dict[str, Blind], chance: float) -> CommonCause:
    some = [(one, listed[one.machine_id]) for one in burst]
    first = some[0][1]
    return CommonCause(
        since_ms=burst[0].opened_ms,
        area=first.area,
        gateway="" if first.area else parts(first.id)[1],
        by_chance_per_year=chance,
        cases=[CaseRef(id=one.id, machine_id=m.id, machine_name=m.name) for one, m in some],
    )
