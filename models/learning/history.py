"""The history of a machine's heads: the active checkpoint, a candidate, and the older ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from auscult.contract.label import REPORTED
from auscult.contract.records import Checkpoint, CheckpointState, Metrics
from auscult.contract.said import Said
from auscult.models.learning.checkpoints import CheckpointError, CheckpointStore, LedgerEntry
from auscult.models.learning.head import Head
from auscult.models.learning.heads import HeadsFormat
from auscult.models.learning.replay import RowClass

Heads = Mapping[str, Head]


@dataclass(frozen=True, slots=True)
class ShadowCandidate:
    """Heads that wait for the end of a shadow run or for a person to promote them."""

    checkpoint_id: str
    heads: Heads


class CheckpointHistory:
    """The checkpoints of one machine on one baseline; not thread-safe.

    Parameters
    ----------
    folder : Path
    keep : int
        Checkpoints whose weights are kept.
    machine : str
    heads : HeadsFormat
        Of the baseline.
    created_ns : int
        Time to note on the first checkpoint of a baseline.
    """

    def __init__(
        self, folder: Path, keep: int, machine: str, heads: HeadsFormat, created_ns: int
    ) -> None:
        self._store = CheckpointStore(folder, keep)
        self._machine = machine
        self._format = heads
        self.heads: Heads = heads.start()
        self.active_id = ""
        self.candidate: ShadowCandidate | None = None
        self._resume(created_ns)

    @property
    def baseline_id(self) -> str:
        """Return the baseline in whose coordinates the heads live."""
        return self._format.baseline_id

    @property
    def newest(self) -> Heads:
        """Return the heads that training starts from: the candidate's, if there is one."""
        return self.heads if self.candidate is None else self.candidate.heads

    def entries(self) -> list[LedgerEntry]:
        """Return all checkpoints of all baselines, oldest first."""
        return self._store.entries()

    def newest_first(self) -> Iterator[LedgerEntry]:
        """Yield all checkpoints of all baselines; older ones are read when asked for."""
        return self._store.newest_first()

    def answer(self) -> LedgerEntry | None:
        """Return the newest checkpoint with all that was trained again since: None before any."""
        continued: LedgerEntry | None = None
        for entry in self._store.newest_first():
            if entry.again and continued is None and entry.update is not None:
                continued = entry
            if not entry.continues:
                return continued or entry
        return None

    def active(self) -> Checkpoint | None:
        """Return the record of the active checkpoint."""
        entry = self._store.active()
        return entry.checkpoint if entry else None

    def keeps(self, entry: LedgerEntry) -> bool:
        """Whether a return to a checkpoint is possible: of this baseline, its weights kept."""
        return entry.baseline_id == self.baseline_id and self._store.keeps(entry)

    def write(self, entry: LedgerEntry, heads: Heads) -> LedgerEntry:
        """Write a new checkpoint; its state decides what it does from then on."""
        return self._write(entry, self._format.pack(heads), heads)

    def roll_back(self, checkpoint_id: str, now_ns: int) -> LedgerEntry:
        """Write an older checkpoint again as the active one.

        Raises
        ------
        CheckpointError
            If it is missing, damaged, of another baseline, or its weights are no longer kept.
        """
        payload = self._store.payload(checkpoint_id)
        if self._format.unpack(payload) is None:
            raise CheckpointError("checkpoint_of_other_baseline", checkpoint_id=checkpoint_id)
        reason = Said("back_to", {"checkpoint_id": checkpoint_id})
        back = self.checkpoint(now_ns, CheckpointState.ACTIVE, reason)
        return self._write(LedgerEntry(back, marks=self._marks_at(checkpoint_id)), payload)

    def promote(self, now_ns: int, reason: Said) -> LedgerEntry:
        """Make the candidate the active checkpoint; `CheckpointError` if there is none."""
        return self._resolve(now_ns, reason, CheckpointState.ACTIVE, {})

    def reject(self, now_ns: int, reason: Said) -> LedgerEntry:
        """Discard the candidate and its false-alarm labels; `CheckpointError` without one.

        False alarms that its confirmed fault opened count again.
        """
        candidate = self._store.candidate()
        undone = {RowClass.FALSE_ALARM: RowClass.OPEN}
        if candidate and candidate.label:
            undone[RowClass.OPEN] = RowClass.FALSE_ALARM
        answered = self._answered_since(candidate)
        marks = {
            event: undone[RowClass(row_class)]
            for event, row_class in (candidate.marks if candidate else {}).items()
            if row_class in undone and event not in answered
        }
        return self._resolve(now_ns, reason, CheckpointState.REJECTED, marks)

    def _answered_since(self, candidate: LedgerEntry | None) -> set[str]:
        """Return the events that were labelled or marked after a candidate."""
        found: set[str] = set()
        for entry in self._store.newest_first():
            if candidate is None or entry.checkpoint == candidate.checkpoint:
                break
            if not entry.again:
                found.update(entry.marks, [entry.label.event_id] if entry.label else [])
        return found

    def checkpoint(
        self,
        now_ns: int,
        state: CheckpointState,
        reason: Said,
        before: Metrics | None = None,
        after: Metrics | None = None,
    ) -> Checkpoint:
        """Make the record of a checkpoint to be written, a child of the active one."""
        return Checkpoint(
            checkpoint_id="",
            parent_id=self.active_id or None,
            machine=self._machine,
            created_ns=now_ns,
            state=state,
            reason=reason,
            metrics_before=before,
            metrics_after=after,
            size_bytes=0,
            sha256="",
        )

    def _resolve(
        self, now_ns: int, reason: Said, state: CheckpointState, marks: Mapping[str, RowClass]
    ) -> LedgerEntry:
        candidate = self._store.candidate() if self.candidate is not None else None
        if candidate is None:
            raise CheckpointError("no_candidate", machine=self._machine)
        old = candidate.checkpoint
        record = self.checkpoint(now_ns, state, reason, old.metrics_before, old.metrics_after)
        entry = LedgerEntry(record, marks=marks, resolves=old.checkpoint_id)
        written = self._write(entry, self._store.payload(old.checkpoint_id))
        self.candidate = None
        return written

    def _write(self, entry: LedgerEntry, payload: bytes, heads: Heads | None = None) -> LedgerEntry:
        """Write a checkpoint and use it; heads have the precision in which they are stored."""
        written = self._store.write(replace(entry, baseline_id=self.baseline_id), payload)
        state, checkpoint_id = written.checkpoint.state, written.checkpoint.checkpoint_id
        if state is CheckpointState.ACTIVE:
            self.heads = heads or self._unpacked(payload)
            self.active_id = checkpoint_id
            self.candidate = None
        elif state is CheckpointState.CANDIDATE:
            self.candidate = ShadowCandidate(checkpoint_id, heads or self._unpacked(payload))
        return written

    def _unpacked(self, payload: bytes) -> Heads:
        heads = self._format.unpack(payload)
        if heads is None:
            raise CheckpointError("heads_of_other_baseline", baseline_id=self.baseline_id)
        return heads

    def _resume(self, created_ns: int) -> None:
        """Continue where an earlier process was on this baseline, or begin."""
        active = self._store.active()
        mine = self._store.last_active_of(self.baseline_id)
        payload = self._format.pack(self.heads)
        reason: Said | None = Said("new_baseline")
        if mine is not None:
            checkpoint_id = mine.checkpoint.checkpoint_id
            try:
                payload, reason = self._store.payload(checkpoint_id), None
            except CheckpointError as error:
                reason = Said("start_without_labels", {"cause": error.said})
            if active is not None and active.checkpoint.checkpoint_id != checkpoint_id:
                back = Said("back_to_with_baseline", {"checkpoint_id": checkpoint_id})
                reason = reason or back
        if mine is None or reason is not None:
            start = self.checkpoint(
                created_ns, CheckpointState.ACTIVE, reason or Said("new_baseline")
            )
            mine = self._write(LedgerEntry(start), payload)
        self.heads, self.active_id = self._unpacked(payload), mine.checkpoint.checkpoint_id
        candidate = self._store.candidate()
        if candidate is not None and candidate.baseline_id == self.baseline_id:
            checkpoint_id = candidate.checkpoint.checkpoint_id
            self.candidate = ShadowCandidate(
                checkpoint_id, self._unpacked(self._store.payload(checkpoint_id))
            )

    def _marks_at(self, checkpoint_id: str) -> dict[str, RowClass]:
        """Return how events were marked at a checkpoint; confirmed faults stay confirmed.

        Reported faults do not: the next label would bring their directions back.
        """
        then: dict[str, int] = {}
        now: dict[str, int] = {}
        for entry in self._store.entries():
            now.update(entry.marks)
            if entry.checkpoint.checkpoint_id <= checkpoint_id:
                then.update(entry.marks)
        return {
            event: RowClass(then.get(event, RowClass.OPEN))
            for event, row_class in now.items()
            if row_class != RowClass.CONFIRMED_FAULT or event.startswith(REPORTED)
        }
