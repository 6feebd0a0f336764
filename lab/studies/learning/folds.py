"""The constants of labels, chosen on the other rigs: leave one rig out.

Candidates: the reach of a place, and the likeness from which a false alarm is doubted, each below
and above the shipped value. A choice keeps what must be kept on the rigs that it is made on (mean
change of TPR by correct labels ≥ −0.02 and by a fifth of wrong ones ≥ −0.05, no confirmed fault
lost), and leaves the fewest false alarms after correct labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from auscult.gateway.evaluate.features import MachineData
from auscult.gateway.evaluate.metrics import mean
from auscult.models.learning.settings import LearningSettings
from lab.studies.learning.trials import Fitted, fitted_halves, trial_figures

Choice = tuple[float, float]
CHOICES: tuple[Choice, ...] = ((2.0, 0.75), (1.5, 0.75), (2.5, 0.75), (2.0, 0.65), (2.0, 0.85))
"""Reach and likeness."""
LABELS, WRONG, DRAWS = 20, 0.2, 1


@dataclass(frozen=True, slots=True)
class RigFigures:
    """Figures of a rig with some constants: means over halves and orders, sums of counts."""

    new: float
    tpr: float
    tpr_wrong: float
    lost: int

    @property
    def keeps(self) -> bool:
        """Return whether nothing is lost that must be kept."""
        return self.tpr >= -0.02 and self.tpr_wrong >= -0.05 and self.lost == 0


def fold_lines(machines: Sequence[MachineData], settings: LearningSettings) -> Iterator[str]:
    """Measure the grid on each rig, choose on the others, and describe each rig's figures."""
    grid: dict[str, dict[Choice, RigFigures]] = {}
    for data in machines:
        fitted = fitted_halves(data)
        grid[data.machine] = {}
        for choice in CHOICES:
            figures = grid[data.machine][choice] = _measured(data, fitted, choice, settings)
            yield f"{data.machine:24} {choice}: {figures}"
    for machine, own_grid in grid.items():
        others = [figures for name, figures in grid.items() if name != machine]
        choice = chosen(others)
        shipped = own_grid.get((settings.reach, settings.doubtful))
        yield f"{machine:24} chosen on the others {choice}: {own_grid[choice]}; shipped {shipped}"


def _measured(
    data: MachineData, fitted: Fitted, choice: Choice, settings: LearningSettings
) -> RigFigures:
    own = replace(settings, reach=choice[0], doubtful=choice[1])
    right = list(trial_figures(data, fitted, LABELS, 0.0, DRAWS, own))
    wrong = list(trial_figures(data, fitted, LABELS, WRONG, DRAWS, own))
    return RigFigures(
        mean([r.new[1] for r in right]) or 0.0,
        mean([r.tpr for r in right]) or 0.0,
        mean([r.tpr for r in wrong]) or 0.0,
        sum(r.lost for r in (*right, *wrong)),
    )


def chosen(grids: Sequence[dict[Choice, RigFigures]]) -> Choice:
    """Choose the constants on these rigs."""

    def merit(choice: Choice) -> tuple[int, float]:
        of = [grid[choice] for grid in grids]
        return sum(not one.keeps for one in of), round(sum(one.new for one in of), 3)

    return min(grids[0], key=merit)
