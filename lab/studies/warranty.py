"""Whether machines keep their budget of false events: ``python -m lab.studies.warranty``.

    python -m lab.studies.warranty uestc gearbox_gfd hit_sm cwru bldc_audio

For each machine the charts are those of its fitted baseline, with a window each half hour. Two
kinds of healthy years pass them:

- simulated: scores with the correlation and the wander of the held-out windows, and a constant
  offset as large as the baseline's error (`Healthy`). The points of a machine are independent of
  each other, which makes more events than reality;
- resampled: blocks of the windows that the baseline did not hold, drawn with replacement, all
  points together.

It prints the false events a machine and year with the upper end of their 95 % confidence (Poisson),
the delay of lasting shifts at the start and later, and that of references with the same rate of
false events.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy.special import ndtri_exp
from scipy.stats import chi2, norm

from auscult.gateway.datasets.dataset import RecordingLabel
from auscult.gateway.evaluate.detection import default_split, fitted_detector
from auscult.gateway.evaluate.features import MachineData
from auscult.models.baseline.calibration import WANDER_WINDOWS, Persistence
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.evidence import NORMAL
from auscult.models.decision.evidence_levels import MachineEvidence
from auscult.models.settings import SECONDS_PER_YEAR, SHIPPED
from lab.studies.learning.sets import machines_of

Float64 = NDArray[np.float64]
HOP_S = 1800.0
WINDOWS_PER_YEAR = round(SECONDS_PER_YEAR / HOP_S)
MACHINES, YEARS = 2500, 4
BLOCK = WANDER_WINDOWS
"""Windows of a resampled block."""
SHIFTS = (1.0, 2.0, 3.0)
SETTLED = 2000
"""Healthy windows after which the offset of a state is known."""
LONGEST_DELAY = 3000


@dataclass(frozen=True, slots=True)
class Account:
    """False events of healthy machines [shape=(machines,)] in so many years each."""

    events: NDArray[np.intp]
    years: int

    @property
    def rate(self) -> float:
        """Return the events a machine and year."""
        return float(self.events.mean()) / self.years

    @property
    def highest(self) -> float:
        """Upper end of the one-sided 95 % interval of the rate."""
        total = int(self.events.sum())
        return float(chi2.ppf(0.95, 2 * (total + 1))) / 2 / self.years / len(self.events)

    @property
    def within(self) -> float:
        """Share of machines whose events do not exceed the budget of their years."""
        return float((self.events <= SHIPPED.false_alarms_per_year * self.years).mean())

    def __str__(self) -> str:
        return f"{self.rate:.3f} (≤ {self.highest:.3f}; {self.within:.0%} of machines within)"


class Fleet:
    """The charts of so many machines with the same baseline.

    Parameters
    ----------
    model : MachineModel
    machines : int
    """

    def __init__(self, model: MachineModel, machines: int) -> None:
        self._evidence = MachineEvidence(_half_hourly(model), SHIPPED, machines)
        self.rows = len(self._evidence.level[0]) // machines
        self._machines = machines
        self._before = np.zeros(machines, np.intp)
        self._one_state = np.zeros(machines * self.rows, np.intp)

    def observe(self, scores: Float64, state: Float64 | None = None) -> NDArray[np.bool_]:
        """Add normal scores [shape=(machines, rows)]; True where an event begins."""
        capped = np.clip(scores, -SHIPPED.score_cap, SHIPPED.score_cap)
        states = self._one_state
        if state is not None:
            states = np.repeat(state.astype(np.intp), self.rows)
        self._evidence.observe(slice(None), states, capped.ravel())
        now = self._evidence.condition().reshape(self._machines, self.rows).max(1)
        begins: NDArray[np.bool_] = (self._before == NORMAL) & (now > NORMAL)
        self._before = now
        return begins

    def reset(self) -> None:
        """Discard all evidence."""
        self._evidence.reset()
        self._before[:] = NORMAL


class Healthy:
    """Healthy normal scores with the persistence of a model's rows, [shape=(machines, rows)].

    Around the wander, which is another each `WANDER_WINDOWS`, they are first-order autoregressive.
    Their variance is 1 in all, as that of the calibrated scores. The error of the baseline is an
    offset that lasts.
    """

    def __init__(self, model: MachineModel, machines: int, rng: np.random.Generator) -> None:
        rows = persistence_of(model)
        rho, variance = np.array([row.within for row in rows]).T
        self._rng, self._rho, self._sigma = rng, rho, np.sqrt(variance)
        self._wander = np.array([row.wander for row in rows])
        points = [point.windows for kind in model.kinds for point in kind.points]
        windows = np.array([*points, model.windows] if len(rows) > 1 else points)
        error = np.sqrt([row.long_run for row in rows] / windows * len(model.states))
        self._shape = (machines, len(rows))
        self._offset = error * rng.standard_normal(self._shape)
        self._score, self._level = rng.standard_normal(self._shape), self._offset
        self._window = 0

    def next(self) -> Float64:
        """Return the scores of the next window of each machine."""
        rng, rho = self._rng, self._rho
        if self._window % WANDER_WINDOWS == 0:
            self._level = self._offset + self._wander * rng.standard_normal(self._shape)
        self._window += 1
        self._score = rho * self._score + np.sqrt(1 - rho**2) * rng.standard_normal(self._shape)
        return np.asarray(self._sigma * self._score + self._level)


def simulated(model: MachineModel, machines: int, years: int, seed: int = 0) -> Account:
    """Run machines with the persistence of a model's rows; each stays in one operating state."""
    fleet = Fleet(model, machines)
    healthy = Healthy(model, machines, np.random.default_rng(seed))
    events = np.zeros(machines, np.intp)
    for _ in range(years * WINDOWS_PER_YEAR):
        events += fleet.observe(_columns(healthy.next(), fleet.rows))
    return Account(events, years)


