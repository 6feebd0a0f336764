"""How urgent a case is: time to a limit, ISO zone, and the trend of the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Final, Literal

from auscult.app.cases.measured import VELOCITY
from auscult.app.cases.reading import Surroundings
from auscult.app.views import (
    EventView,
    Evidence,
    LabelView,
    Measured,
    TimeToLimit,
    Urgency,
    UrgencyLevel,
    WorkState,
    Zone,
)
from auscult.contract.records import Reason
from auscult.contract.said import Said

DAY_S: Final = 86_400.0
NOW_S: Final = 2 * DAY_S
"""A limit that is reached within two days leaves no time for a planned stop."""
DAYS_S: Final = 14 * DAY_S
WEEKS_S: Final = 60 * DAY_S
LEAST_POINTS: Final = 6
"""An hour of evidence: with less there is no trend."""
CHANGE: Final = 1.2
"""The last third of a day against the first: less is steady."""
OF_EVIDENCE: Final = frozenset(
    f"urgency_{code}" for code in ("none", "new", "rising", "steady", "falling")
)
"""Reasons that speak of the learned evidence only."""


def urgency_of(
    event: EventView,
    around: Surroundings | None,
    limit: Reason | None,
    series: Sequence[tuple[int, float]],
    label: LabelView | None = None,
    work: WorkState | None = None,
    measured: Measured | None = None,
    unrepaired: str | None = None,
) -> Urgency:
    """Return how soon someone must act, with the strongest reason for it.

    An answer replaces the evidence: what was normal needs no one, and a confirmed fault must be
    mended, also while its signal shows nothing. A limit, a zone and a forecast hold whatever the
    answer is, except during planned work.
    The check after the work replaces the answer.
    """
    evidence = _evidence(event, around, series)
    zone = _zone(around)
    level: UrgencyLevel
    if event.open and work == "under_way":
        ahead = None
        level, said = "watch", Said("urgency_work")
    elif unrepaired is not None and not event.open:
        # what a signal shows after a fault was found says nothing of its repair
        ahead = None
        level, said = "weeks", Said("urgency_unrepaired", {"actor": unrepaired})
    else:
        now = around.machine.reasons if around else ()
        # The event's own reasons may hold a forecast of hours ago.
        ahead = _time_to_limit(now) if event.open else None
        level, said = _decide(event, around, evidence, zone, ahead, limit, label, work, measured)
    return Urgency(
        level=level, said=said, text=said.text, time_to_limit=ahead, zone=zone, evidence=evidence
    )


def _decide(
    event: EventView,
    around: Surroundings | None,
    evidence: Evidence,
    zone: Zone | None,
    ahead: TimeToLimit | None,
    limit: Reason | None,
    label: LabelView | None,
    work: WorkState | None,
    measured: Measured | None,
) -> tuple[UrgencyLevel, Said]:
    if not event.open:
        return "over", _over(event)
    if zone is not None and zone.zone == "D":
        return "now", Said("urgency_zone_d", {"value": zone.value})
    passed = limit is not None and limit.kind == "fixed_limit" and limit.condition == "alarm"
    if event.lost_ms is not None:
        said = Said("urgency_lost", {"level": event.condition})
        return ("now" if passed else _as_known_last(event)), said
    within = measured is not None and measured.current and measured.beyond < 0
    if passed and not within:
        return "now", Said("urgency_limit_passed")
    if ahead is not None and ahead.expected_s <= WEEKS_S:
        said = Said("urgency_limit_ahead", ahead.model_dump(include=_WHEN))
        # A forecast alone may be wrong: with a value beyond a limit it agrees.
        if ahead.expected_s <= NOW_S and (limit is not None or (zone and zone.zone == "C")):
            return "now", said
        return ("days" if ahead.expected_s <= DAYS_S else "weeks"), said
    if zone is not None and zone.zone == "C":
        return "weeks", Said("urgency_zone_c", {"value": zone.value})
    level, said = _by_answer(event, around, evidence, label, work)
    beyond = limit is not None and limit.kind == "fixed_limit" and measured is not None
    if beyond and said.code in OF_EVIDENCE and not _departs(evidence):
        # the gateway ends it when the value has stayed within; until then the limit decides
        code = "urgency_limit_left" if within else "urgency_warning_passed"
        return ("watch" if within else "weeks"), Said(code)
    if ahead is None and said.code == "urgency_rising":
        said = Said("urgency_no_forecast", said.values)
    return level, said


def _departs(evidence: Evidence) -> bool:
    """Tell whether the learned evidence alone would warn."""
    return evidence.now is not None and evidence.now >= (evidence.warning_level or 0.0)


def _by_answer(
    event: EventView,
    around: Surroundings | None,
    evidence: Evidence,
    label: LabelView | None,
    work: WorkState | None,
) -> tuple[UrgencyLevel, Said]:
    answer = label if label is not None and label.undone_ms is None else None
    if work == "watched":
        return "watch", Said("urgency_checked")
    if answer is not None and is_refuted(answer, work):
        return "watch", Said("urgency_normal", {"actor": answer.actor})
    level, said = _by_evidence(event, evidence, around)
    if answer is not None and answer.verdict == "confirmed_fault" and level == "watch":
        return "weeks", Said("urgency_confirmed", {"actor": answer.actor})
    return level, said


def is_refuted(answer: LabelView, work: WorkState | None) -> bool:
    """Tell whether an answer says that there is no fault, and no check after the work denies it."""
    if answer.verdict == "planned_work":
        return work not in ("unchanged", "new")
    return answer.verdict == "false_alarm"


_WHEN: Final = {"level", "expected_s", "earliest_s", "latest_s"}


def _by_evidence(
    event: EventView, evidence: Evidence, around: Surroundings | None
) -> tuple[UrgencyLevel, Said]:
    times = evidence.times_alarm
    if times is None:
        if not _silent(around):
            return "watch", Said("urgency_none")
        # Nothing says that it became better: a failing machine can end its own signal.
        return _as_known_last(event), Said("urgency_silent", {"level": event.condition})
    values = {"times": round(times, 2)}
    if evidence.trend == "rising":
        level: UrgencyLevel = "days" if event.condition == "alarm" else "weeks"
        return level, Said("urgency_rising", values)
    if evidence.trend == "falling":
        return "watch", Said("urgency_falling", values)
    if evidence.trend == "steady":
        return ("weeks" if event.condition == "alarm" else "watch"), Said("urgency_steady", values)
    return ("days" if event.condition == "alarm" else "watch"), Said("urgency_new", values)


def _as_known_last(event: EventView) -> UrgencyLevel:
    return "days" if event.condition == "alarm" else "watch"


def _over(event: EventView) -> Said:
    """Return why an event is over: only a measured end says that the machine is well again."""
    if event.lost_ms is not None:
        return Said("urgency_over_lost")
    if event.condition == "learning":
        return Said("urgency_over_learning")
    return Said("urgency_over")


def _silent(around: Surroundings | None) -> bool:
    machine = around.machine if around else None
    return machine is not None and any(one.kind == "sensor" for one in machine.reasons)


def _evidence(
    event: EventView, around: Surroundings | None, series: Sequence[tuple[int, float]]
) -> Evidence:
    machine = around.machine if around else None
    now = machine.evidence if machine else None
    alarm_level = machine.alarm_level if machine else None
    return Evidence(
        now=now,
        # the machine's state may be newer than the last message of its event
        peak=max(event.peak_evidence, (now or 0.0) if event.open else 0.0),
        warning_level=machine.warning_level if machine else None,
        alarm_level=alarm_level,
        times_alarm=now / alarm_level if now is not None and alarm_level else None,
        trend=trend_of([value for _, value in series]),
    )


def trend_of(values: Sequence[float]) -> Literal["rising", "steady", "falling"] | None:
    """Compare the last third with the first.

    >>> trend_of([1, 1, 1, 2, 3, 3]), trend_of([3, 3, 3, 3, 3, 3]), trend_of([1, 2])
    ('rising', 'steady', None)
    """
    if len(values) < LEAST_POINTS:
        return None
    third = len(values) // 3
    first, last = fmean(values[:third]), fmean(values[-third:])
    if last > CHANGE * first:
        return "rising"
    return "falling" if first > CHANGE * last else "steady"


def _zone(around: Surroundings | None) -> Zone | None:
    zones: dict[str, Any] | None = around.plate.get("zones") if around else None
    if not around or not zones:
        return None
    measured = [
        (point.levels[VELOCITY].value, point.point)
        for point in around.points
        if VELOCITY in point.levels and point.levels[VELOCITY].quality != "bad" and not point.stale
    ]
    if not measured:
        return None
    value, point = max(measured)
    letter = "ABCD"[sum(value > zones[edge] for edge in ("ab", "bc", "cd"))]
    return Zone.model_validate(
        {"zone": letter, "value": value, "point": point, "title": zones["title"]}
    )


def _time_to_limit(reasons: Sequence[Reason]) -> TimeToLimit | None:
    """Return the limit that is reached first, of all points; None without a forecast."""
    found = [
        TimeToLimit.model_validate(
            {
                **{name: reason.said.values[name] for name in _AHEAD},
                "point": reason.point,
                "value": reason.value,
                "limit": reason.limit,
                "unit": reason.unit or "",
            }
        )
        for reason in reasons
        if reason.said is not None and reason.said.code == "forecast"
    ]
    return min(found, key=lambda one: one.expected_s, default=None)


_AHEAD: Final = ("expected_s", "earliest_s", "latest_s", "level", "feature")
