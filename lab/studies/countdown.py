"""When a time to a limit is given, and whether it holds: ``python -m lab.studies.countdown``.

Simulated values pass through `Forecasts` as in the gateway: steps, steps with rounding,
staircases, ramps, ramps that become a level. ``--femto FOLDER`` adds run-to-failure recordings,
``--nab FOLDER`` the temperatures of the benchmark. Constants were chosen on ``--seed 0`` and the
bearings 1_1, 2_1 and 3_1; other seeds and bearings check them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.forecasts import Forecasts
from auscult.models.decision.limits import Limit

Float64 = NDArray[np.float64]

NS_PER_S = 10**9
MINUTES = 600
SERIES = 8
LIMIT = 4.5
LEVEL, OTHER = "velocity_rms", "temperature"


@dataclass
class Tally:
    """Looks, those with a countdown, those not before the earliest time, and expected / true.

    ``held`` counts the latter for each tenth of the time to the limit or to the end.
    """

    looks: int = 0
    shown: int = 0
    tenths: Counter[int] = field(default_factory=Counter)
    held: Counter[int] = field(default_factory=Counter)
    ratios: list[float] = field(default_factory=list)

    def add(self, said: dict[str, float] | None, true_s: float | None, passed: float) -> None:
        """Count a look at a share of the time; `true_s` is None where the limit is not reached."""
        self.looks += 1
        if said is None:
            return
        self.shown += 1
        tenth = int(10 * passed)
        self.tenths[tenth] += 1
        self.held[tenth] += true_s is None or said["earliest_s"] <= true_s
        if true_s is not None:
            self.ratios.append(said["expected_s"] / max(true_s, 1.0))

    def worst_tenth(self) -> float:
        """Return the least share of `held` in any tenth."""
        return min(self.held[tenth] / count for tenth, count in self.tenths.items())


@dataclass(frozen=True)
class Series:
    """Values at times in s; looks begin at an index."""

    t_s: Float64
    y: Float64
    limit: float
    begin: int = 20
    quantity: str = LEVEL


def looks(series: Series, upper: bool = True, every: int = 1) -> Tally:
    """Pass values through the forecasts until the limit is reached."""
    unit = "mm/s" if series.quantity == LEVEL else "°C"
    spec = FeatureSpec.value(series.quantity, unit, 60)
    limits = (Limit(spec.names[0], None, series.limit, "above" if upper else "below"),)
    forecasts, tally = Forecasts({"p": spec}), Tally()
    sign = 1 if upper else -1
    y = series.y
    three = np.array([np.median(y[max(0, i - 2) : i + 1]) for i in range(len(y))])
    beyond = np.flatnonzero(sign * (three - series.limit) >= 0)
    beyond = beyond[beyond >= series.begin]
    end = int(beyond[0]) if len(beyond) else len(y)
    for i in range(end):
        forecasts.add("p", int(series.t_s[i] * NS_PER_S), np.array([y[i]], np.float32), limits)
        if i < series.begin or i % every:
            continue
        found = forecasts.reasons("p", limits)
        true_s = series.t_s[end] - series.t_s[i] if end < len(y) else None
        said = dict(found[0].said.values) if found else None
        tally.add(said, true_s, i / end)  # type: ignore[arg-type]
    return tally


def noise(rng: np.random.Generator, n: int, rho: float, sd: float = 0.03) -> Float64:
    e = rng.standard_normal(n) * np.sqrt(1 - rho**2)
    for i in range(1, n):
        e[i] += rho * e[i - 1]
    return np.asarray(sd * e)


Shape = Callable[[np.random.Generator, Float64], tuple[Float64, int]]
"""A course without noise, and the index of the first look."""


def level(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    return np.full_like(i, 1.5), 20


def step(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    at = int(rng.integers(80, 250))
    return np.where(i < at, 1.0, rng.uniform(1.3, 3.0)), at


def two_steps(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    at, then = int(rng.integers(80, 200)), int(rng.integers(230, 350))
    return np.where(i < at, 1.0, np.where(i < then, 1.6, 2.4)), at


def staircase(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    tread = int(rng.integers(40, 90))
    return 1.0 + 0.3 * np.minimum((i // tread), 6), 2 * tread


def settling(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    at, tau = 60, rng.uniform(20, 60)
    return 1.0 + 1.5 * (1 - np.exp(-np.maximum(i - at, 0) / tau)), at + int(3 * tau)


def ended(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    at, length = 60, int(rng.integers(80, 250))
    return 1.0 + 1.5 * np.clip((i - at) / length, 0, 1), at + length


def back(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    at, length = 60, int(rng.integers(80, 250))
    return 1.0 + 1.5 * np.where(i < at + length, np.clip((i - at) / length, 0, 1), 0), at + length


def daily(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    return 2.0 + 0.8 * np.sin(2 * np.pi * (i / 144 + rng.uniform())), 288


def ramp(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    at, length = 60, int(rng.integers(150, 500))
    return 1.0 + 3.6 * np.maximum(i - at, 0) / length, at + int(0.3 * length)


def growth(rng: np.random.Generator, i: Float64) -> tuple[Float64, int]:
    at, length = 60, int(rng.integers(150, 500))
    return np.exp(1.53 * np.maximum(i - at, 0) / length), at + int(0.3 * length)


FLAT: dict[str, Shape] = {
    "level": level, "step, then level": step, "two steps": two_steps, "settling": settling,
    "ramp that became a level": ended, "ramp that fell back": back, "daily cycle": daily,
    "staircase of 6": staircase,
}  # fmt: skip
RISING: dict[str, Shape] = {"ramp": ramp, "growth": growth}


def simulated(seed: int, only: str = "") -> Iterator[tuple[str, Tally]]:
    i = np.arange(float(MINUTES))
    for name, shape in (FLAT | RISING).items():
        if not name.startswith(only):
            continue
        for what, rho, rounded in (("", 0.0, 0.0), (", correlated", 0.9, 0.0),
                                   (", rounded", 0.0, 0.2)):  # fmt: skip
            rng = np.random.default_rng(seed + 1)
            total = Tally()
            for _ in range(SERIES):
                course, begin = shape(rng, i)
                y = course * np.exp(noise(rng, len(i), rho, 0.01 if rounded else 0.03))
                if rounded:
                    y = np.maximum(np.round(y / rounded), 1) * rounded
                _into(total, looks(Series(60.0 * i, y, LIMIT, begin)))
            yield name + what, total


def _into(total: Tally, one: Tally) -> None:
    total.looks += one.looks
    total.shown += one.shown
    total.tenths += one.tenths
    total.held += one.held
    total.ratios += one.ratios


def bearings(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Tally]]:
    """R.m.s. a minute of runs to failure; limits in multiples of that of the first fifth."""
    import soundfile

    for name in names:
        data, fs_hz = soundfile.read(folder / f"{name}.flac", dtype="float32", always_2d=True)
        size = round(0.1 * fs_hz)
        bursts = data[: len(data) // size * size].reshape(-1, size, data.shape[1])
        rms = np.sqrt((bursts.astype(np.float64) ** 2).mean(axis=1))
        total = Tally()
        for channel in range(rms.shape[1]):
            minutes = rms[: len(rms) // 6 * 6, channel].reshape(-1, 6)
            y = np.asarray(minutes.mean(axis=1), np.float64)
            healthy = float(np.median(y[: len(y) // 5]))
            for times in (2.0, 3.0, 5.0):
                _into(total, looks(Series(np.arange(0.0, 60.0 * len(y), 60.0), y, times * healthy)))
        yield f"femto {name}", total


TEMPERATURES = {
    "machine_temperature": ((105.0, True), (100.0, True), (60.0, False), (40.0, False)),
    "ambient_temperature": ((85.0, True), (80.0, True), (60.0, False)),
}


def temperatures(folder: Path) -> Iterator[tuple[str, Tally]]:
    """Return the temperatures with limits outside their usual range."""
    for name, limits in TEMPERATURES.items():
        with gzip.open(folder / f"{name}.csv.gz", "rt") as file:
            rows = [(_seconds(row["time"]), float(row["temperature_f"]))
                    for row in csv.DictReader(file)]  # fmt: skip
        t_s, y = np.array(sorted(dict(rows).items())).T
        celsius = (y - 32) / 1.8
        for limit, upper in limits:
            edge = (limit - 32) / 1.8
            total = Tally()
            for part in _until_each_crossing(celsius, edge, upper):
                series = Series(t_s[part] - t_s[part][0], celsius[part], edge, 20, OTHER)
                _into(total, looks(series, upper, every=6))
            yield f"NAB {name} {'above' if upper else 'below'} {limit:g} °F", total


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def _until_each_crossing(y: Float64, limit: float, upper: bool) -> Iterator[slice]:
    """Return the stretches before the limit is passed, each with the values before it."""
    sign = 1 if upper else -1
    beyond = np.flatnonzero(sign * (y - limit) >= 0)
    begin = 0
    for at in beyond.tolist():
        if at - begin > 300:
            yield slice(begin, at + 4)
        begin = at + 1
    if len(y) - begin > 300:
        yield slice(begin, len(y))


def main() -> None:
    """Print a row for each kind of series."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--femto", type=Path)
    parser.add_argument("--bearings", nargs="*", default=["Bearing1_1", "Bearing2_1", "Bearing3_1"])
    parser.add_argument("--nab", type=Path)
    parser.add_argument("--only", default="", help="series whose name begins so")
    arguments = parser.parse_args()
    columns = ("looks", "shown, %", "not before the earliest, %", "worst tenth, %")
    table = Table("series", *columns, "expected / true")
    rows = list(simulated(arguments.seed, arguments.only))
    if arguments.femto:
        rows += bearings(arguments.femto, arguments.bearings)
    if arguments.nab:
        rows += temperatures(arguments.nab)
    for name, one in rows:
        share = 100 * one.shown / one.looks if one.looks else 0.0
        held = f"{100 * one.held.total() / one.shown:.0f}" if one.shown else ""
        worst = f"{100 * one.worst_tenth():.0f}" if one.shown else ""
        middle = f"{np.median(one.ratios):.2f}" if one.ratios else ""
        table.add_row(name, str(one.looks), f"{share:.1f}", held, worst, middle)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
