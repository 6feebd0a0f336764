"""Protocol `hold_out` with labels: the effect of a technician's labels in unseen conditions.

It runs with one condition left out of the baseline (protocol `hold_out`), and with half of them
(`hold_out_half`), both without operating states (see `gateway.evaluate.conditions`). In the first
half of each recording a technician labels the events. The second half, without labels, is
evaluated before and after.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from auscult.contract.label import Verdict
from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.conditions import Quantity, half_left_out, one_left_out
from auscult.gateway.evaluate.detection import (
    MACHINE,
    OURS,
    Scores,
    Split,
    averaged,
    fitted_detector,
    reference_results,
    score_recordings,
)
from auscult.gateway.evaluate.features import MachineData
from auscult.gateway.evaluate.metrics import mean, share
from auscult.gateway.evaluate.records import Result
from auscult.gateway.evaluate.technician import LabelledEvent, Technician, is_found, label_events
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.detector import MachineDetector
from auscult.models.learning.settings import SETTINGS, LearningSettings

Splits = Callable[[MachineData, Quantity], Iterable[tuple[str, Split]]]
PROTOCOLS: dict[str, Splits] = {"hold_out": one_left_out, "hold_out_half": half_left_out}

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """Figures by point before and after labels, and the labels themselves."""

    before: Mapping[str | None, Figures]
    after: Mapping[str | None, Figures]
    labelled: Sequence[LabelledEvent]
    confirmed: int
    """Faults with a correct label."""
    lost: int
    """Those of them in whose windows no event arises after the labels."""


def labelled_results(
    data: MachineData,
    quantity: Quantity,
    labels: int,
    advance: Callable[[], None] = lambda: None,
    protocols: Mapping[str, Splits] | None = None,
) -> list[Result]:
    """Rows of all detectors; those of Auscult have figures ``before`` and ``after`` the labels."""
    rows: list[Result] = []
    for protocol, splits in (PROTOCOLS if protocols is None else protocols).items():
        trials: list[tuple[str, Trial]] = []
        references: dict[tuple[str, str | None], list[tuple[str, Figures]]] = {}
        for name, split in splits(data, quantity):
            trials.append((name, run_trial(data, split, Technician(labels))))
            for row in reference_results(data, split, protocol):
                references.setdefault((row.detector, row.point), []).append((name, row.figures))
            advance()
        for point in points_of(data) if trials else []:
            figures = summary(trials, point)
            rows.append(Result(data.dataset, data.machine, protocol, OURS, point, figures))
        rows += [
            Result(data.dataset, data.machine, protocol, detector, point, averaged(each))
            for (detector, point), each in references.items()
        ]
    return rows


def summary(trials: Sequence[tuple[str, Trial]], point: str | None) -> Figures:
    """Average the figures of a point over the conditions left out."""
    before = _averaged([(name, trial.before[point]) for name, trial in trials])
    after = _averaged([(name, trial.after[point]) for name, trial in trials])
    updates = [event.update for _, trial in trials for event in trial.labelled]
    had = before["fpr_held_out"]
    return before | {
        "before": before,
        "after": after,
        "false_alarms_left": after["fpr_held_out"] / had if had else None,
        "update_ms": float(np.median([u.duration_ms for u in updates])) if updates else None,
        "accepted": sum(update.accepted for update in updates),
        "rejected": sum(not update.accepted for update in updates),
        "faults_confirmed": sum(trial.confirmed for _, trial in trials),
        "faults_lost": sum(trial.lost for _, trial in trials),
    }


def run_trial(
    data: MachineData,
    split: Split,
    technician: Technician,
    settings: LearningSettings = SETTINGS,
    order: Sequence[int] | None = None,
    detector: MachineDetector | None = None,
) -> Trial:
    """Evaluate, let a technician label the stream, evaluate again.

    Parameters
    ----------
    order : sequence of int, optional
        Order of the recordings in the stream; by default as recorded.
    detector : MachineDetector, optional
        Already fitted to the baseline of the split.
    """
    detector = detector or fitted_detector(data, split)
    model = detector.model
    assert model is not None  # noqa: S101
    stream = [(s, start, (start + len(s)) // 2) for s, start in split.evaluated]
    n_baseline = sum(n for _, n in split.baseline)
    with tempfile.TemporaryDirectory() as folder:
        learning = MachineLearning(Path(folder), data.machine, settings)
        updater = learning.begin(model)

        def start_again() -> None:
            detector.adopt(model)  # Each pass begins with the same drift and no evidence.
            detector.set_heads(updater.heads)

        start_again()
        before = _figures(detector, data, split, n_baseline)
        start_again()
        in_order = stream if order is None else [stream[i] for i in order]
        given = list(label_events(detector, learning, updater, in_order, technician))
        start_again()
        after = _figures(detector, data, split, n_baseline)
        start_again()
        right = [a for a in given if a.right and a.verdict is Verdict.CONFIRMED_FAULT]
        found = sum(is_found(detector, event.piece) for event in right)
    return Trial(before, after, given, len(right), len(right) - found)


def points_of(data: MachineData) -> list[str | None]:
    """Return all points, the machine first."""
    return [MACHINE, *data.specs] if len(data.specs) > 1 else [MACHINE]


def _figures(
    detector: MachineDetector, data: MachineData, split: Split, n_baseline: int
) -> dict[str | None, Figures]:
    """Evaluate the second half of each recording; healthy windows of new conditions also apart."""
    halves = [(s, (start + len(s)) // 2) for s, start in split.evaluated]
    scores, events = score_recordings(detector, data, halves)
    is_new = [
        start == 0 for s, start in split.evaluated if s.recording.label is RecordingLabel.HEALTHY
    ]
    figures = {}
    for point in points_of(data):
        own = asdict(scores.detection(point, n_baseline))
        own["fpr_held_out"] = fpr_where(scores, point, is_new)
        own["fpr_elsewhere"] = fpr_where(scores, point, [not new for new in is_new])
        if point is MACHINE:
            own["events"] = asdict(events)
        figures[point] = own
    return figures


def fpr_where(scores: Scores, point: str | None, where: Sequence[bool]) -> float | None:
    """Share of windows beyond the limit in the healthy recordings that ``where`` selects."""
    some = [x for x, mine in zip(scores.healthy.get(point, []), where, strict=True) if mine]
    return share(np.concatenate([*some, np.empty(0)]) > scores.limit[point])


def _averaged(runs: list[tuple[str, Figures]]) -> Figures:
    both = ("fpr_held_out", "fpr_elsewhere")
    return averaged(runs) | {name: mean([own[name] for _, own in runs]) for name in both}
