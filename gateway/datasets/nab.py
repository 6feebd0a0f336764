"""NAB: temperatures of a machine and of an office over months become tables to evaluate."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from shutil import copyfile
from typing import Final

from auscult.gateway.datasets.value_tables import DESCRIPTION
from auscult.gateway.files.records import FileError

WINDOWS: Final = "labels/combined_windows.json"
TEMPERATURES: Final = ("machine_temperature_system_failure", "ambient_temperature_system_failure")
"""Series of the folder ``realKnownCause`` that are of machines."""

_MACHINE: Final = """[[machine]]
id = "{name}"
table = "{name}.csv"
time = "timestamp"
points = [{{ id = "temperature", column = "value", quantity = "temperature", unit = "°F" }}]
events = "{name}.events.csv"
"""


def write_temperatures(files: list[Path], target: Path) -> int:
    """Write the series of temperatures with the authors' windows; returns how many.

    Raises
    ------
    FileError
        If the file of windows is missing or damaged.
    """
    described = []
    for path in files:
        if path.stem not in TEMPERATURES:
            continue
        target.mkdir(parents=True, exist_ok=True)
        copyfile(path, target / path.name)
        with (target / f"{path.stem}.events.csv").open("w", newline="", encoding="utf-8") as text:
            writer = csv.writer(text)
            writer.writerow(("from", "to", "what"))
            writer.writerows((*window, "window of the benchmark") for window in _windows(path))
        described.append(_MACHINE.format(name=path.stem))
    if described:
        (target / DESCRIPTION).write_text("\n".join(described), encoding="utf-8")
    return len(described)


def _windows(path: Path) -> list[list[str]]:
    labels = path.parents[2] / WINDOWS
    try:
        windows: list[list[str]] = json.loads(labels.read_text())[f"{path.parent.name}/{path.name}"]
    except (OSError, ValueError, KeyError) as error:
        raise FileError(
            "recording_damaged", path=str(labels), format="NAB", detail=str(error)
        ) from error
    return windows
