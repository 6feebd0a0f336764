"""Compares the stated rate of a stream with the times of its blocks.

A sampling clock that is off reads every frequency wrong. Features can't tell that from a machine of
another speed, but times can: each block comes too early or too late by the same share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from auscult.contract.message import NS_PER_S

LARGEST_ERROR: Final = 0.01
"""Share by which a rate may be off. Crystals keep 0.0001; RC oscillators of MEMS sensors are off by
0.05, half of a band of the features."""
LEAST_ERROR_NS: Final = 30_000_000
"""Error that has to add up before it counts: stamps of networks scatter by ms."""
GROUPS: Final = 4
STEADY: Final = 0.5
"""The error of each quarter of the blocks differs from the mean by at most this share of it: a late
block is an error of one quarter."""
MOST: Final = 16
LONGEST_NS: Final = 10 * NS_PER_S
"""Stretches grow up to this; then the oldest is dropped: the check covers 160 s."""

Stretch = tuple[float, float]
"""Time that passed by the stamps and by the samples, ns."""


@dataclass(slots=True)
class RateCheck:
    """Measures the rate of one stream.

    Parameters
    ----------
    fs_hz : float
        Stated rate.

    Examples
    --------
    >>> check = RateCheck(1000.0)
    >>> found = [check.add_block(100, n * 95_000_000) for n in range(12)]
    >>> round(found[-1])
    1053
    """

    fs_hz: float
    _stretches: list[Stretch] = field(default_factory=list)
    _open: Stretch = (0.0, 0.0)
    _length_ns: float = 0.0
    _last: tuple[int, float] | None = None
    _wrong_hz: float | None = None

    def restart(self) -> None:
        """Discard the times so far, for example after a gap."""
        self._stretches.clear()
        self._open, self._last = (0.0, 0.0), None

    def add_block(self, count: int, t_ns: int) -> float | None:
        """Add a block without a gap before it.

        Parameters
        ----------
        count : int
            Samples of the block.
        t_ns : int
            Time of its first sample, or of its arrival; always the same of the two for blocks of
            one length.

        Returns
        -------
        float or None
            Measured rate in Hz where it is off by more than `LARGEST_ERROR`, else None.
        """
        last, length_ns = self._last, count / self.fs_hz * NS_PER_S
        self._last = (t_ns, length_ns)
        if last is None:
            return self._wrong_hz
        passed, sampled = self._open
        self._open = passed, sampled = passed + t_ns - last[0], sampled + last[1]
        if sampled < self._length_ns:
            return self._wrong_hz
        self._stretches.append(self._open)
        self._open = (0.0, 0.0)
        if len(self._stretches) > MOST:
            if self._length_ns < LONGEST_NS:
                self._stretches = [_sum(pair) for pair in _parts(self._stretches, MOST // 2)]
                self._length_ns = min(s for _, s in self._stretches)
            else:
                del self._stretches[0]
        self._decide()
        return self._wrong_hz

    def _decide(self) -> None:
        if len(self._stretches) < GROUPS:
            return
        passed, sampled = _sum(self._stretches)
        error = passed / sampled - 1
        off = abs(error) > LARGEST_ERROR
        if off and abs(passed - sampled) > LEAST_ERROR_NS and passed > 0 and self._is_steady(error):
            self._wrong_hz = self.fs_hz * sampled / passed
            self._stretches.clear()  # what follows decides whether it lasts
            self._length_ns = 0.0
        elif not off and sampled > GROUPS * LEAST_ERROR_NS / LARGEST_ERROR:
            self._wrong_hz = None

    def _is_steady(self, error: float) -> bool:
        """Return whether each quarter of the blocks is off by about as much."""
        groups = [_sum(part) for part in _parts(self._stretches, GROUPS)]
        return all(abs(p / s - 1 - error) <= STEADY * abs(error) for p, s in groups)


def _sum(stretches: list[Stretch]) -> Stretch:
    passed = sampled = 0.0
    for p, s in stretches:
        passed += p
        sampled += s
    return passed, sampled


def _parts(stretches: list[Stretch], count: int) -> list[list[Stretch]]:
    edges = [round(i * len(stretches) / count) for i in range(count + 1)]
    return [stretches[a:b] for a, b in pairwise(edges)]
