"""Whether p-values of new healthy windows are uniform: ``python -m lab.studies.uniform``.

    python -m lab.studies.uniform gearbox_gfd

Each healthy recording is cut into blocks, alternately baseline and evaluated, in order of time and
in random order. Random order removes the changes within a recording and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy.special import kolmogorov
from scipy.stats import kstest

from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.detection import Split, fitted_detector, score_recordings
from auscult.gateway.evaluate.features import MachineData, Stretch, machine_data
from auscult.gateway.evaluate.run import WINDOW_S

Float64 = NDArray[np.float64]
BLOCKS = (12, 24, 36)
"""Windows of a block: 2.4 to 7.2 s."""


@dataclass(frozen=True, slots=True)
class Uniformity:
    """Distance of p-values from uniform.

    ``distance`` is Kolmogorov's. ``chance`` is the probability of such a distance for independent
    windows, ``chance_of_blocks`` for windows as dependent as the means of the blocks show;
    ``count_as_one`` is the number of windows that then count as one.
    """

    mean: float
    distance: float
    chance: float
    count_as_one: float
    chance_of_blocks: float

    @classmethod
    def of(cls, blocks: list[Float64]) -> Uniformity:
        """Measure the p-values of separate blocks."""
        p = np.concatenate(blocks)
        distance = float(kstest(p, "uniform").statistic)
        # A mean of m independent p-values has the variance 1/(12 m) around 1/2.
        count_as_one = max(
            1.0, float(np.mean([12 * len(b) * (b.mean() - 0.5) ** 2 for b in blocks]))
        )
        return cls(
            float(p.mean()),
            distance,
            float(kolmogorov(np.sqrt(len(p)) * distance)),
            count_as_one,
            float(kolmogorov(np.sqrt(len(p) / count_as_one) * distance)),
        )


def in_turn(data: MachineData, block: int, first: int, order: str) -> dict[str, Uniformity]:
    """Fit a baseline to every second block, from the first or second on; evaluate the others."""
    baseline, evaluated = [], []
    rng = np.random.default_rng(0)
    # No baseline window shares a sample with an evaluated one: random order leaves out every second
    # window, order of time leaves out the first and the last of each evaluated block.
    step, edge = (2, 0) if order == "random" else (1, 1)
    for stretch in data.with_label(RecordingLabel.HEALTHY):
        times = np.arange(0, len(stretch), step)
        places = rng.permutation(times) if order == "random" else times
        cut = np.split(np.arange(len(times)), range(block // step, len(times), block // step))
        learned = np.concatenate(cut[first::2])
        baseline.append((_part(stretch, places[learned], times[learned]), len(learned)))
        kept = [c[edge : len(c) - edge] for c in cut[1 - first :: 2]]
        evaluated += [(_part(stretch, places[c], times[c]), 0) for c in kept if len(c)]
    split = Split(tuple(baseline), tuple(evaluated))
    scores, _ = score_recordings(fitted_detector(data, split), data, split.evaluated)
    return {
        point or "(machine)": Uniformity.of([np.exp(-s) for s in blocks])
        for point, blocks in scores.healthy.items()
    }


def _part(stretch: Stretch, windows: NDArray[np.intp], times: NDArray[np.intp]) -> Stretch:
    """Select windows, and give them the times of others."""
    return replace(
        stretch,
        t_ns=stretch.t_ns[times],
        features={point: x[windows] for point, x in stretch.features.items()},
        health={point: x[windows] for point, x in stretch.health.items()},
    )


def _lines(data: MachineData) -> Iterator[str]:
    for order in ("time", "random"):
        for block in BLOCKS:
            for first in (0, 1):
                for point, u in in_turn(data, block, first, order).items():
                    yield (
                        f"{data.machine:26}{order:>8}{block:>4}{first:>3} {point:>10} "
                        f"mean {u.mean:.3f}  D {u.distance:.3f}  p {u.chance:.4f}  "
                        f"{u.count_as_one:4.1f} as one  p {u.chance_of_blocks:.3f}"
                    )


def main() -> None:
    """Print the table of the manifests on the command line, line by line as it is made."""
    console = Console(width=140)
    for manifest in sys.argv[1:]:
        data = read_manifest(manifest)
        for machine in data.machines:
            for line in _lines(machine_data(data, machine, WINDOW_S, lambda: None)):
                console.print(line)


if __name__ == "__main__":
    main()
