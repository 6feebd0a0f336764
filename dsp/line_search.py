"""What the lines of an envelope spectrum are worth as harmonics of a shaft and of one fault.

A line is worth its height in dB over chance, which is its log-likelihood under heavy-tailed noise;
a predicted line that is absent costs a little. A line that the shaft can explain counts for no
fault: BPFO + BPFI is the number of balls, so BPFI − 2 × shaft often lies within 3 % of BPFO.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.envelope_lines import EnvelopeLines, height_over_chance

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

TOP_ORDER: Final = 16.0
SHAFT_HARMONICS: Final = 12
SPEED_TOLERANCE: Final = 0.075
"""Largest error of the stated speed: name plates were off by up to 6 % on real rigs."""
SPEED_COST_DB: Final = 1.0 / 0.03**2
"""Cost of a relative speed error, times its square: 1 dB at 3 %."""

SAME_LINE: Final = 2.5
"""Lines that lie this close together are one."""
SIDEBAND_ORDERS: Final = 0.25
"""A line so close to a shaft harmonic may be its modulation, which has a mirror image."""
HARMONIC_COST_DB: Final = 3.0
"""An absent harmonic costs this …"""
SIDEBAND_COST_DB: Final = 1.5
"""… and an absent sideband this."""
CARRIER_DB: Final = 3.0
"""A sideband may be this much higher than its carrier."""
GROWTH_DB: Final = 6.0
"""A harmonic may be this much higher than all before it."""


@dataclass(frozen=True, slots=True)
class Family:
    """Lines that a fault of a rolling bearing makes in the envelope spectrum.

    Parameters
    ----------
    fault : str
        ``bpfo``, ``bpfi`` or ``bsf``: the order of the bearing that repeats.
    harmonics : tuple of int
        A damaged ball strikes both races, so its even harmonics lead.
    sidebands : tuple of (harmonic, offset)
        Offsets are in turns of the shaft; those of a ball in turns of the cage, which carries it
        through the load zone.
    cage_sidebands : bool
    sidebands_expected : bool
        Whether an absent sideband counts against the fault. An outer race keeps its place in the
        load zone, so that its impacts need not vary.
    """

    fault: str
    harmonics: tuple[int, ...]
    sidebands: tuple[tuple[int, int], ...]
    cage_sidebands: bool = False
    sidebands_expected: bool = True


def _sidebands(harmonics: Sequence[int], reach: int) -> tuple[tuple[int, int], ...]:
    return tuple((n, m) for n in harmonics for m in range(-reach, reach + 1) if m)


OUTER: Final = Family("bpfo", (1, 2, 3, 4, 5), _sidebands((1, 2, 3), 2), sidebands_expected=False)
INNER: Final = Family("bpfi", (1, 2, 3, 4, 5), _sidebands((1, 2, 3), 3))
BALL: Final = Family("bsf", (2, 4, 6), _sidebands((2, 4), 3), cage_sidebands=True)
FAMILIES: Final = (OUTER, INNER, BALL)


@dataclass(frozen=True, slots=True)
class Carriers:
    """What the shaft and the harmonics of a family explain at each speed and base.

    Parameters
    ----------
    worth : np.ndarray [shape=(speeds, bases), dtype=float64]
        In dB.
    harmonics : mapping of int to np.ndarray [shape=(speeds, bases)]
        Height in dB of each harmonic that only the family explains.
    carries : mapping of int to np.ndarray of bool
        Where the spectrum holds this harmonic; of a shape that broadcasts.
    """

    worth: Float64
    harmonics: dict[int, Float32]
    carries: dict[int, Bool]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a family explains at each speed and base.

    Parameters
    ----------
    worth : np.ndarray [shape=(speeds, bases), dtype=float64]
        In dB, that of the shaft's harmonics included.
    harmonics : mapping of int to np.ndarray [shape=(speeds, bases)]
        Height in dB of each harmonic that only the family explains.
    """

    worth: Float64
    harmonics: dict[int, Float32]


