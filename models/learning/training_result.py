"""The result of a training: heads, how the replay does with them, and the gate's reasons."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from auscult.contract.records import Checkpoint, HeadUpdate
from auscult.contract.said import Said
from auscult.models.learning.gate import Replayed
from auscult.models.learning.head import Head
from auscult.models.learning.replay import RowClass
from auscult.models.learning.settings import LearningSettings

Heads = Mapping[str, Head]
LISTED_EVENTS = 50
"""Most events that an update names of those that it silences: 1.3 kB."""


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The heads of a training, how the replay does before and after, and the gate's reasons.

    ``marks`` is how events are marked from now on, ``contradicts`` lists the events with
    the opposite label, ``at_once`` is True where no shadow run has to confirm it (an undoing).
    """

    heads: Heads
    before: Replayed
    after: Replayed
    reasons: tuple[Said, ...]
    accepted: bool = False
    marks: Mapping[str, RowClass] = field(default_factory=dict)
    contradicts: tuple[str, ...] = ()
    advice: Said | None = None
    at_once: bool = False

    def runs_first(self, settings: LearningSettings) -> bool:
        """Return whether its heads run in the shadow before they decide."""
        return settings.shadow and not self.at_once

    def update(
        self,
        label_id: str,
        record: Checkpoint,
        active: Heads,
        settings: LearningSettings,
        started: float,
    ) -> HeadUpdate:
        """Return the record that people see of a label's or a delta's effect.

        Parameters
        ----------
        label_id : str
        record : Checkpoint
            Of the result, with its metrics.
        active : mapping of point to Head
            The heads before.
        started : float
            `time.perf_counter` at the start of the training.
        """
        assert record.metrics_before is not None  # noqa: S101
        assert record.metrics_after is not None  # noqa: S101
        alarmed, alarming = self.before.alarming(settings), self.after.alarming(settings)
        return HeadUpdate(
            label_id=label_id,
            checkpoint_id="",
            parent_id=record.parent_id or "",
            accepted=self.accepted,
            said=record.reason,
            before=record.metrics_before,
            after=record.metrics_after,
            weights_change_norm=_change_norm(active, self.heads),
            duration_ms=(time.perf_counter() - started) * 1e3,
            contradicts=self.contradicts,
            advice_said=self.advice,
            silenced=_newest(alarmed - alarming),
            raised=_newest(alarming - alarmed),
        )


def _newest(events: set[str]) -> tuple[str, ...]:
    """Return the last events; their ids are ULIDs, which sort by time."""
    return tuple(sorted(events)[-LISTED_EVENTS:])


def _change_norm(before: Mapping[str, Head], after: Mapping[str, Head]) -> float:
    """Return the Euclidean norm of the changes of gates, limits and places."""
    total = 0.0
    for point, old in before.items():
        new = after[point]
        total += float(((new.weights - old.weights) ** 2).sum()) + (new.offset - old.offset) ** 2
        known = {unit.tobytes() for unit in old.directions.units}
        total += sum(unit.tobytes() not in known for unit in new.directions.units)
        old_places = {place.tobytes() for place in old.places}
        for place in new.places:
            if place.tobytes() not in old_places:
                total += float((place.astype(np.float32) ** 2).sum())
    return float(np.sqrt(total))
