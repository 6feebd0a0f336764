"""Early and late on runs to failure: ``python -m lab.studies.early_late femto/manifest.csv``.

Early: alarms at 20 to 50 % of life, and whether later windows alone confirm that the level stays.
Late: the time until the machine's mean normal score of a minute reaches a limit, forecast by the
trend (as for limits), with its 90 % interval; and the same interval widened so that it covers 90 %
of the forecasts of the other runs (split conformal prediction, leaving one run out).
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.special import ndtri

from auscult.contract.records import Condition
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.life import BASELINE_SHARE, EARLY
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.models.decision.confirmation import Confirmation
from auscult.models.decision.forecasts import ForecastHistory
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Decision

LIMITS = (1.0, 1.5, 2.88)
"""Allowances of the warning and the alarm chart, and the p-limit, σ."""
MINUTE = 6
"""Windows of a minute, at an interval of 10 s."""
COVERAGE = 0.9
NOW = 3

Float64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Run:
    """The decisions on a run after its baseline, with the share of life of each."""

    name: str
    t_ns: NDArray[np.int64]
    life: Float64
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A forecast: logarithms of expected, earliest and latest over the actual time."""

    run: str
    decile: int
    earliest: float
    latest: float
    error: float


def follow(data: MachineData) -> Run:
    """Monitor a run to failure."""
    detector = MachineDetector(NamePlate(data.machine), data.specs)
    hops = [hop for s in data.with_label(RecordingLabel.RUN_TO_FAILURE) for hop in s.hops()]
    baseline = round(BASELINE_SHARE * len(hops))
    for hop in hops[:baseline]:
        detector.observe(hop)
    detector.adopt(detector.fit_now().run())
    confirmation = Confirmation()
    decisions = [confirmation.follow(detector.observe(hop).machine) for hop in hops[baseline:]]
    t_ns = np.array([decision.t_ns for decision in decisions])
    return Run(data.machine, t_ns, np.arange(baseline, len(hops)) / len(hops), tuple(decisions))


def early(run: Run) -> tuple[float, float | None, float | None]:
    """Share of alarm at 20 to 50 % of life, life at its opening, life at its confirmation."""
    alarm = np.array([one.condition is Condition.ALARM for one in run.decisions])
    stays = np.array([any(r.said.code == "level_stays" for r in d.reasons) for d in run.decisions])
    within = (run.life >= EARLY[0]) & (run.life < EARLY[1])
    if not (alarm & within).any():
        return 0.0, None, None
    confirmed = run.life[stays]
    opened = float(run.life[alarm][0])
    return float(alarm[within].mean()), opened, float(confirmed[0]) if len(confirmed) else None


def lead_min(run: Run) -> float | None:
    """Return the minutes from the first alarm to the end."""
    first = [t for t, one in zip(run.t_ns, run.decisions, strict=True)
             if one.condition is Condition.ALARM]  # fmt: skip
    return float(run.t_ns[-1] - first[0]) / 60e9 if first else None


def forecasts(run: Run, limit: float) -> Iterator[Made]:
    """Return the forecasts of each minute, until the limit is reached."""
    p = np.array([1.0 if one.p_value is None else one.p_value for one in run.decisions])
    scores = np.clip(-ndtri(np.maximum(p, 1e-12)), -4, 8)
    n = len(scores) // MINUTE
    mean = scores[: n * MINUTE].reshape(n, MINUTE).mean(1)
    t_s = run.t_ns[MINUTE - 1 : n * MINUTE : MINUTE] * 1e-9
    level = np.array([np.median(mean[max(0, i + 1 - NOW) : i + 1]) for i in range(n)])
    history = ForecastHistory()
    for i in range(n):
        history.add(int(t_s[i] * 1e9), float(mean[i]))
        reached = np.flatnonzero(level[i + 1 :] >= limit)
        if level[i] >= limit or not len(reached):
            continue
        found = history.forecast(limit, level=False)
        if found is not None:
            actual = np.log(t_s[i + 1 + reached[0]] - t_s[i])
            earliest = np.log(max(found.earliest_s, 1.0))
            error = float(np.log(max(found.expected_s, 1.0)) - actual)
            decile = int(10 * run.life[i * MINUTE])
            yield Made(run.name, decile, float(earliest - actual), np.inf, error)


def covered(made: Sequence[Made]) -> dict[int, tuple[int, float, float]]:
    """By decile: number of forecasts, coverage of the interval, and of the conformal one."""
    margin = {}
    for run in {one.run for one in made}:
        others = np.abs([one.error for one in made if one.run != run])
        margin[run] = float(np.quantile(others, COVERAGE)) if len(others) else np.inf
    of_decile: dict[int, list[Made]] = defaultdict(list)
    for one in made:
        of_decile[one.decile].append(one)
    return {
        decile: (
            len(own),
            float(np.mean([one.earliest <= 0 <= one.latest for one in own])),
            float(np.mean([abs(one.error) <= margin[one.run] for one in own])),
        )
        for decile, own in sorted(of_decile.items())
    }


def main(manifests: Sequence[str]) -> None:
    """Print both tables."""
    runs = [
        follow(machine_data(manifest, machine, WINDOW_S, lambda: None))
        for manifest in map(read_manifest, manifests)
        for machine in manifest.machines
    ]
    table = Table(title="alarms at 20 to 50 % of life", title_justify="left")
    for name in ("run", "share of alarm", "opened at", "level stays from", "first alarm, min left"):
        table.add_column(name)
    for run in runs:
        share, opened, confirmed = early(run)
        lead = lead_min(run)
        table.add_row(
            run.name, f"{share:.2f}", _share(opened), _share(confirmed), f"{lead or 0:.1f}"
        )
    Console().print(table)
    table = Table(title="90 % interval of the time to a limit", title_justify="left")
    for name in ("limit, σ", "decile of life", "forecasts", "covered", "covered, conformal"):
        table.add_column(name)
    for limit in LIMITS:
        made = [one for run in runs for one in forecasts(run, limit)]
        for decile, (count, own, conformal) in covered(made).items():
            table.add_row(f"{limit}", f"{decile}", f"{count}", f"{own:.2f}", f"{conformal:.2f}")
    Console().print(table)


def _share(life: float | None) -> str:
    return "–" if life is None else f"{life:.1%}"


if __name__ == "__main__":
    main(sys.argv[1:])
