"""What a second machine gains from the learning of a first: ``python -m lab.studies.transfer``.

    python -m lab.studies.transfer speed_rpm bldc_audio M1 M3
    python -m lab.studies.transfer load gearbox_gfd

The baseline of the first machine holds half of the conditions; labels add the others. The
second machine gets a short baseline of the same half in three ways: from scratch; on the base of
the first (its net and whitening, with location, spread and calibration of the second); and on that
base with the delta of the first, if the gate of the second accepts it. In a data set with one
machine, the first and the last half of each recording stand for two machines, which is the easiest
transfer.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.conditions import Quantity, half_left_out, without_states
from auscult.gateway.evaluate.detection import (
    MACHINE,
    Split,
    condition_of,
    default_split,
    fitted_detector,
    score_recordings,
)
from auscult.gateway.evaluate.features import MachineData, Stretch, machine_data
from auscult.gateway.evaluate.labels import fpr_where
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.gateway.evaluate.technician import Technician, label_events
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.baseline.calibration import Calibration
from auscult.models.baseline.kind_model import KindModel
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.baseline.scaling import StateScaling
from auscult.models.detector import MachineDetector
from auscult.models.learning.delta import Delta
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.machine_replay import contexts_of
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

LABELS = 20
FOLDS = 5
BASELINES = (10, 15, 20, 30, 40, 60, 80, 120, 160, 240)
"""Numbers of baseline windows of the second machine."""


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of the second machine with a baseline of ``windows``."""

    start: str
    windows: int
    auc: float | None
    fpr_known: float | None
    """Share of healthy windows beyond the limit in the conditions of the baseline."""
    fpr_new: float | None
    """The same in conditions that only the first machine has seen."""
    tpr: float | None
    verdict: str


def transfer(first: MachineData, second: MachineData, quantity: Quantity) -> Iterator[Row]:
    """Start the second machine in each of the three ways."""
    _, split = next(half_left_out(first, quantity))
    model, delta = _labelled(first, split)
    known = _known(first, quantity)
    whole = default_split(second)
    held = tuple((s, n) for s, n in whole.baseline if condition_of(s, quantity) in known)
    most = sum(n for _, n in held)
    for windows in (*(n for n in BASELINES if n < most), most):
        split = without_states(_shortened(whole, held, windows / most))
        n = sum(n for _, n in split.baseline)
        if n >= min(BASELINES):
            yield _outcome("from scratch", n, fitted_detector(second, split), second, split)
        detector = MachineDetector(NamePlate(second.machine), second.specs)
        detector.adopt(_on_base_of(model, split))
        yield _outcome("first one's base", n, detector, second, split)
        verdict = _apply(detector, delta, split)
        yield replace(_outcome("base and delta", n, detector, second, split), verdict=verdict)


