"""A label's effect before it is given: it is learned on a copy, after the labels that wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from auscult.contract.label import Label
from auscult.models.learning.head_trainer import HeadTrainer
from auscult.models.learning.settings import LearningSettings
from auscult.models.learning.training_result import Heads, TrainingResult


def previewed(
    label: Label,
    waiting: Sequence[Label],
    label_of: Callable[[str], Label | None],
    trainer: HeadTrainer,
    active: Heads,
    newest: Heads,
    settings: LearningSettings,
) -> tuple[TrainingResult, Heads]:
    """Learn the waiting labels, then this one; return its result, and the heads before it.

    Parameters
    ----------
    label : Label
    waiting : sequence of Label
        Those that were not learned yet, in order.
    label_of : callable
        The last learned label of an event.
    trainer : HeadTrainer
        On a copy of the replay, which changes.
    active, newest : mapping of point to Head
        As for `HeadTrainer.train`.
    settings : LearningSettings
    """
    for one in waiting:
        result = trainer.train(one, active, newest, label_of(one.event_id))
        if result.accepted:
            newest = result.heads
            active = active if result.runs_first(settings) else newest
    of_waiting = {one.event_id: one for one in waiting}
    earlier = of_waiting.get(label.event_id) or label_of(label.event_id)
    return trainer.train(label, active, newest, earlier), active
