"""Neighbours with normalised local density as a second score.

    python -m tests.studies.second_score speed_rpm bldc_audio/manifest.csv
    python -m tests.studies.second_score load gearbox_gfd/manifest.csv

The distance of a window to its nearest baseline window, over the mean distance of that one to its
own k nearest (Wilkinghoff et al. 2025), in the detector's whitened coordinates. All conditions are
known, and each third one is left out in turn, with the operating state. AUC of windows by point:
the detector's score, the neighbours' score for each k, and the larger of both as ranks among the
baseline. Choose k on one rig and read the other.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.spatial import cKDTree

from auscult.gateway.evaluate.conditions import Quantity
from auscult.gateway.evaluate.detection import (
    Split,
    default_split,
    fitted_detector,
    held_out_splits,
)
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.metrics import auc
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.gateway.evaluate.technician import Piece
from auscult.gateway.sources.dataset import RecordingLabel, read_manifest
from auscult.models.detector import MachineDetector

Float64 = NDArray[np.float64]
NEIGHBOURS = (1, 4, 16)


class Neighbours:
    """Score by nearest baseline windows [shape=(n, m)]."""

    def __init__(self, baseline: Float64) -> None:
        self._tree = cKDTree(baseline)
        apart, _ = self._tree.query(baseline, max(NEIGHBOURS) + 1)
        self._local = {k: apart[:, 1 : k + 1].mean(1) for k in NEIGHBOURS}
        pairs, at = self._tree.query(baseline, 2)
        self.own = {k: pairs[:, 1] / self._local[k][at[:, 1]] for k in NEIGHBOURS}

    def __call__(self, x: Float64) -> dict[int, Float64]:
        """Score windows for each k."""
        apart, at = self._tree.query(x)
        return {k: apart / self._local[k][at] for k in NEIGHBOURS}


def windows_of(
    detector: MachineDetector, parts: Sequence[Piece]
) -> dict[str, tuple[Float64, Float64]]:
    """Positions and log scores of the windows of some recordings, by point."""
    found: dict[str, list[tuple[NDArray[np.float32], float]]] = {}
    for stretch, start, stop in parts:
        for hop in stretch.hops(start, stop):
            detector.observe(hop)
            for window in detector.scored_windows():
                found.setdefault(window.point, []).append((window.position, window.log_score))
    return {
        point: (np.array([p for p, _ in own], float), np.array([s for _, s in own]))
        for point, own in found.items()
    }


def rows(data: MachineData, name: str, split: Split) -> Iterator[tuple[str, ...]]:
    """Figures of one split by point."""
    detector = fitted_detector(data, split)
    known = windows_of(detector, [(s, 0, n) for s, n in split.baseline])
    by_label = {
        label: windows_of(
            detector,
            [(s, start, len(s)) for s, start in split.evaluated if s.recording.label is label],
        )
        for label in (RecordingLabel.HEALTHY, RecordingLabel.FAULTY)
    }
    healthy, faulty = by_label[RecordingLabel.HEALTHY], by_label[RecordingLabel.FAULTY]
    for point in known:
        if point not in healthy or point not in faulty:
            continue
        neighbours = Neighbours(known[point][0])
        started = time.perf_counter()
        normal, abnormal = neighbours(healthy[point][0]), neighbours(faulty[point][0])
        count = len(healthy[point][0]) + len(faulty[point][0])
        cost_ms = (time.perf_counter() - started) / count * 1e3
        cells = [_cell(auc(healthy[point][1], faulty[point][1]))]
        for k in NEIGHBOURS:
            both = [
                np.maximum(_rank(known[point][1], ours[point][1]), _rank(neighbours.own[k], its[k]))
                for ours, its in ((healthy, normal), (faulty, abnormal))
            ]
            cells += [_cell(auc(normal[k], abnormal[k])), _cell(auc(both[0], both[1]))]
        yield data.machine, name, point, *cells, f"{cost_ms:.2f}"


def _rank(baseline: Float64, x: Float64) -> Float64:
    """Standardise by median and spread of the baseline, so that two scores compare."""
    centre = np.median(baseline)
    spread: Float64 = (x - centre) / max(1e-9, 1.4826 * float(np.median(np.abs(baseline - centre))))
    return spread


def main(quantity: Quantity, manifests: Sequence[str]) -> None:
    """Print the table of these data sets."""
    table = Table(title="AUC of windows", title_justify="left")
    for head in ("rig", "split", "point", "detector"):
        table.add_column(head)
    for k in NEIGHBOURS:
        table.add_column(f"k = {k}")
        table.add_column(f"and detector, k = {k}")
    table.add_column("ms a window")
    for manifest in map(read_manifest, manifests):
        for machine in manifest.machines:
            data = machine_data(manifest, machine, WINDOW_S, lambda: None)
            if not data.of(RecordingLabel.FAULTY) or not data.of(RecordingLabel.HEALTHY):
                continue
            splits = [("all known", default_split(data))]
            splits += [
                (f"without {v}", one) for v, one in list(held_out_splits(data, quantity))[::3]
            ]
            for name, split in splits:
                for row in rows(data, name, split):
                    table.add_row(*row)
    Console(width=160).print(table)


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])  # type: ignore[arg-type]
