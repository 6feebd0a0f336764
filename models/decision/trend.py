"""Time to the next limit, with an interval, for trends that continue now.

Theil–Sen slope (Sen 1968) of block medians, which is robust to outliers, with the interval from
Kendall's statistic. A step followed by a level has a significant slope too, and so has a ramp that
has ended: a trend must be in the newest half alone, and fit better than steps between levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from auscult.dsp.scales import MAD_TO_SIGMA

Float64 = NDArray[np.float64]

BLOCKS = 40
"""Most block medians of a trend; neighbouring windows are correlated, blocks hardly."""
MIN_BLOCKS = 10
"""Fewest blocks that can show a trend at this significance."""
SIGNIFICANCE = 0.01
"""Probability of finding a trend where there is none."""
HALF_SIGNIFICANCE = 0.05
"""The same in the newest half, which has half of the blocks."""
COVERAGE = 0.9
"""Probability that the slope lies within the interval."""
LATEST = 3
"""Last blocks whose median must still follow the trend."""
LEFT_BEHIND = 3.0
"""Distance of their median from the trend, in robust σ, at which the trend is over."""
CONTINUES = 0.5
"""Share of the slope that the newest half, and the rise to the newest quarter, have at least. The
intervals of the newest quarter and of the latest values in shorter intervals reach it too."""
ACCELERATES = 4.0
"""The last part of a fault's growth is faster than the trend before. With this factor, at least
85 % of the times to a limit were not before the earliest one, in each tenth of the life of three
bearings that ran to failure (`lab.studies.countdown`); 3 left 79 % in the last tenth."""
FARTHEST = 3.0
"""Longest forecast, as a multiple of the time over which the trend was observed."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Time until a limit is reached if the trend continues, in s from the last value.

    There is no latest time: on real machines a trend of values may end at any time, and none that
    was tried held.
    """

    expected_s: float
    earliest_s: float


@dataclass(frozen=True)
class Slope:
    """Theil–Sen slope of block medians, per second, with its interval (90 %).

    ``t_s`` and ``y`` are the medians [shape=(blocks,)]; ``kendall`` is Kendall's S in its standard
    deviations without a trend.
    """

    per_s: float
    low: float
    high: float
    kendall: float
    t_s: Float64
    y: Float64

    @property
    def significant(self) -> bool:
        """Return whether Kendall's test finds a trend at 1 %."""
        return self.is_significant(SIGNIFICANCE)

    def is_significant(self, level: float) -> bool:
        """Return whether Kendall's test finds a trend, and the slope has its sign."""
        return bool(abs(self.kendall) > -ndtri(level / 2)) and self.per_s * self.kendall > 0


