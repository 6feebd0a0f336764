"""When to train: enough new labels, or enough novel data that is decided wrongly; not too often."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auscult.contract.said import Said
from auscult.contract.times import NS_PER_S
from auscult.models.learning.gate import PointContext, normal_score
from auscult.models.learning.head import Head
from auscult.models.learning.replay import RowClass
from auscult.models.learning.settings import LearningSettings
from auscult.models.records import ScoredWindow


@dataclass(frozen=True, slots=True)
class Wait:
    """Why labels wait; ``seconds`` is None where time alone won't help."""

    reason: Said
    seconds: float | None = None


@dataclass(slots=True)
class Novelty:
    """Windows that joined labelled events since the last training.

    ``wrong`` counts those that the active heads decide against their label: the loss that a
    training would have to lower. ``trainings`` counts the trainings on such windows since the last
    label: each waits for twice the windows of the one before, since more of the same says nothing
    new.
    """

    windows: int = 0
    wrong: int = 0
    trainings: int = 0

    def count(
        self,
        windows: Sequence[ScoredWindow],
        classes: Mapping[str, RowClass],
        heads: Mapping[str, Head],
        points: Mapping[str, PointContext],
        settings: LearningSettings,
    ) -> None:
        """Count the windows of an event; ``classes`` is how each point marks it."""
        for window in windows:
            row_class = classes.get(window.point, RowClass.OPEN)
            if row_class is RowClass.OPEN:
                continue
            score = normal_score(window, heads[window.point], points[window.point])
            alarms = score > settings.allowance
            self.windows += 1
            self.wrong += alarms is (row_class is RowClass.FALSE_ALARM)

    @property
    def loss(self) -> float:
        """Share decided wrongly, 0..1."""
        return self.wrong / self.windows if self.windows else 0.0


def wait_for_labels(
    new_labels: int, trained_ns: int, now_ns: int, settings: LearningSettings
) -> Wait | None:
    """Return what new labels wait for, None if they may be learned now.

    >>> from auscult.models.learning.settings import LearningSettings
    >>> wait_for_labels(1, 0, NS_PER_S, LearningSettings(min_new_labels=3)).reason.text
    'waits for 2 more labels'
    """
    missing = settings.min_new_labels - new_labels
    if missing > 0:
        return Wait(Said("waits_for_labels", {"count": missing}))
    return _cool_down(trained_ns, now_ns, settings)


def novel_data_due(
    novelty: Novelty, trained_ns: int, now_ns: int, settings: LearningSettings
) -> bool:
    """Return whether the windows that came after the labels are worth a training."""
    needed = settings.novel_windows << novelty.trainings
    enough = 0 < needed <= novelty.windows and novelty.loss >= settings.loss_min
    return enough and _cool_down(trained_ns, now_ns, settings) is None


def _cool_down(trained_ns: int, now_ns: int, settings: LearningSettings) -> Wait | None:
    past_s = (now_ns - trained_ns) / NS_PER_S
    left_s = settings.cooldown_s - past_s
    # A clock that was set back must not hold up learning.
    if past_s < 0 or left_s <= 0:
        return None
    return Wait(Said("waits_for_cooldown", {"left_s": math.ceil(left_s)}), left_s)
