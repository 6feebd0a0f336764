"""What labels change when half of the conditions are new, correct ones and a fifth of them wrong.

Each draw of wrong labels runs in recorded and in one random order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from auscult.contract.label import Verdict
from auscult.gateway.evaluate.conditions import half_left_out
from auscult.gateway.evaluate.detection import MACHINE, Split, fitted_detector
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


def trial_figures(
    data: MachineData,
    fitted: Fitted,
    labels: int,
    wrong: float,
    draws: int,
    settings: LearningSettings = SETTINGS,
    *,
    rechecks: bool = False,
) -> Iterator[TrialFigures]:
    """Run so many draws on both halves, each in recorded and in a random order."""
    for split, detector in fitted:
        for draw in range(draws):
            for in_order in (True, False):
                rng = np.random.default_rng(1000 + draw)
                order = None if in_order else rng.permutation(len(split.evaluated)).tolist()
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