def slope_of(t_s: Float64, y: Float64) -> Slope | None:
    """Fit a slope to values at ascending times [shape=(n,)]; None for fewer than `MIN_BLOCKS`."""
    blocks = min(BLOCKS, len(y) // 2 if len(y) >= 2 * BLOCKS else len(y))
    if blocks < MIN_BLOCKS:
        return None
    bt = np.array([np.median(part) for part in np.array_split(t_s, blocks)])
    by = np.array([np.median(part) for part in np.array_split(y, blocks)])
    first, second = np.triu_indices(blocks, 1)
    slopes = np.sort((by[second] - by[first]) / np.maximum(bt[second] - bt[first], 1e-9))
    # Kendall's S and its variance without ties.
    s = float(np.sign(slopes).sum())
    deviation = float(np.sqrt(blocks * (blocks - 1) * (2 * blocks + 5) / 18))
    reach = -ndtri((1 - COVERAGE) / 2) * deviation
    low = slopes[max(0, round((len(slopes) - reach) / 2))]
    high = slopes[min(len(slopes) - 1, round((len(slopes) + reach) / 2))]
    return Slope(float(np.median(slopes)), float(low), float(high), s / deviation, bt, by)


def time_to_limit(
    t_ns: Sequence[int] | NDArray[np.int64],
    values: Sequence[float] | Float64,
    limit: float,
    *,
    level: bool = True,
    latest: tuple[NDArray[np.int64], Float64] | None = None,
) -> Forecast | None:
    """Return the forecast when values reach a limit.

    Parameters
    ----------
    t_ns : array_like [shape=(n,)]
        Times, ascending.
    values : array_like [shape=(n,)]
        Values of one feature.
    limit : float
        In the same unit.
    level : bool
        Whether it may also grow in proportion to its size, as faults do. The earliest time is then
        that of both courses that fit.
    latest : (times, values), optional
        The latest values in shorter intervals, which may contradict the trend.

    Returns
    -------
    Forecast or None
        None unless a trend continues now and leads to the limit, and the limit is near enough.

    Examples
    --------
    >>> day = 86_400_000_000_000
    >>> rising = [1.0 * 1.01**i for i in range(100)]
    >>> forecast = time_to_limit([i * day for i in range(100)], rising, 4.5)
    >>> 45 < round(forecast.expected_s / 86_400) < 75
    True
    >>> step = [1.0] * 50 + [3.0] * 50
    >>> time_to_limit([i * day for i in range(100)], step, 4.5) is None
    True
    """
    t, y = _seconds(t_ns), np.asarray(values, np.float64)
    finer_t, finer_y = (_seconds(latest[0]), latest[1]) if latest else (t[:0], y[:0])
    found = [_along_line(t, y, finer_t, finer_y, limit)]
    if level and limit > 0 and (y > 0).all() and (finer_y > 0).all():
        log_limit = float(np.log(limit))
        found.append(_along_line(t, np.log(y), finer_t, np.log(finer_y), log_limit))
    courses = [course for course in found if course is not None]
    if not courses:
        return None
    expected, earliest = zip(*courses, strict=True)
    expected_s = float(np.exp(np.mean(np.log(expected))))
    if expected_s > FARTHEST * float(t[-1]):
        return None
    return Forecast(expected_s, min(earliest) / ACCELERATES)


def _seconds(t_ns: Sequence[int] | NDArray[np.int64]) -> Float64:
    """Convert to s since the first."""
    at_ns = np.asarray(t_ns, np.int64)
    return np.asarray((at_ns - at_ns[:1]) * 1e-9, np.float64)


def _along_line(
    t: Float64, y: Float64, finer_t: Float64, finer_y: Float64, limit: float
) -> tuple[float, float] | None:
    """Return expected and earliest time from now until a line reaches the limit.

    None unless the line continues now and leads to the limit.
    """
    whole = slope_of(t, y)
    if whole is None or not whole.significant:
        return None
    half = len(whole.y) // 2
    newest = slope_of(whole.t_s[half:], whole.y[half:])
    if newest is None or not _continues(whole, newest):
        return None
    if _contradicts(slope_of(finer_t, finer_y), whole):
        return None
    sign = float(np.sign(whole.per_s))
    now = float(np.median(newest.y - newest.per_s * newest.t_s)) + newest.per_s * float(t[-1])
    gap = sign * (limit - now)
    if gap <= 0:
        return None
    fastest = max(sign * edge for one in (whole, newest) for edge in (one.low, one.high))
    return gap / (sign * (whole.per_s + newest.per_s) / 2), gap / fastest


def _continues(whole: Slope, newest: Slope) -> bool:
    """Whether the latest values continue the trend, and the whole is a line rather than steps."""
    if whole.per_s * newest.per_s <= 0 or not newest.is_significant(HALF_SIGNIFICANCE):
        return False
    if newest.per_s / whole.per_s < CONTINUES or not _still_follows(whole):
        return False
    quarter = len(whole.y) * 3 // 4
    if _contradicts(slope_of(whole.t_s[quarter:], whole.y[quarter:]), whole):
        return False
    (_, before, last), (_, before_s, last_s) = (
        [float(np.median(part)) for part in np.array_split(x, [len(x) // 2, quarter])]
        for x in (whole.y, whole.t_s)
    )
    if (last - before) / (last_s - before_s) / whole.per_s < CONTINUES:
        return False
    return _is_line(whole) or _is_line(newest)  # not both where the trend began lately


def _contradicts(latest: Slope | None, whole: Slope) -> bool:
    """Return whether the interval of the latest values' slope lies below the trend."""
    if latest is None:
        return False
    return max(latest.low / whole.per_s, latest.high / whole.per_s) < CONTINUES


def _still_follows(slope: Slope) -> bool:
    """Return whether the last blocks are as close to the trend's line as the others."""
    residual = slope.y - slope.per_s * slope.t_s
    residual -= np.median(residual)
    behind = -float(np.sign(slope.per_s)) * float(np.median(residual[-LATEST:]))
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(residual)))
    return behind <= LEFT_BEHIND * sigma + 1e-9


def _is_line(slope: Slope) -> bool:
    """Whether a line fits the blocks better than any three levels with steps between them."""
    residual = slope.y - slope.per_s * slope.t_s
    residual -= np.median(residual)
    edge = LEFT_BEHIND * MAD_TO_SIGMA * float(np.median(np.abs(residual)))
    outlying = residual - np.clip(residual, -edge, edge)
    y, n = slope.y - outlying, len(slope.y)
    sums, squares = (np.concatenate([[0.0], np.cumsum(x)]) for x in (y - y[0], (y - y[0]) ** 2))
    begin, end = np.triu_indices(n + 1, 1)
    cost = np.full((n + 1, n + 1), np.inf)
    spread = squares[end] - squares[begin] - (sums[end] - sums[begin]) ** 2 / (end - begin)
    cost[begin, end] = spread
    steps = (cost[0, :, None] + cost + cost[None, :, n]).min()
    line = float(((residual - outlying - (residual - outlying).mean()) ** 2).sum())
    return bool(line < steps)
