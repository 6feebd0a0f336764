"""A machine's charts: levels from the budget of false alarms and from what is not known.

The error of the baseline and the slow wander of the machine move the scores of healthy windows for
longer than a chart looks back. They act as an unknown offset, and the levels keep the budget on
average over it. The error shrinks while the machine runs (`Offsets`), so each stage of it has its
own allowances and levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from auscult.models.baseline.machine_model import MachineModel
from auscult.models.decision.evidence import ControlChart, EvidenceCharts, level_for
from auscult.models.decision.offsets import Offsets
from auscult.models.settings import SECONDS_PER_YEAR, DetectorSettings

Float64 = NDArray[np.float64]
Rows = NDArray[np.intp]


WANDER_SHARE = 0.85
"""Part of the wander that acts as a lasting offset: it changes in about the time that a chart looks
back. In simulated series (wander 0.2 to 0.4 σ, ρ 0.2 to 0.6) a budget of 1 gives 0.5 to 1.1 false
events with 0.8, and 1.1 to 2.3 with 0.7."""

LEARNING_EVENTS = 0.01
"""False events that a machine may have while it learns its offsets, once. With a window a second
that takes minutes: no level keeps a year's budget against an offset that is unknown for minutes."""


@dataclass(frozen=True, slots=True)
class _Spread:
    """How the healthy scores of each row spread; every array is [shape=(points + 1,)]."""

    budget_share: Float64
    """Of the false alarms: half for the fused row, half for the points together."""
    mean_hop_s: Float64
    alike: Float64
    """Correlation of neighbouring windows because they are close in time."""
    correlation: Float64
    """The same, not below what was measured."""
    variance: Float64
    wander: Float64
    """Standard deviation of the slow wander, in σ."""
    long_run: Float64
    """How many windows count as one, measured and by `correlation`."""
    measured_long_run: Float64
    sigma: Float64
    """Standard deviation of the unknown offset at the end of the baseline."""

    @classmethod
    def for_model(cls, model: MachineModel, settings: DetectorSettings) -> Self:
        points = [point for kind in model.kinds for point in kind.points]
        persistence = [*(p.persistence for p in points), model.persistence]
        hop_s = np.array([*(p.hop_s or model.hop_s for p in points), model.hop_s])
        mean_hop_s = [*(p.mean_hop_s or model.mean_hop_s for p in points), model.mean_hop_s]
        alike = np.minimum(np.exp(-hop_s / settings.correlation_s), settings.correlation_max)
        within, variance = np.array([p.within for p in persistence]).T
        correlation = np.maximum(within, alike)
        measured = np.array([p.long_run for p in persistence])
        long_run = np.maximum(measured, variance * (1 + correlation) / (1 - correlation))
        windows = np.array([*(p.windows for p in points), model.windows])
        # All later windows of a state share the estimation error of its location. The scores have
        # variance 1 in all, so the error never exceeds 1.
        error = long_run * len(model.states) / windows
        share = np.full(len(points) + 1, 0.5 / len(points))
        share[-1] = 0.5
        if len(points) == 1:
            share[:] = 1.0
        return cls(
            budget_share=share,
            mean_hop_s=np.array(mean_hop_s),
            alike=alike,
            correlation=correlation,
            variance=variance,
            wander=np.array([p.wander for p in persistence]),
            long_run=long_run,
            measured_long_run=measured,
            sigma=np.sqrt(error / (1 + error)),
        )

    def charts(self, settings: DetectorSettings) -> Float64:
        """Return allowance and level of both charts in each stage of the offsets.

        Returns
        -------
        np.ndarray [shape=(stages, 2, 2, points + 1)]
            Stage, chart (warning, alarm), allowance or level, row.
        """
        offsets = Offsets(self.long_run, self.sigma, 1)
        run_length = (
            SECONDS_PER_YEAR / np.maximum(self.mean_hop_s, 1e-3) / settings.false_alarms_per_year
        )
        charts = (
            (settings.warning_budget_share, settings.warning_sigma),
            (1 - settings.warning_budget_share, settings.alarm_sigma),
        )
        table = []
        for stage in range(offsets.stages):
            sigma = offsets.sigma_at(stage)
            # A stage ends: its machines have a share of `LEARNING_EVENTS` while it lasts.
            most = offsets.windows_in(stage) * offsets.stages / LEARNING_EVENTS
            longest = np.minimum(run_length, most)
            table.append(
                [
                    self._chart(longest / (part * self.budget_share), shift, sigma, settings)
                    for part, shift in charts
                ]
            )
        return np.array(table)

    def _chart(
        self, run_length: Float64, shift: float, sigma: Float64, settings: DetectorSettings
    ) -> tuple[Float64, Float64]:
        """Return allowance and level of a chart for a shift of the mean, in σ.

        Wander acts as an offset, or as correlation where a chart looks back for longer than it
        lasts: then fewer windows count. Each keeps the budget, so the lower level does.
        """
        offset = np.hypot(sigma, WANDER_SHARE * self.wander)
        allowance = np.minimum(
            shift / 2 + settings.estimation_sigma * offset, settings.score_cap - 1
        )
        scale = np.sqrt(self.variance)
        as_offset = scale * level_for(
            run_length, allowance / scale, self.correlation, offset / scale
        )
        count_as_one = np.maximum(self.measured_long_run, (1 + self.alike) / (1 - self.alike))
        correlation = (count_as_one - 1) / (count_as_one + 1)
        as_correlation = level_for(run_length, allowance, correlation, sigma)
        level = settings.wider * np.minimum(as_offset, as_correlation)
        return np.minimum(settings.wider * allowance, settings.score_cap - 1), level


