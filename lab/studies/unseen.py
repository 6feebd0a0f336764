"""Windows of a condition that the baseline lacks: ``python -m lab.studies.unseen WHAT MANIFEST``.

    python -m lab.studies.unseen speed_rpm uestc hit_sm bldc_audio
    python -m lab.studies.unseen load gearbox_gfd

One condition at a time is left out of the baseline. The detector scores with the operating state
known and withheld, the references on the same features. Printed for each machine: figures on the
windows of the condition left out alone, on those of the other conditions, and on all.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.conditions import Quantity, without_states
from auscult.gateway.evaluate.detection import (
    MACHINE,
    Scores,
    Split,
    condition_of,
    evaluate_detector,
    held_out_splits,
    score_reference,
)
from auscult.gateway.evaluate.features import MachineData
from auscult.gateway.evaluate.metrics import auc, mean, share
from auscult.gateway.evaluate.references import REFERENCES
from lab.studies.learning.sets import machines_of

Float64 = NDArray[np.float64]
PARTS = ("left out", "known", "all")


@dataclass(frozen=True, slots=True)
class Figures:
    """AUC, FPR and TPR of some windows; None without healthy or faulty ones."""

    auc: float | None
    fpr: float | None
    tpr: float | None

    @classmethod
    def of(cls, healthy: Sequence[Float64], faulty: Sequence[Float64], limit: float) -> Figures:
        """Return the figures of the scores of recordings."""
        good, bad = (np.concatenate([*some, np.empty(0)]) for some in (healthy, faulty))
        return cls(auc(good, bad), share(good > limit), share(bad > limit))


def unseen(data: MachineData, quantity: Quantity) -> Iterator[tuple[str, str, dict[str, Figures]]]:
    """Yield the condition left out, the detector, and its figures on each part."""
    for value, split in held_out_splits(data, quantity):
        bare = without_states(split)
        new = [condition_of(s, quantity) == value for s, _ in split.evaluated]
        yield (
            str(value),
            "auscult, state known",
            parts_of(evaluate_detector(data, split)[0], split, new),
        )
        yield (
            str(value),
            "auscult, not known",
            parts_of(evaluate_detector(data, bare)[0], split, new),
        )
        for name in REFERENCES:
            yield str(value), name, parts_of(score_reference(name, data, split), split, new)


def parts_of(scores: Scores, split: Split, new: Sequence[bool]) -> dict[str, Figures]:
    """Return the figures of the machine on each of `PARTS`; ``new`` marks recordings left out."""
    healthy = iter(scores.healthy.get(MACHINE, []))
    faulty = (one for _, one in scores.faulty.get(MACHINE, []))
    groups: dict[str, tuple[list[Float64], list[Float64]]] = {p: ([], []) for p in PARTS}
    for (stretch, _), is_new in zip(split.evaluated, new, strict=True):
        is_healthy = stretch.recording.label is RecordingLabel.HEALTHY
        one = next(healthy if is_healthy else faulty)
        for part in ("all", "left out" if is_new else "known"):
            groups[part][0 if is_healthy else 1].append(one)
    limit = scores.limit[MACHINE]
    return {part: Figures.of(*groups[part], limit) for part in PARTS}


def main(quantity: Quantity, manifests: Sequence[str]) -> None:
    """Print a Markdown row for each machine, detector and part."""
    print(
        "| machine | detector | windows | AUC | worst | FPR | TPR |\n|---|---|---|---|---|---|---|"
    )
    for data in machines_of(manifests):
        runs: dict[str, list[dict[str, Figures]]] = defaultdict(list)
        for _, detector, figures in unseen(data, quantity):
            runs[detector].append(figures)
        for detector, each in runs.items():
            for part in PARTS:
                rows = [figures[part] for figures in each]
                cells = [
                    mean([r.auc for r in rows]),
                    min((r.auc for r in rows if r.auc is not None), default=None),
                    mean([r.fpr for r in rows]),
                    mean([r.tpr for r in rows]),
                ]
                shown = " | ".join("–" if c is None else f"{c:.4f}" for c in cells)
                print(f"| {data.machine} | {detector} | {part} | {shown} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])  # type: ignore[arg-type]
