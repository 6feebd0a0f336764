"""Whether changes are found that the product says it would find: predicted against found.

``python -m lab.studies.detectable values`` plays simulated healthy years, and with ``--values
FOLDER`` machines of a folder with `values.toml`. On several days it asks what would be found
(`Detectable`), seeds a step and a drift of one value at a time from that moment on, and searches
the least one that is found within a day, a week and a month of running.

``python -m lab.studies.detectable faults MANIFEST…`` learns the first 60 % of each healthy
recording, predicts from the last seconds of it, and seeds faults with other resonances, phases and
slips into what follows.

Printed: predicted size over the least one that is found, its median and the share within a factor
of two. 1 is exact, above 1 it finds less than it predicts.
"""

from __future__ import annotations

import argparse
import copy
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.contract.message import NS_PER_S
from auscult.contract.records import DEPARTED
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.datasets.dataset import DataSet, read_manifest
from auscult.gateway.datasets.value_tables import read_description, read_history
from auscult.gateway.evaluate.detection import BASELINE_SHARE, default_split, fitted_detector
from auscult.gateway.evaluate.features import START_NS, Stretch, machine_data
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.models.decision.seeded_faults import (
    RANGE,
    RINGS,
    HealthyWindows,
    Wave,
    faults,
    least_faults,
)
from auscult.models.decision.value_evidence import ValueEvidence
from auscult.models.detector import MachineDetector
from auscult.models.records import Observation
from auscult.models.values.least_changes import WITHIN_DAYS
from lab.studies.value_months import DAY_S, KINDS, LEARNED, SPECS, Course, healthy_year

Float64 = NDArray[np.float64]

ASKED_DAYS = (30, 120, 240)
"""Days of the table on which it is asked what would be found."""
STEPS = 7
"""Of the bisection between an eighth of the predicted size and eight times it."""
SPAN = np.log(8.0)
CLIP_S, MOST_RECORDINGS = 10.0, 2
HOPS = 1000
"""Windows within which a seeded fault must be found: those that follow, again and again."""
Ratios = dict[tuple[str, str, int], list[float | None]]
"""Predicted over found by group, change and days; None = not found at eight times the size."""


class Played:
    """A machine of values that is played row by row."""

    def __init__(self, specs: dict[str, FeatureSpec]) -> None:
        self.specs = specs
        self.evidence = ValueEvidence(specs, run_stated=False, budget=1.0)
        self._ran = False

    def play(self, course: Course, first: int, last: int) -> int | None:
        """Play rows; return the first one at which a departure is open, None without."""
        monitor = self.evidence.monitor
        for i in range(first, last):
            runs = bool(course.runs[i])
            if runs and not self._ran:
                self.evidence.begin_run()
            elif runs:
                t_ns = round(course.t_s[i] * NS_PER_S)
                row = zip(self.specs, course.values[i], strict=True)
                self.evidence.add(
                    [Observation(point, t_ns, np.array([value], np.float32))
                     for point, value in row if np.isfinite(value)]
                )  # fmt: skip
                if monitor.learns and monitor.rows >= LEARNED:
                    self.evidence.decides()
                if monitor.event is not None and first > 0:
                    return i
            self._ran = runs
        return None


def seeded(course: Course, first: int, column: int, shape: Float64, log: bool) -> Course:
    """Return the course with a change of one value from a row on; ``shape`` [shape=(rows,)]."""
    values = course.values.copy()
    part = values[first : first + len(shape), column]
    values[first : first + len(shape), column] = part * np.exp(shape) if log else part + shape
    return Course(course.t_s, values, course.runs)


def of_course(group: str, course: Course, specs: dict[str, FeatureSpec], ratios: Ratios) -> None:
    """Add what a machine shows to the ratios."""
    machine = Played(specs)
    first = 1
    machine.play(course, 0, 1)
    log = [spec.features[0].scale == "log" for spec in specs.values()]
    for day in ASKED_DAYS:
        at = int(np.searchsorted(course.t_s, course.t_s[0] + day * DAY_S))
        while (opened := machine.play(course, first, at)) is not None:
            machine.evidence.monitor.accept()
            first = opened + 1
        first = at
        if at >= len(course.t_s) - 1:
            return
        ran = np.cumsum(course.runs[at:])
        a_day = machine.evidence.monitor.limits().rows_a_day
        said = {
            (one.change, one.point): (one.day, one.week, one.month)
            for one in machine.evidence.detectable()
        }
        for number, within in enumerate(WITHIN_DAYS):
            if ran[-1] <= within * a_day:
                break
            end = at + int(np.searchsorted(ran, within * a_day)) + 1
            if copy.deepcopy(machine).play(course, at, end) is not None:
                break  # its own change
            for change in ("step", "drift"):
                for column, point in enumerate(specs):
                    size = said[change, point][number]
                    if size is None:
                        continue
                    size = np.log(size) if log[column] else size
                    course_of = ran[: end - at] / ran[end - at - 1]
                    shape = np.ones(end - at) if change == "step" else course_of
                    found = _found(machine, course, at, column, size * shape, log[column])
                    ratios[group, change, within].append(found)


def _found(
    machine: Played, course: Course, at: int, column: int, shape: Float64, log: bool
) -> float | None:
    """Return how far the least change that is found lies below the predicted one, as a factor."""
    low, high = -SPAN, SPAN

    def finds(factor: float) -> bool:
        changed = seeded(course, at, column, factor * shape, log)
        return copy.deepcopy(machine).play(changed, at, at + len(shape)) is not None

    if not finds(np.exp(high)):
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if finds(np.exp(middle)) else (middle, high)
    return float(np.exp(-(low + high) / 2))


