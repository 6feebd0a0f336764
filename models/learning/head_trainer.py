"""From labelled events to candidate heads, and the gate's word on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from auscult.models.learning.adapter import new_adapter
from auscult.models.learning.delta import Delta
from auscult.models.learning.gate import PointContext, Replayed, judge, limit_of
from auscult.models.learning.head import Head
from auscult.models.learning.lesson import new_head, places_wanted, with_offset
from auscult.models.learning.machine_replay import MachineReplay
from auscult.models.learning.replay import HIDDEN, RowClass, Rows, group_key
from auscult.models.learning.settings import LearningSettings
from auscult.models.network.runtime import Model
from auscult.models.network.training import load_trainer
from auscult.models.records import Label, ScoredWindow, Verdict

ROW_CLASS = {
    Verdict.FALSE_ALARM: RowClass.FALSE_ALARM,
    Verdict.CONFIRMED_FAULT: RowClass.CONFIRMED_FAULT,
}
Heads = Mapping[str, Head]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What learning came to: heads, how the replay fares before and after, and what is said.

    ``marks`` tells what events are taken for from now on, ``contradicts`` which of them say the
    opposite of the label, ``at_once`` that no shadow run has to confirm it (an undoing).
    """

    heads: Heads
    before: Replayed
    after: Replayed
    reason: str
    accepted: bool = False
    marks: Mapping[str, RowClass] = field(default_factory=dict)
    contradicts: tuple[str, ...] = ()
    advice: str = ""
    at_once: bool = False


