"""Short baselines of a fit started early: ``python -m lab.studies.few_windows MANIFEST …``.

The first windows of each healthy recording are the baseline, 20, 50 or 100 in all; and of one
condition alone. The last 40 % of the healthy recordings and all faulty ones are evaluated, of one
condition those of this condition. Each point alone and the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from auscult.gateway.evaluate.detection import (
    MACHINE,
    Split,
    default_split,
    evaluate_detector,
)
from auscult.gateway.evaluate.features import MachineData
from lab.studies.learning.sets import machines_of, point_alone

SIZES = (20, 50, 100)
GAP = 2
"""Windows between baseline and evaluation: neighbours overlap."""


def first_windows(split: Split, size: int) -> Split | None:
    """Take so many windows of the baseline in all; None where recordings are too short."""
    each = max(1, size // max(1, len(split.baseline)))
    if not split.baseline or any(len(stretch) - each <= GAP for stretch, _ in split.baseline):
        return None
    evaluated = ((s, max(start, each + GAP) if start else 0) for s, start in split.evaluated)
    return Split(tuple((s, each) for s, _ in split.baseline), tuple(evaluated))


def conditions(split: Split) -> Iterator[tuple[str, Split]]:
    """Yield the split of all conditions, and of each alone."""
    yield "all", split
    states = [stretch.recording.state for stretch, _ in split.baseline]
    for state in [s for i, s in enumerate(states) if s not in states[:i]]:
        parts = (
            tuple((s, n) for s, n in part if s.recording.state == state)
            for part in (split.baseline, split.evaluated)
        )
        yield "one", Split(*parts)


def baselines(data: MachineData) -> Iterator[tuple[str, str, MachineData, Split]]:
    """Yield the name, the conditions, the data and the split of each point and of the machine."""
    alone = [(point, point_alone(data, point)) for point in data.specs]
    for name, one in alone if len(alone) == 1 else [("(machine)", data), *alone]:
        for size in SIZES:
            for which, split in conditions(default_split(one)):
                few = first_windows(split, size)
                if few is not None and sum(n for _, n in few.baseline) >= size * 0.75:
                    yield name, which, one, few


def lines(name: str, which: str, data: MachineData, split: Split) -> Iterator[str]:
    """Yield the figures of the detector on a split: of the machine, and of each of its points."""
    scores, events, _ = evaluate_detector(data, split)
    points = data.specs if len(data.specs) > 1 else ()
    for point in (MACHINE, *points):
        d = scores.detection(point, sum(n for _, n in split.baseline))
        yield (
            f"{data.machine:26}{name:>10}{point or '':>10} {which:>6} {d.n_baseline:>4}  "
            f"AUC {d.auc}  FPR {d.fpr}  TPR {d.tpr}  false events {events.false_events} of "
            f"{events.healthy}  found {events.found} of {events.faulty}"
        )


def main() -> None:
    """Print the table of the manifests on the command line."""
    for data in machines_of(sys.argv[1:]):
        for baseline in baselines(data):
            print(*lines(*baseline), sep="\n", flush=True)


if __name__ == "__main__":
    main()
