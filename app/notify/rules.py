"""Which messages a rule wants now: one for a case, not for each window or event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from auscult.app.identity import parts
from auscult.app.store.notifications import Planned
from auscult.app.views import Case, Rule, Span

MINUTE_MS: Final = 60_000
Reason = Literal["opened", "worse", "again", "escalated", "digest"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A message that a rule wants; ``key`` names it for all processes."""

    key: str
    reason: Reason
    rule: Rule
    channels: tuple[str, ...]
    case: Case | None = None


def wanted(
    rule: Rule, cases: Iterable[Case], before: dict[tuple[str, str], Planned], now: datetime
) -> Iterator[Wanted]:
    """Give the messages that a rule wants now.

    Parameters
    ----------
    rule : Rule
    cases : iterable of Case
        Those that are active.
    before : mapping of (rule, case) to Planned
        What it has planned so far.
    now : datetime
        In the plant's time zone.
    """
    if not rule.enabled or not in_shift(rule, now):
        return
    concerned = [case for case in cases if _concerns(rule, case)]
    if rule.digest_at is not None:
        if concerned and now.strftime("%H:%M") >= rule.digest_at:
            key = f"{rule.id}:digest:{now.date()}"
            yield Wanted(key, "digest", rule, rule.channels)
        return
    quiet = rule.quiet_hours is not None and within(rule.quiet_hours, now)
    now_ms = int(now.timestamp() * 1000)
    for case in concerned:
        if quiet and not (rule.alarms_in_quiet_hours and case.peak_condition == "alarm"):
            continue
        known = before.get((rule.id, case.id))
        if known is None and case.updated_ms < rule.changed_ms:
            continue  # it was there before the rule
        message = _of_case(rule, case, known, now_ms)
        if message is not None:
            yield message


def _of_case(rule: Rule, case: Case, before: Planned | None, now_ms: int) -> Wanted | None:
    key = f"{rule.id}:{case.id}"
    if before is None:
        return Wanted(f"{key}:opened", "opened", rule, rule.channels, case)
    if case.peak_condition == "alarm" and before.peak != "alarm":
        return Wanted(f"{key}:worse", "worse", rule, rule.channels, case)
    waits_ms = None if rule.escalate_after_min is None else rule.escalate_after_min * MINUTE_MS
    if waits_ms is not None and not before.escalated and now_ms - before.first_ms >= waits_ms:
        channels = rule.escalate_to or rule.channels
        return Wanted(f"{key}:escalated", "escalated", rule, channels, case)
    cooled = now_ms - before.last_ms >= rule.cool_down_min * MINUTE_MS
    if case.repeats.times > before.times and cooled:
        times = case.repeats.times
        return Wanted(f"{key}:again:{times}", "again", rule, rule.channels, case)
    return None


def _concerns(rule: Rule, case: Case) -> bool:
    """Tell whether a case needs someone and is the rule's."""
    return (
        case.attention == "needs_someone"
        and (rule.severity == "warning" or case.peak_condition == "alarm")
        and (
            not rule.areas
            or not {case.area, *(m.area for m in case.machines)}.isdisjoint(rule.areas)
        )
        and (not rule.sites or parts(case.machine_id)[0] in rule.sites)
    )


def in_shift(rule: Rule, now: datetime) -> bool:
    """Tell whether a rule's shift is on; a shift over midnight belongs to the day it began.

    >>> from types import SimpleNamespace as N
    >>> night = N(weekdays=(4,), shift=N(start="22:00", end="06:00"))
    >>> saturday = datetime(2026, 11, 28, 5, 0)
    >>> in_shift(night, saturday), in_shift(night, saturday + timedelta(hours=2))
    (True, False)
    """
    if rule.shift is not None and not within(rule.shift, now):
        return False
    if not rule.weekdays:
        return True
    span = rule.shift
    began_yesterday = (
        span is not None and span.end < span.start and (now.strftime("%H:%M") < span.end)
    )
    day = now - timedelta(days=1) if began_yesterday else now
    return day.weekday() in rule.weekdays


def within(span: Span, now: datetime) -> bool:
    """Tell whether a time of day lies within a span, also one over midnight."""
    clock = now.strftime("%H:%M")
    if span.start <= span.end:
        return span.start <= clock < span.end
    return clock >= span.start or clock < span.end