def twins(data: MachineData) -> tuple[MachineData, MachineData]:
    """Make two machines of the first and the last half of each recording."""

    def part(stretch: Stretch, first: bool) -> Stretch:
        half = slice(0, len(stretch) // 2) if first else slice(len(stretch) // 2, None)
        return replace(
            stretch,
            t_ns=stretch.t_ns[half],
            features={p: x[half] for p, x in stretch.features.items()},
            health={p: x[half] for p, x in stretch.health.items()},
        )

    first, second = (
        replace(data, stretches=tuple(part(s, is_first) for s in data.stretches))
        for is_first in (True, False)
    )
    return first, second


def _known(first: MachineData, quantity: Quantity) -> set[float | str | None]:
    """Return the conditions of the first machine's baseline."""
    values = list(
        dict.fromkeys(condition_of(s, quantity) for s, _ in default_split(first).baseline)
    )
    return set(values[: len(values) // 2])


def _labelled(data: MachineData, split: Split) -> tuple[MachineModel, Delta]:
    """Fit the baseline of the first machine, and label events in the other conditions."""
    detector = fitted_detector(data, split)
    model = detector.model
    assert model is not None
    with tempfile.TemporaryDirectory() as folder:
        learning = MachineLearning(Path(folder), data.machine)
        updater = learning.begin(model)
        stream = [(s, start, len(s)) for s, start in split.evaluated]
        for _ in label_events(detector, learning, updater, stream, Technician(LABELS)):
            pass
        updater = HeadUpdater(Path(folder), data.machine, contexts_of(model), model.baseline_id)
        return model, updater.export("gateway-1", "", 0)


def _shortened(whole: Split, held: Sequence[tuple[Stretch, int]], share: float) -> Split:
    """Keep this share of the baseline of each recording; evaluate the rest."""
    known = {id(s) for s, _ in held}
    baseline = tuple((s, round(share * n)) for s, n in held)
    evaluated = tuple((s, start if id(s) in known else 0) for s, start in whole.evaluated)
    return Split(baseline, evaluated)


def _on_base_of(model: MachineModel, split: Split) -> MachineModel:
    """Return the first machine's model with location, spread and calibration of the second."""
    return replace(model, kinds=tuple(_own(kind, split) for kind in model.kinds))


def _own(kind: KindModel, split: Split) -> KindModel:
    points = []
    for row, (name, point) in enumerate(zip(kind.slots.points, kind.points, strict=True)):
        features = np.concatenate([s.features[name][:n] for s, n in split.baseline])
        x = kind.slots.model_units_of(features, row)
        scores = np.empty(len(x))
        for block in np.array_split(np.arange(len(x)), FOLDS):
            others = np.setdiff1d(np.arange(len(x)), block)
            scores[block] = _log_scores(_scaled(kind, row, x[others]), row, x[block])
        calibration = Calibration.fit(scores, point.persistence.inflation)
        scaling = _scaled(kind, row, x).points[row].scaling
        points.append(replace(point, scaling=scaling, seen=calibration, windows=len(x)))
    return replace(kind, points=tuple(points))


def _scaled(kind: KindModel, row: int, x: Float32) -> KindModel:
    scaling = StateScaling.fit(x, np.zeros(len(x), np.intp), len(kind.states))
    points = list(kind.points)
    points[row] = replace(points[row], scaling=scaling)
    return replace(kind, points=tuple(points))


def _log_scores(kind: KindModel, row: int, x: Float32) -> Float64:
    windows = [Observation("", 0, one) for one in x]
    return kind.score(np.full(len(x), row), x, windows).log_score


def _apply(detector: MachineDetector, delta: Delta, split: Split) -> str:
    """Apply the delta through the gate of the second machine, on its baseline windows."""
    model = detector.model
    assert model is not None
    with tempfile.TemporaryDirectory() as folder:
        updater = HeadUpdater(Path(folder), "second", contexts_of(model), model.baseline_id)
        for stretch, n in split.baseline:
            for hop in stretch.hops(0, n):
                detector.observe(hop)
                updater.remember(detector.scored_windows(), None)
        update = updater.apply(delta, "", 0)
        detector.set_heads(updater.heads)
    detector.reset_evidence()
    return "accepted" if update.accepted else str(update.said)


def _outcome(
    start: str,
    windows: int,
    detector: MachineDetector,
    data: MachineData,
    split: Split,
) -> Row:
    scores, _ = score_recordings(detector, data, split.evaluated)
    figures = scores.detection(MACHINE, windows)
    known = [
        start > 0 for s, start in split.evaluated if s.recording.label is RecordingLabel.HEALTHY
    ]
    return Row(
        start=start,
        windows=windows,
        auc=figures.auc,
        fpr_known=fpr_where(scores, MACHINE, known),
        fpr_new=fpr_where(scores, MACHINE, [not k for k in known]),
        tpr=figures.tpr,
        verdict="",
    )


def main(quantity: Quantity, manifest: Path | str, machines: Sequence[str]) -> None:
    """Print the table of a data set: of two machines, or of one machine as two."""
    data = read_manifest(manifest)
    if len(machines) == 2:
        first, second = (machine_data(data, name, WINDOW_S, lambda: None) for name in machines)
    else:
        name = machines[0] if machines else data.machines[0]
        first, second = twins(machine_data(data, name, WINDOW_S, lambda: None))
    table = Table(title=f"{data.name}: a second machine", title_justify="left")
    for name in ("baseline windows", "start", "AUC", "FPR known", "FPR new", "TPR", "delta"):
        table.add_column(name)
    for row in transfer(first, second, quantity):
        figures = (row.auc, row.fpr_known, row.fpr_new, row.tpr)
        cells = ["–" if value is None else f"{value:.4f}" for value in figures]
        table.add_row(str(row.windows), row.start, *cells, row.verdict)
    Console().print(table)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])  # type: ignore[arg-type]
