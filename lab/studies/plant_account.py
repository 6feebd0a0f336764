"""Whether a plant keeps its budget of false events: ``python -m lab.studies.plant_account``.

It simulates plants of machines whose charts expect autocorrelated healthy scores, with a window
each half hour. The scores of some of them also wander slowly, which no chart expects, so that they
have more false events than they promise. Each plant runs with and without the rule of its account
(`auscult.gateway.machines.plant_account`). Then a lasting shift begins on all machines. It prints
the false events and the promise of the first and the third year, the share of plants whose number
of the third year lies significantly above the promise, and the delay of the shift.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.gateway.machines.plant_account import MOST_EXCESS, WIDER, interval
from auscult.models.decision.evidence import NORMAL, ControlChart, EvidenceCharts, level_for
from auscult.models.settings import SHIPPED

Float64 = NDArray[np.float64]
WINDOWS_A_DAY, YEAR = 48, 365
DAYS = 3 * YEAR
PLANTS, MACHINES = 25, 40
A_YEAR = 24 / MACHINES
"""False events a machine and year at a key of 2 a month."""
RHO = 0.5
WANDER_DAYS = 7
SHIFTS = (2.0, 3.0)
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Kind:
    """Plants of which a share of the machines wanders, by so many σ."""

    name: str
    share: float
    wander: float


KINDS = (
    Kind("as promised", 0.0, 0.0),
    Kind("all wander by 0.3 σ", 1.0, 0.3),
    Kind("all wander by 0.5 σ", 1.0, 0.5),
    Kind("one in ten wanders by 0.5 σ", 0.1, 0.5),
    Kind("one in ten wanders by 0.8 σ", 0.1, 0.8),
)


class Plants:
    """Charts of all machines of all plants, row after row."""

    def __init__(self, kind: Kind, *, kept: bool, seed: int) -> None:
        rows = PLANTS * MACHINES
        self._rng, self._kept = np.random.default_rng(seed), kept
        self.wanders = np.tile(np.arange(MACHINES) < kind.share * MACHINES, PLANTS)
        self._wander = kind.wander * self.wanders
        allowance = np.array([SHIPPED.warning_sigma, SHIPPED.alarm_sigma]) / 2
        self._allowance = np.repeat(allowance[:, None], rows, axis=1)
        self._level_of = np.repeat(_levels(A_YEAR)[:, None], rows, axis=1)
        warning, alarm = map(ControlChart, self._allowance, self._level_of)
        self._charts = EvidenceCharts(warning, alarm, SHIPPED.evidence_cap)
        self.wider = np.ones(rows)
        self._score, self._level = self._rng.standard_normal(rows), np.zeros(rows)
        self._before = np.zeros(rows, np.intp)
        self.excess = np.zeros(rows)
        self.seen, self.promised = np.zeros((DAYS, rows), np.int32), np.zeros((DAYS, rows))

    def _window(self, shift: float = 0.0) -> NDArray[np.bool_]:
        """Follow one window of each machine; True where an event begins."""
        noise = self._rng.standard_normal(len(self._score))
        self._score = RHO * self._score + np.sqrt(1 - RHO**2) * noise
        score = np.clip(self._score + self._level + shift, -SHIPPED.score_cap, SHIPPED.score_cap)
        self._charts.update(slice(None), score)
        now = self._charts.condition()
        begins: NDArray[np.bool_] = (self._before == NORMAL) & (now > NORMAL)
        self._before = now
        return begins

    def run(self) -> None:
        """Follow all days; the account is looked at once a day."""
        for day in range(DAYS):
            if day % WANDER_DAYS == 0:
                self._level = self._wander * self._rng.standard_normal(len(self._level))
            for _ in range(WINDOWS_A_DAY):
                self.promised[day] += (self._before == NORMAL) * (A_YEAR / YEAR / WINDOWS_A_DAY)
                self.seen[day] += self._window()
            if self._kept:
                self._look(slice(max(0, day + 1 - YEAR), day + 1))

    def _look(self, days: slice) -> None:
        """Apply the account: widen machines with an event today, in plants above the promise."""
        shape = (PLANTS, MACHINES)
        seen = self.seen[days].sum(0).reshape(shape).sum(1)
        promised = self.promised[days].sum(0).reshape(shape).sum(1)
        above = [interval(n)[0] > p for n, p in zip(seen, promised, strict=True)]
        today = days.stop - 1
        self.excess = np.maximum(self.excess - self.promised[today], 0.0)
        self.excess = np.minimum(
            self.excess + np.repeat(above, MACHINES) * self.seen[today], MOST_EXCESS
        )
        self.wider = WIDER**self.excess
        most = SHIPPED.score_cap - 1
        self._charts.use(
            np.minimum(self._allowance * self.wider, most), self._level_of * self.wider
        )

    def delay(self, shift: float, rows: NDArray[np.bool_]) -> float:
        """Return the mean days until a shift opens an event."""
        self._charts.reset()
        self._before[:] = NORMAL
        found = np.full(len(rows), LONGEST)
        for window in range(1, LONGEST):
            found[self._window(shift) & (found == LONGEST)] = window
            if (found < LONGEST).all():
                break
        return float(found[rows].mean()) / WINDOWS_A_DAY


def _levels(a_year: float) -> Float64:
    run_length = YEAR * WINDOWS_A_DAY / a_year
    parts = (SHIPPED.warning_budget_share, 1 - SHIPPED.warning_budget_share)
    sigmas = (SHIPPED.warning_sigma, SHIPPED.alarm_sigma)
    return np.array(
        [
            float(level_for(run_length / part, sigma / 2, RHO))
            for part, sigma in zip(parts, sigmas, strict=True)
        ]
    )


def rows_of(kind: Kind, seed: int) -> Sequence[Sequence[str]]:
    """Return the lines of a kind, without and with the rule."""
    lines = []
    for kept in (False, True):
        plants = Plants(kind, kept=kept, seed=seed)
        plants.run()
        first = plants.seen[:YEAR].sum() / PLANTS
        seen = plants.seen[-YEAR:].sum(0).reshape(PLANTS, MACHINES).sum(1)
        promised = plants.promised[-YEAR:].sum(0).reshape(PLANTS, MACHINES).sum(1)
        over = np.mean([interval(n)[0] > p for n, p in zip(seen, promised, strict=True)])
        delays = [
            f"{plants.delay(shift, rows):.2f}" if rows.any() else "–"
            for shift in SHIFTS
            for rows in (plants.wanders, ~plants.wanders)
        ]
        lines.append(
            [kind.name, "account" if kept else "–", f"{first:.0f}",
             f"{seen.mean():.0f}", f"{promised.mean():.0f}", f"{over:.0%}",
             f"{np.mean(plants.wider > 1.05):.0%}", *delays]
        )  # fmt: skip
    return lines


def main() -> None:
    """Print a table of all kinds; an argument is the seed."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    table = Table(
        "plants", "rule", "false events, 1st year", "3rd year", "promised",
        "plants above the promise", "machines widened",
        *(f"days to {shift:g} σ, {rows}" for shift in SHIFTS for rows in ("wanders", "others")),
    )  # fmt: skip
    for kind in KINDS:
        for line in rows_of(kind, seed):
            table.add_row(*line)
    Console(width=180).print(table)


if __name__ == "__main__":
    main()
