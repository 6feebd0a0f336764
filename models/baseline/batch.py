"""Scores of many windows at once by the baseline as fitted, without drift and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.kind_model import RESCORED_ROWS, HeadCorrection, KindScores
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.records import Observation

Heads = Mapping[str, HeadCorrection]


def scores_of(
    model: MachineModel, windows: Sequence[Observation], heads: Heads
) -> Iterator[KindScores]:
    """Score windows of one point, some at a time."""
    point = windows[0].point if windows else ""
    for kind in model.kinds:
        if point not in kind.row:
            continue
        row = kind.row[point]
        own = {row: heads[point]} if point in heads and not heads[point].is_start else {}
        for start in range(0, len(windows), RESCORED_ROWS):
            some = windows[start : start + RESCORED_ROWS]
            x = kind.slots.model_units_of(np.stack([one.features for one in some]), row)
            yield kind.score(np.full(len(some), row, np.intp), x, some, heads=own)


def ln_p_of(
    model: MachineModel, hops: Sequence[Sequence[Observation]], heads: Heads
) -> NDArray[np.float64]:
    """Return the logarithm of the machine's p-value at each hop [shape=(n,)].

    Parameters
    ----------
    model : MachineModel
    hops : sequence of n sequences of Observation
        Windows that hold a measurement, at most one of each point in a hop; NaN without any.
    heads : mapping of point to Head
        Corrections learned from labels.
    """
    ln_p = np.full((len(hops), len(model.row)), np.nan)
    seen = np.ones(ln_p.shape, bool)
    for point, row in model.row.items():
        found = [(i, one) for i, hop in enumerate(hops) for one in hop if one.point == point]
        at = 0
        for scores in scores_of(model, [one for _, one in found], heads):
            hit = [i for i, _ in found[at : at + len(scores.ln_p)]]
            ln_p[hit, row], seen[hit, row] = scores.ln_p, scores.seen
            at += len(hit)
    present = np.isfinite(ln_p)
    variance = {p.tobytes(): model.fusion.variance(np.flatnonzero(p)) for p in present}
    fused = [
        model.fuse(own[p], variance[p.tobytes()], bool(known.all())) if p.any() else np.nan
        for own, p, known in zip(ln_p, present, seen, strict=True)
    ]
    return np.array(fused)
