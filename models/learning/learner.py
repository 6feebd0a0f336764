"""Learning of one machine: remembers windows, takes labels, changes heads, keeps checkpoints."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from models import artefact
from models.delta import Delta, DeltaAbout, DeltaError, PointDelta
from models.detector import JudgedWindow
from models.learning.checkpoints import CheckpointError, CheckpointStore, Entry
from models.learning.gate import Replayed, judge, limit_of
from models.learning.head import Head, change_norm
from models.learning.lesson import new_head, with_offset
from models.learning.machine_replay import MachineReplay, PointContext
from models.learning.packing import pack, unpack
from models.learning.replay import HIDDEN, RowClass, group_key
from models.learning.settings import SETTINGS, LearningSettings
from models.records import Checkpoint, CheckpointState, HeadUpdate, Label, Metrics, Verdict
from models.runtime import Model

REPLAY_FILE = "replay"
BACKLOG = 1000
"""Hops that wait at most while a label is being learned: minutes of windows, and older ones are
no loss to a replay."""
ROW_CLASS = {
    Verdict.FALSE_ALARM: RowClass.FALSE_ALARM,
    Verdict.CONFIRMED_FAULT: RowClass.CONFIRMED_FAULT,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What learning came to: heads, how the replay fares before and after, and what is said."""

    heads: Mapping[str, Head]
    before: Replayed
    after: Replayed
    reason: str
    accepted: bool = False
    marks: Mapping[str, RowClass] = field(default_factory=dict)