class HeadTrainer:
    """Makes candidates from a machine's replay; keeps nothing itself.

    Parameters
    ----------
    replay : MachineReplay
        Its marks change with each label.
    points : mapping of point to PointContext
    start : mapping of point to Head
        Heads that change nothing.
    settings : LearningSettings
    """

    def __init__(
        self,
        replay: MachineReplay,
        points: Mapping[str, PointContext],
        start: Heads,
        settings: LearningSettings,
    ) -> None:
        self._replay = replay
        self._start = start
        self._settings = settings
        self._limits = {p: limit_of(c.seen, settings.p_limit) for p, c in points.items()}

    def on(self, replay: MachineReplay) -> HeadTrainer:
        """Give a teacher of another replay, such as a copy to try something out on."""
        other = copy(self)
        other._replay = replay
        return other

    def threshold(self, heads: Heads) -> float:
        """Highest of the points' limits, as a score."""
        return float(np.exp(max(self._limits[p] + head.offset for p, head in heads.items())))

    def teach(self, label: Label, active: Heads, newest: Heads, earlier: Label | None) -> Outcome:
        """Learn from a label.

        Parameters
        ----------
        label : Label
        active, newest : mapping of point to Head
            What judges now, and what learning builds on (a candidate, if one is in the shadow).
        earlier : Label or None
            The verdict on the same event that this one replaces.
        """
        row_class = ROW_CLASS.get(label.verdict, RowClass.OPEN)
        known = self._replay.classes_of(label.event_id)
        self._replay.mark(label.event_id, row_class, label.kind or "")
        before = self._replay.judged_by(active)
        corrected = any(c in ROW_CLASS.values() and c is not row_class for c in known.values())
        if not known:
            reason = "no window of this event is kept, so nothing can be learned"
            return Outcome(active, before, before, reason)
        if row_class is RowClass.OPEN and not corrected:
            return Outcome(active, before, before, "nothing is learned from this answer")
        start = self._start if corrected else newest
        outcome = self._candidate(label, before, start, list(start) if corrected else list(known))
        if not corrected:
            return outcome
        was = f"; replaces the answer of {earlier.actor}" if earlier else ""
        if not outcome.accepted and row_class is RowClass.FALSE_ALARM:
            # The earlier verdict is undone all the same: the event is open, all else learned anew.
            heads = self._learn(list(self._start), self._start)
            was += "; the event counts as open"
            outcome = replace(outcome, heads=heads, after=self._replay.judged_by(heads))
        return replace(outcome, reason=outcome.reason + was, accepted=True, at_once=True)

    def _candidate(
        self, label: Label, before: Replayed, start: Heads, points: Sequence[str]
    ) -> Outcome:
        settings = self._settings
        row_class = ROW_CLASS.get(label.verdict, RowClass.OPEN)
        marks = {label.event_id: row_class}
        only = None if settings.replay else label.event_id
        heads = self._learn(points, start, only)
        if row_class is RowClass.CONFIRMED_FAULT:
            heads = self._without_contradictions(heads, points, start, marks)
        after = self._replay.judged_by(heads)
        decision = judge(before, after, label.event_id, settings)
        # An adapter only lowers scores: it can silence what the head left, never save a fault.
        lost = after.faults_lost(before, settings)
        if not decision.accepted and not lost and settings.adapter == "when_refused":
            adapted = self._adapted(heads, points, only)
            fares = self._replay.judged_by(adapted)
            second = judge(before, fares, label.event_id, settings)
            if second.accepted:
                heads, after, decision = adapted, fares, second
        accepted = decision.accepted or not settings.gate
        advice = self._advice(heads, points)
        contradicts = tuple(event for event in marks if event != label.event_id)
        reason = decision.reason
        if contradicts:
            reason += "; contradicts the false-alarm label of event " + ", ".join(contradicts)
        if not accepted and row_class is RowClass.FALSE_ALARM:
            contradicts = tuple(lost)
        if not accepted and row_class is not RowClass.CONFIRMED_FAULT:
            # What the gate refused must not come back with the next label; a confirmed fault
            # stays among what must be detected even if no better head was found for it.
            self._mark_open(label.event_id, marks)
        return Outcome(heads, before, after, reason, accepted, marks, contradicts, advice)

    def again(self, active: Heads, newest: Heads) -> Outcome:
        """Learn the same labels again, from the windows that came to their events since."""
        before = self._replay.judged_by(active)
        heads = self._learn(list(newest), newest)
        after = self._replay.judged_by(heads)
        decision = judge(before, after, "", self._settings)
        reason = f"learned again from new windows of labelled events: {decision.reason}"
        return Outcome(heads, before, after, reason, decision.accepted)

    def absorb(self, delta: Delta, active: Heads, newest: Heads, now_ns: int) -> Outcome:
        """Learn the places of a delta, as events of their own.

        Later labels then build on them, and confirmed faults from elsewhere are guarded here too.
        """
        before = self._replay.judged_by(active)
        marks: dict[str, RowClass] = {}
        none = np.zeros(HIDDEN, np.float32)
        for point, learned in delta.points.items():
            for verdict, places in (
                (Verdict.FALSE_ALARM, learned.places),
                (Verdict.CONFIRMED_FAULT, learned.faults),
            ):
                for k, place in enumerate(places.astype(np.float32)):
                    event = f"{delta.delta_id}-{verdict[0]}{k}"
                    score = float(np.log((place**2).sum()))
                    window = ScoredWindow(point, now_ns, place, none, score, "", seen=True)
                    if point not in self._replay.classes_of(event):  # it may come again
                        self._replay.take([window], event)
                    marks[event] = ROW_CLASS[verdict]
        for event, row_class in marks.items():
            self._replay.mark(event, row_class)
        starts = {
            point: replace(head, weights=head.weights + delta.points[point].weights)
            for point, head in newest.items()
        }
        heads = self._learn(list(starts), starts)
        after = self._replay.judged_by(heads)
        decision = judge(before, after, "", self._settings)
        if not decision.accepted:
            for event in list(marks):
                self._mark_open(event, marks)
        self._replay.save()
        origin = f"delta of {delta.about.machine} at {delta.about.device} ({delta.delta_id})"
        reason = f"{origin}: {decision.reason}"
        return Outcome(heads, before, after, reason, decision.accepted, marks)

    def _learn(
        self, points: Sequence[str], start: Heads, only: str | None = None
    ) -> dict[str, Head]:
        """Make candidate heads from every second row; the gate judges on the others."""
        heads = dict(start)
        adapted = self._settings.adapter == "always"
        for point in points:
            rows = self._rows(point, only)
            head = new_head(start[point], rows, trainer(), self._settings, with_adapter=adapted)
            heads[point] = with_offset(head, rows, self._limits[point], self._settings)
        return heads

    def _adapted(self, heads: Heads, points: Sequence[str], only: str | None) -> dict[str, Head]:
        """Give candidate heads an adapter."""
        adapted = dict(heads)
        for point in points:
            rows = self._rows(point, only)
            adapter = new_adapter(heads[point].adapter, rows, trainer(), self._settings)
            head = replace(heads[point], adapter=adapter, offset=0.0)
            adapted[point] = with_offset(head, rows, self._limits[point], self._settings)
        return adapted

    def _rows(self, point: str, only: str | None) -> Rows:
        rows = self._replay.training_rows(point)
        return rows if only is None else rows.where(rows.info["group"] == group_key(only))

    def _without_contradictions(
        self,
        heads: dict[str, Head],
        points: Sequence[str],
        start: Heads,
        marks: dict[str, RowClass],
    ) -> dict[str, Head]:
        """Dispute false-alarm labels whose places would silence a confirmed fault.

        A confirmed fault outweighs a false alarm: the events are set apart until a person decides.
        """
        bare = self._replay.judged_by(self._start)
        while lost := self._replay.judged_by(heads).faults_lost(bare, self._settings):
            event = self._replay.false_alarm_nearest(lost[0])
            if event is None:
                break
            self._mark_open(event, marks)
            heads = self._learn(points, start)
        return heads

    def _mark_open(self, event: str, marks: dict[str, RowClass]) -> None:
        marks[event] = RowClass.OPEN
        self._replay.mark(event, RowClass.OPEN)

    def _advice(self, heads: Heads, points: Sequence[str]) -> str:
        """Say which heads are full."""
        settings = self._settings
        full = [
            point
            for point in points
            if len(heads[point].places) == settings.places > 0
            and places_wanted(self._replay.training_rows(point), settings) > settings.places
        ]
        if not full:
            return ""
        return (
            f"the head of {', '.join(full)} is full, it holds {settings.places} places at most "
            f"and had to join some: take a new baseline that includes these conditions"
        )


@cache
def trainer() -> Model:
    """Load the steps of training once for all machines and labels."""
    return load_trainer()
