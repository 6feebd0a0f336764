"""What labels change when half of the conditions are new, correct ones and a fifth of them wrong.

Each draw of wrong labels runs in recorded and in one random order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from auscult.contract.label import Verdict
from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.conditions import half_left_out, known_only, without_states
from auscult.gateway.evaluate.detection import (
    MACHINE,
    Split,
    condition_of,
    default_split,
    fitted_detector,
)
from auscult.gateway.evaluate.features import MachineData
from auscult.gateway.evaluate.labels import run_trial
from auscult.gateway.evaluate.technician import Technician
from auscult.models.detector import MachineDetector
from auscult.models.learning.settings import SETTINGS, LearningSettings
from lab.studies.learning.sets import quantity_of

Fitted = list[tuple[Split, MachineDetector]]


@dataclass(frozen=True, slots=True)
class TrialFigures:
    """Changes by the labels of one trial, and the confirmed faults that were lost.

    ``new`` is the share of false-alarm windows at new conditions before and after; None where a
    figure does not exist.
    """

    wrong: float
    draw: int
    in_order: bool
    tpr: float | None
    auc: float | None
    new: tuple[float | None, float | None]
    elsewhere: float | None
    confirmed: int
    lost: int
    asked: int
    """Labels that were asked about again."""
    asked_rightful: int
    """Those of them that were false alarms indeed."""


def fitted_halves(data: MachineData) -> Fitted:
    """Fit a detector to each half of the conditions, without operating states."""
    quantity = quantity_of(data)
    if quantity is None:
        return []
    return [(split, fitted_detector(data, split)) for _, split in half_left_out(data, quantity)]


def fitted_few(data: MachineData, count: int) -> dict[str, Fitted]:
    """Fit detectors to all but one of so few conditions, and to half, without operating states.

    The conditions are the first, the last and those evenly between; others do not occur.
    """
    quantity, default = quantity_of(data), default_split(data)
    if quantity is None:
        return {}
    every = list(dict.fromkeys(condition_of(s, quantity) for s, _ in default.baseline))
    if len(every) < count:
        return {}
    few = [every[i] for i in np.linspace(0, len(every) - 1, count).round().astype(int)]
    occurs = Split(
        *(
            tuple((s, n) for s, n in part if condition_of(s, quantity) in few)
            for part in (default.baseline, default.evaluated)
        )
    )
    known = {
        "one new": [[one for one in few if one != new] for new in few],
        "half new": [few[: count // 2], few[-(count // 2) :]],
    }
    return {
        name: [
            (split, fitted_detector(data, split))
            for split in (without_states(known_only(occurs, quantity, values)) for values in each)
        ]
        for name, each in known.items()
    }


def trial_figures(
    data: MachineData,
    fitted: Fitted,
    labels: int,
    wrong: float,
    draws: int,
    settings: LearningSettings = SETTINGS,
    *,
    rechecks: bool = False,
    healthy_only: bool = False,
) -> Iterator[TrialFigures]:
    """Run so many draws on each split, in recorded and in a random order.

    With ``healthy_only`` no fault occurs before the labels are given: all are false alarms.
    """
    for split, detector in fitted:
        for draw in range(draws):
            for in_order in (True, False):
                rng = np.random.default_rng(1000 + draw)
                count = len(split.evaluated)
                order = list(range(count)) if in_order else rng.permutation(count).tolist()
                if healthy_only:
                    labels_of = [s.recording.label for s, _ in split.evaluated]
                    order = [i for i in order if labels_of[i] is RecordingLabel.HEALTHY]
                technician = Technician(labels, wrong, draw, rechecks)
                trial = run_trial(data, split, technician, settings, order, detector)
                again = [one for one in trial.labelled if one.asked_again]
                healthy = [one.right == (one.verdict is Verdict.FALSE_ALARM) for one in again]
                before, after = trial.before[MACHINE], trial.after[MACHINE]
                yield TrialFigures(
                    wrong,
                    draw,
                    in_order,
                    _change(before["tpr"], after["tpr"]),
                    _change(before["auc"], after["auc"]),
                    (before["fpr_held_out"], after["fpr_held_out"]),
                    _change(before["fpr_elsewhere"], after["fpr_elsewhere"]),
                    trial.confirmed,
                    trial.lost,
                    len(again),
                    sum(healthy),
                )


def _change(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before
