"""What each label did, so that none is learned twice and a later verdict knows the earlier one."""

from __future__ import annotations

from auscult.models.records import HeadUpdate, Label

KNOWN_LABELS = 1000
"""Labels in memory, some 3 kB each; the checkpoints on the disk tell of all."""


class Ledger:
    """The newest labels of a machine with what they changed; the disk has all of them."""

    def __init__(self) -> None:
        self._updates: dict[str, HeadUpdate] = {}
        self._labels: dict[str, Label] = {}
        self.trained_ns = 0
        """When a label was learned last."""

    def __contains__(self, label_id: str) -> bool:
        return label_id in self._updates

    def note(self, label: Label, update: HeadUpdate) -> None:
        """Note what a label did."""
        self._updates[label.label_id] = update
        self._labels[label.event_id] = label
        self.trained_ns = max(self.trained_ns, label.at_ns)
        while len(self._updates) > KNOWN_LABELS:
            del self._updates[next(iter(self._updates))]
        while len(self._labels) > KNOWN_LABELS:
            del self._labels[next(iter(self._labels))]

    def update(self, label_id: str) -> HeadUpdate | None:
        """Tell what a label did, None if it was not learned."""
        return self._updates.get(label_id)

    def label_of(self, event_id: str) -> Label | None:
        """Give the last label of an event."""
        return self._labels.get(event_id)

    @property
    def accepted(self) -> int:
        """Count the labels that changed the heads."""
        return sum(update.accepted for update in self._updates.values())
