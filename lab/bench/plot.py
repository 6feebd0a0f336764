"""Plot how cost grows, from the JSON of `auscult bench dsp` or `auscult bench gateway`.

``python -m lab.bench.plot bench.json docs/images/performance.svg``
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram: a line for each prefix of figures whose names end in the number on the x-axis.

    ``names`` maps the prefixes to what the legend calls them.
    """

    names: dict[str, str]
    x_label: str
    y_label: str
    field: Literal["value", "ratio"] = "value"
    doubling: bool = True


DSP = (
    Panel({"dsp_channels_": ""}, "channels in one call", "cost over lower bound", "ratio"),
    Panel({"dsp_window_": ""}, "samples in a window", "cost over lower bound", "ratio"),
    Panel({"dsp_processes_": ""}, "processes", "speed over one process", "ratio", doubling=False),
)
GATEWAY = (
    Panel({"channels_per_core_at_": ""}, "points", "channels sustained on one core"),
    Panel(
        {"latency_p50_ms_at_": "p50", "latency_p99_ms_at_": "p99"},
        "points",
        "last sample to decision, ms",
    ),
    Panel({"rss_mb_at_": ""}, "points", "resident memory, MB"),
)


def plot(report: Path, picture: Path) -> None:
    """Draw three panels of `lab/results/performance.md` as SVG.

    Parameters
    ----------
    report : Path
        JSON of ``auscult bench dsp --json`` or ``auscult bench gateway --json``.
    picture : Path
        SVG to write.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure as Picture

    mpl.rcParams["svg.hashsalt"] = "auscult"
    figures = json.loads(report.read_text())["figures"]
    panels = GATEWAY if any(f["name"].startswith("rss_mb_at_") for f in figures) else DSP
    canvas = Picture(figsize=(10, 3.2), layout="constrained")
    for axes, panel in zip(canvas.subplots(1, len(panels)), panels, strict=True):
        x: list[int] = []
        for prefix, name in panel.names.items():
            x, y = _series(figures, prefix, panel.field)
            axes.plot(x, y, "o-", label=name)
        axes.set(xlabel=panel.x_label, ylabel=panel.y_label, ylim=(0, None))
        if panel.doubling:
            axes.set_xscale("log", base=2)
        axes.set_xticks(x, [str(v) for v in x], rotation=60 if len(x) > 4 else 0)
        axes.grid(alpha=0.3)
        if len(panel.names) > 1:
            axes.legend()
    canvas.savefig(picture, metadata={"Date": None})


def _series(
    figures: list[dict[str, Any]], prefix: str, field: str
) -> tuple[list[int], list[float]]:
    """Return number in the name, and value or ratio, of all figures with this prefix."""
    points = [
        (int(found.group(1)), float(f[field]))
        for f in figures
        if (found := re.match(rf"{prefix}(\d+)", f["name"]))
    ]
    points.sort()
    return [n for n, _ in points], [y for _, y in points]


if __name__ == "__main__":
    plot(Path(sys.argv[1]), Path(sys.argv[2]))
