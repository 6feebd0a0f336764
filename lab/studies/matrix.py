"""What the fault x symptom matrix names: ``python -m lab.studies.matrix DATA_FOLDER...``.

Each machine learns the first 60 % of its healthy recordings. Then each recording is one event, of
which the last statement at each point counts. Prints names against truth, and how often a
confidence is right. Without a folder: random machines, all of whose features rise alike.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from auscult.contract.records import Reason
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.detection import default_split, fitted_detector
from auscult.gateway.evaluate.features import machine_data
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.gateway.machines.events import at_their_strongest
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from tests.models.simulated_machine import POINTS, SPEC, SimulatedMachine

TRUE_NAME = {"inner": "bearing", "outer": "bearing", "ball": "bearing", "bent": "bent shaft"}
BINS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.01)
SEEDS = 12
HOPS = 30
Named = tuple[str, str, str, float]
"""Rig, truth, name (or ``unclear``) and its confidence."""


def of_rig(folder: Path) -> Iterator[Named]:
    """Names at each point of each faulty recording, and of the unseen part of healthy ones."""
    data = read_manifest(folder)
    for machine in data.machines:
        windows = machine_data(data, machine, WINDOW_S, lambda: None)
        if not windows.with_label(RecordingLabel.HEALTHY):
            continue
        split = default_split(windows)
        detector = fitted_detector(windows, split)
        for stretch, start in split.evaluated:
            detector.reset_evidence()
            reasons: dict[str, tuple[Reason, ...]] = {}
            for hop in stretch.hops(start):
                for point, own in detector.observe(hop).points.items():
                    reasons[point] = at_their_strongest(reasons.get(point, ()), own.reasons)
            recording = stretch.recording
            healthy = recording.label is RecordingLabel.HEALTHY
            truth = "none" if healthy else recording.fault_class
            for point in reasons:
                for name, sure in _names(reasons[point]):
                    yield folder.name, TRUE_NAME.get(truth, truth), name, sure


def rising_machines() -> Iterator[Named]:
    """Return what a rise of all features by 0.5 (4.3 dB) is named on random machines."""
    for seed in range(SEEDS):
        machine = SimulatedMachine(seed)
        detector = MachineDetector(NamePlate("pump"), dict.fromkeys(POINTS, SPEC))
        while (job := detector.fit_due()) is None:
            detector.observe(machine.hop())
        detector.adopt(job.run())
        reasons: tuple[Reason, ...] = ()
        for _ in range(HOPS):
            own = detector.observe(machine.hop(shift=0.5)).points["de"]
            reasons = at_their_strongest(reasons, own.reasons)
        for name, sure in _names(reasons):
            yield "random", "all features", name, sure


def _names(reasons: Sequence[Reason]) -> Iterator[tuple[str, float]]:
    for reason in reasons:
        if reason.matched or reason.missing or reason.said.code == "no_symptom":
            yield reason.fault or "unclear", reason.confidence or 0.0


def main(folders: Sequence[str]) -> None:
    """Print the tables."""
    console = Console(width=120)
    found = [one for folder in folders for one in of_rig(Path(folder))] or list(rising_machines())
    table = Table("rig", "truth", "points with an event", "named", title="Names of the matrix")
    for (rig, truth), same in groupby(sorted(found), key=lambda f: f[:2]):
        group = list(same)
        names = Counter(name for _, _, name, _ in group)
        words = ", ".join(f"{name} {n}" for name, n in names.most_common())
        table.add_row(rig, truth, str(len(group)), words)
    console.print(table)
    sure = Table("confidence", "named", "right", title="Reliability")
    for low, high in pairwise(BINS):
        inside = [t == n for _, t, n, c in found if n != "unclear" and low <= c < high]
        sure.add_row(f"{low:.1f} to {min(high, 1):.1f}", str(len(inside)), str(sum(inside)))
    console.print(sure)


if __name__ == "__main__":
    main(sys.argv[1:])
