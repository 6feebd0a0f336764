"""SKAB: values of a water pump once a second become tables to evaluate and lines to push.

The set holds no waveforms, so it becomes no manifest: each experiment is a machine of
``values.toml``, and a file of lines that an `http` source takes, with the machine's configuration
and the authors' labels beside it. The lines have no times: they lie years back, and a gateway
rejects those.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from shutil import copyfile
from typing import Final

from auscult.gateway.datasets.value_tables import DESCRIPTION
from auscult.gateway.files.records import FileError

TIME: Final = "datetime"
ANOMALY: Final = "anomaly"
HEALTHY_ROWS: Final = 400
"""First rows of an experiment that the authors' protocol takes as healthy."""
COLUMNS: Final = {
    "Accelerometer1RMS": ("acc1", "acceleration_rms", "g"),
    "Accelerometer2RMS": ("acc2", "acceleration_rms", "g"),
    "Current": ("current", "current", "A"),
    "Pressure": ("pressure", "pressure", "bar"),
    "Temperature": ("motor_temperature", "temperature", "°C"),
    "Thermocouple": ("water_temperature", "temperature", "°C"),
    "Voltage": ("voltage", "voltage", "V"),
    "Volume Flow RateRMS": ("flow", "flow", "L/min"),
}
"""Column: point, quantity and unit, by the authors' description."""

_HEAD: Final = """# Push a file line by line, one each second: see docs/sensors/datasets.md
[[machines]]
id = "pump"
name = "SKAB water pump"
"""
_POINT: Final = """
[[machines.points]]
id = "{point}"
kind = "value"
quantity = "{quantity}"
unit = "{unit}"
interval_s = 1
"""
_SOURCE: Final = """
[[sources]]
type = "http"
machine = "pump"
host = "127.0.0.1"
port = 8430
token_sha256 = "PUT THE HASH OF YOUR TOKEN HERE"
"""
_VALUE: Final = """
[[sources.values]]
point = "{point}"
"""


def write_values(files: list[Path], target: Path) -> int:
    """Write each experiment as JSON lines, with configuration and labels; returns how many.

    Raises
    ------
    FileError
        If a table has other columns, or a cell is no number.
    """
    target.mkdir(parents=True, exist_ok=True)
    labels: list[tuple[str, int, int]] = []
    described: list[str] = []
    for path in files:
        name = f"{path.parent.name}_{path.stem}".replace(" ", "_")
        lines, marked, label = _experiment(path)
        copyfile(path, target / f"{name}.csv")
        described.append(_table(name, label))
        (target / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        labels += [(f"{name}.jsonl", first, last) for first, last in _runs(marked)]
    (target / DESCRIPTION).write_text("\n".join(described), encoding="utf-8")
    with (target / "labels.csv").open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(("file", "first_line", "last_line"))
        writer.writerows(labels)
    points = [
        dict(zip(("point", "quantity", "unit"), one, strict=True)) for one in COLUMNS.values()
    ]
    parts = [_HEAD, *(_POINT.format(**p) for p in points), _SOURCE]
    parts += [_VALUE.format(**p) for p in points]
    (target / "gateway.toml").write_text("".join(parts), encoding="utf-8")
    return len(files)


def _table(name: str, label: str | None) -> str:
    """Describe an experiment for `values.toml`, by the protocol of the authors."""
    points = ",\n".join(
        f'    {{ id = "{point}", column = "{column}", quantity = "{quantity}", unit = "{unit}" }}'
        for column, (point, quantity, unit) in COLUMNS.items()
    )
    truth = f'truth = "{label}"\n' if label else ""
    return (
        f'[[machine]]\nid = "{name}"\ntable = "{name}.csv"\ntime = "{TIME}"\n'
        f"points = [\n{points},\n]\nhealthy_rows = {HEALTHY_ROWS}\n{truth}"
    )


def _experiment(path: Path) -> tuple[list[str], list[bool], str | None]:
    """Read the lines to push, whether the authors mark each as anomalous, and in which column."""
    lines, marked = [], []
    with path.open(newline="", encoding="utf-8-sig") as text:
        reader = csv.DictReader(text, delimiter=";")
        found = tuple(reader.fieldnames or ())
        if missing := [name for name in (TIME, *COLUMNS) if name not in found]:
            raise FileError("file_no_channel", path=str(path), channel=missing[0], channels=found)
        # The file of the healthy pump has no labels; the name differs between versions.
        label = next((name for name in (ANOMALY, f"is_{ANOMALY}") if name in found), None)
        for row in reader:
            try:
                values = {COLUMNS[name][0]: float(row[name]) for name in COLUMNS}
                marked.append(label is not None and float(row[label]) > 0)
            except (TypeError, ValueError) as error:
                raise FileError(
                    "recording_damaged", path=str(path), format="SKAB", detail=str(error)
                ) from error
            lines.append(json.dumps(values, allow_nan=False) + "\n")
    return lines, marked, label


def _runs(marked: list[bool]) -> list[tuple[int, int]]:
    """Return the first and last line, counted from 1, of each stretch that is marked."""
    edges = [i for i in range(1, len(marked) + 1) if marked[i - 1] != (i > 1 and marked[i - 2])]
    if marked and marked[-1]:
        edges.append(len(marked) + 1)
    return [(first, after - 1) for first, after in zip(edges[::2], edges[1::2], strict=True)]
