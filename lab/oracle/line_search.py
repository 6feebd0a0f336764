"""Slow twin of `dsp/line_search.py`: one speed and one place at a time, from its description.

A line counts with its height over chance; what the shaft may have made counts less or nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auscult.dsp.line_search import Family


@dataclass
class Spectrum:
    """Heights in dB of the lines, `per_order` lines a turn of the shaft at the stated speed."""

    heights: np.ndarray
    per_order: float
    top_order: float

    def at(self, order: float) -> float:
        """Height at an order of the stated speed."""
        place = round(order * self.per_order)
        return float(self.heights[min(max(place, 0), len(self.heights) - 1)])

    def shared(self, speed: float, turns: float) -> bool:
        """Within 2.5 lines of a harmonic of the shaft they are one line."""
        return abs(turns - round(turns)) * speed * self.per_order < 2.5

    def credit(self, speed: float, turns: float) -> float:
        """Return what the shaft can't have made."""
        own, harmonic = self.at(turns * speed), round(turns)
        if self.shared(speed, turns):
            beside = (self.at((harmonic - 1) * speed), self.at((harmonic + 1) * speed))
            return max(own - max(beside), 0.0)
        if abs(turns - harmonic) * speed < 0.25:
            mirror = self.at((2 * harmonic - turns) * speed)
            return min(own, 2 * max(own - mirror, 0.0))
        return own

    def shaft(self, speed: float) -> float:
        """Return its first twelve harmonics, from the third on none above both neighbours."""
        own = [0.0, *(self.at(n * speed) for n in range(1, 13)), 0.0]
        worth = own[1] + own[2]
        worth += sum(min(own[n], max(own[n - 1], own[n + 1])) for n in range(3, 13))
        return worth - (speed - 1) ** 2 / 0.03**2

    def explained(
        self, family: Family, speed: float, turns: float, spacing: float, carried: set[int]
    ) -> tuple[float, dict[int, float]]:
        """Worth of shaft and family in dB, and the height of each harmonic."""
        worth, highest, heights = self.shaft(speed), 0.0, dict[int, float]()
        for n in family.harmonics:
            if n not in carried:
                continue
            credit = self.credit(speed, n * turns)
            if credit and not family.cage_sidebands:
                beside = [self.at((n * turns + m) * speed) for m in (-1, 1)]
                beside += [self.at(turns * speed / 2)] if n == 1 else []
                credit = min(credit, 2 * max(self.at(n * turns * speed) - max(beside) + 3.0, 0.0))
            if heights:
                credit = min(credit, highest + 6.0)
            in_band = n == family.harmonics[0] or n * turns < 0.99 * self.top_order
            heights[n] = credit if in_band else 0.0
            highest = max(highest, heights[n])
            if not in_band:
                continue
            found = credit - 3.0
            worth += max(found, 0.0) if self.shared(speed, n * turns) else found
            worth += sum(
                self._sideband(family, speed, n * turns + m * spacing, heights[n])
                for k, m in family.sidebands
                if k == n
            )
        return worth, heights

    def _sideband(self, family: Family, speed: float, turns: float, carrier: float) -> float:
        if self.shared(speed, turns):
            return 0.0
        found = min(self.credit(speed, turns), carrier) - 1.5 if carrier else -1.5
        return found if family.sidebands_expected else max(found, 0.0)
