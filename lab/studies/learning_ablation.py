"""The effect of each part of learning from labels: ``python -m lab.studies.learning_ablation``.

    python -m lab.studies.learning_ablation load gearbox_gfd
    python -m lab.studies.learning_ablation speed_rpm bldc_audio

Half of the conditions are the baseline, the operating state is withheld (`hold_out_half`). Each
variant learns from the same 20 labels in random order, so that faults and false alarms mix: first
all of them right, then a fifth of them wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.conditions import Quantity, half_left_out
from auscult.gateway.evaluate.detection import MACHINE, Split, fitted_detector
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.labels import Trial, run_trial
from auscult.gateway.evaluate.metrics import mean
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.gateway.evaluate.technician import Technician
from auscult.models.detector import MachineDetector
from auscult.models.learning.settings import SETTINGS

LABELS = 20
WRONG = 0.2
SEEDS = (0, 1, 2)

VARIANTS = {
    "shipped": SETTINGS,
    "no replay": replace(SETTINGS, replay=False),
    "no anchor": replace(SETTINGS, anchor=0.0),
    "no gate": replace(SETTINGS, gate=False),
    "thresholds only": replace(SETTINGS, places=0, fault_places=0),
    "head only": replace(SETTINGS, offset_max=1.0),
}


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of a variant: means over splits and seeds, sums of counts."""

    variant: str
    wrong: float
    held_out_before: float | None
    held_out: float | None
    elsewhere_change: float | None
    tpr_change: float | None
    accepted: int
    rejected: int
    confirmed: int
    lost: int


def ablation(machines: Sequence[MachineData], quantity: Quantity) -> Iterator[Row]:
    """Run all variants on the same baselines."""
    learned: list[tuple[MachineData, Split, MachineDetector]] = [
        (data, split, fitted_detector(data, split))
        for data in machines
        for _, split in half_left_out(data, quantity)
    ]
    for wrong in (0.0, WRONG):
        for name, settings in VARIANTS.items():
            trials = [
                run_trial(
                    data,
                    split,
                    Technician(LABELS, wrong, seed),
                    settings,
                    np.random.default_rng(seed).permutation(len(split.evaluated)).tolist(),
                    detector,
                )
                for data, split, detector in learned
                for seed in SEEDS
            ]
            yield _row(name, wrong, trials)


def _row(name: str, wrong: float, trials: Sequence[Trial]) -> Row:
    def change(figure: str) -> float | None:
        after, before = (
            mean([own[MACHINE][figure] for own in each])
            for each in ([t.after for t in trials], [t.before for t in trials])
        )
        return None if after is None or before is None else after - before

    updates = [event.update for trial in trials for event in trial.labelled]
    return Row(
        variant=name,
        wrong=wrong,
        held_out_before=mean([t.before[MACHINE]["fpr_held_out"] for t in trials]),
        held_out=mean([t.after[MACHINE]["fpr_held_out"] for t in trials]),
        elsewhere_change=change("fpr_elsewhere"),
        tpr_change=change("tpr"),
        accepted=sum(update.accepted for update in updates),
        rejected=sum(not update.accepted for update in updates),
        confirmed=sum(trial.confirmed for trial in trials),
        lost=sum(trial.lost for trial in trials),
    )


def main(quantity: Quantity, manifests: Sequence[Path | str]) -> None:
    """Print the ablation of these data sets, all their machines together."""
    machines = [
        machine_data(data, machine, WINDOW_S, lambda: None)
        for data in map(read_manifest, manifests)
        for machine in data.machines
    ]
    machines = [m for m in machines if m.with_label(RecordingLabel.HEALTHY)]
    table = Table(title="learning from labels, part by part", title_justify="left")
    for name in ("variant", "wrong", "FPR left out", "FPR elsewhere", "TPR", "accepted",
                 "rejected", "confirmed", "lost"):  # fmt: skip
        table.add_column(name)
    for row in ablation(machines, quantity):
        table.add_row(
            row.variant,
            f"{row.wrong:.0%}",
            f"{_cell(row.held_out_before)} → {_cell(row.held_out)}",
            _cell(row.elsewhere_change, "+"),
            _cell(row.tpr_change, "+"),
            *map(str, (row.accepted, row.rejected, row.confirmed, row.lost)),
        )
    Console().print(table)


def _cell(value: float | None, sign: str = "") -> str:
    return "–" if value is None else f"{value:{sign}.4f}"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])  # type: ignore[arg-type]
