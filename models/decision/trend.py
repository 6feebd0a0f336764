"""Time to the next limit, with an interval, for significant trends only.

Theil–Sen slope (Sen 1968) of block medians, which is robust to outliers, with the interval from
Kendall's statistic. Trends of levels are computed on a logarithmic scale, because faults grow in
proportion to their size.
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
COVERAGE = 0.9
"""Probability that the slope lies within the interval."""
LATEST = 3
"""Last blocks whose median must still follow the trend."""
LEFT_BEHIND = 3.0
"""Distance of their median from the trend, in robust σ, at which the trend is over."""
FARTHEST = 3.0
"""Longest forecast, as a multiple of the time over which the trend was observed."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Time until a limit is reached if the trend continues, in s from the last value.

    ``latest_s`` is None if the slowest slope of the interval does not reach the limit within
    `FARTHEST` times the observed time. ``per_day`` is the slope; for levels that of the natural
    logarithm (0.01 = 1 % a day).
    """

    expected_s: float
    earliest_s: float
    latest_s: float | None
    per_day: float


@dataclass(frozen=True)
class Slope:
    """Theil–Sen slope of block medians, per second, with its interval (90 %).

    ``t_s`` and ``y`` are the medians [shape=(blocks,)]; ``significant`` is Kendall's test at 1 %.
    """

    per_s: float
    low: float
    high: float
    significant: bool
    t_s: Float64
    y: Float64


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
    significant = abs(s) > -ndtri(SIGNIFICANCE / 2) * deviation
    return Slope(float(np.median(slopes)), float(low), float(high), bool(significant), bt, by)


def time_to_limit(
    t_ns: Sequence[int] | NDArray[np.int64],
    values: Sequence[float] | Float64,
    limit: float,
    *,
    level: bool = True,
) -> Forecast | None:
    """Forecast when values reach a limit.

    Parameters
    ----------
    t_ns : array_like [shape=(n,)]
        Times, ascending.
    values : array_like [shape=(n,)]
        Values of one feature, > 0 where `level`.
    limit : float
        In the same unit.
    level : bool
        Compute the trend of the logarithm.

    Returns
    -------
    Forecast or None
        None unless the trend is significant and leads to the limit, the latest values follow it,
        and the limit is near enough.

    Examples
    --------
    >>> day = 86_400_000_000_000
    >>> rising = [1.0 * 1.01**i for i in range(100)]
    >>> forecast = time_to_limit([i * day for i in range(100)], rising, 4.5)
    >>> round(forecast.per_day, 3), round(forecast.expected_s / 86_400)
    (0.01, 52)
    """
    since_ns = np.asarray(t_ns, np.int64) - int(t_ns[0]) if len(t_ns) else np.empty(0)
    t = np.asarray(since_ns * 1e-9, np.float64)
    y = np.asarray(values, np.float64)
    if level:
        if limit <= 0 or (y <= 0).any():
            return None
        y, limit = np.log(y), float(np.log(limit))
    found = slope_of(t, y)
    if found is None or not found.significant:
        return None
    slope, bt, by = found.per_s, found.t_s, found.y
    if not _still_follows(slope, bt, by):
        return None
    expected = _reached_s(slope, bt, by, float(t[-1]), limit)
    horizon = FARTHEST * float(t[-1])
    if not 0 < expected <= horizon:
        return None
    slow, fast = sorted((found.low, found.high), key=lambda v: v * np.sign(slope))
    latest = _reached_s(slow, bt, by, float(t[-1]), limit) if slow * slope > 0 else np.inf
    return Forecast(
        expected_s=expected,
        earliest_s=max(0.0, _reached_s(fast, bt, by, float(t[-1]), limit)),
        latest_s=latest if latest <= horizon else None,
        per_day=slope * 86_400,
    )


def _still_follows(slope: float, t: Float64, y: Float64) -> bool:
    """Whether the last blocks are as close to the trend's line as the others."""
    residual = y - slope * t
    residual -= np.median(residual)
    behind = -float(np.sign(slope)) * float(np.median(residual[-LATEST:]))
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(residual)))
    return behind <= LEFT_BEHIND * sigma + 1e-9


def _reached_s(slope: float, t: Float64, y: Float64, now_s: float, limit: float) -> float:
    """Time from now until the line with this slope through the median reaches the limit."""
    return (limit - float(np.median(y - slope * t))) / slope - now_s
