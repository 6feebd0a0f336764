"""How well the levels of values tell running from rest: ``python -m lab.studies.run_levels``.

Simulated machines, and with ``--values FOLDER`` tables of real ones: a plant's sensors beside the
run bit of its controller, and machines that always run. Constants were chosen on sensor 1 and seed
0; sensor 3 and other seeds check them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.dsp.spec import FeatureSpec
from auscult.models.values.run_levels import RunLevels

Float64 = NDArray[np.float64]
NS_PER_S = 10**9
VALUES = 6000
EDGE_S = 45 * 60
"""The bit and the sensors are minutes apart: values so near to a change of the bit don't count."""


@dataclass(frozen=True)
class PlayedMachine:
    """Values of a machine at times in s, and whether it ran: 1, 0 or NaN [shape=(n,)]."""

    name: str
    specs: Mapping[str, FeatureSpec]
    t_s: Float64
    values: Mapping[str, Float64]
    ran: Float64


def simulated(seed: int) -> list[PlayedMachine]:
    """Make courses that have rest and running, and courses that must not be divided."""
    rng = np.random.default_rng(seed)
    i = np.arange(VALUES)
    noise = np.exp(0.15 * rng.standard_normal(VALUES))
    runs = i % 400 < 60
    often = i // 50 % 3 > 0
    speeds = 10 ** np.interp(i, i[::40], rng.uniform(0, 1, len(i[::40])))
    always = np.ones(VALUES)
    courses = {
        "runs 15 % of the time": (np.where(runs, 1.5, 0.06), runs),
        "the same, rest 0.2 mm/s": (np.where(runs, 1.5, 0.2), runs),
        "rest and two speeds": (np.choose(i // 50 % 3, [0.05, 0.6, 2.8]), often),
        "always runs": (2.0 * always, always),
        "two speeds, factor 4": (np.choose(i // 50 % 2, [0.8, 3.2]), always),
        "all speeds": (0.3 * speeds, always),
        "a fault, factor 10": (np.where(i < VALUES // 2, 0.2, 2.0), always),
        "wear": (0.5 * np.exp(3 * i / VALUES), always),
    }
    spec = {"v": FeatureSpec.value("velocity_rms", "mm/s", 900)}
    return [
        PlayedMachine(
            name,
            spec,
            np.asarray(900.0 * i, np.float64),
            {"v": np.asarray(course * noise, np.float64)},
            np.asarray(ran, np.float64),
        )
        for name, (course, ran) in courses.items()
    ]


def table(path: Path, time: str, columns: Sequence[str]) -> tuple[Float64, dict[str, Float64]]:
    """Read times in s and columns, in order of time, each time once."""
    with gzip.open(path, "rt") as file:
        rows = {}
        for row in csv.DictReader(file):
            at = datetime.fromisoformat(row[time])
            rows[at.replace(tzinfo=at.tzinfo or UTC).timestamp()] = [float(row[c]) for c in columns]
    times = sorted(rows)
    return np.array(times), dict(zip(columns, np.array([rows[t] for t in times]).T, strict=True))


def plant(folder: Path) -> list[PlayedMachine]:
    """Return two sensors of a machine beside the run bit of its controller."""
    bit_s, read = table(folder / "running.csv.gz", "time", ["running"])
    bit = read["running"]
    columns = {f"velocity_{axis}_mm_s": f"v{axis}" for axis in "xyz"}
    specs = {p: FeatureSpec.value("velocity_rms", "mm/s", 900) for p in columns.values()}
    machines = []
    for sensor in (1, 3):
        t_s, values = table(folder / f"sensor-{sensor}.csv.gz", "time", list(columns))
        ran = np.full(len(t_s), np.nan)
        for row, at in enumerate(t_s.tolist()):
            near = bit[bisect_left(bit_s, at - EDGE_S) : bisect_left(bit_s, at + EDGE_S)]
            if len(near) and near.min() == near.max():
                ran[row] = near[0]
        named = {columns[name]: column for name, column in values.items()}
        machines.append(PlayedMachine(f"plant, sensor {sensor}", specs, t_s, named, ran))
    return machines


def pump_bed(folder: Path) -> list[PlayedMachine]:
    """Return the runs of a pump that always runs."""
    units = {"Accelerometer1RMS": ("acceleration_rms", "g"), "Current": ("current", "A"),
             "Volume Flow RateRMS": ("flow", "l/min")}  # fmt: skip
    specs = {c: FeatureSpec.value(quantity, unit, 1) for c, (quantity, unit) in units.items()}
    machines = []
    for path in sorted(folder.glob("*.csv.gz")):
        t_s, values = table(path, "datetime", list(units))
        name = f"skab {path.name.removesuffix('.csv.gz')}"
        machines.append(PlayedMachine(name, specs, t_s, values, np.ones(len(t_s))))
    return machines


def row(machine: PlayedMachine) -> list[str]:
    """Play a machine; return its row of the table."""
    levels = RunLevels(machine.specs)
    found = np.full(len(machine.t_s), np.nan)
    for i, at in enumerate(machine.t_s.tolist()):
        for point, values in machine.values.items():
            levels.add(point, round(at * NS_PER_S), float(values[i]))
        runs = levels.running(round(at * NS_PER_S))
        found[i] = np.nan if runs is None else runs
    known = np.isfinite(found)
    if not known.any():
        return [machine.name, "–", "–", "–", ""]
    days = (machine.t_s[known][0] - machine.t_s[0]) / 86_400
    shares = []
    for ran in (1, 0):
        own = known & (machine.ran == ran)
        shares.append(f"{100 * (found[own] == ran).mean():.1f} of {own.sum()}" if own.any() else "")
    limits = ", ".join(f"{p} {limit:.2g}" for p, limit in levels.limits.items())
    return [machine.name, f"{days:.1f}", *shares, limits]


def main() -> None:
    """Print a row for each machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--values", type=Path, help="folder with plant13 and skab")
    arguments = parser.parse_args()
    machines = simulated(arguments.seed)
    if arguments.values:
        machines += plant(arguments.values / "plant13") + pump_bed(arguments.values / "skab")
    out = Table("machine", "known after, days", "run seen, %", "rest seen, %", "limits")
    for machine in machines:
        out.add_row(*row(machine))
    Console(width=110).print(out)


if __name__ == "__main__":
    main()
