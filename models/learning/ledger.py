"""What labels changed: each is learned once, and their events are marked in the replay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from auscult.contract.label import Label, Verdict
from auscult.contract.records import HeadUpdate
from auscult.models.learning.checkpoints import LedgerEntry
from auscult.models.learning.history import CheckpointHistory
from auscult.models.learning.machine_replay import MachineReplay
from auscult.models.learning.recognition import KnownFault
from auscult.models.learning.replay import RowClass

KNOWN_LABELS = 1000
"""Labels in memory, some 3 kB each; the checkpoints on disk hold all of them."""


class Ledger:
    """The newest labels and deltas of a machine, what they changed, and their marks.

    Parameters
    ----------
    history : CheckpointHistory
        Holds all of them on disk.
    replay : MachineReplay
    """

    def __init__(self, history: CheckpointHistory, replay: MachineReplay) -> None:
        self._history = history
        self._replay = replay
        self._updates: dict[str, HeadUpdate] = {}
        self._labels: dict[str, Label] = {}
        self._asked: dict[str, None] = {}
        self.rechecked: dict[str, None] = {}
        """Events whose label an update doubted or rejected, and a person gave again."""
        self.trained_ns = 0
        """Time of the last label or delta."""
        self.known_faults: tuple[KnownFault, ...] = ()
        """Confirmed faults that a departure may resemble; replaced as a whole."""
        for entry in history.entries():
            self._note(entry)
            self.mark(entry.marks)
        self._find_known_faults()

    def __contains__(self, label_id: str) -> bool:
        return label_id in self._updates

    def record(self, entry: LedgerEntry) -> None:
        """Note a new checkpoint's label or delta."""
        self._note(entry)
        self._find_known_faults()

    def update(self, label_id: str) -> HeadUpdate | None:
        """Return what a label or a request for a delta did, None if it was not learned."""
        return self._updates.get(label_id)

    def label_of(self, event_id: str) -> Label | None:
        """Return the last label of an event."""
        return self._labels.get(event_id)

    def opened_by(self, fault_id: str) -> tuple[str, ...]:
        """List the false alarms that this fault opened, or another that is withdrawn already."""
        marked_by: dict[str, str] = {}
        verdicts: dict[str, Verdict] = {}
        for entry in self._history.entries():
            if entry.label is not None:
                verdicts[entry.label.event_id] = entry.label.verdict
            marked_by |= dict.fromkeys(entry.marks, entry.label.event_id if entry.label else "")
        return tuple(
            event
            for event, by in marked_by.items()
            if by not in {"", event}
            and (by == fault_id or verdicts.get(by) is not Verdict.CONFIRMED_FAULT)
            and verdicts.get(event, Verdict.FALSE_ALARM) is Verdict.FALSE_ALARM
        )

    @property
    def accepted(self) -> int:
        """Count the labels and deltas that changed the heads."""
        return sum(update.accepted for update in self._updates.values())

    def mark(self, marks: Mapping[str, int]) -> None:
        """Mark the windows of events in the replay as a checkpoint has them."""
        for event, row_class in marks.items():
            label = self.label_of(event)
            self._replay.mark(event, RowClass(row_class), (label.kind if label else None) or "")

    def restore_marks(self, events: Iterable[str]) -> None:
        """Mark events as they are on disk: what could not be stored was not learned."""
        for event in events:
            self._replay.mark(event, RowClass.OPEN)
        for entry in self._history.entries():
            self.mark(entry.marks)

    def _note(self, entry: LedgerEntry) -> None:
        source = entry.label or entry.delta
        if entry.update is None or source is None:
            return
        if entry.again:
            self._updates[entry.update.label_id] = entry.update
            return
        self._updates[entry.update.label_id] = entry.update
        self.trained_ns = max(self.trained_ns, source.at_ns)
        if (label := entry.label) is not None:
            self._recheck(label)
            self._labels[label.event_id] = label
            if not entry.update.accepted:
                self._asked[label.event_id] = None
        self._asked |= dict.fromkeys(entry.update.contradicts)
        for known in (self._updates, self._labels, self._asked, self.rechecked):
            _limit(known)

    def _recheck(self, label: Label) -> None:
        """Note whether a label gives a verdict again that an update asked to check."""
        earlier = self.label_of(label.event_id)
        if earlier is None or earlier.verdict is not label.verdict:
            self.rechecked.pop(label.event_id, None)
        elif label.event_id in self._asked:
            self.rechecked[label.event_id] = None

    def _find_known_faults(self) -> None:
        labelled = (
            (self.label_of(event), centres)
            for event, centres in self._replay.fault_centres().items()
        )
        self.known_faults = tuple(
            KnownFault(label, centres) for label, centres in labelled if label is not None
        )


def _limit(known: dict[str, Any]) -> None:
    while len(known) > KNOWN_LABELS:
        del known[next(iter(known))]
