"""Which messages a rule wants now: one for a case, or for the cases of one common cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from auscult.app.cases.common import SEVERAL, WINDOW_MS
from auscult.app.identity import parts
from auscult.app.store.notifications import Planned
from auscult.app.views import Case, Rule, Span

MINUTE_MS: Final = 60_000
Reason = Literal["opened", "worse", "again", "escalated", "digest"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a rule wants a message about; ``key`` names it for all processes."""

    key: str
    reason: Reason
    rule: Rule
    channels: tuple[str, ...]
    case: Case | None = None

    @property
    def cause(self) -> str:
        """Return what all cases of a common cause share; empty without one."""
        common = self.case.common if self.case else None
        return common.cases[0].id if common else ""


def wanted(
    rule: Rule, cases: Iterable[Case], before: dict[tuple[str, str], Planned], now: datetime
) -> Iterator[Wanted]:
    """Give what a rule wants messages about now; see `folded`.

    The most urgent machine of a common cause decides for all of them what `severity` and the quiet
    hours let pass.

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
    waiting = [case for case in cases if case.attention == "needs_someone"]
    alarms = {case.id for case in waiting if case.peak_condition == "alarm"}
    alarms |= {ref.id for c in waiting if c.id in alarms and c.common for ref in c.common.cases}
    concerned = [case for case in waiting if _concerns(rule, case, case.id in alarms)]
    if rule.digest_at is not None:
        if concerned and now.strftime("%H:%M") >= rule.digest_at:
            key = f"{rule.id}:digest:{now.date()}"
            yield Wanted(key, "digest", rule, rule.channels)
        return
    quiet = rule.quiet_hours is not None and within(rule.quiet_hours, now)
    now_ms = int(now.timestamp() * 1000)
    for case in concerned:
        if quiet and not (rule.alarms_in_quiet_hours and case.id in alarms):
            continue
        known = before.get((rule.id, case.id))
        if known is None and case.updated_ms < rule.changed_ms:
            continue  # it was there before the rule
        message = _of_case(rule, case, known, now_ms)
        if message is not None:
            yield message


def folded(
    found: Iterable[Wanted], before: dict[tuple[str, str], Planned], now_ms: int
) -> Iterator[list[Wanted]]:
    """Give what becomes one message, the most urgent first.

    Cases of a common cause share messages. Once several of them were reported, those that join wait
    until `WINDOW_MS` after the last message, unless it has not left yet or an alarm is the first.
    """
    together: dict[tuple[str, ...], list[Wanted]] = {}
    for one in found:
        own = one.cause or one.key
        together.setdefault((own, one.rule.id, one.reason, *one.channels), []).append(one)
    for some in together.values():
        if not some[0].cause or _is_due(some, before, now_ms):
            yield sorted(some, key=_urgency, reverse=True)


def _is_due(some: Sequence[Wanted], before: dict[tuple[str, str], Planned], now_ms: int) -> bool:
    common = some[0].case.common if some[0].case else None
    keys = [(some[0].rule.id, ref.id) for ref in common.cases] if common else []
    known = [before[key] for key in keys if key in before]
    if len(known) < SEVERAL or some[0].reason == "escalated" or any(one.held for one in known):
        return True
    first_alarm = any(_urgency(one)[0] for one in some) and all(k.peak != "alarm" for k in known)
    return first_alarm or now_ms - max(one.last_ms for one in known) >= WINDOW_MS


def _urgency(one: Wanted) -> tuple[bool, float]:
    return (one.case.peak_condition == "alarm", one.case.ranking.rank) if one.case else (False, 0.0)


def _of_case(rule: Rule, case: Case, before: Planned | None, now_ms: int) -> Wanted | None:
    key = f"{rule.id}:{case.id}"
    if before is None:
        return Wanted(f"{key}:opened", "opened", rule, rule.channels, case)
    if case.peak_condition == "alarm" and before.peak != "alarm":
        return Wanted(f"{key}:worse", "worse", rule, rule.channels, case)
    if case.added_ms is not None and case.added_ms > before.last_ms:
        return Wanted(f"{key}:added:{case.added_ms}", "worse", rule, rule.channels, case)
    waits_ms = None if rule.escalate_after_min is None else rule.escalate_after_min * MINUTE_MS
    if waits_ms is not None and not before.escalated and now_ms - before.first_ms >= waits_ms:
        channels = rule.escalate_to or rule.channels
        return Wanted(f"{key}:escalated", "escalated", rule, channels, case)
    cooled = now_ms - before.last_ms >= rule.cool_down_min * MINUTE_MS
    if case.repeats.times > before.times and cooled:
        times = case.repeats.times
        return Wanted(f"{key}:again:{times}", "again", rule, rule.channels, case)
    return None


def _concerns(rule: Rule, case: Case, alarm: bool) -> bool:
    """Tell whether a case is the rule's; `alarm` says whether it, or its common cause, is one."""
    return (
        (rule.severity == "warning" or alarm)
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
