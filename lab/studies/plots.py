"""Plots of `docs/results.md` from the JSON of `auscult evaluate`: ``python -m lab.studies.plots``.

    python -m lab.studies.plots results.json labels.json labels-load.json docs/images

The first file holds the protocols `healthy_vs_faulty` and `run_to_failure`, the others
`hold_out_half` with labels.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Row = dict[str, Any]
DETECTORS = {
    "auscult": "#1f5f99",
    "mahalanobis": "#c2571a",
    "isolation_forest": "#4d8f3c",
    "rms": "#7a7a7a",
}


def main() -> None:
    """Read the results that the arguments name and write the three plots."""
    *files, folder = map(Path, sys.argv[1:])
    rows = [row for file in files for row in json.loads(file.read_text())["results"]]
    machines = [row for row in rows if row["point"] is None or row["protocol"] == "run_to_failure"]
    mpl.rcParams.update({"font.family": "sans-serif", "font.size": 9, "svg.hashsalt": "auscult"})
    _save(_detection(machines), folder / "detection.svg")
    _save(_lead_times(machines), folder / "lead-times.svg")
    _save(_labels(machines), folder / "labels.svg")


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def _detection(rows: list[Row]) -> Figure:
    """Plot the true over the false positives, a panel for each machine with faults."""
    scored = [r for r in rows if r["protocol"] == "healthy_vs_faulty" and r["tpr"] is not None]
    names = list(dict.fromkeys(_name(row) for row in scored))
    figure, panels = plt.subplots(1, len(names), figsize=(9, 2.6), sharey=True, squeeze=False)
    for name, axes in zip(names, panels[0], strict=True):
        for row in (row for row in scored if _name(row) == name):
            detector = row["detector"]
            size = 70 if detector == "auscult" else 30
            axes.scatter(
                row["fpr"], row["tpr"], size, DETECTORS[detector], label=detector, clip_on=False
            )
        axes.set(title=name, xlim=(-0.02, 1.02), ylim=(0, 1.02), xlabel="false positives")
    panels[0][0].set_ylabel("true positives")
    _legend(figure, panels[0][0])
    return figure


def _lead_times(rows: list[Row]) -> Figure:
    """Plot the minutes from the first alarm to the end, a group of bars for each run."""
    runs = [row for row in rows if row["protocol"] == "run_to_failure"]
    names = list(dict.fromkeys(row["machine"] for row in runs))
    figure, axes = plt.subplots(figsize=(9, 2.8))
    for place, (detector, color) in enumerate(DETECTORS.items()):
        leads = {
            r["machine"]: r["first_alarm_lead_min"] or 0 for r in runs if r["detector"] == detector
        }
        at = [index + 0.2 * place for index in range(len(names))]
        axes.bar(at, [leads[name] for name in names], 0.18, color=color, label=detector)
    axes.set_xticks([index + 0.3 for index in range(len(names))], names)
    axes.set_ylabel("first alarm, min before the end")
    _legend(figure, axes)
    return figure


def _labels(rows: list[Row]) -> Figure:
    """Plot the share of false-alarm windows at new conditions before and after the labels."""
    labelled = [r for r in rows if r["protocol"] == "hold_out_half" and r["detector"] == "auscult"]
    names = [_name(row) for row in labelled]
    figure, axes = plt.subplots(figsize=(9, 2.6))
    for place, (when, color) in enumerate({"before": "#c2571a", "after": "#1f5f99"}.items()):
        at = [index + 0.4 * place for index in range(len(names))]
        axes.bar(at, [row[when]["fpr_held_out"] for row in labelled], 0.36, color=color, label=when)
    axes.set_xticks([index + 0.2 for index in range(len(names))], names)
    axes.set_ylabel("false-alarm windows")
    _legend(figure, axes)
    return figure


def _name(row: Row) -> str:
    return (
        f"{row['dataset']} {row['machine']}" if row["dataset"] == "bldc_audio" else row["dataset"]
    )


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="upper center",
        ncols=len(labels),
        bbox_to_anchor=(0.5, 1.1),
        frameon=False,
    )


if __name__ == "__main__":
    main()
