"""Protocols `healthy_vs_faulty` and `hold_out`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import ceil
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Condition
from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.features import MachineData, Stretch
from auscult.gateway.evaluate.metrics import auc, mean, share
from auscult.gateway.evaluate.records import Detection, Result
from auscult.gateway.evaluate.references import REFERENCES, limit_of
from auscult.models.decision.alarm_rule import RULE
from auscult.models.decision.sensor_checks import UNUSABLE
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.network.input_slots import Slots
from auscult.models.settings import SHIPPED

Float64 = NDArray[np.float64]

BASELINE_SHARE = 0.6
"""First part of each healthy recording that is the baseline."""
OURS = "auscult"
MACHINE = None
"""Point of the rows of the machine."""
NO_BASELINE = "no_baseline"
"""Cause of withheld windows of a point that the baseline does not have."""


@dataclass(frozen=True, slots=True)
class Split:
    """The windows of each recording that are baseline, and those that are evaluated."""

    baseline: tuple[tuple[Stretch, int], ...]
    """Recording and the number of its first windows."""
    evaluated: tuple[tuple[Stretch, int], ...]
    """Recording and its first evaluated window."""


@dataclass
class Scores:
    """Scores of evaluated windows, NaN where withheld, and the limit, by point (None = machine)."""

    healthy: dict[str | None, list[Float64]] = field(default_factory=dict)
    faulty: dict[str | None, list[tuple[str, Float64]]] = field(default_factory=dict)
    limit: dict[str | None, float] = field(default_factory=dict)
    withheld: dict[str | None, Counter[str]] = field(default_factory=dict)
    """Causes of the withheld windows."""

    def add(self, stretch: Stretch, point: str | None, scores: Float64, start: int = 0) -> None:
        """Add the scores of a recording from the window `start` on."""
        points = list(stretch.features) if point is MACHINE else [point]
        causes = self.withheld.setdefault(point, Counter())
        causes.update(
            cause(stretch, points, start + int(i)) for i in np.flatnonzero(np.isnan(scores))
        )
        if stretch.recording.label is RecordingLabel.HEALTHY:
            self.healthy.setdefault(point, []).append(scores)
        else:
            self.faulty.setdefault(point, []).append((stretch.recording.fault, scores))

    def detection(self, point: str | None, n_baseline: int) -> Detection:
        """Return the figures of one point."""
        healthy = np.concatenate([*self.healthy.get(point, []), np.empty(0)])
        by_fault: dict[str, list[Float64]] = {}
        for fault, scores in self.faulty.get(point, []):
            by_fault.setdefault(fault, []).append(scores)
        faulty = np.concatenate([*(s for one in by_fault.values() for s in one), np.empty(0)])
        limit = self.limit[point]
        ranked = _lowest_if_withheld(healthy)
        each = {
            fault: value
            for fault, scores in by_fault.items()
            if (value := auc(ranked, _lowest_if_withheld(np.concatenate(scores)))) is not None
        }
        return Detection(
            auc=auc(ranked, _lowest_if_withheld(faulty)),
            fpr=share(healthy > limit),
            tpr=share(faulty > limit),
            by_fault=each,
            n_baseline=n_baseline,
            n_healthy=len(healthy),
            n_faulty=len(faulty),
            withheld_healthy=int(np.isnan(healthy).sum()),
            withheld_faulty=int(np.isnan(faulty).sum()),
            withheld_because=dict(self.withheld.get(point, {})),
        )


@dataclass(frozen=True, slots=True)
class Events:
    """Events that the accumulated evidence opened in whole recordings."""

    healthy: int
    """Healthy recordings evaluated."""
    false_events: int
    """Healthy recordings in which a warning or an alarm opened."""
    faulty: int
    found: int
    """Faulty recordings in which a warning or an alarm opened."""
    unknown_share: float | None
    """Share of healthy windows whose condition was unknown."""


def default_split(data: MachineData) -> Split:
    """Split each healthy recording after its first 60 %; all faulty ones are evaluated."""
    cuts = [(s, round(BASELINE_SHARE * len(s))) for s in data.with_label(RecordingLabel.HEALTHY)]
    faulty = [(s, 0) for s in data.with_label(RecordingLabel.FAULTY)]
    return Split(tuple(cuts), (*cuts, *faulty))


def held_out_splits(
    data: MachineData, quantity: Literal["speed_rpm", "load"]
) -> Iterator[tuple[float | str, Split]]:
    """Leave out one value of the quantity from the baseline at a time; evaluate its recordings."""
    default = default_split(data)
    values = dict.fromkeys(condition_of(s, quantity) for s, _ in default.baseline)
    if len(values) < 2 or None in values:
        return
    for value in values:
        assert value is not None  # noqa: S101
        baseline = tuple((s, n) for s, n in default.baseline if condition_of(s, quantity) != value)
        evaluated = tuple(
            (s, 0 if condition_of(s, quantity) == value else start)
            for s, start in default.evaluated
        )
        yield value, Split(baseline, evaluated)


def detection_results(
    data: MachineData, split: Split, protocol: str = "healthy_vs_faulty"
) -> list[Result]:
    """Return the rows of all detectors, for each point and for the machine."""
    n_baseline = sum(n for _, n in split.baseline)
    ours, events, missing = evaluate_detector(data, split)
    rows = []
    points: list[str | None] = [MACHINE, *data.specs] if len(data.specs) > 1 else [MACHINE]
    for point in points:
        figures = asdict(ours.detection(point, n_baseline))
        if point is MACHINE:
            figures |= {"events": asdict(events), "baseline_missing": missing}
        rows.append(Result(data.dataset, data.machine, protocol, OURS, point, figures))
    return rows + reference_results(data, split, protocol)


def reference_results(data: MachineData, split: Split, protocol: str) -> list[Result]:
    """Return the rows of the references."""
    n_baseline = sum(n for _, n in split.baseline)
    points: list[str | None] = [MACHINE, *data.specs] if len(data.specs) > 1 else [MACHINE]
    rows = []
    for name in REFERENCES:
        theirs = score_reference(name, data, split)
        rows += [
            Result(data.dataset, data.machine, protocol, name, point,
                   asdict(theirs.detection(point, n_baseline)))
            for point in points
        ]  # fmt: skip
    return rows


def hold_out_results(
    data: MachineData,
    quantity: Literal["speed_rpm", "load"],
    advance: Callable[[], None] = lambda: None,
) -> list[Result]:
    """Return the rows averaged over the conditions left out, with the worst of them."""
    runs: dict[tuple[str, str | None], list[tuple[str, dict[str, Any]]]] = {}
    for value, split in held_out_splits(data, quantity):
        for row in detection_results(data, split, "hold_out"):
            runs.setdefault((row.detector, row.point), []).append((str(value), row.figures))
        advance()
    return [
        Result(data.dataset, data.machine, "hold_out", detector, point, averaged(each))
        for (detector, point), each in runs.items()
    ]


def evaluate_detector(data: MachineData, split: Split) -> tuple[Scores, Events, list[str]]:
    """Fit the baseline with the shipped settings; score the rest, recording by recording."""
    detector = fitted_detector(data, split)
    scores, events = score_recordings(detector, data, split.evaluated)
    return scores, events, list(detector.coverage.missing)


def score_recordings(
    detector: MachineDetector, data: MachineData, evaluated: Iterable[tuple[Stretch, int]]
) -> tuple[Scores, Events]:
    """Score recordings, each from its given window on; the evidence starts from 0 in each."""
    scores = Scores()
    limit = -np.log(SHIPPED.p_limit)
    scores.limit = dict.fromkeys([MACHINE, *data.specs], float(limit))
    healthy = false_events = faulty = found = 0
    unknown: list[bool] = []
    for stretch, start in evaluated:
        detector.reset_evidence()
        of_points: dict[str | None, list[float]] = {point: [] for point in (MACHINE, *data.specs)}
        alerted = False
        is_healthy = stretch.recording.label is RecordingLabel.HEALTHY
        for hop in stretch.hops(start):
            decision = detector.observe(hop)
            for point, own in ((MACHINE, decision.machine), *decision.points.items()):
                p = np.nan if own.p_value is None else own.p_value
                of_points[point].append(-float(np.log(p)))
            alerted |= RULE.opens(decision.machine.condition)
            if is_healthy:
                unknown.append(decision.machine.condition is Condition.UNKNOWN)
        for point, values in of_points.items():
            scores.add(stretch, point, np.array(values), start)
        if len(stretch) > start:
            healthy, false_events = healthy + is_healthy, false_events + (is_healthy and alerted)
            faulty, found = faulty + (not is_healthy), found + (not is_healthy and alerted)
    return scores, Events(healthy, false_events, faulty, found, share(np.array(unknown, bool)))


def fitted_detector(data: MachineData, split: Split) -> MachineDetector:
    """Fit the baseline of a split with the shipped settings."""
    detector = MachineDetector(NamePlate(data.machine), data.specs)
    for stretch, n in split.baseline:
        for hop in stretch.hops(0, n):
            detector.observe(hop)
    detector.adopt(detector.fit_now().run())
    return detector


def score_reference(name: str, data: MachineData, split: Split) -> Scores:
    """Score a split with a reference, which needs all its points in each window.

    A point is scored in the recordings that have it, the machine by the points of all recordings. A
    window without a measurement at any of them is withheld, as from Auscult, and not learned.
    """
    scores = Scores()
    used = [stretch for stretch, _ in split.evaluated + split.baseline]
    common = [point for point in data.specs if all(point in s.features for s in used)]
    for point in (MACHINE, *data.specs):
        points = common if point is MACHINE else [point]
        tables = {
            id(s): model_units(data, s, points) for s in used if points and points[0] in s.features
        }
        usable = {id(s): ~unusable(s, points) for s in used if id(s) in tables}
        baseline = [
            tables[id(s)][:n][usable[id(s)][:n]] for s, n in split.baseline if id(s) in tables
        ]
        scores.limit[point] = np.inf
        if not sum(map(len, baseline)):
            continue
        reference = REFERENCES[name]()
        reference.fit(np.concatenate(baseline))
        scores.limit[point] = limit_of(reference.score(np.concatenate(baseline)))
        for stretch, start in split.evaluated:
            if id(stretch) in tables:
                scored = usable[id(stretch)][start:]
                values = np.full(len(scored), np.nan)
                if scored.any():
                    values[scored] = reference.score(tables[id(stretch)][start:][scored])
                scores.add(stretch, point, values, start)
    return scores


def unusable(stretch: Stretch, points: Sequence[str]) -> NDArray[np.bool_]:
    """Return windows of a recording without a measurement at one of these points [shape=(n,)]."""
    bits = np.bitwise_or.reduce([stretch.health[point] for point in points])
    return np.asarray(bits & np.uint16(UNUSABLE) != 0)


def cause(stretch: Stretch, points: Sequence[str], i: int) -> str:
    """Name why a window of these points is withheld."""
    bits = np.bitwise_or.reduce([stretch.health[point][i] for point in points])
    faults = [str(flag.name).lower() for flag in UNUSABLE if int(bits) & flag]
    return "+".join(faults) or NO_BASELINE


def _lowest_if_withheld(scores: Float64) -> Float64:
    return np.nan_to_num(scores, nan=-np.inf, posinf=np.inf, neginf=-np.inf)


def model_units(data: MachineData, stretch: Stretch, points: list[str]) -> Float64:
    """Return the features of some points of a recording side by side [shape=(n, points, slots)]."""
    columns = []
    for point in points:
        spec = data.specs[point]
        slots = Slots.assign({point: spec}, len(spec.model_names))
        columns.append(slots.model_units_of(stretch.features[point], 0).astype(np.float64))
    width = max(x.shape[1] for x in columns)
    return np.stack([np.pad(x, ((0, 0), (0, width - x.shape[1]))) for x in columns], axis=1)


def condition_of(stretch: Stretch, quantity: Literal["speed_rpm", "load"]) -> float | str | None:
    """Return the value of the quantity in a recording, None if it is unknown."""
    state = stretch.recording.state
    if quantity == "load" and state.load is None:
        return state.tags.get("load")
    return getattr(state, quantity)  # type: ignore[no-any-return]


def averaged(runs: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Mean of the figures; the worst condition is that of the lowest AUC, or the highest FPR."""
    each = [figures for _, figures in runs]
    faults = dict.fromkeys(fault for figures in each for fault in figures["by_fault"])
    means: dict[str, Any] = {
        name: mean([figures[name] for figures in each]) for name in ("auc", "fpr", "tpr")
    }
    means["by_fault"] = {f: mean([fig["by_fault"].get(f) for fig in each]) for f in faults}
    for name in ("n_baseline", "n_healthy", "n_faulty"):
        means[name] = round(float(np.mean([figures[name] for figures in each])))
    for name in ("withheld_healthy", "withheld_faulty"):
        means[name] = ceil(np.mean([figures[name] for figures in each]))
    causes = dict.fromkeys(one for figures in each for one in figures["withheld_because"])
    means["withheld_because"] = {
        one: ceil(np.mean([figures["withheld_because"].get(one, 0) for figures in each]))
        for one in causes
    }
    if all("events" in figures for figures in each):
        names = ("healthy", "false_events", "faulty", "found")
        means["events"] = {n: sum(fig["events"][n] for fig in each) for n in names}
        means["events"]["unknown_share"] = mean([f["events"]["unknown_share"] for f in each])
    worst = max(runs, key=lambda run: (-(run[1]["auc"] or 0.0), run[1]["fpr"] or 0.0))
    means["worst"] = {"condition": worst[0], **worst[1]}
    return means
