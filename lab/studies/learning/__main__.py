"""Figures of learning from labels: ``python -m lab.studies.learning WHAT MANIFEST…``.

    python -m lab.studies.learning trials uestc bldc_audio gearbox_gfd hit_sm
    python -m lab.studies.learning few_states uestc bldc_audio gearbox_gfd hit_sm
    python -m lab.studies.learning reports gearbox_gfd bldc_audio
    python -m lab.studies.learning confirmed gearbox_gfd bldc_audio uestc hit_sm
    python -m lab.studies.learning repairs cwru uestc gearbox_gfd hit_sm bldc_audio
    python -m lab.studies.learning order uestc bldc_audio gearbox_gfd hit_sm
    python -m lab.studies.learning folds uestc bldc_audio gearbox_gfd hit_sm
    python -m lab.studies.learning augmentation uestc hit_sm bldc_audio

``folds`` leaves one rig out: it chooses the constants of labels on the other rigs, and prints the
figures of each rig with that choice beside those with the shipped one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from rich.console import Console

from auscult.gateway.evaluate.features import MachineData
from auscult.gateway.evaluate.metrics import mean
from auscult.models.learning.settings import SETTINGS
from lab.studies.learning.augmentation import augmentation_figures
from lab.studies.learning.folds import fold_lines
from lab.studies.learning.order import labels_needed
from lab.studies.learning.repairs import repairs
from lab.studies.learning.reports import report_figures
from lab.studies.learning.sets import machines_of, point_alone
from lab.studies.learning.trials import TrialFigures, fitted_few, fitted_halves, trial_figures

WRONG = 0.2
DRAWS = 4
console = Console(width=220)


def figure(value: float | None, sign: str = "") -> str:
    """Format a figure, – if there is none."""
    return "–" if value is None else f"{value:{sign}.4f}"


def trials(machines: Sequence[MachineData]) -> None:
    """Print a row for each machine and kind of labels."""
    for data in machines:
        fitted = fitted_halves(data)
        for labels, wrong, draws, rechecks in (
            (5, 0.0, 1, False),
            (20, 0.0, 1, True),
            (20, WRONG, DRAWS, False),
            (20, WRONG, DRAWS, True),
        ):
            rows = list(trial_figures(data, fitted, labels, wrong, draws, rechecks=rechecks))
            if rows:
                console.print(
                    f"{data.machine:24} {labels:2} labels, {wrong:.0%} wrong"
                    f"{', asked back' if rechecks else ''}: {row(rows)}"
                )


def few_states(machines: Sequence[MachineData]) -> None:
    """Print what five labels change on machines of three and four states, a row for each kind."""
    for data in machines:
        for count in (3, 4):
            for new, fitted in fitted_few(data, count).items():
                for healthy_only in (False, True):
                    rows = trial_figures(
                        data, fitted, 5, 0.0, 1, rechecks=True, healthy_only=healthy_only
                    )
                    console.print(
                        f"{data.machine:24} {count} states, {new}, "
                        f"{'false alarms only' if healthy_only else 'first five'}: "
                        f"{row(list(rows))}"
                    )


def row(rows: Sequence[TrialFigures]) -> str:
    """Return the means and worst values of some trials."""
    tpr = [r.tpr for r in rows if r.tpr is not None]
    auc = [r.auc for r in rows if r.auc is not None]
    before, after = (mean([r.new[i] for r in rows]) for i in (0, 1))
    elsewhere = [r.elsewhere for r in rows if r.elsewhere is not None]
    return (
        f"TPR {figure(mean([*tpr]), '+')} (worst {figure(min(tpr, default=None), '+')}, "
        f"{sum(x < -0.05 for x in tpr)} of {len(tpr)} below -0.05)  "
        f"AUC {figure(mean([*auc]), '+')}  FPR new {figure(before)} → {figure(after)}  "
        f"elsewhere {figure(max(elsewhere, default=None), '+')}  "
        f"lost {sum(r.lost for r in rows)} of {sum(r.confirmed for r in rows)}  "
        f"asked back {sum(r.asked for r in rows)}, of rightful ones "
        f"{sum(r.asked_rightful for r in rows)}"
    )


def reports(machines: Sequence[MachineData], *, confirmed: bool = False) -> None:
    """Print the figures of each of the points alone, before and after a report."""
    alone = [point_alone(m, point) for m in machines for point in m.specs]
    for data in alone:
        for leave_out in (False, True) if len(machines) > 1 else (False,):
            rows = list(report_figures(data, leave_out=leave_out, confirmed=confirmed))
            keys = dict.fromkeys((r.left_out, r.wrong, r.known) for r in rows)
            for left_out, wrong, known in keys:
                some = [
                    r for r in rows if (r.left_out, r.wrong, r.known) == (left_out, wrong, known)
                ]
                pairs = {
                    name: " → ".join(
                        figure(mean([getattr(r, name)[i] for r in some])) for i in (0, 1)
                    )
                    for name in ("auc", "fpr", "tpr", "false_events", "found")
                }
                console.print(
                    f"{data.machine} {'/'.join(data.specs)} "
                    f"{f'without {left_out}' if left_out else 'all conditions'}, "
                    f"{'known' if known else 'unseen'}, {'wrong' if wrong else 'right'} labels: "
                    f"{sum(r.accepted for r in some)} of {len(some)} accepted, "
                    f"AUC {pairs['auc']}  FPR {pairs['fpr']}  TPR {pairs['tpr']} "
                    f"(at the FPR before {figure(mean([r.tpr_equal for r in some]))})  "
                    f"false events {pairs['false_events']}  found {pairs['found']}"
                )


def repaired(machines: Sequence[MachineData]) -> None:
    """Print how often each result came after each kind of work."""
    for data in machines:
        rows = list(repairs(data))
        for after in dict.fromkeys(r.after for r in rows):
            some = [r.result for r in rows if r.after == after]
            counts = {str(one): some.count(one) for one in dict.fromkeys(some)}
            console.print(f"{data.machine:24} {after:12} {counts}")


def order(machines: Sequence[MachineData]) -> None:
    """Print the labels needed by each order, a line for each half."""
    for data in machines:
        for name, needed in labels_needed(data, fitted_halves(data)):
            console.print(f"{data.machine:24} {name:20} {needed}")


def folds(machines: Sequence[MachineData]) -> None:
    """Print the figures of each rig with the constants of the other rigs."""
    for line in fold_lines(machines, SETTINGS):
        console.print(line)


def augmentation(machines: Sequence[MachineData]) -> None:
    """Print what copies of labelled windows change, a line for each kind and number of labels."""
    for data in machines:
        rows = list(augmentation_figures(data))
        for name, labels in dict.fromkeys((r.copies, r.labels) for r in rows):
            some, none = (
                np.array([r[2:] for r in rows if (r.copies, r.labels) == (one, labels)])
                for one in (name, "none")
            )
            half, before, auc, tpr, new, elsewhere = some.T
            less = new - none[:, 4]
            draws = np.mean([new[half == one].std() for one in set(half)])
            console.print(
                f"{data.machine:24} {labels:2} labels, {name:20} AUC {figure(auc.mean(), '+')}  "
                f"TPR {figure(tpr.mean(), '+')} (worst {figure(tpr.min(), '+')})  "
                f"FPR new × {figure(new.mean() / before.mean())} ({figure(less.mean(), '+')}, "
                f"{figure(less.min(), '+')} to {figure(less.max(), '+')}; draws ±{figure(draws)})  "
                f"elsewhere {figure(elsewhere.max(), '+')}"
            )


COMMANDS: dict[str, Callable[[Sequence[MachineData]], None]] = {
    "trials": trials,
    "few_states": few_states,
    "reports": reports,
    "confirmed": partial(reports, confirmed=True),
    "repairs": repaired,
    "order": order,
    "folds": folds,
    "augmentation": augmentation,
}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](machines_of(sys.argv[2:]))
