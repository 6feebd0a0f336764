"""From decisions to events: a departure of a machine starts, changes and ends.

`models/decision/alarm_rule.py` says when. The sensor faults of an `unknown` machine join its open
event.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ulid import ULID

from auscult.contract.event import ADDED, Event, EventPhase
from auscult.contract.message import NS_PER_MS, millis
from auscult.contract.parts import Quality
from auscult.contract.records import DEPARTED, SEVERITY, Condition, Provenance, Reason, ReasonKind
from auscult.models.decision.alarm_rule import RULE, worst
from auscult.models.decision.diagnosis import BEARING_CODES, MATRIX_UNCLEAR, without_superseded
from auscult.models.decision.value_evidence import BECAME_NORMAL, LASTS
from auscult.models.records import Decision

UPDATE_INTERVAL_NS = 10_000_000_000
"""New reasons and higher peaks are reported at most this often; a new condition at once."""
SETTLED: Final = frozenset({LASTS, BECAME_NORMAL, *ADDED})
"""Statements that are reported when they appear, or with another time."""
PEAK_GROWTH = 1.25
"""A peak must grow by this factor to be reported again."""


class EventTracker:
    """Tracks the events of one machine; at most one is open.

    Parameters
    ----------
    machine : str
    open_event : Event or None
        The event that an earlier process left open; it continues under the same id.
    """

    def __init__(self, machine: str, open_event: Event | None = None) -> None:
        self._machine = machine
        self._open = open_event
        self._reported = open_event
        self._reported_ns = 0 if open_event is None else open_event.updated_ms * NS_PER_MS
        """Stream time of the decision that was reported last; it falls when a clock is set back."""

    @property
    def open_event(self) -> Event | None:
        """Return the open event with its latest values."""
        return self._open

    def update(self, decision: Decision, provenance: Provenance) -> Event | None:
        """Process a decision on the machine; returns the event if it is worth reporting."""
        if self._open is None:
            if not RULE.opens(decision.condition):
                return None
            self._open = self._reported = _started(self._machine, decision, provenance)
            self._reported_ns = decision.t_ns
            return self._open
        if RULE.closes(decision.condition):
            ended_ms = _later(self._open, decision.t_ns)
            ended = self._open.model_copy(
                update={
                    "phase": EventPhase.END,
                    "condition": decision.condition,
                    "alarm_ms": _alarm_ms(self._open, ended_ms),
                    "updated_ms": ended_ms,
                    "ended_ms": ended_ms,
                }
            )
            self._open = self._reported = None
            return ended
        if not RULE.opens(decision.condition):
            faults = tuple(r for r in decision.reasons if r.kind is ReasonKind.SENSOR)
            if not faults:
                return None
            decision = Decision(None, decision.t_ns, self._open.condition, faults)
        self._open = _continued(self._open, decision, provenance)
        if not self._worth_reporting(self._open, decision.t_ns):
            return None
        self._reported, self._reported_ns = self._open, decision.t_ns
        return self._open

    def _worth_reporting(self, event: Event, t_ns: int) -> bool:
        reported = self._reported
        if reported is None or event.condition != reported.condition:
            return True
        if abs(t_ns - self._reported_ns) < UPDATE_INTERVAL_NS:
            return False
        grown = event.peak_evidence > PEAK_GROWTH * reported.peak_evidence
        return grown or _subjects(event.reasons) != _subjects(reported.reasons)


def _started(machine: str, decision: Decision, provenance: Provenance) -> Event:
    return Event(
        event_id=str(ULID()),
        machine=machine,
        phase=EventPhase.START,
        condition=decision.condition,
        quality=_quality(decision.reasons),
        started_ms=millis(decision.t_ns),
        updated_ms=millis(decision.t_ns),
        peak_condition=decision.condition,
        peak_evidence=decision.evidence or 0.0,
        peak_p_value=decision.p_value,
        points=_points(decision.reasons),
        reasons=decision.reasons,
        ids=provenance,
    )


def _continued(event: Event, decision: Decision, provenance: Provenance) -> Event:
    smallest_p = min(
        (p for p in (event.peak_p_value, decision.p_value) if p is not None), default=None
    )
    reasons = at_their_strongest(event.reasons, decision.reasons)
    updated_ms = _later(event, decision.t_ns)
    return event.model_copy(
        update={
            "phase": EventPhase.UPDATE,
            "condition": decision.condition,
            "quality": _quality(reasons),
            "alarm_ms": _alarm_ms(event, updated_ms),
            "updated_ms": updated_ms,
            "peak_condition": worst(event.peak_condition, decision.condition),
            "peak_evidence": max(event.peak_evidence, decision.evidence or 0.0),
            "peak_p_value": smallest_p,
            "points": tuple(dict.fromkeys(event.points + _points(decision.reasons))),
            "reasons": reasons,
            "ids": replace(event.ids, checkpoint_id=provenance.checkpoint_id),
        }
    )


def _quality(reasons: tuple[Reason, ...]) -> Quality:
    return "uncertain" if any(r.kind in _DOUBTFUL for r in reasons) else "good"


_DOUBTFUL: Final = (ReasonKind.SENSOR, ReasonKind.STATE)


def _alarm_ms(event: Event, now_ms: int) -> int:
    """Return how long the event has been in alarm until now, in ms."""
    in_alarm = event.condition is Condition.ALARM
    return event.alarm_ms + (now_ms - event.updated_ms if in_alarm else 0)


def _later(event: Event, t_ns: int) -> int:
    """Return a time in ms after the event's last update, also if a sensor's clock was set back.

    Receivers order the messages of an event by this time.
    """
    return max(event.updated_ms + 1, millis(t_ns))


def at_their_strongest(before: tuple[Reason, ...], now: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Merge two sets of reasons: each statement once, at its strongest; the most severe first.

    The reasons of an event's peak remain while the machine recovers. Only the latest forecast is
    kept.
    """
    kept = {_statement(r): r for r in before if r.kind is not ReasonKind.TREND}
    for reason in now:
        key = _statement(reason)
        if key not in kept or _strength(reason) >= _strength(kept[key]):
            kept[key] = reason
    return without_superseded(sorted(kept.values(), key=lambda r: -SEVERITY[r.condition]))


