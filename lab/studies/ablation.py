"""The effect of each part of the detector: ``python -m lab.studies.ablation MANIFEST...``.

Each row adds a part to the row before; the last rows change one part of the whole. Then follow, for
each machine, the effect of given and of inferred operating states, and the effect of following
drift on runs to failure and on a simulated machine that ages.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from auscult.contract.records import DEPARTED, Condition, OperatingState
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.detection import (
    Events,
    Scores,
    default_split,
    score_recordings,
)
from auscult.gateway.evaluate.features import MachineData, Stretch, machine_data
from auscult.gateway.evaluate.life import life_of
from auscult.gateway.evaluate.metrics import mean
from auscult.gateway.evaluate.records import Detection
from auscult.gateway.evaluate.references import limit_of
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.models.baseline.collection import Baseline
from auscult.models.baseline.fit import fit_baseline
from auscult.models.baseline.kind_model import KindModel
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.baseline.score import ShrunkDistance
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.network.architecture import split
from auscult.models.network.autoencoder import CLIP, Autoencoder, soft_clip
from auscult.models.network.guard import Model
from auscult.models.network.numpy_engine import NumpyEngine
from auscult.models.network.training import TrainReport
from auscult.models.settings import SHIPPED
from lab.studies.ageing import YEAR_HOURS, conditions_of_ageing

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

ALARM = Condition.ALARM
NO_DRIFT = replace(SHIPPED, drift_bound_db=0.0, drift_bound_sigma=0.0)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a variant on a machine: figures of each point, and events."""

    machine: str
    points: tuple[Detection, ...]
    events: Events
    states: int = 1
    by_window: Events | None = None
    """Events if a single window beyond the limit opens one, without evidence over time."""

    @property
    def figures(self) -> tuple[float | None, float | None, float | None]:
        """AUC, FPR and TPR, means over the points."""
        return (
            mean([d.auc for d in self.points]),
            mean([d.fpr for d in self.points]),
            mean([d.tpr for d in self.points]),
        )


Row = tuple[str, list[Outcome]]
Represent = Callable[[Stretch, int, int | None], Float32]
Score = Callable[[Float32], NDArray[np.floating]]
Fit = Callable[[Float32, int], Score]


def ablation(machines: Sequence[MachineData]) -> Iterator[Row]:
    """Return the name of each variant and its outcome on every machine."""
    bare = [_without_states(m) for m in machines]
    models = [_model(m, infer=False) for m in bare]
    of_one_state = list(zip(bare, models, strict=True))
    yield "plain reconstruction error", [_in_sample(*one, _reconstruction) for one in of_one_state]
    yield "+ whitened residual and latent", [_in_sample(*one, _whitened) for one in of_one_state]
    stateless = [_outcome(*one) for one in of_one_state]
    yield "+ calibration", [replace(o, events=o.by_window or o.events) for o in stateless]
    yield "+ evidence", stateless
    yield "+ operating states, inferred", [_outcome(m, _model(m)) for m in bare]
    yield "+ operating states, given", [_outcome(m, _model(m)) for m in machines]
    shipped = [_outcome(m, _model(m, train=False)) for m in machines]
    yield "the same, shipped base (not trained)", shipped
    with mock.patch.object(Autoencoder, "fit", _fit_int8):
        int8 = [_outcome(m, _model(m)) for m in machines]
    yield "the same, int8 base", int8


def _without_states(data: MachineData) -> MachineData:
    bare = tuple(
        replace(s, recording=replace(s.recording, state=OperatingState())) for s in data.stretches
    )
    return replace(data, stretches=bare)


def _model(data: MachineData, train: bool = True, infer: bool = True) -> MachineModel:
    baseline = Baseline(data.specs, SHIPPED)
    for stretch, n in default_split(data).baseline:
        for hop in stretch.hops(0, n):
            for one in hop:
                baseline.add(one.point, one.t_ns, one.features, one.state)
    return fit_baseline(data.specs, baseline.windows(), SHIPPED, train=train, infer=infer)


FIT = Autoencoder.fit
INT8_HEADROOM = 2.0
"""Factor of the ranges over those of healthy windows, so that a fault does not saturate."""