class MachineEvidence(EvidenceCharts):
    """Evidence of a machine: a row for each point, and one for the points fused, last.

    Half of the budget goes to the fused row, half to the points together; each half is divided
    between warning and alarm chart. With one point the fused row is that point, and each has the
    whole budget.

    Parameters
    ----------
    model : MachineModel
    settings : DetectorSettings
    copies : int
        Independent machines with this model, row after row; for simulations.
    """

    def __init__(self, model: MachineModel, settings: DetectorSettings, copies: int = 1) -> None:
        spread = _Spread.for_model(model, settings)
        table = np.tile(spread.charts(settings), copies)
        self._mean_hop_s = np.tile(spread.mean_hop_s, copies)
        self.offsets = Offsets(
            np.tile(spread.long_run, copies), np.tile(spread.sigma, copies), len(model.states)
        )
        self._allowances, self._levels = table[:, :, 0], table[:, :, 1]
        self._every_row = np.arange(table.shape[-1])
        self._state = np.zeros(table.shape[-1], np.intp)
        self._stage = np.full(table.shape[-1], -1, np.intp)
        warning, alarm = (ControlChart(*table[0, i]) for i in (0, 1))
        super().__init__(warning, alarm, settings.evidence_cap)
        self._choose_charts()

    def observe(
        self, rows: Rows | slice, states: Rows, scores: Float64, healthy_may: bool = True
    ) -> None:
        """Add one capped normal score of each of these rows, less the known offset of its state.

        Parameters
        ----------
        rows : np.ndarray [shape=(n,)] or slice
        states : np.ndarray [shape=(n,)]
            Operating state of each, as an index of the model's states.
        scores : np.ndarray [shape=(n,)]
        healthy_may : bool
            Whether the windows may serve to learn the offsets.
        """
        own = self._every_row[rows]
        if (self._state[own] != states).any():
            self._state[own] = states
            self._choose_charts()
        offsets = self.offsets
        self.update(rows, scores - offsets.estimate(own, states))
        if healthy_may:
            offsets.add(own, states, scores)
        if offsets.settle(self.share[0] <= 0.0, self.conditions_on()):
            self._choose_charts()

    def sharpest(self, row: int) -> tuple[float, float, float]:
        """Return a row's warning chart with known offsets: allowance, level, time of a hop in s."""
        allowance, level = self._allowances[-1, 0, row], self._levels[-1, 0, row]
        return float(allowance), float(level), float(self._mean_hop_s[row])

    def days_missing(self) -> float:
        """Days of healthy operation until the offsets of all states are known, at the least."""
        return float((self.offsets.windows_missing() * self._mean_hop_s).max()) / 86_400

    def reset(self) -> None:
        """Discard all evidence; the offsets stay."""
        super().reset()
        self.offsets.discard_waiting()

    def to_arrays(self) -> Mapping[str, NDArray[Any]]:
        """Copy evidence and offsets, to store them."""
        share, on = self.snapshot()
        offsets = {f"offsets/{name}": array for name, array in self.offsets.to_arrays().items()}
        return {"share": share, "on": on, **offsets}

    def resume(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`."""
        offsets = {n.removeprefix("offsets/"): a for n, a in arrays.items() if "offsets/" in n}
        if offsets:  # none of versions before 0.6
            self.offsets.restore(offsets)
            self._choose_charts()
        share = arrays["share"] if "share" in arrays else arrays["sums"] / self.level
        self.restore(share, arrays["on"])

    def _choose_charts(self) -> None:
        """Use the charts of each row's present state and stage."""
        stage = self.offsets.stage(self._every_row, self._state)
        if (stage != self._stage).any():
            self._stage = stage
            self.use(
                self._allowances[stage, :, self._every_row].T.copy(),
                self._levels[stage, :, self._every_row].T.copy(),
            )