def _statement(reason: Reason) -> tuple[object, ...]:
    """Identify the subject of a reason, without its values: a limit, a departure, a diagnosis."""
    values = reason.said.values
    subject: object = None
    if reason.limit is not None:
        subject = reason.said.code, values.get("feature"), values.get("event_id")
    if reason.kind is ReasonKind.SENSOR or reason.said.code in ADDED:
        subject = reason.said.code
    if reason.said.code in BEARING_CODES:
        return (BEARING_CODES,)  # one for the machine, wherever the fault shows best
    return reason.kind, reason.point, subject, _of_matrix(reason)


def _of_matrix(reason: Reason) -> bool:
    """Return whether the pattern of moved features says it, or its lack."""
    return bool(reason.matched or reason.missing) or reason.said.code in MATRIX_UNCLEAR


def _strength(reason: Reason) -> tuple[float, ...]:
    if reason.limit is not None and reason.value is not None:
        strength = abs(reason.value - reason.limit)
    elif _of_matrix(reason) and reason.prescription is None:
        strength = 0.0  # it is of all the event's windows so far: the last one counts
    else:
        strength = reason.confidence or reason.value or 0.0
    return SEVERITY[reason.condition], strength


def _points(reasons: tuple[Reason, ...]) -> tuple[str, ...]:
    """Points in warning or alarm; forecasts and sensor faults of other points are left out."""
    return tuple(
        dict.fromkeys(r.point for r in reasons if r.point is not None and r.condition in DEPARTED)
    )


def _subjects(reasons: tuple[Reason, ...]) -> set[tuple[object, ...]]:
    """Return the subjects of the reasons, without their changing values."""
    return {
        (
            *(r.kind, r.condition, r.point, r.fault, r.prescription),
            (r.said.code, r.said.values.get("at_ms")) if r.said.code in SETTLED else None,
        )
        for r in reasons
    }
