"""What each label changed, so that it is learned once and a later verdict finds the earlier one."""

from __future__ import annotations

from typing import TypeVar

from auscult.models.learning.checkpoints import Entry
from auscult.models.records import HeadUpdate, Label

T = TypeVar("T")

KNOWN_LABELS = 1000
"""Labels in memory, some 3 kB each; the checkpoints on disk hold all of them."""


class Ledger:
    """The newest labels and deltas of a machine with what they changed."""

    def __init__(self) -> None:
        self._updates: dict[str, HeadUpdate] = {}
        self._labels: dict[str, Label] = {}
        self.trained_ns = 0
        """Time of the last label or delta."""

    def __contains__(self, label_id: str) -> bool:
        return label_id in self._updates

    def note(self, entry: Entry) -> None:
        """Note what a checkpoint's label or delta did."""
        source = entry.label or entry.delta
        if entry.update is None or source is None:
            return
        self._updates[entry.update.label_id] = entry.update
        self.trained_ns = max(self.trained_ns, source.at_ns)
        if entry.label is not None:
            self._labels[entry.label.event_id] = entry.label
        _limit(self._updates)
        _limit(self._labels)

    def update(self, label_id: str) -> HeadUpdate | None:
        """Return what a label or a request for a delta did, None if it was not learned."""
        return self._updates.get(label_id)

    def label_of(self, event_id: str) -> Label | None:
        """Return the last label of an event."""
        return self._labels.get(event_id)

    @property
    def accepted(self) -> int:
        """Count the labels and deltas that changed the heads."""
        return sum(update.accepted for update in self._updates.values())


def _limit(known: dict[str, T]) -> None:
    while len(known) > KNOWN_LABELS:
        del known[next(iter(known))]
