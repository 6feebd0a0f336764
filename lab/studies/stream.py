"""Alarms per week with and without labels: ``python -m lab.studies.stream``.

    python -m lab.studies.stream load gearbox_gfd docs/images/alarms_per_week.svg

A demonstration: the baseline holds half of the machine's conditions, then it runs in all of them.
Its recordings are cut into pieces of three seconds, a piece a day; no piece comes twice. From the
fourth week on a technician labels every event. In each of the last weeks two days have the fault.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.conditions import Quantity, half_left_out
from auscult.gateway.evaluate.detection import fitted_detector
from auscult.gateway.evaluate.features import MachineData, Stretch, machine_data
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.gateway.evaluate.technician import Piece, event_in, is_found, label_event
from auscult.gateway.machines.label_learning import MachineLearning

PIECE_WINDOWS = 15
DAYS = 7
LABELS_FROM = 3
"""Weeks before the first label."""
FAULT_WEEKS = 3
FAULTS_A_WEEK = 2


@dataclass(frozen=True, slots=True)
class Week:
    """Days with an event in a week, without and with labels."""

    false_without: int
    false_with: int
    faults: int
    found_without: int
    found_with: int
    labels: int


def weeks_of(data: MachineData, quantity: Quantity, seed: int = 0) -> Iterator[Week]:
    """Process the same weeks without and with labels."""
    _, split = next(half_left_out(data, quantity))
    plan = _plan(split.evaluated, seed)
    detector = fitted_detector(data, split)
    model = detector.model
    assert model is not None
    without = [[is_found(detector, day) for day in week] for week in plan]
    detector.adopt(model)
    with tempfile.TemporaryDirectory() as folder:
        learning = MachineLearning(Path(folder), data.machine)
        updater = learning.begin(model)
        for number, week in enumerate(plan):
            found, labels = [], 0
            for day in week:
                event_id = event_in(detector, learning, day)
                found.append(event_id is not None)
                if event_id is not None and number >= LABELS_FROM:
                    label_event(detector, updater, day, event_id)
                    labels += 1
            yield _week(week, without[number], found, labels)


def _week(week: list[Piece], without: list[bool], found: list[bool], labels: int) -> Week:
    faulty = [stretch.recording.label is RecordingLabel.FAULTY for stretch, _, _ in week]

    def days(events: list[bool], of_fault: bool) -> int:
        return sum(e for e, is_faulty in zip(events, faulty, strict=True) if is_faulty is of_fault)

    return Week(
        days(without, False), days(found, False), sum(faulty),
        days(without, True), days(found, True), labels,
    )  # fmt: skip


def _plan(evaluated: tuple[tuple[Stretch, int], ...], seed: int) -> list[list[Piece]]:
    """Healthy pieces in random order, a day each; in the last weeks also faulty ones."""
    rng = np.random.default_rng(seed)

    def pieces(label: RecordingLabel) -> list[Piece]:
        cut = [
            (stretch, at, at + PIECE_WINDOWS)
            for stretch, start in evaluated
            if stretch.recording.label is label
            for at in range(start, len(stretch) - PIECE_WINDOWS + 1, PIECE_WINDOWS)
        ]
        return [cut[i] for i in rng.permutation(len(cut))]

    healthy, faulty = pieces(RecordingLabel.HEALTHY), pieces(RecordingLabel.FAULTY)
    weeks = [healthy[i : i + DAYS] for i in range(0, len(healthy) // DAYS * DAYS, DAYS)]
    for week in weeks[-FAULT_WEEKS:]:
        for place in range(1, 1 + FAULTS_A_WEEK):
            if faulty:
                week[2 * place] = faulty.pop()
    return weeks


def plot(weeks: list[Week], title: str, picture: Path) -> None:
    """Draw the weeks as SVG."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "auscult"
    canvas = Figure(figsize=(8, 3.2), layout="constrained")
    axes = canvas.subplots()
    x = np.arange(1, len(weeks) + 1)
    axes.bar(
        x - 0.2, [w.false_without for w in weeks], 0.4, color="#b8c4cc", label="without labels"
    )
    axes.bar(x + 0.2, [w.false_with for w in weeks], 0.4, color="#1f5f8b", label="with labels")
    faults = [w.faults for w in weeks]
    axes.plot(x[np.array(faults) > 0], [w.found_with for w in weeks if w.faults], "^",
              color="#b3261e", label="days with the fault that were found (of 2)")  # fmt: skip
    axes.axvline(LABELS_FROM + 0.5, color="#555", linestyle="--", linewidth=1)
    axes.annotate("labels begin", (LABELS_FROM + 0.55, DAYS), va="top")
    axes.set(
        xlabel="week of seven pieces of recording",
        ylabel="days with a false alarm",
        ylim=(0, DAYS + 0.4),
        title=title,
    )
    axes.set_xticks(x)
    axes.legend(loc="upper right", fontsize="small")
    canvas.savefig(picture, metadata={"Date": None})


def main(quantity: Quantity, manifest: Path | str, picture: Path) -> None:
    """Print the weeks of a data set's first machine and draw them."""
    data = read_manifest(manifest)
    machine = machine_data(data, data.machines[0], WINDOW_S, lambda: None)
    weeks = list(weeks_of(machine, quantity))
    for number, week in enumerate(weeks, 1):
        sys.stdout.write(f"{number}: {week}\n")
    plot(weeks, f"{data.name}: false alarms per week, before and after labels", picture)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))  # type: ignore[arg-type]
