"""Labels that must wait before they are learned, on disk until someone was sent their effect.

Only a label that was answered as waiting is here; after a crash any other one is repeated by its
command.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

from auscult.contract.label import Label
from auscult.models.learning.checkpoints import (
    CheckpointError,
    read_whole,
    write_whole,
)

logger = logging.getLogger(__name__)


class WaitingLabels:
    """The waiting labels of one machine, in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._labels = _read(path)

    def __iter__(self) -> Iterator[Label]:
        return iter(list(self._labels.values()))

    def add(self, label: Label) -> None:
        """Store a label, once."""
        if label.label_id not in self._labels:
            self._keep({**self._labels, label.label_id: label})

    def remove(self, label_id: str) -> None:
        """Remove a label, if it is here."""
        if label_id in self._labels:
            self._keep({known: x for known, x in self._labels.items() if known != label_id})

    def _keep(self, labels: dict[str, Label]) -> None:
        """Write first: if the disk is full, nothing changes here, and the caller tries again."""
        # `answered` is read by versions before 0.2.
        entries = [
            {"label": label.model_dump(mode="json"), "answered": True} for label in labels.values()
        ]
        write_whole(self._path, json.dumps(entries).encode())
        self._labels = labels


def _read(path: Path) -> dict[str, Label]:
    try:
        data = read_whole(path)
    except CheckpointError as error:
        logger.error("waiting labels can't be read: %s", error)
        return {}
    entries = json.loads(data or b"[]")
    labels = [Label.model_validate(entry["label"]) for entry in entries if entry["answered"]]
    return {label.label_id: label for label in labels}
