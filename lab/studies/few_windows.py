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


def lines(data: MachineData) -> Iterator[str]:
    """Yield the figures of each point and of the machine at each size."""
    alone = [(point, point_alone(data, point)) for point in data.specs]
    for name, one in alone if len(alone) == 1 else [("(machine)", data), *alone]:
        for size in SIZES:
            for which, split in conditions(default_split(one)):
                if (few := first_windows(split, size)) is None:
                    continue
                if sum(n for _, n in few.baseline) < size * 0.75:
                    continue
                scores, events, _ = evaluate_detector(one, few)
                d = scores.detection(MACHINE, sum(n for _, n in few.baseline))
                yield (
                    f"{data.machine:26}{name:>10} {which:>4} {d.n_baseline:>4}  AUC {d.auc}  "
                    f"FPR {d.fpr}  TPR {d.tpr}  false events {events.false_events} of "
                    f"{events.healthy}  found {events.found} of {events.faulty}"
                )


def main() -> None:
    """Print the table of the manifests on the command line."""
    for data in machines_of(sys.argv[1:]):
        for line in lines(data):
            print(line, flush=True)


if __name__ == "__main__":
    main()
