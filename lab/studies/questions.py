"""Questions in the order of their information against random order.

    python -m lab.studies.questions speed_rpm uestc/manifest.csv bldc_audio/manifest.csv
    python -m lab.studies.questions load gearbox_gfd/manifest.csv

Each point is a machine of its own, so that a fault may be weak. All conditions are known, and one
(the first, then the middle one) is left out. The first half of each recording, where no event
opens, gives the stretches that a question can be about; the truth answers. The second halves are
evaluated after one and three answers: the balanced error (FPR + 1 − TPR) / 2 of windows at the
limit. Random order is the mean of four draws.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from auscult.contract.label import Label, Verdict
from auscult.contract.message import millis
from auscult.contract.records import DEPARTED
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.conditions import Quantity
from auscult.gateway.evaluate.detection import (
    MACHINE,
    Split,
    default_split,
    fitted_detector,
    held_out_splits,
    score_recordings,
)
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.detector import MachineDetector
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.questions import ALIKE, FEWEST, MOST, QUESTION, RAISED, HopStretch
from auscult.models.learning.recognition import cosine

ANSWERS = (1, 3)
DRAWS = 4
ORDERS = ("nearest to the limit", "highest score", "evidence", "random")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stretch that may be asked about, and the true answer."""

    stretch: HopStretch
    healthy: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """Balanced error before any answer, and by order and number of answers."""

    rig: str
    split: str
    candidates: int
    faulty: int
    before: float
    after: dict[tuple[str, int], float]


def trial(data: MachineData, name: str, split: Split) -> Outcome | None:
    """Run all orders on one split."""
    detector = fitted_detector(data, split)
    model = detector.model
    assert model is not None
    found = list(candidates(detector, split))
    if len(found) <= max(ANSWERS):
        return None
    n_baseline = sum(n for _, n in split.baseline)

    def error() -> float:
        halves = [(s, (start + len(s)) // 2) for s, start in split.evaluated]
        scores, _ = score_recordings(detector, data, halves)
        one = scores.detection(MACHINE, n_baseline)
        parts = [x for x in (one.fpr, None if one.tpr is None else 1 - one.tpr) if x is not None]
        return float(np.mean(parts))

    def after(order: Sequence[Candidate]) -> list[float]:
        errors = []
        with tempfile.TemporaryDirectory() as folder:
            learning = MachineLearning(Path(folder), data.machine)
            updater = learning.begin(model)
            for number, one in enumerate(order[: max(ANSWERS)], 1):
                answer(detector, updater, one, number)
                if number in ANSWERS:
                    detector.adopt(model)
                    detector.set_heads(updater.heads)
                    errors.append(error())
        return errors + errors[-1:] * (len(ANSWERS) - len(errors))

    detector.adopt(model)
    before = error()
    result: dict[tuple[str, int], float] = {}
    for kind in ORDERS:
        draws = [
            after(in_order(found, kind, seed)) for seed in range(DRAWS if kind == "random" else 1)
        ]
        for k, mean in zip(ANSWERS, np.mean(draws, axis=0), strict=True):
            result[kind, k] = float(mean)
    faulty = sum(not one.healthy for one in found)
    return Outcome(data.machine, name, len(found), faulty, before, result)


def candidates(detector: MachineDetector, split: Split) -> Iterator[Candidate]:
    """Return the stretches of the first halves in which no event opens."""
    for s, start in split.evaluated:
        detector.reset_evidence()
        stretch = HopStretch()
        own: list[HopStretch] = []
        healthy = s.recording.label is RecordingLabel.HEALTHY
        for hop in s.hops(start, (start + len(s)) // 2):
            decision = detector.observe(hop).machine
            windows = detector.scored_windows()
            if decision.condition in DEPARTED:
                stretch, own = HopStretch(), []
                break
            if (decision.evidence or 0.0) >= RAISED or not all(w.seen for w in windows):
                stretch.add(decision, windows)
            elif stretch.count:
                own.append(stretch)
                stretch = HopStretch()
            if stretch.count >= MOST:
                own.append(stretch)
                stretch = HopStretch()
        for one in (*own, stretch):
            if one.count >= FEWEST:
                yield Candidate(one, healthy)


def in_order(found: Sequence[Candidate], kind: str, seed: int) -> list[Candidate]:
    """Return the candidates as they are asked; by information without those alike."""
    if kind == "random":
        return [found[i] for i in np.random.default_rng(seed).permutation(len(found))]
    value = {
        "nearest to the limit": lambda one: one.stretch.question(0).worth,
        "highest score": lambda one: one.stretch.information,
        "evidence": lambda one: one.stretch.evidence,
    }[kind]
    asked: list[Candidate] = []
    for one in sorted(found, key=value, reverse=True):
        centres = one.stretch.centres
        if all(cosine(centres, other.stretch.centres) < ALIKE for other in asked):
            asked.append(one)
    return asked


def answer(detector: MachineDetector, updater: HeadUpdater, one: Candidate, number: int) -> None:
    """Answer a question by the truth."""
    question = f"{QUESTION}{number}"
    for hop in one.stretch.hops:
        updater.remember(hop, question)
    verdict = Verdict.FALSE_ALARM if one.healthy else Verdict.CONFIRMED_FAULT
    machine = detector.name_plate.machine
    label = Label(
        label_id=question,
        event_id=question,
        machine=machine,
        verdict=verdict,
        actor="truth",
        created_ms=millis(one.stretch.end_ns),
    )
    updater.learn(label)


def points(data: MachineData) -> Iterator[MachineData]:
    """Each point as a machine of its own."""
    for point, spec in data.specs.items():
        stretches = tuple(
            replace(s, features={point: s.features[point]}, health={point: s.health[point]})
            for s in data.stretches
            if point in s.features
        )
        yield MachineData(data.dataset, f"{data.machine} {point}", {point: spec}, stretches)


def splits(data: MachineData, quantity: Quantity) -> Iterator[tuple[str, Split]]:
    """Return all conditions known; the first left out; the middle one left out."""
    yield "all known", default_split(data)
    held_out = list(held_out_splits(data, quantity))
    for value, split in held_out[:: max(1, len(held_out) // 2)][:2]:
        yield f"without {value}", split


def main(quantity: Quantity, manifests: Sequence[str]) -> None:
    """Print the table of these data sets."""
    outcomes: list[Outcome] = []
    for manifest in map(read_manifest, manifests):
        for machine in manifest.machines:
            data = machine_data(manifest, machine, WINDOW_S, lambda: None)
            if not data.with_label(RecordingLabel.HEALTHY):
                continue
            for alone in points(data):
                outcomes += [
                    one
                    for name, split in splits(alone, quantity)
                    if (one := trial(alone, name, split))
                ]
    table = Table(title="balanced error of windows", title_justify="left")
    for head in ("rig", "split", "stretches", "faulty", "before"):
        table.add_column(head)
    for kind in ORDERS:
        table.add_column(f"{kind}: {' / '.join(map(str, ANSWERS))}")
    for one in outcomes:
        cells = [" / ".join(f"{one.after[kind, k]:.3f}" for k in ANSWERS) for kind in ORDERS]
        counts = str(one.candidates), str(one.faulty), f"{one.before:.3f}"
        table.add_row(one.rig, one.split, *counts, *cells)
    Console(width=160).print(table)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])  # type: ignore[arg-type]
