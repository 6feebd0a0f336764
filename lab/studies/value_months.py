"""How overall values are decided on over months: ``python -m lab.studies.value_months``.

It plays simulated healthy years to the monitor of values at a budget of one event a year, and with
``--values FOLDER`` one machine of a folder with `values.toml` (``--machine``), as it is and with
changes injected. Running is as the table states it. `auscult evaluate` plays the whole gateway.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.signal import lfilter
from scipy.stats import chi2

from auscult.contract.message import NS_PER_MS, NS_PER_S
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.datasets.value_tables import read_description, read_history
from auscult.gateway.evaluate.played import Player
from auscult.gateway.evaluate.values import tally_of
from auscult.gateway.machines.result import MachineResult
from auscult.models.decision.value_evidence import ValueEvidence
from auscult.models.records import Observation

Float64 = NDArray[np.float64]
HOUR_S, DAY_S, YEAR_S = 3600.0, 86_400.0, 365.25 * 86_400
SPECS = {
    **{name: FeatureSpec.value("velocity_rms", "mm/s", HOUR_S) for name in ("vx", "vy", "vz")},
    "temp": FeatureSpec.value("temperature", "°C", HOUR_S),
}
KINDS = (
    "wander of 12 h", "wander of 2 days", "wander of 7 days", "season and day", "batches",
    "products", "shifts and weekends", "heavy tails", "rounded",
)  # fmt: skip
LEARNED = 60
"""Rows of the healthy period: what follows is decided on, provisionally at first."""
BUDGETS = (1.0, 0.1)
"""Of a machine by itself, and of one of a plant's 2,000 at 17 events a month."""
LATER_DAYS = (75, 90, 105, 120, 150, 180, 210, 250, 300)
"""Days of the table at which changes are injected …"""
LEAST_LATER_DAYS = 30
"""… if so many days with running follow."""


@dataclass(frozen=True)
class Course:
    """Rows of values in their units at times in s; ``runs`` [shape=(n,)] where the machine ran."""

    t_s: Float64
    values: Float64
    runs: NDArray[np.bool_]


@dataclass(frozen=True)
class Opened:
    """A departure: when it opened, UTC s, and whether it was an alarm then."""

    t_s: float
    kind: str
    alarm: bool
    further: bool
    """Whether it is beyond the level of an event that is open already."""


def healthy_year(kind: str, seed: int) -> Course:
    """Simulate a year of hourly values of a healthy machine."""
    rng = np.random.default_rng(seed)
    n = round(365 * DAY_S / HOUR_S)
    t_s: Float64 = np.arange(n, dtype=np.float64) * HOUR_S + 1.6e9 + float(rng.uniform(0, YEAR_S))
    day = t_s / DAY_S

    def wander(hours: float, sigma: float) -> Float64:
        phi = np.exp(-1 / hours)
        noise = rng.standard_normal((n + 2000, 4)) * sigma * np.sqrt(1 - phi**2)
        return np.asarray(lfilter([1.0], [1.0, -phi], noise, axis=0)[2000:])

    runs, x = np.ones(n, bool), wander(1.5, 0.1)
    if kind.startswith("wander"):
        x += wander({"12 h": 12, "2 days": 48, "7 days": 168}[kind.removeprefix("wander of ")], 0.2)
    elif kind == "season and day":
        season = np.sin(2 * np.pi * (day / 365.25 + rng.uniform()))
        daily = np.sin(2 * np.pi * (day % 1))
        x += 0.05 * (season + daily)[:, None] + wander(12, 0.1)
        x[:, 3] += 8 * season + 3 * daily + wander(48, 2.0)[:, 0]
    elif kind in ("batches", "products"):
        runs[:] = False
        first = 0
        while first < n:
            first += int(rng.exponential(40)) + 1
            own = slice(first, min(n, first + int(rng.uniform(2, 14))))
            runs[own] = True
            level = rng.normal(0, 0.35) if kind == "batches" else rng.choice([0.0, 0.4, 0.9])
            x[own, :3] += level + rng.normal(0, 0.08, 3)
            warm = 1 - np.exp(-np.arange(len(x[own])) * 1.0)
            x[own, 3] += rng.normal(0, 2) + 4 * warm
            first = own.stop
        x[:, 3] += 5 * np.sin(2 * np.pi * day / 365.25)
    elif kind == "shifts and weekends":
        runs = ((day + 3) % 7 < 5) & (day % 1 > 0.25) & (day % 1 < 0.92)
        x += wander(12, 0.15)
        x[:, 0] += 0.15 * (day % 1 > 0.6)
    elif kind == "heavy tails":
        x += 0.1 * rng.standard_t(3, (n, 4))
    values = np.column_stack([np.exp(x[:, :3]), 40 + x[:, 3]])
    if kind == "rounded":
        values = np.round(values / [0.1, 0.5, 0.1, 0.5]) * [0.1, 0.5, 0.1, 0.5]
        values = np.maximum(values, 0.05)
    return Course(t_s, values, runs)


