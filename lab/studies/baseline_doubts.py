"""Baselines that hold a fault that develops, or two machines: how often it is noticed.

Run ``python -m lab.studies.baseline_doubts [FOLDER …]``. Each operating state of each machine
gives one healthy period (60 % of its healthy recordings, at least 24 windows) for each of: healthy;
a fault that develops (the levels of a faulty recording are added, their power growing from 0 to 1
with time); half healthy, half faulty; half of this machine and half of another one. No state is
inferred.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from auscult.contract.records import OperatingState
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.detection import default_split
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.models.baseline.collection import PointWindows
from auscult.models.baseline.doubts import LEAST_WINDOWS, doubts
from auscult.models.baseline.states import StateMap
from lab.studies.sensor_faults import DATA, SETS, WINDOW_S


def tables(data: MachineData) -> Iterator[tuple[str, np.ndarray, list[np.ndarray]]]:
    """Point, healthy windows and those of each faulty recording, in each state."""
    healthy: dict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    for stretch, n in default_split(data).baseline:
        for point, x in stretch.features.items():
            healthy[point, str(stretch.recording.state)].append(x[:n])
    for (point, state), parts in healthy.items():
        faulty = [
            s.features[point] for s in data.with_label(RecordingLabel.FAULTY)
            if point in s.features and str(s.recording.state) == state
        ]  # fmt: skip
        yield point, np.concatenate(parts), faulty


def noticed(data: MachineData, point: str, x: np.ndarray) -> str:
    """Code of the doubt, empty for none."""
    state = OperatingState()
    times = np.arange(len(x), dtype=np.int64)
    windows = {point: PointWindows(x, times, (state,) * len(x))}
    found = doubts(data.specs, windows, StateMap.group([state])[0])
    return found[0].code if found else ""


def halves(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Equal parts of two tables."""
    n = min(len(a), len(b))
    return np.concatenate([a[:n], b[:n]])


def cases(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what was made, and the doubt."""
    manifest = read_manifest(folder)
    others: dict[str, list[tuple[MachineData, np.ndarray]]] = defaultdict(list)
    for machine in manifest.machines:
        data = machine_data(manifest, machine, WINDOW_S, lambda: None)
        for point, x, faulty in tables(data):
            if len(x) < LEAST_WINDOWS:
                continue
            yield "healthy", noticed(data, point, x)
            for y in faulty:
                grown = np.linspace(0, 1, len(x))[:, None] * np.median(y, axis=0)[None] ** 2
                yield "develops", noticed(data, point, np.sqrt(x**2 + grown).astype(np.float32))
                yield "half faulty", noticed(data, point, halves(x, y))
            for theirs, z in others[point]:
                if theirs.machine != machine and z.shape[1] == x.shape[1]:
                    yield "two machines", noticed(data, point, halves(x, z))
            others[point].append((data, x))


def main(folders: list[Path]) -> None:
    """Print the counts."""
    print("| set | made | baselines | rises | groups | none |\n|---|---|---|---|---|---|")
    for folder in folders:
        counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for made, code in cases(folder):
            counts[made][code] += 1
        for made, found in counts.items():
            each = [found[c] for c in ("baseline_rises", "baseline_groups", "")]
            print(f"| {folder.name} | {made} | {sum(each)} | {each[0]} | {each[1]} | {each[2]} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main([Path(one) for one in sys.argv[1:]] or [DATA / one for one in SETS])