class LineSearch:
    """All speeds of one spectrum. Arrays over speeds have the shape (speeds, 1)."""

    def __init__(self, lines: EnvelopeLines) -> None:
        self.lines = lines
        self.peaks = lines.peaks()
        self.step = 1 / (SHAFT_HARMONICS * lines.per_order)
        self.speed = (1 + self.step * steps(SPEED_TOLERANCE / self.step))[:, None]
        self._place = self.speed * lines.per_order
        self._same = SAME_LINE / self._place
        self.shaft = self._shaft_worth(self.peaks) - SPEED_COST_DB * (self.speed - 1) ** 2
        plain = height_over_chance(lines.plain, lines.per_order)
        self.plain_shaft = np.mean([self._shaft_worth(peaks) for peaks in plain], axis=0)
        self.top_order = min(
            TOP_ORDER, (self.peaks.size - 2) / lines.per_order / (1 + SPEED_TOLERANCE)
        )

    def height(self, orders: Float64) -> Float32:
        """Return the height of the lines at `orders` in dB, 0 where the spectrum ends before."""
        return self._height(self.peaks, orders)

    def _height(self, peaks: Float32, orders: Float64) -> Float32:
        # Both ends of `peaks` are 0.
        return _taken(peaks, orders * self.lines.per_order)

    def _shaft_worth(self, peaks: Float32) -> Float64:
        """Sum up what the shaft's harmonics explain at each speed.

        From the third on, a harmonic counts no more than the higher of its neighbours: what it has
        above both may be a fault's (BPFO = 3 × shaft).
        """
        harmonics = self._height(peaks, self.speed * np.arange(1, SHAFT_HARMONICS + 1))
        padded = np.pad(harmonics, ((0, 0), (1, 1)))
        beside = np.maximum(padded[:, :-2], padded[:, 2:])
        beside[:, :2] = np.inf
        return np.asarray(np.minimum(harmonics, beside).sum(axis=1)[:, None], np.float64)

    def explain(
        self,
        family: Family,
        turns: Float64,
        spacing: Float64 | float,
        carriers: Carriers | None = None,
    ) -> Explanation:
        """Sum up what the shaft and a family explain.

        Parameters
        ----------
        family : Family
        turns : np.ndarray [shape=(speeds, bases) or (1, bases)]
            The family's first harmonic in turns of the shaft, whose speed is searched.
        spacing : np.ndarray of the same shape, or float
            Distance of its sidebands, in turns of the shaft.
        carriers : Carriers, optional
            Where a family with the same turns and harmonics has them already.
        """
        carriers = carriers or self.carriers(family, turns)
        worth = carriers.worth.copy()
        for n, carrier in carriers.harmonics.items():
            offsets = np.array([m for k, m in family.sidebands if k == n])[:, None]
            if offsets.size:
                worth += (
                    self._sidebands(family, n * turns, spacing, offsets, carrier)
                    * carriers.carries[n]
                )
        return Explanation(worth, carriers.harmonics)

    def carriers(self, family: Family, turns: Float64) -> Carriers:
        """Sum up what the shaft and the harmonics of a family explain; arguments as `explain`."""
        shape = self.speed.size, turns.shape[1]
        worth = np.broadcast_to(self.shaft, shape).copy()
        harmonics: dict[int, Float32] = {}
        carries: dict[int, Bool] = {}
        highest = np.zeros(shape, np.float32)
        for n in family.harmonics:
            carried = (n * turns < 0.99 * self.top_order) | (n == family.harmonics[0])
            if not carried.any():
                break
            credit, shared = self.credit(n * turns)
            if not family.cage_sidebands:
                credit = self._under_sidebands(credit, n, turns)
            if harmonics:
                credit = np.minimum(credit, highest + GROWTH_DB)
            harmonics[n], carries[n] = np.where(carried, credit, 0), carried
            highest = np.maximum(highest, harmonics[n])
            alone = credit - HARMONIC_COST_DB
            np.maximum(alone, 0, out=alone, where=shared)
            worth += alone * carried
        return Carriers(worth, harmonics, carries)

    def _sidebands(
        self,
        family: Family,
        turns: Float64,
        spacing: Float64 | float,
        offsets: NDArray[np.intp],
        carrier: Float32,
    ) -> Float64:
        """Sum up what the sidebands of one harmonic add, [shape=(speeds, bases)].

        A sideband counts no more than its carrier: most places have none.
        """
        worth = np.zeros(carrier.shape)
        if family.sidebands_expected:
            lines = turns + offsets[..., None] * spacing
            alone = np.count_nonzero(np.abs(lines - np.rint(lines)) >= self._same, axis=0)
            worth -= SIDEBAND_COST_DB * alone
        places = np.flatnonzero(carrier)
        speed, base, between = self._at(places, turns, np.broadcast_to(spacing, turns.shape))
        credit, shared = self._beyond_shaft(speed, base + offsets * between)
        added = np.minimum(credit, carrier.flat[places]) - np.float32(SIDEBAND_COST_DB)
        if not family.sidebands_expected:
            added = np.maximum(added, 0)
        worth.flat[places] = np.where(shared, 0, added).sum(axis=0, dtype=np.float64)
        return worth

    def _under_sidebands(self, credit: Float32, n: int, turns: Float64) -> Float32:
        """Limit the credit of harmonic n: a carrier rises over its own sidebands.

        A line at half the order of the first harmonic makes it a second one.
        """
        some = np.flatnonzero(credit)
        speed, base = self._at(some, turns)
        own = self.height(n * base * speed)
        beside = np.maximum(
            self.height((n * base - 1) * speed), self.height((n * base + 1) * speed)
        )
        if n == 1:
            beside = np.maximum(beside, self.height(base * speed / 2))
        limited = credit.copy()
        most = 2 * np.maximum(own - beside + CARRIER_DB, 0)
        limited.flat[some] = np.minimum(credit.flat[some], most)
        return limited

    def _at(self, places: NDArray[np.intp], *values: Float64) -> list[Float64]:
        """Return the speed, and values [shape=(speeds, bases) or (1, bases)], at flat places."""
        row, column = np.divmod(places, values[0].shape[1])
        return [
            self.speed[row, 0],
            *(one[row if one.shape[0] > 1 else 0, column] for one in values),
        ]

    def credit(self, turns: Float64) -> tuple[Float32, Bool]:
        """Give the height that the shaft can't have made, and whether both share one line.

        Parameters
        ----------
        turns : np.ndarray [shape=(speeds, bases) or (1, bases)]
            Places in turns of the shaft.

        Returns
        -------
        credit, shared : np.ndarray [shape=(speeds, bases)]
        """
        credit = _taken(self.peaks, turns * self._place)
        # Most places hold no line: only those with one are compared with their surroundings.
        some = np.flatnonzero(credit)
        credit.flat[some] = self._beyond_shaft(*self._at(some, turns))[0]
        return credit, np.asarray(np.abs(turns - np.rint(turns)) < self._same)

    def _beyond_shaft(self, speed: Float64, turns: Float64) -> tuple[Float32, Bool]:
        """Credit, and whether a line is shared, at each speed and place in turns of the shaft."""
        own = self.height(turns * speed)
        harmonic = np.rint(turns)
        off = turns - harmonic
        away = np.abs(off) * speed
        shared = away * self.lines.per_order < SAME_LINE
        mirror = self.height((harmonic - off) * speed)
        one_sided = np.minimum(own, 2 * np.maximum(own - mirror, 0))
        before, after = self.height((harmonic - 1) * speed), self.height((harmonic + 1) * speed)
        excess = np.maximum(own - np.maximum(before, after), 0)
        return np.where(shared, excess, np.where(away < SIDEBAND_ORDERS, one_sided, own)), shared


def _taken(peaks: Float32, places: Float64) -> Float32:
    return peaks.take(np.rint(places).astype(np.intp), mode="clip")


def steps(reach: float) -> Float64:
    """Return the whole numbers from −`reach` to `reach`."""
    return np.arange(-int(reach), int(reach) + 1, dtype=np.float64)