def play(
    course: Course, specs: dict[str, FeatureSpec], budget: float = 1.0
) -> tuple[list[Opened], float | None]:
    """Return the events of a machine, and the time at which its baseline was complete."""
    evidence = ValueEvidence(specs, run_stated=False, budget=budget)
    monitor, points = evidence.monitor, tuple(specs)
    opened, complete_s = list[Opened](), None
    before, ran = None, False
    for t_s, row, runs in zip(course.t_s, course.values, course.runs.tolist(), strict=True):
        if runs and not ran:
            evidence.begin_run()
        elif runs:
            t_ns = round(t_s * NS_PER_S)
            evidence.add(
                [
                    Observation(point, t_ns, np.array([value], np.float32))
                    for point, value in zip(points, row, strict=True)
                    if np.isfinite(value)
                ]
            )
            if monitor.learns and monitor.rows >= LEARNED:
                evidence.decides()
            now, further = monitor.open, monitor.lasting is not None
            if now is not None and now is not before:
                opened.append(Opened(float(t_s), now.kind, now.alarm, further))
            before = now
            if complete_s is None and monitor.complete:
                complete_s = float(t_s)
        ran = runs
    return opened, complete_s


def simulated(kinds: Sequence[str], seeds: range, console: Console) -> None:
    """Print the events of healthy years."""
    columns = ("events a year", "at most (95 %)", "of these alarms", "complete, days")
    table = Table("healthy years, budget 1", *columns)
    counted = list[tuple[int, int, float]]()
    for kind in kinds:
        events, alarms, years, days = 0, 0, 0.0, []
        for seed in seeds:
            course = healthy_year(kind, seed)
            opened, complete_s = play(course, SPECS)
            own = [one for one in opened if not one.further]
            events += len(own)
            alarms += sum(one.alarm for one in own)
            begun_s = course.t_s[-1] if complete_s is None else complete_s
            years += (course.t_s[-1] - begun_s) / YEAR_S
            days.append((begun_s - course.t_s[0]) / DAY_S)
        counted.append((events, alarms, years))
        table.add_row(kind, *_rates(events, alarms, years), f"{np.median(days):.0f}")
    all_events, all_alarms, all_years = map(sum, zip(*counted, strict=True))
    table.add_row("all", *_rates(int(all_events), int(all_alarms), all_years), "")
    console.print(table)


def _rates(events: int, alarms: int, years: float) -> tuple[str, str, str]:
    """Return events a year, their upper limit as of a Poisson number, and alarms a year."""
    most = chi2.ppf(0.95, 2 * events + 2) / 2
    return f"{events / years:.2f}", f"{most / years:.2f}", f"{alarms / years:.2f}"


def delays(kinds: Sequence[str], seeds: range, console: Console) -> None:
    """Print how long a step of 3 σ of one velocity takes to be found, by the budget."""
    table = Table("step of 3 σ from day 150", *(f"budget {b:g}" for b in BUDGETS), "found, of")
    for kind in kinds:
        days: dict[float, list[float]] = {budget: [] for budget in BUDGETS}
        for seed in seeds:
            course = healthy_year(kind, seed)
            from_s = course.t_s[0] + 150 * DAY_S
            size = 3 * float(np.log(course.values[course.runs, 0]).std())
            first = np.arange(course.values.shape[1]) == 0
            course = changed(course, first, from_s, float(np.exp(size)))
            until = course.t_s < from_s + 90 * DAY_S
            course = Course(course.t_s[until], course.values[until], course.runs[until])
            for budget in BUDGETS:
                found = [one.t_s for one in play(course, SPECS, budget)[0] if one.t_s >= from_s]
                days[budget].append((found[0] - from_s) / DAY_S if found else np.inf)
        counts = "; ".join(str(int(np.isfinite(own).sum())) for own in days.values())
        medians = (f"{np.median(own):.2f} days" for own in days.values())
        table.add_row(kind, *medians, f"{counts} of {len(seeds)}")
    console.print(table)