class Learner:
    """The heads of one machine's points, and everything that changes them.

    The window loop calls `remember` and reads `heads`, neither of which waits; `label` and the
    rest may run in another thread meanwhile.

    Parameters
    ----------
    folder : Path
        Holds replay and checkpoints; nothing else may write to it.
    machine : str
    points : mapping of point to PointContext
        In the order of the machine's rows.
    baseline_id : str
        Heads and replay live in the coordinates of one baseline: after a new baseline learning
        starts afresh, the old checkpoints stay.
    created_ns : int
        Time to note on the first checkpoint of a baseline.
    """

    def __init__(
        self,
        folder: Path,
        machine: str,
        points: Mapping[str, PointContext],
        baseline_id: str,
        settings: LearningSettings = SETTINGS,
        created_ns: int = 0,
    ) -> None:
        self.machine = machine
        self.settings = settings
        self._points = dict(points)
        self._limits = {p: limit_of(c.seen, settings.p_limit) for p, c in points.items()}
        self._baseline_id = baseline_id
        self._store = CheckpointStore(folder, settings.keep)
        self._replay = MachineReplay(folder / REPLAY_FILE, points, baseline_id, settings)
        data, manifest = artefact.load("vibration")
        self._model = Model(data, manifest.sha256)
        self._heads = self._start_heads()
        self._active_id = ""
        active = self._store.active()
        if active is not None:
            self._active_id = active.checkpoint.checkpoint_id
        if active is None or not self._take(self._store.payload(self._active_id), self._active_id):
            self._begin(created_ns)
        self._updates: dict[str, HeadUpdate] = {}
        for known in self._store.entries():
            if known.update is not None:
                self._updates[known.update.label_id] = known.update
            for event, row_class in known.marks.items():
                self._replay.mark(event, RowClass(row_class))
        self._lock = threading.Lock()
        self._incoming: deque[tuple[tuple[JudgedWindow, ...], str | None]] = deque(maxlen=BACKLOG)

    @property
    def checkpoint_id(self) -> str:
        """Id of the active checkpoint."""
        return self._active_id

    @property
    def heads(self) -> Mapping[str, Head]:
        """The active head of each point, for `MachineDetector.set_heads`; replaced as a whole."""
        return self._heads

    def remember(self, windows: Sequence[JudgedWindow], event_id: str | None) -> None:
        """Show the windows of a hop to the replay, which may keep some; never waits.

        Parameters
        ----------
        windows : sequence of JudgedWindow
        event_id : str or None
            The open event that they belong to. Without one they count as healthy, so show no
            windows while a condition is suspect but no event is open.
        """
        self._incoming.append((tuple(windows), event_id))
        if self._lock.acquire(blocking=False):
            try:
                self._take_in()
            finally:
                self._lock.release()

    def save(self) -> None:
        """Write the replay to disk; do so when an event opens or closes, and at the end."""
        with self._lock:
            self._take_in()
            self._replay.save()

    def label(self, label: Label) -> HeadUpdate:
        """Learn from a verdict on an event; the update says what changed, or why nothing did.

        The same event may be labelled again: the later verdict replaces the earlier one, whose
        effect is undone by learning everything else from the start. A label that was learned
        already, as when a restarted gateway repeats it, gives its old update again.
        """
        with self._lock:
            self._take_in()
            if label.label_id not in self._updates:
                self._updates[label.label_id] = self._label(label)
            return self._updates[label.label_id]

    def _label(self, label: Label) -> HeadUpdate:
        started = time.perf_counter()
        row_class = ROW_CLASS.get(label.verdict, RowClass.OPEN)
        earlier = self._replay.classes_of(label.event_id)
        marks = {label.event_id: row_class}
        self._replay.mark(label.event_id, row_class)
        before = self._replay.judged_by(self._heads)
        corrected = any(c in ROW_CLASS.values() and c is not row_class for c in earlier.values())
        if not earlier:
            reason = "no window of this event is kept, so nothing can be learned"
            return self._commit(label, Outcome(self._heads, before, before, reason), started)
        if row_class is RowClass.OPEN and not corrected:
            reason = f"{label.verdict} changes no head"
            return self._commit(label, Outcome(self._heads, before, before, reason), started)
        points = list(self._points) if corrected else list(earlier)
        only = None if self.settings.replay else label.event_id
        start = self._start_heads() if corrected else self._heads
        heads = self._learn(points, start, only)
        if row_class is RowClass.CONFIRMED_FAULT:
            heads = self._without_contradictions(heads, points, marks)
        after = self._replay.judged_by(heads)
        decision = judge(before, after, label.event_id, self.settings)
        if not decision.accepted and self.settings.adapter == "when_refused":
            adapted = self._learn(points, start, only, with_adapter=True)
            fares = self._replay.judged_by(adapted)
            second = judge(before, fares, label.event_id, self.settings)
            if second.accepted:
                heads, after, decision = adapted, fares, second
        accepted, reason = decision.accepted or corrected, decision.reason
        accepted = accepted or not self.settings.gate
        if disputed := [event for event in marks if event != label.event_id]:
            reason += "; contradicts the false-alarm label of event " + ", ".join(disputed)
        if not accepted and row_class is not RowClass.CONFIRMED_FAULT:
            # What the gate refused must not come back with the next label; a confirmed fault
            # stays among what must be detected even if no better head was found for it.
            self._mark_open(label.event_id, marks)
        return self._commit(label, Outcome(heads, before, after, reason, accepted, marks), started)

    def _mark_open(self, event: str, marks: dict[str, RowClass]) -> None:
        marks[event] = RowClass.OPEN
        self._replay.mark(event, RowClass.OPEN)

    def roll_back(self, checkpoint_id: str, now_ns: int) -> Checkpoint:
        """Make the heads of an older checkpoint active again, bit for bit.

        False alarms that were labelled since are open again, or the next label would bring them
        back; confirmed faults stay confirmed.

        Raises
        ------
        CheckpointError
            If it is missing, damaged, of another baseline, or its weights are no longer kept.
        """
        with self._lock:
            payload = self._store.payload(checkpoint_id)
            heads = self._unpack(payload)
            if heads is None:
                raise CheckpointError(f"checkpoint {checkpoint_id} belongs to another baseline")
            back = self._checkpoint(now_ns, CheckpointState.ACTIVE, f"back to {checkpoint_id}")
            marks = self._marks_at(checkpoint_id)
            checkpoint = self._store.write(Entry(back, marks=marks), payload).checkpoint
            for event, row_class in marks.items():
                self._replay.mark(event, row_class)
            self._take(payload, checkpoint.checkpoint_id)
            return checkpoint

    def export(self, device: str, spec_id: str, now_ns: int) -> Delta:
        """Give what this machine has learned, for machines with the same base; `sign` it."""
        with self._lock:
            self._take_in()
            entry = self._store.active()
            start = self._start_heads()
            points = {
                point: PointDelta(
                    head.places,
                    head.faults,
                    (head.weights - start[point].weights).astype(np.float16),
                )
                for point, head in self._heads.items()
            }
        labels = sum(update.accepted for update in self._updates.values())
        checkpoint = entry.checkpoint if entry else None
        about = DeltaAbout(
            device=device,
            machine=self.machine,
            base_id=self._baseline_id,
            spec_id=spec_id,
            checkpoint_id=self._active_id,
            created_ns=now_ns,
            labels=labels,
            data_sha256=self._replay.sha256,
            before=checkpoint.metrics_before if checkpoint else None,
            after=checkpoint.metrics_after if checkpoint else None,
        )
        return Delta(about, points)

    def apply(self, delta: Delta, spec_id: str, now_ns: int) -> HeadUpdate:
        """Take over what another machine has learned, if this machine's own gate accepts it.

        Its places join this machine's replay as events of their own, so that later labels build
        on them and confirmed faults from elsewhere are guarded here too.

        Raises
        ------
        DeltaError
            If base, specification or points differ.
        """
        if (delta.about.base_id, delta.about.spec_id) != (self._baseline_id, spec_id):
            raise DeltaError(
                f"made for base {delta.about.base_id} and specification {delta.about.spec_id}, "
                f"this machine has {self._baseline_id} and {spec_id}"
            )
        if delta.points.keys() != self._points.keys():
            raise DeltaError(f"made for points {sorted(delta.points)}")
        with self._lock:
            self._take_in()
            if delta.delta_id not in self._updates:
                self._updates[delta.delta_id] = self._apply(delta, now_ns)
            return self._updates[delta.delta_id]

    def _apply(self, delta: Delta, now_ns: int) -> HeadUpdate:
        started = time.perf_counter()
        before = self._replay.judged_by(self._heads)
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
                    window = JudgedWindow(point, now_ns, place, none, score, "", seen=True)
                    self._replay.take([window], event)
                    marks[event] = ROW_CLASS[verdict]
        for event, row_class in marks.items():
            self._replay.mark(event, row_class)
        starts = {
            point: replace(head, weights=head.weights + delta.points[point].weights)
            for point, head in self._heads.items()
        }
        heads = self._learn(list(self._points), starts)
        after = self._replay.judged_by(heads)
        decision = judge(before, after, "", self.settings)
        if not decision.accepted:
            for event in marks:
                self._mark_open(event, marks)
        self._replay.save()
        source = Label(delta.delta_id, "", self.machine, Verdict.UNSURE, None, "", now_ns)
        reason = f"delta of {delta.about.machine} at {delta.about.device}: {decision.reason}"
        outcome = Outcome(heads, before, after, reason, decision.accepted, marks)
        return self._commit(source, outcome, started)

    def checkpoints(self) -> list[Entry]:
        """Give all checkpoints, oldest first, each with its update: the ledger of labels."""
        return self._store.entries()

    def resembles(self, window: JudgedWindow) -> float:
        """Tell how alike a window is to the nearest confirmed fault, 0..1; 0 without any."""
        found = self._heads[window.point].resembles(window.position)
        return found[1] if found else 0.0

    def _marks_at(self, checkpoint_id: str) -> dict[str, RowClass]:
        """Tell what events were taken for at a checkpoint; confirmed faults stay confirmed."""
        then: dict[str, int] = {}
        now: dict[str, int] = {}
        for entry in self._store.entries():
            now.update(entry.marks)
            if entry.checkpoint.checkpoint_id <= checkpoint_id:
                then.update(entry.marks)
        return {
            event: RowClass(then.get(event, RowClass.OPEN))
            for event, row_class in now.items()
            if row_class != RowClass.CONFIRMED_FAULT
        }

    def _take_in(self) -> None:
        while self._incoming:
            self._replay.take(*self._incoming.popleft())

    def _learn(
        self,
        points: Sequence[str],
        start: Mapping[str, Head],
        only: str | None = None,
        *,
        with_adapter: bool = False,
    ) -> dict[str, Head]:
        """Make candidate heads from every second row; the gate judges on the others."""
        heads = dict(self._heads)
        for point in points:
            rows = self._replay.training_rows(point)
            if only is not None:
                rows = rows.where(rows.info["group"] == group_key(only))
            adapted = with_adapter or self.settings.adapter == "always"
            head = new_head(start[point], rows, self._model, self.settings, with_adapter=adapted)
            heads[point] = with_offset(head, rows, self._limits[point], self.settings)
        return heads

    def _without_contradictions(
        self, heads: dict[str, Head], points: Sequence[str], marks: dict[str, RowClass]
    ) -> dict[str, Head]:
        """Dispute false-alarm labels whose places would silence a confirmed fault.

        A confirmed fault outweighs a false alarm: the events are set apart until a person decides.
        """
        bare = self._replay.judged_by(self._start_heads())
        while lost := self._replay.judged_by(heads).faults_lost(bare, self.settings):
            event = self._replay.false_alarm_nearest(lost[0])
            if event is None:
                break
            self._mark_open(event, marks)
            heads = self._learn(points, self._heads)
        return heads

    def _commit(self, label: Label, outcome: Outcome, started: float) -> HeadUpdate:
        """Write what happened, whole, and only then let it act."""
        before = outcome.before.metrics(self._threshold(self._heads), self.settings)
        after = outcome.after.metrics(self._threshold(outcome.heads), self.settings)
        if self._replay.has_unsaved(label.event_id):
            self._replay.save()
        state = CheckpointState.ACTIVE if outcome.accepted else CheckpointState.REJECTED
        update = HeadUpdate(
            label_id=label.label_id,
            machine=self.machine,
            checkpoint_id="",
            parent_id=self._active_id,
            accepted=outcome.accepted,
            reason=outcome.reason,
            before=before,
            after=after,
            weights_change_norm=change_norm(self._heads, outcome.heads),
            duration_ms=(time.perf_counter() - started) * 1e3,
        )
        checkpoint = self._checkpoint(label.at_ns, state, outcome.reason, before, after)
        payload = self._pack_heads(outcome.heads)
        entry = self._store.write(Entry(checkpoint, label, update, outcome.marks), payload)
        if outcome.accepted:
            self._take(payload, entry.checkpoint.checkpoint_id)
        return replace(update, checkpoint_id=entry.checkpoint.checkpoint_id)

    def _threshold(self, heads: Mapping[str, Head]) -> float:
        """Highest of the points' limits, as a score."""
        return float(np.exp(max(self._limits[p] + head.offset for p, head in heads.items())))

    def _checkpoint(
        self,
        now_ns: int,
        state: CheckpointState,
        reason: str,
        before: Metrics | None = None,
        after: Metrics | None = None,
    ) -> Checkpoint:
        return Checkpoint(
            checkpoint_id="",
            parent_id=self._active_id or None,
            machine=self.machine,
            created_ns=now_ns,
            state=state,
            reason=reason,
            metrics_before=before,
            metrics_after=after,
            size_bytes=0,
            sha256="",
        )

    def _start_heads(self) -> dict[str, Head]:
        return {p: Head.start(c.coordinates) for p, c in self._points.items()}

    def _pack_heads(self, heads: Mapping[str, Head]) -> bytes:
        parts = {point: head.to_bytes() for point, head in heads.items()}
        return pack(parts, {"baseline_id": self._baseline_id})

    def _unpack(self, payload: bytes) -> dict[str, Head] | None:
        parts, about = unpack(payload)
        if about["baseline_id"] != self._baseline_id or parts.keys() != self._points.keys():
            return None
        return {point: Head.from_bytes(part) for point, part in parts.items()}

    def _begin(self, now_ns: int) -> None:
        """Write the heads that change nothing, to which the first label can be taken back."""
        start = self._checkpoint(now_ns, CheckpointState.ACTIVE, "a new baseline, no labels yet")
        payload = self._pack_heads(self._heads)
        self._active_id = self._store.write(Entry(start), payload).checkpoint.checkpoint_id

    def _take(self, payload: bytes, checkpoint_id: str) -> bool:
        """Use the heads of a checkpoint; False, changing nothing, if of another baseline."""
        heads = self._unpack(payload)
        if heads is None:
            return False
        self._heads, self._active_id = heads, checkpoint_id
        return True
