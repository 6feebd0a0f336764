"""The least change of each value that the monitor would find within a day, a week and a month.

It follows from the monitor's own limits, by the spread and persistence that it measured on the
machine: a change of one value alone while the machine runs, whose comparisons otherwise show what
they show in the middle. A change is found by the first of its comparisons that exceeds its limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from auscult.models.values.contrasts import ALLOWANCE, CAP

Float64 = NDArray[np.float64]

WITHIN_DAYS: Final = (1, 7, 30)
"""Days of running within which a change is found."""
LARGEST: Final = 1e3
"""Largest change that is looked for, in spreads."""
STEPS: Final = 20
"""Of the bisection: the result is known to a thousandth."""
MARGIN: Final = 1.25
"""Found over predicted, by the noise of the comparisons: on simulated wander, seasons and batches
(`lab.studies.detectable`)."""
MEDIAN_OF: Final = 8
"""Stretches of the reference of a block; a step is in its median once half of them hold it."""


class ChartLimit(NamedTuple):
    """A chart within a campaign.

    ``sigma``, ``freedom`` and ``level`` [shape=(2 d,)] as in `Contrasts`; ``blocks`` are those of
    its reference.
    """

    sigma: Float64
    freedom: Float64
    level: Float64
    blocks: int
    rows: int
    """Of a block."""


class WindowLimit(NamedTuple):
    """The limit [shape=(d,)] of the last stretches, so many, against those before."""

    length: int
    limit: Float64


class MonitorLimits(NamedTuple):
    """All limits of a monitor; ``at_once`` and ``against`` [shape=(d,)], infinite where unknown.

    ``at_once`` is the distance that is a departure of one block, ``against`` the one from the level
    of earlier runs, which must last for ``against_rows``. A day of running has ``rows_a_day``.
    """

    charts: Sequence[ChartLimit]
    against: Float64
    against_rows: int
    at_once: Float64
    windows: Sequence[WindowLimit]
    rows_a_day: float


def least_steps(limits: MonitorLimits, days: int) -> Float64:
    """Return the least lasting step of each value that is found within days of running.

    Returns
    -------
    np.ndarray [shape=(d,)]
        In the monitor's unit (logarithm of a level), > 0; infinite where none is.
    """
    d, rows = len(limits.against), limits.rows_a_day * days
    found = limits.at_once
    if rows >= limits.against_rows:
        found = np.minimum(limits.against, found)
    for chart in limits.charts:
        size = chart.sigma * _least_shift(chart, int(rows / chart.rows))
        found = np.minimum(found, np.minimum(size[:d], size[d:]))
    for day in range(1, days + 1):
        found = np.minimum(found, _between(limits, np.ones(day)))
    return MARGIN * found


def least_drifts(limits: MonitorLimits, days: int) -> Float64:
    """Return the least change that a steady drift over days has made when it is found.

    Shape and unit as of `least_steps`; infinite for a single day.
    """
    if days < 2:
        return np.full(len(limits.against), np.inf)
    course = np.arange(1, days + 1) / days
    before = np.concatenate([np.zeros(MEDIAN_OF), course])[-MEDIAN_OF - 1 : -1]
    lasted = 1.0 - limits.against_rows / (limits.rows_a_day * days)
    beyond = max(lasted - float(np.median(before)), 1e-9)
    return MARGIN * np.minimum(limits.against / beyond, _between(limits, course))


def _between(limits: MonitorLimits, course: Float64) -> Float64:
    """Return the least size of a course over the last stretches, up to 1, that windows find."""
    found = np.full(len(limits.against), np.inf)
    for window in limits.windows:
        back = 5 * window.length + 4
        levels = np.concatenate([np.zeros(back), course])[-back:]
        moved = levels[-window.length :].mean() - levels[: -window.length].mean()
        if moved > 0:
            found = np.minimum(found, window.limit / moved)
    return found


def _least_shift(chart: ChartLimit, blocks: int) -> Float64:
    """Return the least step in spreads whose evidence reaches the level within blocks.

    The reference takes the step in, block by block. The result is [shape=(2 d,)].
    """
    if not blocks:
        return np.full_like(chart.level, np.inf)
    left = 1.0 - np.arange(min(blocks, chart.blocks))[:, None] / chart.blocks
    low, high = np.zeros_like(chart.level), np.full_like(chart.level, LARGEST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        tail = np.maximum(stdtr(chart.freedom, -middle * left), 1e-12)
        gained = np.minimum(-ndtri(tail), CAP) - ALLOWANCE
        reached = np.cumsum(gained, axis=0).max(axis=0) >= chart.level
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return np.where(high < LARGEST, high, np.inf)
