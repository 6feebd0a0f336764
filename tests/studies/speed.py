"""How exact the speed without a tachometer is: ``python -m tests.studies.speed DATA_FOLDER...``.

Windows of two seconds, or whole shorter recordings. The stated speed is a measurement on some rigs
and a setting on others: on these only its repetition says something.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from auscult.dsp.shaft_speed import KNOWN, shaft_speed
from auscult.gateway.sources.dataset import RecordingLabel, read_manifest

WINDOW_S = 2.0
MOST_WINDOWS = 2
"""Of one recording."""


def main(folders: list[str]) -> None:
    """Print how many windows have a known speed, and its deviation from the stated one."""
    table = Table("set", "stated r/min", "windows", "known", "within 0.2 %", "median", "lowest",
                  "highest", title="Found over stated speed")  # fmt: skip
    for folder in folders:
        data = read_manifest(Path(folder))
        ratios: dict[float, list[float | None]] = {}
        for recording in data.recordings:
            stated = recording.state.speed_rpm
            if recording.label is RecordingLabel.RUN_TO_FAILURE or not stated:
                continue
            vibration = np.array([c.kind == "vibration" for c in recording.channels])
            rows, fs_hz = recording.read()[vibration], recording.fs_hz
            n = int(min(WINDOW_S, rows.shape[1] / fs_hz) * fs_hz)
            for start in list(range(0, rows.shape[1] - n + 1, n))[:MOST_WINDOWS]:
                channels = [(row[start : start + n], fs_hz) for row in rows]
                found = shaft_speed(channels, stated / 60) if channels else None
                ratio = None if found is None else found.hz * 60 / stated
                ratios.setdefault(stated, []).append(ratio)
        for stated, all_of in ratios.items():
            known = np.array([one for one in all_of if one is not None])
            spread = ("", "", "")
            if known.size:
                low, middle, high = np.quantile(known, (0, 0.5, 1))
                spread = (f"{middle:.4f}", f"{low:.4f}", f"{high:.4f}")
            within = int((np.abs(known - 1) <= KNOWN).sum())
            table.add_row(data.name, f"{stated:g}", str(len(all_of)), str(known.size), str(within),
                          *spread)  # fmt: skip
    Console(width=110).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
