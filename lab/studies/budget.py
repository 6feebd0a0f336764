"""Whether the charts keep their false-alarm budget: ``python -m lab.studies.budget``.

It simulates machine-years of autocorrelated healthy windows, and lasting shifts, with the shipped
charts of a machine with one point and a long baseline, and prints them beside theory.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from auscult.models.decision.evidence import NORMAL, ControlChart, EvidenceCharts, level_for
from auscult.models.settings import SHIPPED

WINDOWS_PER_YEAR = 17_532
"""A window each half hour; the level depends only on the logarithm of this number."""
MACHINES = 1000
YEARS = 2
SHIFTS = (1.0, 2.0, 3.0)
CORRELATIONS = (0.0, 0.3, 0.5, 0.7, 0.8)


def charts(rows: int, rho: float) -> EvidenceCharts:
    """Shipped charts that share a budget of one false event a year."""
    made = []
    for sigma, part in (
        (SHIPPED.warning_sigma, SHIPPED.warning_budget_share),
        (SHIPPED.alarm_sigma, 1 - SHIPPED.warning_budget_share),
    ):
        level = level_for(WINDOWS_PER_YEAR / part, sigma / 2, rho)
        made.append(ControlChart(np.full(rows, sigma / 2), np.full(rows, level)))
    return EvidenceCharts(made[0], made[1], SHIPPED.evidence_cap)


def false_events_per_year(rho: float, rng: np.random.Generator) -> float:
    """Return the events on healthy windows, per machine and year."""
    evidence, rows = charts(MACHINES, rho), np.arange(MACHINES)
    score = rng.standard_normal(MACHINES)
    before = np.zeros(MACHINES, np.intp)
    events = 0
    for _ in range(YEARS * WINDOWS_PER_YEAR):
        score = rho * score + np.sqrt(1 - rho**2) * rng.standard_normal(MACHINES)
        evidence.update(rows, np.clip(score, -SHIPPED.score_cap, SHIPPED.score_cap))
        now = evidence.condition()
        events += int(((before == NORMAL) & (now > NORMAL)).sum())
        before = now
    return events / MACHINES / YEARS


def delays(shift: float, rng: np.random.Generator) -> tuple[float, float, float]:
    """Mean windows until a lasting shift opens an event: measured, and each chart's theory."""
    evidence, rows = charts(MACHINES, 0.0), np.arange(MACHINES)
    delay = np.zeros(MACHINES)
    window = 0
    while (delay == 0).any():
        window += 1
        score = np.clip(shift + rng.standard_normal(MACHINES), -SHIPPED.score_cap,
                        SHIPPED.score_cap)  # fmt: skip
        evidence.update(rows, score)
        delay[(delay == 0) & (evidence.condition() > NORMAL)] = window
    net = shift - evidence.allowance[:, 0]
    theory = np.where(net > 0, (evidence.level[:, 0] + 0.583) / np.maximum(net, 1e-9), np.inf)
    return float(delay.mean()), float(theory[0]), float(theory[1])


def main() -> None:
    """Print both tables."""
    rng = np.random.default_rng(0)
    console = Console()
    table = Table("correlation", "false events per machine and year (budget 1)")
    for rho in CORRELATIONS:
        table.add_row(f"{rho:g}", f"{false_events_per_year(rho, rng):.2f}")
    console.print(table)
    table = Table("shift, σ", "windows until noticed", "theory, warning chart", "alarm chart")
    for shift in SHIFTS:
        table.add_row(f"{shift:g}", *(f"{value:.1f}" for value in delays(shift, rng)))
    console.print(table)


if __name__ == "__main__":
    main()
