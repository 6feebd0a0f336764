"""Pulses of a tachometer in its sampled signal: speed and angle of the shaft."""

from __future__ import annotations

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

HYSTERESIS: Final = 0.2
"""Share of the pulse height that the signal must cross on both sides of the level: noise on a slow
edge then makes no second pulse."""
LEVEL_BLOCKS: Final = 64
"""Blocks whose extremes set the level …"""
HELD: Final = 0.5
"""… unless their height is below this share of the one before: the shaft is at rest."""
REGULAR: Final = 0.25
"""Neighbouring turns of a shaft differ by less than this share, even when it starts; a missed or a
doubled pulse differs by more, and so do crossings of noise."""


class PulseFinder:
    """Finds pulses block by block, between two samples by linear interpolation.

    Parameters
    ----------
    level : float, optional
        Crossing level in the signal's unit. None: halfway between the lowest and highest values of
        recent blocks.
    falling : bool
        A pulse is at its falling edge.

    Examples
    --------
    >>> t = np.arange(1000) / 1000
    >>> PulseFinder().add(((t % 0.25) < 0.05).astype(np.float32)).round(1)
    array([249.6, 499.6, 749.6])
    """

    def __init__(self, level: float | None = None, *, falling: bool = False) -> None:
        self._sign = -1.0 if falling else 1.0
        self._level = level
        self._extremes: deque[tuple[float, float]] = deque(maxlen=LEVEL_BLOCKS)
        self._range = (0.0, 0.0)
        self._last: float | None = None
        self._armed = False
        self.seen = 0
        """Samples so far."""

    def restart(self) -> None:
        """Start again after a gap; positions count on."""
        self._last, self._armed = None, False

    def add(self, samples: NDArray[np.float32]) -> Float64:
        """Return the positions of the pulses of a block, in samples since the first one.

        Parameters
        ----------
        samples : np.ndarray [shape=(n,), dtype=float32]
            Finite.
        """
        x = self._sign * samples.astype(np.float64)
        before, self.seen = self.seen, self.seen + x.size
        if not x.size:
            return np.empty(0)
        if self._last is not None:
            x, before = np.concatenate([[self._last], x]), before - 1
        self._last = float(x[-1])
        low, high = self._edges(x)
        return before + self._crossings(x, low, high)

    def _edges(self, x: Float64) -> tuple[float, float]:
        """Return the levels below which the finder is armed, and above which a pulse begins."""
        self._extremes.append((float(x.min()), float(x.max())))
        lows, highs = zip(*self._extremes, strict=True)
        # A quarter of the blocks may hold no pulse, a few may hold a spike.
        now = (float(np.quantile(lows, 0.1)), float(np.quantile(highs, 0.9)))
        if now[1] - now[0] >= HELD * (self._range[1] - self._range[0]):
            self._range = now
        bottom, top = self._range
        middle = (bottom + top) / 2 if self._level is None else self._sign * self._level
        half = HYSTERESIS / 2 * (top - bottom)
        return middle - half, middle + half

    def _crossings(self, x: Float64, low: float, high: float) -> Float64:
        if not high > low:
            return np.empty(0)
        above, below = x > high, x < low
        turns = np.flatnonzero(above | below)
        if not turns.size:
            return np.empty(0)
        up = above[turns]
        armed = np.concatenate([[self._armed], ~up[:-1]])
        self._armed = not up[-1]
        at = turns[up & armed]
        at = at[at > 0]
        # The edge crosses the upper level between two samples.
        part = np.clip((high - x[at - 1]) / (x[at] - x[at - 1]), 0, 1)
        return np.asarray(at - 1 + part, np.float64)


def turns_of(pulses: Float64, pulses_per_rev: int) -> Float64:
    """Return the time of one turn that ends at each pulse, NaN where it is irregular.

    Over whole turns, unequal distances of marks cancel.

    Parameters
    ----------
    pulses : np.ndarray [shape=(n,)]
        Increasing times.
    pulses_per_rev : int

    Examples
    --------
    >>> turns_of(np.array([0.0, 0.4, 1.0, 1.4, 2.0, 2.4, 5.0]), 2).round(3).tolist()[2:]
    [1.0, 1.0, 1.0, 1.0, nan]
    """
    turn = np.full(pulses.size, np.nan)
    turn[pulses_per_rev:] = pulses[pulses_per_rev:] - pulses[:-pulses_per_rev]
    before = np.concatenate([turn[:1], turn[:-1]])
    turn[np.abs(turn / before - 1) > REGULAR] = np.nan
    return turn


def angle_at(times: Float64, pulses: Float64, pulses_per_rev: int = 1) -> Float64:
    """Return the shaft's angle in revolutions since the first pulse, NaN outside the pulses.

    Between pulses the speed is constant.

    Examples
    --------
    >>> angle_at(np.array([-0.1, 0.0, 0.25, 1.5]), np.array([0.0, 1.0, 2.0]))
    array([ nan, 0.  , 0.25, 1.5 ])
    """
    return np.asarray(
        np.interp(times, pulses, np.arange(pulses.size) / pulses_per_rev, np.nan, np.nan)
    )
