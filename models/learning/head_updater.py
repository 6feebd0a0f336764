"""The heads of one machine: labels update them, the gate decides, checkpoints keep each step."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from auscult.contract.label import Label
from auscult.contract.records import Checkpoint, CheckpointState, DeltaImport, HeadUpdate
from auscult.contract.said import Said
from auscult.models.learning import transfer
from auscult.models.learning.checkpoints import LedgerEntry
from auscult.models.learning.delta import Delta
from auscult.models.learning.gate import PointContext
from auscult.models.learning.head import Head
from auscult.models.learning.head_trainer import HeadTrainer
from auscult.models.learning.heads import HeadsFormat
from auscult.models.learning.history import CheckpointHistory, Heads
from auscult.models.learning.ledger import Ledger
from auscult.models.learning.live_windows import LiveWindows
from auscult.models.learning.machine_replay import (
    REPLAY_FILE,
    MachineReplay,
    remove_old_replays,
)
from auscult.models.learning.preview import previewed
from auscult.models.learning.recognition import KnownFault
from auscult.models.learning.repair import Centres
from auscult.models.learning.replay import RowClass
from auscult.models.learning.reported_faults import ReportedFaults
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.learning.shadow import ShadowRun
from auscult.models.learning.training_result import TrainingResult
from auscult.models.learning.trigger import Novelty, Wait, novel_data_due, wait_for_labels
from auscult.models.learning.waiting import WaitingLabels
from auscult.models.learning.window_ring import WindowRing
from auscult.models.records import ScoredWindow

log = logging.getLogger(__name__)

WAITING_FILE = "pending"


class HeadUpdater:
    """The heads of one machine's points, and everything that changes them.

    The window loop calls `remember` and reads `heads`, neither of which waits; `learn` and the
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
        self._points = dict(points)
        heads = HeadsFormat(self._points, baseline_id, settings)
        self._history = CheckpointHistory(folder, settings.keep, machine, heads, created_ns)
        replay_path = folder / f"{REPLAY_FILE}-{baseline_id[:12]}"
        remove_old_replays(folder, replay_path, settings.keep_replays)
        self._replay = MachineReplay(replay_path, points, baseline_id, settings)
        self._live = LiveWindows(folder, self._replay, self._points, settings)
        self._waiting = WaitingLabels(folder / WAITING_FILE)
        self._ledger = Ledger(self._history, self._replay)
        self._trainer = HeadTrainer(
            self._replay, self._points, heads.start(), settings, self._ledger
        )
        if (candidate := self._history.candidate) is not None:
            self._live.resume_shadow(candidate.checkpoint_id)
        self._lock = threading.Lock()
        slots = max((context.slots for context in points.values()), default=0)
        ring = WindowRing(folder, tuple(points), slots, baseline_id)
        self.reports = ReportedFaults(ring, self._replay, self._lock, self._process_windows)

    # ------------------------------------------------------------------ what decides now

    @property
    def baseline_id(self) -> str:
        """Return the baseline in whose coordinates it learns."""
        return self._history.baseline_id

    @property
    def checkpoint_id(self) -> str:
        """Return the id of the active checkpoint."""
        return self._history.active_id

    @property
    def heads(self) -> Mapping[str, Head]:
        """The active head of each point, for `MachineDetector.set_heads`; replaced as a whole."""
        return self._history.heads

    @property
    def known_faults(self) -> tuple[KnownFault, ...]:
        """Return the confirmed faults that a departure may resemble."""
        return self._ledger.known_faults

    @property
    def shadow(self) -> ShadowRun | None:
        """Return the shadow run of a candidate, if there is one."""
        return self._live.shadow

    # ------------------------------------------------------------------ windows

    def remember(
        self,
        windows: Sequence[ScoredWindow],
        event_id: str | None,
        doubtful_since_ns: int | None = None,
    ) -> None:
        """Offer the windows of a hop to the replay, which may keep some; never waits.

        Parameters
        ----------
        windows : sequence of ScoredWindow
        event_id : str or None
            The open event that they belong to. Without one they count as healthy, so offer no
            windows while a condition is suspect but no event is open.
        doubtful_since_ns : int, optional
            When an event that opens may have begun: windows since then are no healthy ones.
        """
        self._live.put(windows, event_id, doubtful_since_ns)
        if self._lock.acquire(blocking=False):
            try:
                self._process_windows()
            finally:
                self._lock.release()

    def save(self, *, only_changes: bool = False) -> None:
        """Write the replay to disk; do so when an event opens or closes, and at the end.

        In between, `only_changes` leaves out a replay that kept none of the windows since.
        """
        self.reports.flush()
        with self._lock:
            self._process_windows()
            self._live.save(only_changes=only_changes)

    # ------------------------------------------------------------------ labels

    def centres_of(self, event_id: str) -> Centres:
        """Return where the windows of an event lie, to compare those after its repair with."""
        with self._lock:
            return self._replay.centres_of(event_id)

    def is_labelled(self, event_id: str) -> bool:
        """Return whether an event has a verdict that was learned, and so can be withdrawn."""
        with self._lock:  # not during a training, which may come to nothing
            known = self._replay.classes_of(event_id).values()
        return any(c in (RowClass.FALSE_ALARM, RowClass.CONFIRMED_FAULT) for c in known)

    def update_of(self, label_id: str) -> HeadUpdate | None:
        """Return what a label changed, None if it was not learned."""
        with self._lock:
            return self._ledger.update(label_id)

    @property
    def waiting(self) -> tuple[Label, ...]:
        """Return the labels that wait, or whose effect was not sent yet."""
        return tuple(self._waiting)

    def wait(self, now_ns: int, more: int = 0) -> Wait | None:
        """Return what the waiting labels, and so many more, wait for; None if for nothing."""
        new = more + sum(label.label_id not in self._ledger for label in self._waiting)
        return wait_for_labels(new, self._ledger.trained_ns, now_ns, self.settings)

    def defer(self, label: Label) -> None:
        """Store a label that must wait, on disk before this returns."""
        with self._lock:
            self._waiting.add(label)

    def settle(self, label_id: str) -> None:
        """Remove a label from those that wait: its effect was sent."""
        with self._lock:
            self._waiting.remove(label_id)

    def learn(self, label: Label) -> HeadUpdate:
        """Learn from a verdict on an event now; the update holds what changed, or why nothing did.

        The same event may be labelled again: the later verdict replaces the earlier one, whose
        effect is undone by learning everything else from the start. A label that was learned
        already, as when a restarted gateway repeats it, returns its old update.
        """
        with self._lock:
            self._process_windows()
            if (known := self._ledger.update(label.label_id)) is not None:
                return known
            started = time.perf_counter()
            earlier = self._ledger.label_of(label.event_id)
            result = self._trainer.train(label, self.heads, self._history.newest, earlier)
            record = self._record(result, self.heads, label.at_ns)
            update = result.update(label.label_id, record, self.heads, self.settings, started)
            return self._learned(LedgerEntry(record, label, update, result.marks), result)

    def preview(self, label: Label, replay: MachineReplay | None = None) -> HeadUpdate:
        """Return what a label would change if it were learned now, after those that wait.

        The same training on a copy (by default of the present replay): nothing is stored, and no
        head changes.
        """
        started = time.perf_counter()
        with self._lock:
            self._process_windows()
            trainer = self._trainer.with_replay(replay or self._replay.copied())
            active, newest = self.heads, self._history.newest
            waiting = [x for x in self._waiting if x.label_id not in self._ledger]
        result, active = previewed(
            label, waiting, self._ledger.label_of, trainer, active, newest, self.settings
        )
        record = self._record(result, active, label.at_ns)
        return result.update(label.label_id, record, active, self.settings, started)

    def learn_novel(self, now_ns: int) -> LedgerEntry | None:
        """Train again if enough came to labelled events since; None if the heads are as before.

        The checkpoint carries the last label, and what it changed together with this training.
        A rejected training leaves no checkpoint: it is no answer, and changed nothing.
        """
        with self._lock:
            self._process_windows()
            trained_ns, novelty = self._ledger.trained_ns, self._live.novelty
            if not novel_data_due(novelty, trained_ns, now_ns, self.settings):
                return None
            started = time.perf_counter()
            result = self._trainer.train_again(self.heads, self._history.newest)
            self._ledger.trained_ns = now_ns
            self._replay.save()
            self._live.novelty = Novelty(trainings=novelty.trainings + 1)
            if not result.accepted:
                why = result.reasons[-1].text
                log.info("%s: not learned again from new windows: %s", self.machine, why)
                return None
            record, answer = self._record(result, self.heads, now_ns), self._history.answer()
            entry = LedgerEntry(record, again=True)
            if answer is not None and answer.label is not None and answer.update is not None:
                new = result.update(
                    answer.label.label_id, record, self.heads, self.settings, started
                )
                entry = replace(entry, label=answer.label, update=_together(answer.update, new))
            entry = self._write(entry, result)
            self._ledger.record(entry)
            return entry

    # ------------------------------------------------------------------ checkpoints

    def checkpoints(self) -> list[LedgerEntry]:
        """Return all checkpoints, oldest first: the ledger of labels."""
        return self._history.entries()

    def newest_checkpoints(self) -> Iterator[LedgerEntry]:
        """Yield all checkpoints, newest first; older ones are read when asked for."""
        return self._history.newest_first()

    def keeps(self, entry: LedgerEntry) -> bool:
        """Whether a return to a checkpoint is possible: of this baseline, its weights kept."""
        return self._history.keeps(entry)

    def before_answer(self) -> str | None:
        """Return the id of the checkpoint before the answer that made the active one or its copy.

        None before the first answer.
        """
        entries = self._history.entries()
        by_id = {entry.checkpoint.checkpoint_id: entry for entry in entries}
        if self.checkpoint_id not in by_id:
            return None
        sha256 = by_id[self.checkpoint_id].checkpoint.sha256
        origin = next(entry for entry in entries if entry.checkpoint.sha256 == sha256)
        while origin.again and origin.label is not None:
            parent = by_id.get(origin.checkpoint.parent_id or "")
            if parent is None or parent.label != origin.label:
                break
            origin = parent
        return origin.checkpoint.parent_id

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
            return self._activated(self._history.roll_back(checkpoint_id, now_ns))

    def promote(self, now_ns: int, reason: Said) -> Checkpoint:
        """Let the candidate in the shadow run replace the active heads.

        Raises
        ------
        CheckpointError
            If there is none.
        """
        with self._lock:
            return self._activated(self._history.promote(now_ns, reason))

    def reject(self, now_ns: int, reason: Said) -> Checkpoint:
        """Discard the candidate in the shadow run; its false-alarm label no longer counts.

        Raises
        ------
        CheckpointError
            If there is none.
        """
        with self._lock:
            return self._activated(self._history.reject(now_ns, reason))

    def resolve_shadow(self, now_ns: int) -> Checkpoint | None:
        """Promote or reject the candidate if its shadow run is over."""
        with self._lock:
            self._process_windows()
            decision = self.shadow.decision(self.settings) if self.shadow else None
        if decision is None:
            return None
        return (self.promote if decision.accepted else self.reject)(now_ns, decision.reason)

    # ------------------------------------------------------------------ deltas

    def export(self, device: str, spec_id: str, now_ns: int) -> Delta:
        """Return what this machine has learned, for machines with the same base; `sign` it."""
        with self._lock:
            self._process_windows()
            return transfer.delta_of(
                self.heads,
                self._history.active(),
                device=device,
                machine=self.machine,
                base_id=self.baseline_id,
                spec_id=spec_id,
                created_ns=now_ns,
                labels=self._ledger.accepted,
                replay=self._replay,
            )

    def apply(
        self, delta: Delta, spec_id: str, now_ns: int, *, request_id: str = "", actor: str = ""
    ) -> HeadUpdate:
        """Apply what another machine has learned, if this machine's own gate accepts it.

        Parameters
        ----------
        delta : Delta
        spec_id : str
        now_ns : int
        request_id : str
            The same request is done once. Another request for the same delta is done again, as
            after a return to an older checkpoint. Default: the delta's id.
        actor : str
            Who asks for it.

        Raises
        ------
        DeltaError
            If base, specification or points differ.
        """
        transfer.check_fits(delta, self.baseline_id, spec_id, self._points)
        source = DeltaImport(
            request_id or delta.delta_id, delta.delta_id, delta.about.device, delta.about.machine,
            actor, now_ns,
        )  # fmt: skip
        with self._lock:
            self._process_windows()
            if (known := self._ledger.update(source.request_id)) is not None:
                return known
            started = time.perf_counter()
            result = self._trainer.train_delta(delta, self.heads, self._history.newest, now_ns)
            record = self._record(result, self.heads, now_ns)
            update = result.update(source.request_id, record, self.heads, self.settings, started)
            entry = LedgerEntry(record, update=update, marks=result.marks, delta=source)
            return self._learned(entry, result)

    # ------------------------------------------------------------------ inside

    def _process_windows(self) -> None:
        self._live.process(self.heads, self._history.newest)

    def _record(self, result: TrainingResult, active: Heads, now_ns: int) -> Checkpoint:
        """Make the record of a result: rejected, active at once, or a candidate first."""
        before = result.before.metrics(self._trainer.threshold(active), self.settings)
        after = result.after.metrics(self._trainer.threshold(result.heads), self.settings)
        state, reasons = CheckpointState.REJECTED, result.reasons
        if result.accepted and result.runs_first(self.settings):
            state, reasons = CheckpointState.CANDIDATE, (*reasons, Said("shadow_first"))
        elif result.accepted:
            state = CheckpointState.ACTIVE
        reason = reasons[0] if len(reasons) == 1 else Said("sentences", {"parts": reasons})
        return self._history.checkpoint(now_ns, state, reason, before, after)

    def _learned(self, entry: LedgerEntry, result: TrainingResult) -> HeadUpdate:
        """Write the checkpoint of a label or delta, or undo its marks if that fails."""
        events = [entry.label.event_id] if entry.label else []
        try:
            if any(map(self._replay.has_unsaved, events)):
                self._replay.save()
            entry = self._write(entry, result)
        except OSError:
            self._ledger.restore_marks([*events, *result.marks])
            raise
        self._ledger.record(entry)
        assert entry.update is not None  # noqa: S101
        return entry.update

    def _write(self, entry: LedgerEntry, result: TrainingResult) -> LedgerEntry:
        """Write a checkpoint whole; only then do its heads decide."""
        written = self._history.write(entry, result.heads)
        if not entry.again:
            self._live.novelty = Novelty()
        if written.checkpoint.state is CheckpointState.CANDIDATE:
            self._live.begin_shadow(written.checkpoint.checkpoint_id)
        elif written.checkpoint.state is CheckpointState.ACTIVE:
            self._live.shadow = None
        return written

    def _activated(self, entry: LedgerEntry) -> Checkpoint:
        self._live.shadow = None
        self._ledger.mark(entry.marks)
        return entry.checkpoint


def _together(first: HeadUpdate, again: HeadUpdate) -> HeadUpdate:
    """Return what a label and the training after it changed: from before the one to after both."""
    return replace(
        again,
        parent_id=first.parent_id,
        before=first.before,
        contradicts=first.contradicts,
        advice_said=again.advice_said or first.advice_said,
        silenced=tuple(sorted({*first.silenced, *again.silenced} - {*again.raised})),
        raised=tuple(sorted({*first.raised, *again.raised} - {*again.silenced})),
    )