def real(folder: Path, machine: str) -> Iterator[tuple[str, Course, dict[str, FeatureSpec]]]:
    """Yield the machines of a folder, or one of them."""
    for table in read_description(folder).machine:
        if machine not in ("", table.id):
            continue
        history = read_history(folder, read_description(folder), table.id)
        t_s = history.t_ns / NS_PER_S
        interval_s = max(1.0, float(np.median(np.diff(t_s))))
        specs = {
            one.id: FeatureSpec.value(one.quantity, one.unit, interval_s, one.resolution)
            for one in history.table.points
        }
        yield table.id, Course(t_s, history.newest(), history.running()), specs


def of_rig(data: DataSet, machine: str, ratios: Ratios) -> None:
    """Add what the recordings of a rig show to the ratios."""
    features = machine_data(data, machine, WINDOW_S, lambda: None)
    split = default_split(features)
    if not split.baseline:
        return
    detector = fitted_detector(features, split)
    assert detector.model is not None
    for stretch, n in split.baseline[:MOST_RECORDINGS]:
        recording = stretch.recording
        cut = round(BASELINE_SHARE * recording.frames)
        first = max(0, cut - round(CLIP_S * recording.fs_hz))
        rows = recording.read()
        points = [channel.point.point for channel in recording.channels]
        if any(features.specs[p].fs_hz != recording.fs_hz for p in points):
            continue
        clips = {
            point: HealthyWindows(_windows(row[first:cut], features.specs[point]), recording.state)
            for point, row in zip(points, rows, strict=True)
        }
        said = least_faults(detector.model, features.specs, clips, detector.settings)
        for one in said:
            row = rows[points.index(one.point)][cut:]
            size = one.day
            wave = next(
                wave for code, name, wave in faults(features.specs[one.point])
                if (code, name) == (one.change, one.name)
            )  # fmt: skip
            found = _least_found(detector, stretch, n, one.point, row, wave)
            ratio = None if found is None else size / found if size else 0.0
            ratios[f"{data.name} {machine}", one.change, 1].append(ratio)


def _windows(row: NDArray[np.float32], spec: FeatureSpec) -> NDArray[np.float32]:
    n = spec.n_samples
    return row[: len(row) // n * n].reshape(-1, n)


def _least_found(
    detector: MachineDetector, stretch: Stretch, first: int, point: str,
    row: NDArray[np.float32], wave: Wave,
) -> float | None:  # fmt: skip
    """Return the least size of a fault in what follows a baseline that is found, None without."""
    spec, state = detector.specs[point], stretch.recording.state
    rng = np.random.default_rng(len(row))
    rpm = state.speed_rpm or spec.nominal_speed_rpm
    if rpm is None:
        return None
    n = spec.n_samples
    rotation = Rotation.steady(rpm, spec.fs_hz, len(row) / spec.fs_hz, start_s=rng.uniform(0, 1))
    ring_hz = spec.fs_hz * rng.uniform(RINGS[0], RINGS[-1])
    fault = wave(rotation, ring_hz, rng)[: len(row)].astype(np.float32)
    pipeline = FeaturePipeline(spec)
    hops = list(stretch.hops(first))

    def finds(size: float) -> bool:
        cuts = sliding_window_view(row + np.float32(size) * fault, n)[:: n // 2]
        block = pipeline.extract(np.ascontiguousarray(cuts), rpm)
        detector.reset_evidence()
        for i in range(HOPS):
            t_ns = START_NS + round(i * n / 2 / spec.fs_hz * NS_PER_S)
            own = i % min(len(hops), len(block))
            hop = [
                one._replace(t_ns=t_ns, features=block.values[own])
                if one.point == point else one._replace(t_ns=t_ns)
                for one in hops[own]
            ]  # fmt: skip
            if detector.observe(hop).machine.condition in DEPARTED:
                return True
        return False

    rms = float(row.std())
    low, high = np.log(rms * RANGE[0]), np.log(rms * RANGE[1])
    if finds(0.0) or not finds(np.exp(high)):
        return None
    for _ in range(STEPS + 1):
        middle = (low + high) / 2
        low, high = (low, middle) if finds(np.exp(middle)) else (middle, high)
    return float(np.exp((low + high) / 2))


def show(ratios: Ratios, console: Console) -> None:
    """Print the ratios."""
    table = Table("machines", "change", "within days", "cases", "median", "within × 2", "not found")
    for (group, change, days), own in ratios.items():
        known = np.array([one for one in own if one is not None])
        near = np.abs(np.log(known)) <= np.log(2.0)
        table.add_row(
            group, change, str(days), str(len(own)),
            f"{np.median(known):.2f}" if len(known) else "–",
            f"{near.sum() / len(own):.2f}", f"{1 - len(known) / len(own):.2f}",
        )  # fmt: skip
    console.print(table)


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("values", "faults"))
    parser.add_argument("manifests", nargs="*", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--years", type=int, default=1, help="simulated years of each kind")
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    parser.add_argument("--values", type=Path, help="folder with values.toml")
    parser.add_argument("--machine", default="", help="only this machine of that folder")
    asked = parser.parse_args()
    ratios: Ratios = defaultdict(list)
    if asked.what == "faults":
        for data in map(read_manifest, asked.manifests):
            for machine in data.machines:
                of_rig(data, machine, ratios)
    elif asked.values:
        for machine, course, specs in real(asked.values, asked.machine):
            of_course(machine, course, specs, ratios)
    else:
        for kind in asked.kinds:
            for seed in range(asked.seed, asked.seed + asked.years):
                of_course(kind, healthy_year(kind, seed), SPECS, ratios)
    show(ratios, Console(width=120))


if __name__ == "__main__":
    main()
