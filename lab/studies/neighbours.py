"""A second opinion of nearest neighbours: ``python -m lab.studies.neighbours MANIFEST …``.

Beside its distance each window of a known state gets a score by the nearest baseline windows. Both
are put into units of their held-out scores' tails; the larger is calibrated, fused and accumulated
as the distance is today. The figures without and with each design: points and machines with
baselines of `lab.studies.few_windows` and complete ones, complete ones with a condition left out
and no state given, and runs to failure.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.conditions import one_left_out
from auscult.gateway.evaluate.detection import Split, default_split
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.life import life_of
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.models.baseline import fit, held_out
from auscult.models.baseline.held_out import BaselineRows, HeldOut
from auscult.models.baseline.kind_model import KindModel, KindScores
from auscult.models.baseline.score import log_score
from auscult.models.network.autoencoder import soft_clip
from auscult.models.network.input_slots import Slots
from auscult.models.network.passthrough import Trained
from lab.studies.few_windows import baselines, lines

Rows = NDArray[np.floating]
Float64 = NDArray[np.float64]

SCORE = KindModel.score


class LocalDensity:
    """Distance to the nearest baseline window over its own to 16 others (Wilkinghoff et al. 2025).

    In whitened coordinates.
    """

    neighbours = 16

    def __init__(self, position: Rows, z: Rows) -> None:
        self._known = position
        nearest = np.sort(_apart(position), axis=1)[:, : min(self.neighbours, len(z) // 2)]
        self._density = nearest.mean(axis=1, where=np.isfinite(nearest))

    def __call__(self, position: Rows, z: Rows) -> Float64:
        """Return the log score of each row."""
        return np.asarray(np.log((_distances(position, self._known) / self._density).min(axis=1)))


class OutlierFactor:
    """Local outlier factor of 5 neighbours (Breunig et al. 2000), of clipped z-scores."""

    neighbours = 5

    def __init__(self, position: Rows, z: Rows) -> None:
        self._known = soft_clip(z)
        self._k = max(1, min(self.neighbours, len(z) // 2 - 2))
        apart = _apart(self._known)
        self._reach = np.sort(apart, axis=1)[:, self._k - 1]
        self._density = self._densities(apart)[0]

    def __call__(self, position: Rows, z: Rows) -> Float64:
        """Return the log score of each row."""
        own, nearest = self._densities(_distances(soft_clip(z), self._known))
        return np.asarray(np.log(self._density[nearest].mean(axis=1) / own))

    def _densities(self, apart: Float64) -> tuple[Float64, NDArray[np.intp]]:
        nearest = np.argsort(apart, axis=1)[:, : self._k]
        reach = np.maximum(np.take_along_axis(apart, nearest, axis=1), self._reach[nearest])
        return 1 / reach.mean(axis=1), nearest


class TailUnits(NamedTuple):
    """Units of log scores: the threshold of the highest fifth, and the mean excess over it."""

    threshold: float
    excess: float

    @classmethod
    def of(cls, held_out: Float64) -> TailUnits:
        """Measure on held-out scores."""
        threshold = float(np.quantile(held_out, 0.8))
        above = held_out[held_out > threshold]
        return cls(threshold, max(float(above.mean()) - threshold, 1e-3))


class SecondOpinion:
    """Joins the distance and neighbours while a model of one kind is fitted, and in its scores."""

    def __init__(self, design: type[LocalDensity | OutlierFactor]) -> None:
        self._design = design
        self._joins = cycle((False, True))

    def held_out_scores(
        self,
        trained: Trained,
        slots: Slots,
        rows: list[BaselineRows],
        parts: list[HeldOut],
        states: int,
    ) -> list[Float64]:
        """Score as the function of this name does; outliers are found by the distance alone."""
        if not next(self._joins):
            return held_out.held_out_scores(trained, slots, rows, parts, states)
        scores = [np.zeros((2, len(row.x))) for row in rows]
        for block, use in parts:
            net = trained(use)
            for i, row in enumerate(rows):
                if block[i].any():
                    train, test = row.where(use[i]), row.where(block[i])
                    scaling = train.scaling(states, slots.least_size)
                    v, z = held_out.represent(net, slots.mask[i], scaling, train)
                    new_v, new_z = held_out.represent(net, slots.mask[i], scaling, test)
                    distance = held_out.fitted_distance(net, slots.mask[i], v)
                    white = distance.whiten.astype(np.float32)
                    second = self._design((v - distance.centre) @ white, z)
                    scores[i][0, block[i]] = log_score(distance, new_v, new_z)
                    scores[i][1, block[i]] = second((new_v - distance.centre) @ white, new_z)
        clean = [np.any([use[i] for _, use in parts], axis=0) for i in range(len(rows))]
        self._rows = [row.where(ok) for row, ok in zip(rows, clean, strict=True)]
        self._units = [
            [TailUnits.of(one[ok]) for one in both] for both, ok in zip(scores, clean, strict=True)
        ]
        self._known: dict[int, LocalDensity | OutlierFactor] = {}
        return [self._joined(i, *both) for i, both in enumerate(scores)]

    def score(
        self, model: KindModel, rows: NDArray[np.intp], *args: Any, **kwargs: Any
    ) -> KindScores:
        """Score as `KindModel.score` does, with the second opinion in known states."""
        scored = SCORE(model, rows, *args, **kwargs)
        joined = scored.log_score.copy()
        for row in np.unique(rows[scored.seen]).tolist():
            if row not in self._known:
                own = self._rows[row]
                z = model.points[row].scaling.standardise(own.x, own.state, own.shift)
                z = z * model.slots.mask[row]
                self._known[row] = self._design(model.rescore(row, model.used(z)).position, z)
            mine = scored.seen & (rows == row)
            z = scored.z[mine] * model.slots.mask[row]
            second = self._known[row](scored.position[mine], z)
            joined[mine] = self._joined(row, joined[mine], second)
        ln_p = np.where(scored.seen, model.seen.ln_p(rows, joined), scored.ln_p)
        return scored._replace(log_score=joined, ln_p=ln_p)

    def _joined(self, row: int, distance: Float64, second: Float64) -> Float64:
        (at, unit), (second_at, second_unit) = self._units[row]
        return np.maximum((distance - at) / unit, (second - second_at) / second_unit)


def _apart(known: Rows) -> Float64:
    """Return the distances among baseline windows; those of overlapping windows are infinite."""
    apart, at = _distances(known, known), np.arange(len(known))
    return np.where(np.abs(at[:, None] - at) > 1, apart, np.inf)


def _distances(a: Rows, b: Rows) -> Float64:
    x, y = a.astype(np.float64), b.astype(np.float64)
    squared = (x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T
    return np.asarray(np.sqrt(np.maximum(squared, 1e-12)))


@contextmanager
def second_opinion(design: type[LocalDensity | OutlierFactor]) -> Iterator[None]:
    """Fit and score with a second opinion."""
    opinion = SecondOpinion(design)

    def score(*args: Any, **kwargs: Any) -> KindScores:
        return opinion.score(*args, **kwargs)

    with (
        mock.patch.object(fit, "held_out_scores", opinion.held_out_scores),
        mock.patch.object(KindModel, "score", score),
    ):
        yield


def tries(data: MachineData) -> Iterator[tuple[str, str, MachineData, Split]]:
    """Yield the name, the conditions, the data and the split of each try."""
    yield "(machine)", "all", data, default_split(data)
    yield from baselines(data)
    for _, split in one_left_out(data, "speed_rpm"):
        yield "(machine)", "untold", data, split


def figures(data: MachineData) -> Iterator[str]:
    """Yield the figures of the detector as it is now."""
    if data.with_label(RecordingLabel.RUN_TO_FAILURE):
        yield f"{data.machine:26}{life_of(data)}"
    elif data.with_label(RecordingLabel.HEALTHY):
        for one in tries(data):
            yield from lines(*one)


def main() -> None:
    """Print the figures of the detector, without and with each second opinion."""
    for manifest in map(read_manifest, sys.argv[1:]):
        for machine in manifest.machines:
            data = machine_data(manifest, machine, WINDOW_S, lambda: None)
            for found in figures(data):
                print("distance      ", found, flush=True)
            for design in (LocalDensity, OutlierFactor):
                with second_opinion(design):
                    for found in figures(data):
                        print(f"{design.__name__:14}", found, flush=True)


if __name__ == "__main__":
    main()