def changed(course: Course, columns: NDArray[np.bool_], from_s: float, by: float) -> Course:
    """Multiply columns (a factor), or add to the others (by more than 5), from a time on."""
    values = course.values.copy()
    later = course.t_s >= from_s
    chosen = np.ix_(later, np.flatnonzero(columns if by < 5 else ~columns))
    values[chosen] = values[chosen] * by if by < 5 else values[chosen] + by
    return Course(course.t_s, values, course.runs)


class _Answered(Player):
    """A machine whose person says a day after each event that its level is normal."""

    def took(self, result: MachineResult) -> None:
        super().took(result)
        event, now_ms = self.machine.open_event, self.machine.stream_ns / NS_PER_MS
        if event is not None and now_ms - event.started_ms >= 1000 * DAY_S:
            self.machine.detector.answer_level(normal=True)


def real(folder: Path, machine: str, console: Console) -> None:
    """Print what opens on a machine of a folder, and when injected changes are found."""
    history = read_history(folder, read_description(folder), machine)
    t_s = history.t_ns / NS_PER_S
    course = Course(t_s, history.newest(), history.running())
    interval_s = max(1.0, float(np.median(np.diff(t_s))))
    specs = {
        one.id: FeatureSpec.value(one.quantity, one.unit, interval_s, one.resolution)
        for one in history.table.points
    }
    opened, complete_s = play(course, specs)
    console.print(f"{machine}: complete after {_days(t_s, complete_s)} days")
    for one in opened:
        what = f"{one.kind}{', alarm' if one.alarm else ''}{', further' if one.further else ''}"
        console.print(f"  day {_days(t_s, one.t_s)}: {what}")
    with TemporaryDirectory() as learned:
        played = _Answered(history, Path(learned)).play()
    figures = tally_of(history, played)
    share = figures.alarm_s / max(figures.decided_s, 1.0)
    console.print(
        f"through the gateway, each event answered as normal after a day: {share:.2f} "
        f"of the time in alarm; {figures.events} events, {figures.alarms} alarms"
    )
    for event in played.events:
        what = ", alarm" if event.alarm else ""
        console.print(f"  day {_days(t_s, event.from_ns / NS_PER_S)}{what}")
    levels = np.array([spec.features[0].scale == "log" for spec in specs.values()])
    days = np.unique(t_s[course.runs] // DAY_S)
    table = Table("injected", *(f"day {day}" for day in LATER_DAYS), title="found on running day")
    for name, by in (("levels × 1.5", 1.5), ("levels × 2", 2.0), ("others + 10", 10.0)):
        table.add_row(name, *_found(course, specs, levels, by, opened, days))
    console.print(table)


def _found(
    course: Course, specs: dict[str, FeatureSpec], levels: NDArray[np.bool_], by: float,
    usual: list[Opened], days: Float64,
) -> Iterator[str]:  # fmt: skip
    known = {one.t_s for one in usual}
    for day in LATER_DAYS:
        from_s = course.t_s[0] + day * DAY_S
        if (days >= from_s // DAY_S).sum() < LEAST_LATER_DAYS:
            yield "no data"
            continue
        opened, _ = play(changed(course, levels, from_s, by), specs)
        new = [one.t_s for one in opened if one.t_s >= from_s and one.t_s not in known]
        last = new[0] if new else 0.0
        ran = ((days >= from_s // DAY_S) & (days <= last // DAY_S)).sum()
        yield str(ran) if new else "–"


def _days(t_s: Float64, at_s: float | None) -> str:
    return "–" if at_s is None else f"{(at_s - t_s[0]) / DAY_S:.0f}"


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--years", type=int, default=4, help="simulated years of each kind")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS)
    parser.add_argument("--delays", action="store_true", help="of a step, by the budget")
    parser.add_argument("--values", type=Path, help="folder with values.toml")
    parser.add_argument("--machine", help="machine of that folder")
    asked = parser.parse_args()
    console = Console()
    if asked.values:
        real(asked.values, asked.machine, console)
        return
    seeds = range(asked.seed, asked.seed + asked.years)
    (delays if asked.delays else simulated)(asked.kinds, seeds, console)


if __name__ == "__main__":
    main()
