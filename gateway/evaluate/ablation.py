"""What each part of the detector brings: ``python -m gateway.evaluate.ablation MANIFEST...``.

Each row adds one part to the row before; the last rows change one part of the whole. Figures are
means over the points of all machines that have healthy and faulty recordings; the last line shows
what evidence over time does to false alarms.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from gateway.evaluate.detection import Scores, Split, judge_ours, usual_split
from gateway.evaluate.features import MachineData, Stretch, machine_data
from gateway.evaluate.metrics import mean
from gateway.evaluate.references import limit_of
from gateway.evaluate.run import WINDOW_S
from gateway.sources.dataset import RecordingLabel, read_manifest
from models.autoencoder import soft_clip
from models.baseline import Baseline
from models.commissioning import Base, commission
from models.machine_model import KindModel, MachineModel
from models.records import OperatingState
from models.score import ShrunkDistance
from models.settings import SHIPPED

Float64 = NDArray[np.float64]

Row = tuple[str, list[float | None], list[float | None], list[float | None]]


def ablation(manifests: Sequence[Path | str]) -> Iterator[Row]:
    """Give the name of each variant, and AUC, FPR and TPR of every point."""
    machines = [
        machine_data(data, machine, WINDOW_S, lambda: None)
        for data in map(read_manifest, manifests)
        for machine in data.machines
    ]
    machines = [m for m in machines if m.of(RecordingLabel.HEALTHY) and m.of(RecordingLabel.FAULTY)]
    stateless = [_without_states(m) for m in machines]
    yield _row("plain reconstruction error", stateless, _reconstruction)
    yield _row("+ whitened residual and latent", stateless, _whitened)
    yield _row("+ calibration", stateless, lambda m: _calibrated(m, "trained"))
    yield _row("+ operating states, inferred", stateless, lambda m: _calibrated(m, "trained", True))
    yield _row("+ operating states, told", machines, lambda m: _calibrated(m, "trained"))
    yield _row(
        "the same, shipped base (frozen, not trained)",
        machines,
        lambda m: _calibrated(m, "shipped"),
    )
    yield _row("the same, int8 base", machines, lambda m: _calibrated(m, "int8"))


def _row(name: str, machines: Sequence[MachineData], judge: object) -> Row:
    assert callable(judge)  # noqa: S101
    auc, fpr, tpr = [], [], []
    for machine in machines:
        scores: Scores = judge(machine)
        for point in machine.specs:
            figures = scores.detection(point, 0)
            auc.append(figures.auc)
            fpr.append(figures.fpr)
            tpr.append(figures.tpr)
    return name, auc, fpr, tpr


def _without_states(data: MachineData) -> MachineData:
    bare = tuple(
        replace(s, recording=replace(s.recording, state=OperatingState())) for s in data.stretches
    )
    return replace(data, stretches=bare)


def _model(data: MachineData, split: Split, base: Base, infer: bool = False) -> MachineModel:
    baseline = Baseline(data.specs, SHIPPED)
    for stretch, n in split.baseline:
        for hop in stretch.hops(0, n):
            for one in hop:
                baseline.add(one.point, one.t_ns, one.features, one.state)
    return commission(data.specs, baseline.windows(), SHIPPED, base=base, infer=infer)


def _calibrated(data: MachineData, base: Base, infer: bool = False) -> Scores:
    split = usual_split(data)
    model = _model(data, split, base, infer)
    scores = Scores(limit=dict.fromkeys(data.specs, -float(np.log(SHIPPED.p_limit))))
    for kind, row, point in _rows(model):
        for stretch, start in split.judged:
            x = kind.slots.model_units_of(stretch.features[point][start:], row)
            told = [stretch.recording.state] * len(x)
            scores.add(stretch, point, -kind.judge(np.full(len(x), row), x, told).ln_p)
    return scores


def _reconstruction(data: MachineData) -> Scores:
    return _in_sample(data, lambda residual, _: lambda v: (v[:, :residual] ** 2).mean(axis=1))


def _whitened(data: MachineData) -> Scores:
    return _in_sample(data, lambda _, v: ShrunkDistance.fit(v))


def _in_sample(data: MachineData, fit: object) -> Scores:
    """Scores of residual and latent, with the limit at the baseline's own 99.9 % quantile."""
    assert callable(fit)  # noqa: S101
    split = usual_split(data)
    model = _model(data, split, "trained")
    scores = Scores()
    for kind, row, point in _rows(model):

        def represent(
            stretch: Stretch, start: int, stop: int | None,
            kind: KindModel = kind, row: int = row, point: str = point,
        ) -> NDArray[np.float32]:  # fmt: skip
            x = kind.slots.model_units_of(stretch.features[point][start:stop], row)
            z = kind.points[row].scaling.standardise(x, np.zeros(len(x), np.intp))
            mask = np.tile(kind.slots.mask[row], (len(x), 1))
            out = kind.autoencoder.infer(soft_clip(z * mask), mask)
            return np.concatenate([out.residual, out.latent], axis=1)

        baseline = np.concatenate([represent(s, 0, n) for s, n in split.baseline])
        score = fit(kind.slots.mask.shape[1], baseline)
        scores.limit[point] = limit_of(np.asarray(score(baseline), np.float64))
        for stretch, start in split.judged:
            if start < len(stretch):
                scores.add(stretch, point, score(represent(stretch, start, None)))
    return scores


def _rows(model: MachineModel) -> Iterator[tuple[KindModel, int, str]]:
    for kind in model.kinds:
        for row, point in enumerate(kind.slots.points):
            yield kind, row, point


def _evidence(manifests: Sequence[Path | str]) -> Iterator[str]:
    """Say what evidence over time changes: healthy stretches that would have been disturbed."""
    windows = stretches = beyond = disturbed = events = 0
    for data in map(read_manifest, manifests):
        for machine in data.machines:
            mine = machine_data(data, machine, WINDOW_S, lambda: None)
            if not mine.of(RecordingLabel.HEALTHY):
                continue
            scores, found, _ = judge_ours(mine, usual_split(mine))
            limit = scores.limit[None]
            for healthy in scores.healthy[None]:
                windows += len(healthy)
                beyond += int((healthy > limit).sum())
                disturbed += bool((healthy > limit).any())
            stretches += found.healthy
            events += found.false_events
    yield (
        f"evidence: {beyond} of {windows} healthy windows are beyond the limit, in {disturbed} of "
        f"{stretches} stretches; events opened in {events}"
    )


def main() -> None:
    """Print the ablation of the manifests on the command line, line by line as it is made."""
    console = Console()
    console.print(f"{'variant':54}{'mean AUC':>9}{'mean FPR':>9}{'mean TPR':>9}")
    for name, auc, fpr, tpr in ablation(sys.argv[1:]):
        cells = [f"{value:.4f}" if (value := mean(v)) is not None else "–" for v in (auc, fpr, tpr)]
        console.print(f"{name:54}" + "".join(f"{cell:>9}" for cell in cells))
    for line in _evidence(sys.argv[1:]):
        console.print(line)


if __name__ == "__main__":
    main()
