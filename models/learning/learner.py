"""Learning of one machine: remembers windows, takes labels, changes heads, keeps checkpoints."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from auscult.models.learning import transfer
from auscult.models.learning.checkpoints import Entry, write_whole
from auscult.models.learning.delta import Delta
from auscult.models.learning.gate import PointContext
from auscult.models.learning.head import Head, change_norm
from auscult.models.learning.head_trainer import HeadTrainer, Outcome
from auscult.models.learning.heads import HeadsFormat
from auscult.models.learning.ledger import Ledger
from auscult.models.learning.machine_replay import REPLAY_FILE, MachineReplay, forget_old_replays
from auscult.models.learning.pending import Pending, PendingLabels
from auscult.models.learning.recognition import KnownFault
from auscult.models.learning.replay import RowClass
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.learning.shadow import ShadowRun, shadow_of
from auscult.models.learning.trigger import Novelty, Wait, novel_data_due, wait_for_labels
from auscult.models.learning.versions import Heads, Versions
from auscult.models.records import (
    Checkpoint,
    CheckpointState,
    HeadUpdate,
    Label,
    ScoredWindow,
    Verdict,
)

PENDING_FILE = "pending"
SHADOW_FILE = "shadow"
TOLD_EVENTS = 50
"""Events that an update names at most, of those that it silences: 1.3 kB."""
BACKLOG = 1000
"""Hops that wait at most while a label is being learned: minutes of windows, and older ones are
no loss to a replay."""


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
        starts afresh; the old checkpoints and replay stay, for a return to the old baseline.
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
        self._folder = folder
        self._points = dict(points)
        heads = HeadsFormat(self._points, baseline_id)
        self._versions = Versions(folder, settings.keep, machine, heads, created_ns)
        replay_path = folder / f"{REPLAY_FILE}-{baseline_id[:12]}"
        forget_old_replays(folder, replay_path, settings.keep_replays)
        self._replay = MachineReplay(replay_path, points, baseline_id, settings)
        self._trainer = HeadTrainer(self._replay, self._points, heads.start(), settings)
        self._pending = PendingLabels(folder / PENDING_FILE)
        self._shadow: ShadowRun | None = None
        self._ledger = Ledger()
        self._novelty = Novelty()
        self.known_faults: tuple[KnownFault, ...] = ()
        """Confirmed faults that a departure may resemble; replaced as a whole."""
        self._resume()
        self._lock = threading.Lock()
        self._incoming: deque[tuple[tuple[ScoredWindow, ...], str | None]] = deque(maxlen=BACKLOG)

    # ------------------------------------------------------------------ what judges now

    @property
    def baseline_id(self) -> str:
        """Baseline in whose coordinates it learns."""
        return self._versions.baseline_id

    @property
    def checkpoint_id(self) -> str:
        """Id of the active checkpoint."""
        return self._versions.active_id

    @property
    def heads(self) -> Mapping[str, Head]:
        """The active head of each point, for `MachineDetector.set_heads`; replaced as a whole."""
        return self._versions.heads

    @property
    def shadow(self) -> ShadowRun | None:
        """The shadow run of a candidate, if there is one."""
        return self._shadow

    # ------------------------------------------------------------------ remembering windows

    def remember(self, windows: Sequence[ScoredWindow], event_id: str | None) -> None:
        """Show the windows of a hop to the replay, which may keep some; never waits.

        Parameters
        ----------
        windows : sequence of ScoredWindow
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
            if self._shadow is not None:
                write_whole(self._folder / SHADOW_FILE, self._shadow.to_bytes())

    def _take_in(self) -> None:
        while self._incoming:
            windows, event_id = self._incoming.popleft()
            self._replay.take(windows, event_id)
            if event_id is not None:
                self._novelty.take(
                    windows,
                    self._replay.classes_of(event_id),
                    self.heads,
                    self._points,
                    self.settings,
                )
            if self._shadow is not None:
                self._shadow.take(
                    windows,
                    event_id is not None,
                    self.heads,
                    self._versions.newest,
                    self._points,
                    self.settings,
                )

    # ------------------------------------------------------------------ labels

    def is_labelled(self, event_id: str) -> bool:
        """Tell whether an event has a verdict that taught something, which can be withdrawn."""
        with self._lock:  # not in the midst of a lesson, which may come to nothing
            known = self._replay.classes_of(event_id).values()
        return any(c in (RowClass.FALSE_ALARM, RowClass.CONFIRMED_FAULT) for c in known)

    def learned(self, label_id: str) -> HeadUpdate | None:
        """Tell what a label changed, None if it was not learned."""
        with self._lock:
            return self._ledger.update(label_id)

    def submit(self, label: Label) -> HeadUpdate | None:
        """Take a label, on disk before this returns; its update if it was learned before."""
        with self._lock:
            known = self._ledger.update(label.label_id)
            if known is None:
                self._pending.add(label)
            return known

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Labels that wait, or whose effect nobody was told yet."""
        return tuple(self._pending)

    def wait(self, now_ns: int, more: int = 0) -> Wait | None:
        """Tell what the pending labels, and so many more, wait for; None if for nothing."""
        new = more + sum(entry.label.label_id not in self._ledger for entry in self._pending)
        return wait_for_labels(new, self._ledger.trained_ns, now_ns, self.settings)

    def note_answered(self, label_id: str) -> None:
        """Note that the giver of a pending label was told that it waits."""
        with self._lock:
            if label_id in self._pending:
                self._pending.note_answered(label_id)

    def note_told(self, label_id: str) -> None:
        """Note that what a label changed was told: it is pending no more."""
        with self._lock:
            self._pending.remove(label_id)

    def label(self, label: Label) -> HeadUpdate:
        """Learn from a verdict on an event now; the update says what changed, or why nothing did.

        The same event may be labelled again: the later verdict replaces the earlier one, whose
        effect is undone by learning everything else from the start. A label that was learned
        already, as when a restarted gateway repeats it, gives its old update again.
        """
        with self._lock:
            self._take_in()
            known = self._ledger.update(label.label_id)
            if known is not None:
                return known
            started = time.perf_counter()
            earlier = self._ledger.label_of(label.event_id)
            outcome = self._trainer.teach(label, self.heads, self._versions.newest, earlier)
            return self._stored(label, outcome, started)

    def preview(self, label: Label) -> HeadUpdate:
        """Tell what a label would change if it were learned now, after those that wait.

        The very same lesson on a copy: nothing is stored, and no head changes.
        """
        started = time.perf_counter()
        with self._lock:
            self._take_in()
            teacher = self._trainer.on(self._replay.copied())
            active, newest = self.heads, self._versions.newest
            waiting = [p.label for p in self._pending if p.label.label_id not in self._ledger]
        earlier = {one.event_id: one for one in waiting}
        for one in waiting:
            outcome = teacher.teach(one, active, newest, self._ledger.label_of(one.event_id))
            if outcome.accepted:
                newest = outcome.heads
                active = active if self._runs_first(outcome) else newest
        before = earlier.get(label.event_id) or self._ledger.label_of(label.event_id)
        outcome = teacher.teach(label, active, newest, before)
        return self._told(
            label, outcome, self._record(outcome, active, label.at_ns), active, started
        )

    def learn_novel(self, now_ns: int) -> bool:
        """Learn again if enough came to labelled events since; True if the heads changed."""
        with self._lock:
            self._take_in()
            if not novel_data_due(self._novelty, self._ledger.trained_ns, now_ns, self.settings):
                return False
            outcome = self._trainer.again(self.heads, self._versions.newest)
            self._ledger.trained_ns = now_ns
            self._replay.save()
            record = self._record(outcome, self.heads, now_ns)
            self._write(Entry(record, marks=outcome.marks), outcome)
            return outcome.accepted

    # ------------------------------------------------------------------ checkpoints

    def checkpoints(self, most: int | None = None) -> list[Entry]:
        """Give all checkpoints, or the newest few, oldest first: the ledger of labels."""
        return self._versions.entries(most)

    def keeps(self, entry: Entry) -> bool:
        """Tell whether a checkpoint can be gone back to: of this baseline, its weights kept."""
        return self._versions.keeps(entry)

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
            self._shadow = None
            return self._taken(self._versions.roll_back(checkpoint_id, now_ns))

    def promote(self, now_ns: int, reason: str) -> Checkpoint:
        """Let the candidate in the shadow replace the active heads.

        Raises
        ------
        CheckpointError
            If there is none.
        """
        with self._lock:
            entry = self._versions.promote(now_ns, reason)
            self._shadow = None
            return self._taken(entry)

    def reject(self, now_ns: int, reason: str) -> Checkpoint:
        """Drop the candidate in the shadow; its false-alarm label no longer counts.

        Raises
        ------
        CheckpointError
            If there is none.
        """
        with self._lock:
            entry = self._versions.reject(now_ns, reason)
            self._shadow = None
            return self._taken(entry)

    def resolve_shadow(self, now_ns: int) -> Checkpoint | None:
        """Promote or reject the candidate if its shadow run is over."""
        with self._lock:
            self._take_in()
            decision = self._shadow.decision(self.settings) if self._shadow else None
        if decision is None:
            return None
        return (self.promote if decision.accepted else self.reject)(now_ns, decision.reason)

    # ------------------------------------------------------------------ deltas

    def export(self, device: str, spec_id: str, now_ns: int) -> Delta:
        """Give what this machine has learned, for machines with the same base; `sign` it."""
        with self._lock:
            self._take_in()
            return transfer.delta_of(
                self.heads,
                self._versions.active(),
                device=device,
                machine=self.machine,
                base_id=self.baseline_id,
                spec_id=spec_id,
                created_ns=now_ns,
                labels=self._ledger.accepted,
                data_sha256=self._replay.sha256,
            )

    def apply(
        self, delta: Delta, spec_id: str, now_ns: int, *, as_id: str = "", actor: str = ""
    ) -> HeadUpdate:
        """Take over what another machine has learned, if this machine's own gate accepts it.

        Parameters
        ----------
        delta : Delta
        spec_id : str
        now_ns : int
        as_id : str
            Of the wish: the same one is done once, another one again, as after a return to an
            older version. By default the delta's own.
        actor : str
            Who wants it.

        Raises
        ------
        DeltaError
            If base, specification or points differ.
        """
        transfer.check_fits(delta, self.baseline_id, spec_id, self._points)
        with self._lock:
            self._take_in()
            known = self._ledger.update(as_id or delta.delta_id)
            if known is not None:
                return known
            started = time.perf_counter()
            outcome = self._trainer.absorb(delta, self.heads, self._versions.newest, now_ns)
            wish = as_id or delta.delta_id
            source = Label(wish, "", self.machine, Verdict.UNSURE, None, actor, now_ns)
            return self._stored(source, outcome, started)

    # ------------------------------------------------------------------ inside

    def _resume(self) -> None:
        """Take up what is on disk: the ledger, the waiting labels, a shadow run."""
        for known in self._versions.entries():
            if known.update is not None and known.label is not None:
                self._ledger.note(known.label, known.update)
            self._mark(known.marks)
        for entry in self._pending:
            if entry.label.label_id in self._ledger and not entry.answered:
                self._pending.remove(entry.label.label_id)
        candidate = self._versions.candidate
        if candidate is not None:
            self._shadow = shadow_of(candidate.checkpoint_id, self._folder / SHADOW_FILE)
        self._find_known_faults()

    def _stored(self, label: Label, outcome: Outcome, started: float) -> HeadUpdate:
        """Learn what came of a label, or nothing at all if it can't be stored."""
        try:
            return self._learned(label, outcome, started)
        except OSError:
            self._forget_marks([label.event_id, *outcome.marks])
            raise

    def _learned(self, label: Label, outcome: Outcome, started: float) -> HeadUpdate:
        """Write what a label did, whole, and only then let it act."""
        record = self._record(outcome, self.heads, label.at_ns)
        update = self._told(label, outcome, record, self.heads, started)
        if self._replay.has_unsaved(label.event_id):
            self._replay.save()
        update = self._write(Entry(record, label, update, outcome.marks), outcome).update or update
        self._ledger.note(label, update)
        self._find_known_faults()
        return update

    def _told(
        self, label: Label, outcome: Outcome, record: Checkpoint, active: Heads, started: float
    ) -> HeadUpdate:
        """Put what a label does into the record that people see."""
        before, after = record.metrics_before, record.metrics_after
        assert before is not None  # noqa: S101
        assert after is not None  # noqa: S101
        spoke, speaks = (one.speaking(self.settings) for one in (outcome.before, outcome.after))
        return HeadUpdate(
            label_id=label.label_id,
            machine=self.machine,
            checkpoint_id="",
            parent_id=self._versions.active_id,
            accepted=outcome.accepted,
            reason=record.reason,
            before=before,
            after=after,
            weights_change_norm=change_norm(active, outcome.heads),
            duration_ms=(time.perf_counter() - started) * 1e3,
            contradicts=outcome.contradicts,
            advice=outcome.advice,
            silenced=_newest(spoke - speaks),
            raised=_newest(speaks - spoke),
        )

    def _runs_first(self, outcome: Outcome) -> bool:
        return self.settings.shadow and not outcome.at_once

    def _record(self, outcome: Outcome, active: Heads, now_ns: int) -> Checkpoint:
        """Make the record of an outcome: rejected, active at once, or a candidate first."""
        before = outcome.before.metrics(self._trainer.threshold(active), self.settings)
        after = outcome.after.metrics(self._trainer.threshold(outcome.heads), self.settings)
        state, reason = CheckpointState.REJECTED, outcome.reason
        if outcome.accepted:
            runs_first = self._runs_first(outcome)
            state = CheckpointState.CANDIDATE if runs_first else CheckpointState.ACTIVE
            reason += "; runs in the shadow of the active heads first" if runs_first else ""
        return self._versions.checkpoint(now_ns, state, reason, before, after)

    def _write(self, entry: Entry, outcome: Outcome) -> Entry:
        written = self._versions.write(entry, outcome.heads)
        self._novelty = Novelty()
        if written.checkpoint.state is CheckpointState.CANDIDATE:
            self._shadow = ShadowRun(written.checkpoint.checkpoint_id)
        elif written.checkpoint.state is CheckpointState.ACTIVE:
            self._shadow = None
        return written

    def _taken(self, entry: Entry) -> Checkpoint:
        """Let the replay know what events are taken for now."""
        self._mark(entry.marks)
        return entry.checkpoint

    def _mark(self, marks: Mapping[str, int]) -> None:
        for event, row_class in marks.items():
            label = self._ledger.label_of(event)
            self._replay.mark(event, RowClass(row_class), (label.kind if label else None) or "")

    def _forget_marks(self, events: Iterable[str]) -> None:
        """Take events for what they are on disk: what could not be stored was not learned."""
        for event in events:
            self._replay.mark(event, RowClass.OPEN)
        for known in self._versions.entries():
            self._mark(known.marks)

    def _find_known_faults(self) -> None:
        labelled = (
            (self._ledger.label_of(event), centres)
            for event, centres in self._replay.fault_centres().items()
        )
        self.known_faults = tuple(
            KnownFault(label, centres) for label, centres in labelled if label is not None
        )


def _newest(events: set[str]) -> tuple[str, ...]:
    """Name the last events; their ids are ULIDs, which sort by time."""
    return tuple(sorted(events)[-TOLD_EVENTS:])