def delay_of(model: MachineModel, shift: float, after: int, machines: int = 400) -> float:
    """Mean windows until a shift of all points opens an event, so many windows after the start."""
    fleet = Fleet(model, machines)
    healthy = Healthy(model, machines, np.random.default_rng(1))
    for _ in range(after):
        fleet.observe(_columns(healthy.next(), fleet.rows))
    fleet.reset()
    delay = np.full(machines, float(LONGEST_DELAY))
    for window in range(1, LONGEST_DELAY):
        begins = fleet.observe(_columns(healthy.next() + shift, fleet.rows))
        delay[begins] = np.minimum(delay[begins], window)
        if (delay < LONGEST_DELAY).all():
            break
    return float(delay.mean())


def resampled(
    model: MachineModel, blocks: list[Float64], machines: int, years: int, seed: int = 0
) -> Account:
    """Run machines on blocks of healthy windows [shape=(`BLOCK`, rows + 1)], drawn at random."""
    rng, fleet = np.random.default_rng(seed), Fleet(model, machines)
    table = np.stack(blocks)
    events = np.zeros(machines, np.intp)
    for _ in range(years * WINDOWS_PER_YEAR // BLOCK):
        drawn = table[rng.integers(len(table), size=machines)]
        for i in range(BLOCK):
            events += fleet.observe(_columns(drawn[:, i, :-1], fleet.rows), drawn[:, i, -1])
    return Account(events, years)


def persistence_of(model: MachineModel) -> list[Persistence]:
    """Correlation and wander of each point, and of the points fused if there are several."""
    points = [point.persistence for kind in model.kinds for point in kind.points]
    return points if len(points) == 1 else [*points, model.persistence]


def healthy_blocks(data: MachineData, model: MachineModel) -> list[Float64]:
    """Normal scores and state of windows that the baseline lacks [shape=(`BLOCK`, rows + 1)]."""
    split = default_split(data)
    detector = fitted_detector(data, split)
    detector.adopt(model)
    blocks = []
    for stretch, start in split.evaluated:
        if stretch.recording.label is not RecordingLabel.HEALTHY:
            continue
        detector.reset_evidence()
        rows = []
        for hop in stretch.hops(start):
            decision = detector.observe(hop)
            p = [decision.points[point].p_value for point in data.specs]
            rows.append([*p, decision.machine.p_value] if len(p) > 1 else p)
        if any(None in row for row in rows):
            continue
        scores = -ndtri_exp(np.log(np.array(rows, np.float64)))
        state = model.states.match(stretch.recording.state)
        scores = np.column_stack([scores, np.full(len(scores), 0 if state is None else state)])
        blocks += [scores[i : i + BLOCK] for i in range(0, len(scores) - BLOCK + 1, BLOCK)]
    return blocks


def _columns(scores: Float64, rows: int) -> Float64:
    """Return the scores in the rows of the charts: a machine with one point has it twice."""
    return scores if scores.shape[1] == rows else np.repeat(scores, rows, axis=1)


def _half_hourly(model: MachineModel) -> MachineModel:
    kinds = tuple(
        replace(
            kind,
            points=tuple(replace(point, hop_s=HOP_S, mean_hop_s=HOP_S) for point in kind.points),
        )
        for kind in model.kinds
    )
    return replace(model, kinds=kinds, hop_s=HOP_S, mean_hop_s=HOP_S)


def delays(seed: int = 0, machines: int = 2000) -> Iterator[tuple[str, list[float]]]:
    """Mean windows until a lasting shift opens an event, at one false event a year."""
    rng = np.random.default_rng(seed)
    in_a_row = 3
    single = float(norm.isf(1 / WINDOWS_PER_YEAR))
    several = float(norm.isf(WINDOWS_PER_YEAR ** (-1 / in_a_row)))
    yield (
        f"limit of a single window ({single:.2f} σ)",
        [float(1 / norm.sf(single - shift)) for shift in SHIFTS],
    )
    share = [float(norm.sf(several - shift)) for shift in SHIFTS]
    yield (
        f"{in_a_row} windows in a row ({several:.2f} σ)",
        [(1 - p**in_a_row) / ((1 - p) * p**in_a_row) for p in share],
    )
    for weight in (0.1, 0.3):
        limit = _ewma_limit(weight, rng)
        yield (
            f"moving average, weight {weight:g} ({limit:.2f} σ)",
            [_ewma_delay(weight, limit, shift, rng, machines) for shift in SHIFTS],
        )


def _ewma_limit(weight: float, rng: np.random.Generator) -> float:
    """Limit of a moving average with one crossing a year, in σ of a window."""
    x = rng.standard_normal((500, 40_000))
    average = np.zeros(500)
    highest = np.empty((500, x.shape[1] // 2000))
    for i in range(x.shape[1]):
        average += weight * (x[:, i] - average)
        block = i // 2000
        highest[:, block] = average if i % 2000 == 0 else np.maximum(highest[:, block], average)
    # Crossings in a block of 2,000 windows are rare and nearly independent.
    return float(np.quantile(highest, np.exp(-2000 / WINDOWS_PER_YEAR)))


def _ewma_delay(
    weight: float, limit: float, shift: float, rng: np.random.Generator, machines: int
) -> float:
    average, delay = np.zeros(machines), np.zeros(machines)
    for window in range(1, 100_000):
        average += weight * (shift + rng.standard_normal(machines) - average)
        delay[(delay == 0) & (average > limit)] = window
        if (delay > 0).all():
            break
    return float(delay.mean())


def main() -> None:
    """Print the accounts of the machines of the manifests, then the delays."""
    console = Console(width=140)
    console.print("false events a machine and year, budget 1 (95 % upper end)")
    for data in machines_of(sys.argv[1:]):
        model = fitted_detector(data, default_split(data)).model
        assert model is not None
        account = simulated(model, MACHINES, YEARS)
        line = f"{data.machine:26} simulated {account}"
        blocks = healthy_blocks(data, model)
        if blocks:
            own = resampled(model, blocks, MACHINES // 5, YEARS)
            line += f"  resampled {len(blocks)} blocks {own}"
        rows = persistence_of(model)
        rho, wander = (max(getattr(r, name) for r in rows) for name in ("correlation", "wander"))
        console.print(f"{line}  correlation ≤ {rho:.2f}, wander ≤ {wander:.2f} σ")
        for after in (0, SETTLED):
            own_delays = [f"{delay_of(model, shift, after):.1f}" for shift in SHIFTS]
            console.print(f"  {after} windows after the start: found in {own_delays} windows")
    console.print(f"windows until a lasting shift of {SHIFTS} σ opens an event")
    for name, values in delays():
        console.print(f"{name:40} " + "  ".join(f"{value:8.1f}" for value in values))


if __name__ == "__main__":
    main()
