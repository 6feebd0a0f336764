"""Plot how the cost of the features grows, from the JSON of `auscult bench dsp`.

``python -m gateway.bench.plot bench.json docs/performance.svg``
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

PANELS = (
    ("dsp_channels_", "channels in one call", "cost over lower bound"),
    ("dsp_window_", "samples in a window", "cost over lower bound"),
    ("dsp_processes_", "processes", "speed over one process"),
)


def plot(report: Path, picture: Path) -> None:
    """Draw the three panels of `docs/performance.md` as SVG.

    Parameters
    ----------
    report : Path
        JSON of ``auscult bench dsp --json``.
    picture : Path
        SVG to write.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure as Picture

    mpl.rcParams["svg.hashsalt"] = "auscult"
    figures = json.loads(report.read_text())["figures"]
    canvas = Picture(figsize=(10, 3.2), layout="constrained")
    for axes, (prefix, x_label, y_label) in zip(canvas.subplots(1, 3), PANELS, strict=True):
        x, y = _series(figures, prefix)
        axes.plot(x, y, "o-", color="#1f5f8b")
        axes.set(xlabel=x_label, ylabel=y_label, ylim=(0, None))
        if prefix != "dsp_processes_":
            axes.set_xscale("log", base=2)
        axes.set_xticks(x, [str(v) for v in x], rotation=60 if len(x) > 4 else 0)
        axes.grid(alpha=0.3)
    canvas.savefig(picture, metadata={"Date": None})


def _series(figures: list[dict[str, Any]], prefix: str) -> tuple[list[int], list[float]]:
    """Return number in the name and ratio of all figures with this prefix."""
    points = [
        (int(found.group(1)), float(f["ratio"]))
        for f in figures
        if (found := re.match(rf"{prefix}(\d+)", f["name"]))
    ]
    points.sort()
    return [n for n, _ in points], [ratio for _, ratio in points]


if __name__ == "__main__":
    plot(Path(sys.argv[1]), Path(sys.argv[2]))
