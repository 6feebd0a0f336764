"""Labels that were taken but not learned yet: on disk before anyone is told, so that none is lost.

A label that must wait is answered at once as waiting; it stays here until somebody was told what
it changed, through any number of restarts.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from auscult.models.learning.checkpoints import (
    CheckpointError,
    label_from_json,
    read_whole,
    write_whole,
)
from auscult.models.records import Label

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pending:
    """A label in waiting; ``answered`` once its giver was told so."""

    label: Label
    answered: bool = False


class PendingLabels:
    """The waiting labels of one machine, in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries = _read(path)

    def __iter__(self) -> Iterator[Pending]:
        return iter(list(self._entries.values()))

    def __contains__(self, label_id: str) -> bool:
        return label_id in self._entries

    def add(self, label: Label) -> None:
        """Keep a label; one that is here stays as it is."""
        if label.label_id not in self._entries:
            self._keep({**self._entries, label.label_id: Pending(label)})

    def note_answered(self, label_id: str) -> None:
        """Note that the giver of a label knows that it waits."""
        self._keep({**self._entries, label_id: replace(self._entries[label_id], answered=True)})

    def remove(self, label_id: str) -> None:
        """Forget a label whose effect was told."""
        if label_id in self._entries:
            self._keep({known: e for known, e in self._entries.items() if known != label_id})

    def _keep(self, entries: dict[str, Pending]) -> None:
        """Write first: what a full disk refuses is not here either, and is tried again."""
        write_whole(self._path, json.dumps([asdict(e) for e in entries.values()]).encode())
        self._entries = entries


def _read(path: Path) -> dict[str, Pending]:
    try:
        data = read_whole(path)
    except CheckpointError as error:
        logger.error("waiting labels can't be read: %s", error)
        return {}
    entries = [
        Pending(label_from_json(fields["label"]), fields["answered"])
        for fields in json.loads(data or b"[]")
    ]
    return {entry.label.label_id: entry for entry in entries}
