"""Protocol `hold_out` with labels: what a technician's answers change in a condition never seen.

The first half of each judged stretch is the stream, in which events arise and an operator,
simulated from the truth, answers the first N of them through the very path that a label takes in
the gateway. The second halves, which nobody labelled, are judged before and after. An event is a
learned warning or alarm, or `BEYOND_WINDOWS` windows in a row beyond the limit, as `fpr` counts
them even while the condition is unknown. It is answered when its stretch ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gateway.evaluate.detection import (
    MACHINE,
    OURS,
    SPEAKS,
    Scores,
    Split,
    averaged,
    detection_results,
    held_out_splits,
    judged_by,
    trained_detector,
)
from gateway.evaluate.features import MachineData, Stretch
from gateway.evaluate.metrics import mean, share
from gateway.evaluate.records import Result
from gateway.learning import MachineLearning
from gateway.recordings import RecordingLabel
from models.detector import MachineDetector
from models.records import HeadUpdate, Label, Verdict
from models.settings import SHIPPED

BEYOND_WINDOWS = 5
"""Windows beyond the limit in a row that the operator is asked about."""

Quantity = Literal["speed_rpm", "load"]


@dataclass
class _Runs:
    """Figures of each condition left out, by point."""

    before: dict[str | None, list[tuple[str, dict[str, Any]]]] = field(default_factory=dict)
    after: dict[str | None, list[tuple[str, dict[str, Any]]]] = field(default_factory=dict)
    updates: list[HeadUpdate] = field(default_factory=list)


def labelled_results(
    data: MachineData, quantity: Quantity, labels: int, advance: Callable[[], None]
) -> list[Result]:
    """Rows of all detectors; ours carry ``before`` and ``after`` the first so many labels."""
    runs = _Runs()
    references: dict[tuple[str, str | None], list[tuple[str, dict[str, Any]]]] = {}
    points: list[str | None] = [MACHINE, *data.specs] if len(data.specs) > 1 else [MACHINE]
    for value, split in held_out_splits(data, quantity):
        for row in detection_results(data, split, "hold_out"):
            if row.detector != OURS:
                of_row = references.setdefault((row.detector, row.point), [])
                of_row.append((str(value), row.figures))
        _one_condition(data, split, str(value), labels, points, runs)
        advance()
    rows = []
    for point, before in runs.before.items():
        first = averaged(before) | _false_alarms(before)
        after = averaged(runs.after[point]) | _false_alarms(runs.after[point])
        took = [update.duration_ms for update in runs.updates]
        figures = first | {
            "before": first,
            "after": after,
            "update_ms": float(np.median(took)) if took else None,
            "accepted": sum(update.accepted for update in runs.updates),
            "rejected": sum(not update.accepted for update in runs.updates),
        }
        rows.append(Result(data.dataset, data.machine, "hold_out", OURS, point, figures))
    return rows + [
        Result(data.dataset, data.machine, "hold_out", detector, point, averaged(each))
        for (detector, point), each in references.items()
    ]


def _one_condition(
    data: MachineData,
    split: Split,
    value: str,
    labels: int,
    points: list[str | None],
    runs: _Runs,
) -> None:
    detector = trained_detector(data, split)
    model = detector.model
    assert model is not None  # noqa: S101
    stream = [(s, start, (start + len(s)) // 2) for s, start in split.judged]
    judged = [(s, middle) for s, _, middle in stream]
    n_baseline = sum(n for _, n in split.baseline)
    left_out = {id(s) for s, start in split.judged if start == 0}

    def figures() -> dict[str | None, dict[str, Any]]:
        detector.adopt(model)  # each pass begins with the same drift and no evidence
        detector.set_heads(learning.heads)
        scores, events = judged_by(detector, data, judged)
        held_out = [(s, start) for s, start in judged if id(s) in left_out]
        there, _ = judged_by(detector, data, held_out)
        elsewhere, _ = judged_by(detector, data, [j for j in judged if id(j[0]) not in left_out])
        each = {}
        for point in points:
            own = asdict(scores.detection(point, n_baseline))
            own["fpr_held_out"] = _fpr(there, point)
            own["fpr_elsewhere"] = _fpr(elsewhere, point)
            if point is MACHINE:
                own["events"] = asdict(events)
            each[point] = own
        return each

    with tempfile.TemporaryDirectory() as folder:
        learning = MachineLearning(Path(folder), data.machine)
        learning.begin(model)
        for point, own in figures().items():
            runs.before.setdefault(point, []).append((value, own))
        detector.adopt(model)
        runs.updates += _answered(detector, learning, stream, labels)
        for point, own in figures().items():
            runs.after.setdefault(point, []).append((value, own))


def _answered(
    detector: MachineDetector,
    learning: MachineLearning,
    stream: list[tuple[Stretch, int, int]],
    labels: int,
) -> Iterator[HeadUpdate]:
    """Let the stream pass; answer the first so many events."""
    answered = 0
    for stretch, start, stop in stream:
        detector.reset_evidence()
        event_id = None
        beyond = 0
        for hop in stretch.hops(start, stop):
            decision = detector.observe(hop)
            p_value = decision.machine.p_value
            beyond = beyond + 1 if p_value is not None and p_value < SHIPPED.p_limit else 0
            speaks = decision.machine.condition in SPEAKS or beyond == BEYOND_WINDOWS
            if event_id is None and speaks:
                event_id = f"{stretch.recording.path.stem[-20:]}-{start}"
            learning.show(detector.judged(), decision.points, event_id)
        if event_id is None or answered == labels:
            continue
        answered += 1
        healthy = stretch.recording.label is RecordingLabel.HEALTHY
        verdict = Verdict.FALSE_ALARM if healthy else Verdict.CONFIRMED_FAULT
        kind = None if healthy else stretch.recording.fault
        machine = detector.profile.machine
        label = Label(event_id, event_id, machine, verdict, kind, "truth", int(stretch.t_ns[-1]))
        update = learning.label(label)
        if update is not None:
            yield update
        detector.set_heads(learning.heads)


def _false_alarms(runs: list[tuple[str, dict[str, Any]]]) -> dict[str, float | None]:
    names = ("fpr_held_out", "fpr_elsewhere")
    return {name: mean([figures[name] for _, figures in runs]) for name in names}


def _fpr(scores: Scores, point: str | None) -> float | None:
    healthy = np.concatenate([*scores.healthy.get(point, []), np.empty(0)])
    return share(healthy > scores.limit[point])