def _fit_int8(network: Autoencoder, x: Float32, mask: Float32, **settings: Any) -> TrainReport:
    """Train, then round weights and activations of `infer` as an int8 file of TFLite does.

    Weights are symmetric for each output channel, activations asymmetric for each tensor (Jacob et
    al. 2018).
    """
    report = FIT(network, x, mask, **settings)
    weights = split(network.weights(), network.architecture.base_shapes)
    steps: dict[str, tuple[float, int]] = {}

    def note(name: str, value: Float32) -> Float32:
        low, high = min(value.min(), 0.0), max(value.max(), 0.0)
        step = (high - low) / 255 or 1.0
        steps[name] = step, round(-128 - low / step)
        return value

    def rounded(name: str, value: Float32) -> Float32:
        step, zero = steps[name]
        steps_of_zero: Float32 = np.clip(np.round(value / step) + zero, -128, 127) - zero
        return steps_of_zero * np.float32(step)

    def infer(x: Float32, mask: Float32) -> dict[str, Float32]:
        latent, output = _forward(weights, x * mask, rounded)
        return {"residual": (x * mask - output) * mask, "latent": latent}

    _forward(weights, np.clip(np.concatenate([x, INT8_HEADROOM * x]), -CLIP, CLIP), note)
    note("x", np.array([-CLIP, CLIP], np.float32))
    for name, weight in weights.items():
        if weight.ndim == 2:
            step = np.maximum(np.abs(weight).max(1, keepdims=True), 1e-12) / 127
            weights[name] = np.round(weight / step) * step
    network._model = Model(NumpyEngine(network._model.signatures, {"infer": infer}))
    return report


def _forward(
    w: Mapping[str, Float32], x: Float32, keep: Callable[[str, Float32], Float32]
) -> tuple[Float32, Float32]:
    """Return latent and output; ``keep`` gets each activation by its name and returns its value."""
    x = keep("x", x)
    a = keep("a", np.maximum(x @ w["W1"].T + w["b1"], 0))
    z = keep("z", keep("p", x @ w["E"].T + w["c"]) + keep("q", a @ w["W2"].T))
    h = keep("h", np.maximum(z @ w["W3"].T + w["b3"], 0))
    return z, keep("y", keep("s", h @ w["W4"].T) + keep("r", z @ w["D"].T + w["d"]))


def _outcome(data: MachineData, model: MachineModel) -> Outcome:
    """Evaluate as the product does."""
    detector = MachineDetector(NamePlate(data.machine), data.specs)
    detector.adopt(model)
    scores, events = score_recordings(detector, data, default_split(data).evaluated)
    points = tuple(scores.detection(point, 0) for point in data.specs)
    return Outcome(data.machine, points, events, len(model.states), _by_window(scores, data))


def _by_window(scores: Scores, data: MachineData) -> Events:
    """Count recordings in which any window of any point is beyond its limit."""

    def beyond(of_points: Sequence[Sequence[Float64]]) -> tuple[int, int]:
        alerted = [
            any((one > scores.limit[p]).any() for p, one in zip(data.specs, together, strict=True))
            for together in zip(*of_points, strict=True)
            if len(together[0])
        ]
        return len(alerted), sum(alerted)

    healthy = beyond([scores.healthy.get(p, []) for p in data.specs])
    faulty = beyond([[s for _, s in scores.faulty.get(p, [])] for p in data.specs])
    return Events(*healthy, *faulty, None)


def _reconstruction(_: Float32, width: int) -> Score:
    return lambda v: (v[:, :width] ** 2).mean(axis=1)


def _whitened(baseline: Float32, _: int) -> Score:
    return ShrunkDistance.fit(baseline)


def _in_sample(data: MachineData, model: MachineModel, fit: Fit) -> Outcome:
    """Scores of residual and latent; the limit is the 99.9 % quantile of the baseline's scores."""
    split, scores = default_split(data), Scores()
    for kind, row, point in _rows(model):
        represent = _representation(kind, row, point)
        baseline = np.concatenate([represent(s, 0, n) for s, n in split.baseline])
        score = fit(baseline, kind.slots.mask.shape[1])
        scores.limit[point] = limit_of(np.asarray(score(baseline), np.float64))
        for stretch, start in split.evaluated:
            if start < len(stretch):
                v = represent(stretch, start, None)
                scores.add(stretch, point, np.asarray(score(v), np.float64))
    points = tuple(scores.detection(point, 0) for point in data.specs)
    return Outcome(data.machine, points, _by_window(scores, data))


