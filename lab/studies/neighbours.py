"""Nearest neighbours as a second score: ``python -m lab.studies.neighbours WHAT MANIFEST``.

    python -m lab.studies.neighbours speed_rpm bldc_audio uestc hit_sm
    python -m lab.studies.neighbours load gearbox_gfd

The distance of a window to its nearest baseline windows, plain and over the distance of that
neighbour to its own K neighbours (local density; Wilkinghoff et al. 2025), on the features of the
references. AUC with one condition at a time left out of the baseline.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.evaluate.conditions import Quantity
from auscult.gateway.evaluate.detection import condition_of, held_out_splits, score_reference
from auscult.gateway.evaluate.metrics import mean
from auscult.gateway.evaluate.references import REFERENCES, Mahalanobis
from lab.studies.learning.sets import machines_of
from lab.studies.unseen import PARTS, parts_of

Float64 = NDArray[np.float64]
NEIGHBOURS = (0, 1, 4, 16)
"""Neighbours of a baseline window that give its density; 0 = plain distance."""


class Neighbours(Mahalanobis):
    """Distance to the nearest baseline window, over the density there."""

    neighbours = 0

    def fit(self, x: Float64) -> None:
        """Store the baseline and the distance of each window to its neighbours."""
        self._known = self._fit_scale(x)
        self._density = np.ones(len(self._known))
        if self.neighbours:
            apart = self._distances(self._known)
            np.fill_diagonal(apart, np.inf)
            nearest = np.sort(apart, axis=1)[:, : self.neighbours]
            self._density = np.maximum(nearest.mean(axis=1), 1e-9)

    def score(self, x: Float64) -> Float64:
        """Score windows."""
        scores: Float64 = (self._distances(self._scale(x)) / self._density).min(axis=1)
        return scores

    def _distances(self, z: Float64) -> Float64:
        squared = (z**2).sum(1)[:, None] + (self._known**2).sum(1) - 2 * z @ self._known.T
        return np.asarray(np.sqrt(np.maximum(squared, 0.0)))


def main(quantity: Quantity, manifests: Sequence[str]) -> None:
    """Print a Markdown row for each machine and number of neighbours."""
    print("| machine | neighbours | " + " | ".join(PARTS) + " | ms a window |")
    print("|---|---|" + "---|" * (len(PARTS) + 1))
    for data in machines_of(manifests):
        for k in NEIGHBOURS:
            one = type("Density", (Neighbours,), {"neighbours": k})
            each, start, windows = [], time.process_time(), 0
            for value, split in held_out_splits(data, quantity):
                new = [condition_of(s, quantity) == value for s, _ in split.evaluated]
                with mock.patch.dict(REFERENCES, {"neighbours": one}):
                    scores = score_reference("neighbours", data, split)
                each.append(parts_of(scores, split, new))
                windows += sum(len(s) - n for s, n in split.evaluated)
            ms = 1e3 * (time.process_time() - start) / max(windows, 1)
            aucs = [mean([figures[part].auc for figures in each]) for part in PARTS]
            shown = " | ".join("–" if a is None else f"{a:.4f}" for a in aucs)
            print(f"| {data.machine} | {k} | {shown} | {ms:.3f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])  # type: ignore[arg-type]
