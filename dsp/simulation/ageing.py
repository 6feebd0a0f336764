"""Growth of a fault over a machine's life."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from auscult.dsp.simulation.bearings import BearingDefect
from auscult.dsp.simulation.shaft import (
    AngularMisalignment,
    BentShaft,
    Imbalance,
    Looseness,
    ParallelMisalignment,
    Rub,
)

Grown = TypeVar(
    "Grown",
    BearingDefect,
    AngularMisalignment,
    BentShaft,
    Imbalance,
    Looseness,
    ParallelMisalignment,
    Rub,
)


@dataclass(frozen=True, slots=True)
class AgeingFault:
    """A fault that begins late in life and grows exponentially, as spalls do.

    Parameters
    ----------
    onset : float
        Share of life without the fault, 0..1.
    growth_db : float
        From the onset to the end of life.

    Examples
    --------
    >>> life = AgeingFault(onset=0.5, growth_db=40)
    >>> [round(life.severity(at), 3) for at in (0.4, 0.5, 0.75, 1.0)]
    [0.0, 0.01, 0.1, 1.0]
    """

    onset: float = 0.6
    growth_db: float = 40.0

    def severity(self, at: float) -> float:
        """Share of the final amplitude at a share of life."""
        if at < self.onset:
            return 0.0
        grown = (at - self.onset) / max(1 - self.onset, 1e-9)
        return float(10 ** (self.growth_db * (grown - 1) / 20))

    def aged(self, source: Grown, at: float) -> Grown:
        """Return the source as it is at a share of life; its amplitude is that of the end."""
        return replace(source, amplitude_g=source.amplitude_g * self.severity(at))