def _representation(kind: KindModel, row: int, point: str) -> Represent:
    def represent(stretch: Stretch, start: int, stop: int | None) -> Float32:
        x = kind.slots.model_units_of(stretch.features[point][start:stop], row)
        z = kind.points[row].scaling.standardise(x, np.zeros(len(x), np.intp))
        mask = np.tile(kind.slots.mask[row], (len(x), 1))
        out = kind.autoencoder.infer(soft_clip(z * mask), mask)
        return np.concatenate([out.residual, out.latent], axis=1)

    return represent


def _rows(model: MachineModel) -> Iterator[tuple[KindModel, int, str]]:
    for kind in model.kinds:
        for row, point in enumerate(kind.slots.points):
            yield kind, row, point


def _cells(values: Sequence[float | None]) -> str:
    return "".join(f"{'–' if v is None else f'{v:.4f}':>9}" for v in values)


def _line(name: str, outcomes: Sequence[Outcome]) -> str:
    """Means over all points of machines with a fault, and counts of events over all machines."""
    points = [d for o in outcomes for d in o.points if d.auc is not None]
    means = [mean([getattr(d, figure) for d in points]) for figure in ("auc", "fpr", "tpr")]
    events = [o.events for o in outcomes]
    false = f"{sum(e.false_events for e in events)}/{sum(e.healthy for e in events)}"
    found = f"{sum(e.found for e in events)}/{sum(e.faulty for e in events)}"
    return f"{name:40}{_cells(means)}{false:>10}{found:>10}"


def _ageing() -> Iterator[str]:
    """Effect of following drift on a machine whose levels rise slowly for a year."""
    for db_per_month in (0.0, 2.4 / 12, 2.4):
        for name, settings in (("with", SHIPPED), ("without", NO_DRIFT)):
            seen = conditions_of_ageing(settings, db_per_month, YEAR_HOURS)
            warning, alarm = (seen.count(c) / len(seen) for c in DEPARTED)
            first = f", first alarm on day {seen.index(ALARM) // 24}" if ALARM in seen else ""
            yield (
                f"{12 * db_per_month:.1f} dB a year, {name} drift: warning {warning:.1%}, "
                f"alarm {alarm:.1%} of the year{first}"
            )


def _drift(data: MachineData) -> Iterator[str]:
    """Effect of following drift on a run to failure."""
    for name, settings in (("with", SHIPPED), ("without", NO_DRIFT)):
        life = life_of(data, settings)
        first = life.first_alarm_lead_min
        yield (
            f"{data.machine}, {name} drift: first alarm {'–' if first is None else f'{first:.1f}'} "
            f"min before the end, {life.condition_at_end} there, in 20–50 % of life warning "
            f"{life.warning_share_20_50:.2f}, alarm {life.alarm_share_20_50:.2f}"
        )


def main() -> None:
    """Print the ablation of the manifests on the command line, line by line as it is made."""
    console = Console(width=120)
    machines = [
        machine_data(data, machine, WINDOW_S, lambda: None)
        for data in map(read_manifest, sys.argv[1:])
        for machine in data.machines
    ]
    evaluated = [m for m in machines if m.with_label(RecordingLabel.HEALTHY)]
    console.print(f"{'variant':40}{'AUC':>9}{'FPR':>9}{'TPR':>9}{'false':>10}{'found':>10}")
    kept = {}
    for name, outcomes in ablation(evaluated) if evaluated else ():
        console.print(_line(name, outcomes))
        kept[name] = outcomes
    for name in ("+ evidence", "+ operating states, inferred", "+ operating states, given"):
        for o in kept.get(name, ()):
            events = f"events {o.events.false_events}/{o.events.healthy}"
            found = f"found {o.events.found}/{o.events.faulty}"
            named = f"{o.machine:28}{name:32}{o.states:3} states"
            console.print(f"{named}{_cells(o.figures)} {events} {found}")
    for data in machines:
        if data.with_label(RecordingLabel.RUN_TO_FAILURE):
            for line in _drift(data):
                console.print(line)
    for line in _ageing():
        console.print(line)


if __name__ == "__main__":
    main()
