"""From labelled events to candidate heads, and the gate's decision on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from auscult.contract.label import REPORTED, Label, Verdict
from auscult.contract.said import Said
from auscult.models.learning import transfer
from auscult.models.learning.delta import Delta
from auscult.models.learning.directions import SIGMAS, Directions, find_directions
from auscult.models.learning.gate import (
    CLOSER,
    GateDecision,
    PointContext,
    Replayed,
    decide,
    limit_of,
)
from auscult.models.learning.head import Head
from auscult.models.learning.head_fit import fit_head, places_wanted, with_offset
from auscult.models.learning.ledger import Ledger
from auscult.models.learning.machine_replay import MachineReplay
from auscult.models.learning.replay import ReplayRows, RowClass, group_key
from auscult.models.learning.settings import LearningSettings
from auscult.models.learning.training_result import Heads, TrainingResult
from auscult.models.network import engines
from auscult.models.network.autoencoder import CLIP
from auscult.models.network.guard import Model

ROW_CLASS = {
    Verdict.FALSE_ALARM: RowClass.FALSE_ALARM,
    Verdict.CONFIRMED_FAULT: RowClass.CONFIRMED_FAULT,
}


class HeadTrainer:
    """Trains candidate heads on a machine's replay; stores nothing itself.

    Parameters
    ----------
    replay : MachineReplay
        Its marks change with each label.
    points : mapping of point to PointContext
    start : mapping of point to Head
        Heads that change nothing.
    settings : LearningSettings
    ledger : Ledger
        Knows which labels a person gave again, and which a confirmed fault opened.
    """

    def __init__(
        self,
        replay: MachineReplay,
        points: Mapping[str, PointContext],
        start: Heads,
        settings: LearningSettings,
        ledger: Ledger,
    ) -> None:
        self._replay = replay
        self._ledger = ledger
        self._start = start
        self._settings = settings
        self._points = points
        self._tables: dict[str, NDArray[np.float32]] = {}
        self._limits = {p: limit_of(c.seen, settings.p_limit) for p, c in points.items()}

    def with_replay(self, replay: MachineReplay) -> HeadTrainer:
        """Return a trainer on another replay, such as a copy for a preview."""
        other = copy(self)
        other._replay = replay
        return other

    def threshold(self, heads: Heads) -> float:
        """Return the highest of the points' limits, as a score."""
        return float(np.exp(max(self._limits[p] + head.offset for p, head in heads.items())))

    def train(
        self,
        label: Label,
        active: Heads,
        newest: Heads,
        earlier: Label | None,
    ) -> TrainingResult:
        """Train on a label.

        Parameters
        ----------
        label : Label
        active, newest : mapping of point to Head
            The heads that decide now, and those that training starts from (the candidate's, if
            there is one).
        earlier : Label or None
            The verdict on the same event that this one replaces.
        """
        row_class = ROW_CLASS.get(label.verdict, RowClass.OPEN)
        known = self._replay.classes_of(label.event_id)
        self._replay.mark(label.event_id, row_class, label.kind or "")
        before = self._replay.replayed_with(active)
        corrected = any(c in ROW_CLASS.values() and c is not row_class for c in known.values())
        if not known:
            return TrainingResult(active, before, before, (Said("no_windows_of_event"),))
        repeated = earlier is not None and earlier.verdict is label.verdict
        first = row_class is RowClass.FALSE_ALARM and not corrected and not repeated
        if self._settings.gate and first:
            doubt = self._doubt(newest, label.event_id)
            if doubt is not None:
                return self._doubted(label, *doubt, active, before)
        if row_class is RowClass.OPEN and not corrected:
            return TrainingResult(active, before, before, (Said("verdict_changes_nothing"),))
        start = self._start if corrected else newest
        points = list(start) if corrected else list(known)
        again = self._count_again(label.event_id, newest) if corrected else {}
        learned = row_class is RowClass.FALSE_ALARM and set(known.values()) == {row_class}
        result = self._candidate(label, before, start, points, again, learned=learned)
        if not corrected:
            return result
        more = [Said("replaces_verdict", {"actor": earlier.actor})] if earlier else []
        if not result.accepted and row_class is RowClass.FALSE_ALARM:
            # The earlier verdict is undone anyway: its event is open, the others are retrained.
            heads = self._directed(self._learn(list(self._start), self._start), list(self._start))
            more.append(Said("counts_as_open"))
            result = replace(result, heads=heads, after=self._replay.replayed_with(heads))
        return replace(result, reasons=(*result.reasons, *more), accepted=True, at_once=True)

    def _count_again(self, fault_id: str, heads: Heads) -> dict[str, RowClass]:
        """Mark what a withdrawn fault opened as false alarms, but those like another fault."""
        marks = {}
        for event in self._ledger.opened_by(fault_id):
            like = self._replay.fault_like(heads, event)
            if like is None or like.cosine < self._settings.doubtful:
                marks[event] = RowClass.FALSE_ALARM
                self._replay.mark(event, RowClass.FALSE_ALARM)
        return marks

    def _doubt(self, heads: Heads, event_id: str) -> tuple[Said, tuple[str, ...]] | None:
        """Return why a false alarm is probably none, and the confirmed fault that it resembles."""
        like = self._replay.fault_like(heads, event_id)
        if like is not None and like.cosine >= self._settings.doubtful:
            alike = Said("gate_resembles_fault", {"event": like.fault, "likeness": like.cosine})
            return alike, (like.fault,)
        share = self._replay.breadth_of(event_id)
        if share >= self._settings.wide:
            return Said("gate_departs_widely", {"share": share, "limit": CLIP}), ()
        return None

    def _doubted(
        self,
        label: Label,
        reason: Said,
        contradicts: tuple[str, ...],
        active: Heads,
        before: Replayed,
    ) -> TrainingResult:
        """Reject a false alarm that is probably none; the same label again insists."""
        self._replay.mark(label.event_id, RowClass.OPEN)
        marks = {label.event_id: RowClass.OPEN}
        return TrainingResult(
            active, before, before, (reason,), marks=marks, contradicts=contradicts
        )

    def _candidate(
        self,
        label: Label,
        before: Replayed,
        start: Heads,
        points: Sequence[str],
        again: Mapping[str, RowClass],
        *,
        learned: bool,
    ) -> TrainingResult:
        """Train candidate heads on a label, and let the gate decide on them.

        ``again``: marks of earlier false alarms that count again with this label.
        ``learned``: the event counts as a false alarm already. Said again, it need not come closer
        to normal, and is never undone.
        """
        settings = self._settings
        row_class = ROW_CLASS.get(label.verdict, RowClass.OPEN)
        marks = {**again, label.event_id: row_class}
        only = None if settings.replay else label.event_id
        heads = self._learn(points, start, only)
        if row_class is RowClass.CONFIRMED_FAULT or again:
            heads = self._without_contradictions(heads, points, start, marks)
        reported = label.event_id.startswith(REPORTED) and row_class is RowClass.CONFIRMED_FAULT
        of_before = None if reported else start
        heads = self._directed(heads, points, only)
        new = "" if learned else label.event_id
        heads, after, decision = self._decided(heads, before, new, of_before)
        if reported and decision.accepted and not _shows(after, before, label.event_id):
            decision = GateDecision(False, Said("report_shows_nothing"))
        accepted = decision.accepted or not settings.gate
        opened = (event for event, mark in marks.items() if mark is RowClass.OPEN)
        contradicts = tuple(event for event in opened if event != label.event_id)
        more = [Said("contradicts", {"events": contradicts})] if contradicts else []
        if accepted and row_class is RowClass.CONFIRMED_FAULT:
            alike = self._replay.false_alarms_like(heads, label.event_id, settings.doubtful)
            alike = tuple(event for event in alike if event not in self._ledger.rechecked)
            without = dict(marks)
            for event in alike:
                self._mark_open(event, without)
            if alike:
                directed = self._directed(self._learn(list(heads), start), list(heads))
                other = self._decided(directed, before, new, of_before)
                if other[2].accepted or not settings.gate:
                    heads, after, decision = other
                    marks = without
                    more.append(Said("false_alarms_alike", {"events": alike}))
                else:  # the gate needs them: they count on, and are asked about
                    for event in alike:
                        self._replay.mark(event, RowClass.FALSE_ALARM)
                contradicts = (*contradicts, *alike)
        reasons, advice = (decision.reason, *more), self._advice(heads, points)
        if not accepted and row_class is RowClass.FALSE_ALARM:
            contradicts = tuple(after.faults_lost(before, settings))
        if not (accepted or learned) and (reported or row_class is not RowClass.CONFIRMED_FAULT):
            # What the gate rejected must not come back with the next label; a confirmed fault
            # that was detected must stay so even if no better head was found for it.
            self._mark_open(label.event_id, marks)
        return TrainingResult(heads, before, after, reasons, accepted, marks, contradicts, advice)

    def _decided(
        self, heads: dict[str, Head], before: Replayed, event_id: str, start: Heads | None
    ) -> tuple[dict[str, Head], Replayed, GateDecision]:
        """Let the gate decide on heads; where it rejects them, with the directions of `start`."""
        after = self._replay.replayed_with(heads)
        decision = decide(before, after, event_id, self._settings)
        if start is None or decision.accepted:
            return heads, after, decision
        as_before = {p: replace(h, directions=start[p].directions) for p, h in heads.items()}
        other = self._replay.replayed_with(as_before)
        again = decide(before, other, event_id, self._settings)
        return (as_before, other, again) if again.accepted else (heads, after, decision)

    def train_again(self, active: Heads, newest: Heads) -> TrainingResult:
        """Train on the same labels again, with the windows that came to their events since."""
        before = self._replay.replayed_with(active)
        heads = self._directed(self._learn(list(newest), newest), list(newest))
        heads, after, decision = self._decided(heads, before, "", newest)
        reasons = (Said("learned_again"), decision.reason)
        return TrainingResult(heads, before, after, reasons, decision.accepted)

    def train_delta(
        self, delta: Delta, active: Heads, newest: Heads, now_ns: int
    ) -> TrainingResult:
        """Train on the places and reported faults of a delta, as events of their own.

        Later labels then build on them, and the gate guards confirmed faults from elsewhere too.
        A place that resembles a fault confirmed here is left out: here it is no false alarm.
        """
        before = self._replay.replayed_with(active)
        marks, left_out = transfer.take_delta(delta, self._replay, newest, self._settings, now_ns)
        starts = {
            point: replace(head, weights=head.weights + delta.points[point].weights)
            for point, head in newest.items()
        }
        heads = self._directed(self._learn(list(starts), starts), list(starts))
        heads, after, decision = self._decided(heads, before, "", starts)
        if left_out and all(row_class is RowClass.OPEN for row_class in marks.values()):
            decision = GateDecision(False, Said("gate_fault_lost", {"events": left_out}))
        if not decision.accepted:
            for event in list(marks):
                self._mark_open(event, marks)
        self._replay.save()
        about = delta.about
        origin = {"machine": about.machine, "device": about.device, "delta_id": delta.delta_id}
        reasons: tuple[Said, ...] = (Said("delta_from", origin), decision.reason)
        if decision.accepted and left_out:
            reasons = (*reasons, Said("delta_left_out", {"events": left_out}))
        return TrainingResult(heads, before, after, reasons, decision.accepted, marks, left_out)

    def _learn(
        self,
        points: Sequence[str],
        start: Heads,
        only: str | None = None,
    ) -> dict[str, Head]:
        """Fit candidate heads, without directions, to every second row; the gate has the others."""
        heads = dict(start)
        for point in points:
            rows = self._rows(point, only)
            rescore = self._points[point].rescore
            head = fit_head(start[point], rows, trainer(), self._settings, rescore=rescore)
            limit = self._limits[point]
            head = with_offset(head, rows, limit, self._settings, rescore)
            heads[point] = replace(head, directions=Directions.none(head.places.shape[1]))
        return heads

    def _directed(
        self, heads: Heads, points: Sequence[str], only: str | None = None
    ) -> dict[str, Head]:
        """Add the directions of confirmed faults to heads.

        Held-out projections calibrate them, so the gate's windows take part, being few: it then
        sees healthy ones some 0.1 σ lower than new ones would be.
        """
        directed = dict(heads)
        for point in points:
            rows = self._replay.rows(point) if only is None else self._rows(point, only)
            found = find_directions(rows, self._table(point, rows), self._settings)
            directed[point] = replace(heads[point], directions=found)
        return directed

    def _table(self, point: str, rows: ReplayRows) -> NDArray[np.float32]:
        """Log scores of a point at `SIGMAS`, made when the first fault is confirmed."""
        if point not in self._tables and len(rows.select_classes(RowClass.CONFIRMED_FAULT)):
            seen = self._points[point].seen
            self._tables[point] = np.array(
                [limit_of(seen, float(p)) for p in ndtr(-SIGMAS)], np.float32
            )
        return self._tables.get(point, np.zeros(len(SIGMAS), np.float32))

    def _rows(self, point: str, only: str | None) -> ReplayRows:
        rows = self._replay.training_rows(point)
        return rows if only is None else rows.where(rows.info["group"] == group_key(only))

    def _without_contradictions(
        self,
        heads: dict[str, Head],
        points: Sequence[str],
        start: Heads,
        marks: dict[str, RowClass],
    ) -> dict[str, Head]:
        """Mark false alarms as open whose places would silence a confirmed fault.

        A confirmed fault outweighs a false alarm: the events stay open until a person decides.
        """
        bare = self._replay.replayed_with(self._start)
        while lost := self._replay.replayed_with(heads).faults_lost(bare, self._settings):
            event = self._replay.false_alarm_nearest(lost[0])
            if event is None:
                break
            self._mark_open(event, marks)
            heads = self._learn(points, start)
        return heads

    def _mark_open(self, event: str, marks: dict[str, RowClass]) -> None:
        marks[event] = RowClass.OPEN
        self._replay.mark(event, RowClass.OPEN)

    def _advice(self, heads: Heads, points: Sequence[str]) -> Said | None:
        """Return which heads are full, None if none is."""
        settings = self._settings
        full = [
            point
            for point in points
            if len(heads[point].places) == settings.places > 0
            and places_wanted(self._replay.training_rows(point), settings) > settings.places
        ]
        if not full:
            return None
        return Said("head_full", {"points": tuple(full), "places": settings.places})


def _shows(after: Replayed, before: Replayed, event_id: str) -> bool:
    """Return whether the evidence of a reported fault has grown."""
    now = after.faults.get(event_id, -np.inf)
    return now >= before.faults.get(event_id, -np.inf) + CLOSER


@cache
def trainer() -> Model:
    """Load the training steps once for all machines and labels."""
    return engines.training()
