"""From decisions to events: a departure of a machine starts, changes, and ends."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ulid import ULID

from auscult.gateway.records import Event, EventPhase
from auscult.models.decision.diagnosis import without_superseded
from auscult.models.records import SEVERITY, Condition, Decision, Reason, ReasonKind

OPENING = (Condition.WARNING, Condition.ALARM)
CLOSING = (Condition.NORMAL, Condition.LEARNING)
"""`unknown` neither opens nor closes: a machine that nobody hears is not well again."""
UPDATE_INTERVAL_NS = 10_000_000_000
"""New reasons and higher peaks are told at most this often; a new condition at once."""
CLOCK_STEP_NS = 1_000_000
"""Messages carry milliseconds."""
PEAK_GROWTH = 1.25
"""A peak must grow by this factor to be told again."""


@dataclass(frozen=True, slots=True)
class Judges:
    """The ids of all that judged."""

    model_id: str = ""
    baseline_id: str = ""
    spec_id: str = ""
    checkpoint_id: str = ""


class EventTracker:
    """Follows one machine; at most one event is open.

    Parameters
    ----------
    machine : str
    open_event : Event or None
        What an earlier process left open: it goes on, with the same id.
    """

    def __init__(self, machine: str, open_event: Event | None = None) -> None:
        self._machine = machine
        self._open = open_event
        self._told = open_event

    @property
    def open_event(self) -> Event | None:
        """The event that lasts, with its latest values."""
        return self._open

    def update(self, decision: Decision, judges: Judges) -> Event | None:
        """Take the decision on the machine; returns the event if there is something to tell."""
        if self._open is None:
            if decision.condition not in OPENING:
                return None
            self._open = self._told = _start(self._machine, decision, judges)
            return self._open
        if decision.condition in CLOSING:
            ended = replace(
                self._open,
                phase=EventPhase.END,
                condition=decision.condition,
                updated_ns=_later(self._open, decision.t_ns),
                ended_ns=_later(self._open, decision.t_ns),
            )
            self._open = self._told = None
            return ended
        if decision.condition not in OPENING:
            return None
        self._open = _go_on(self._open, decision, judges)
        if not self._worth_telling(self._open):
            return None
        self._told = self._open
        return self._open

    def _worth_telling(self, event: Event) -> bool:
        told = self._told
        if told is None or event.condition != told.condition:
            return True
        if event.updated_ns - told.updated_ns < UPDATE_INTERVAL_NS:
            return False
        grown = event.peak_evidence > PEAK_GROWTH * told.peak_evidence
        return grown or _subjects(event.reasons) != _subjects(told.reasons)


def _start(machine: str, decision: Decision, judges: Judges) -> Event:
    return Event(
        event_id=str(ULID()),
        machine=machine,
        phase=EventPhase.START,
        condition=decision.condition,
        started_ns=decision.t_ns,
        updated_ns=decision.t_ns,
        ended_ns=None,
        peak_condition=decision.condition,
        peak_evidence=decision.evidence or 0.0,
        peak_p_value=decision.p_value,
        points=_points(decision.reasons),
        reasons=decision.reasons,
        model_id=judges.model_id,
        baseline_id=judges.baseline_id,
        spec_id=judges.spec_id,
        checkpoint_id=judges.checkpoint_id,
    )


def _go_on(event: Event, decision: Decision, judges: Judges) -> Event:
    smallest_p = min(
        (p for p in (event.peak_p_value, decision.p_value) if p is not None), default=None
    )
    return replace(
        event,
        phase=EventPhase.UPDATE,
        condition=decision.condition,
        updated_ns=_later(event, decision.t_ns),
        peak_condition=max(event.peak_condition, decision.condition, key=SEVERITY.__getitem__),
        peak_evidence=max(event.peak_evidence, decision.evidence or 0.0),
        peak_p_value=smallest_p,
        points=tuple(dict.fromkeys(event.points + _points(decision.reasons))),
        reasons=at_their_strongest(event.reasons, decision.reasons),
        checkpoint_id=judges.checkpoint_id,
    )


def _later(event: Event, t_ns: int) -> int:
    """Return a time later than the event's last: a sensor's clock may be set back.

    Whoever hears the event knows by the time which word is the newer one.
    """
    return max(event.updated_ns + CLOCK_STEP_NS, t_ns)


def at_their_strongest(before: tuple[Reason, ...], now: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Join two sets of reasons: each statement once, at its strongest; gravest first.

    What carried an event's peak stays its reason while the machine recovers. Only the latest
    forecast counts: an older one has been overtaken.
    """
    held = {_statement(r): r for r in before if r.kind is not ReasonKind.TREND}
    for reason in now:
        key = _statement(reason)
        if key not in held or _strength(reason) >= _strength(held[key]):
            held[key] = reason
    return without_superseded(sorted(held.values(), key=lambda r: -SEVERITY[r.condition]))


def _statement(reason: Reason) -> tuple[object, ...]:
    """Tell what a reason is about, whatever it says of it: a limit, a departure, a diagnosis."""
    limit = reason.text.partition(":")[0] if reason.limit is not None else None
    diagnosis = bool(reason.matched or reason.missing)
    return reason.kind, reason.point, limit, diagnosis


def _strength(reason: Reason) -> tuple[float, ...]:
    if reason.limit is not None and reason.value is not None:
        strength = abs(reason.value - reason.limit)
    else:
        strength = reason.confidence or reason.value or 0.0
    return SEVERITY[reason.condition], strength


def _points(reasons: tuple[Reason, ...]) -> tuple[str, ...]:
    """Points that depart: a forecast or a sensor fault elsewhere is no part of the event."""
    return tuple(
        dict.fromkeys(r.point for r in reasons if r.point is not None and r.condition in OPENING)
    )


def _subjects(reasons: tuple[Reason, ...]) -> set[tuple[object, ...]]:
    """Say what the reasons are about, without their changing values."""
    return {(r.kind, r.condition, r.point, r.fault) for r in reasons}
