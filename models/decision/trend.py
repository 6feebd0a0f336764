"""Time to the next limit, with an interval, said only when the trend is beyond doubt.

Theil–Sen slope (Sen 1968) of block medians, with the interval that Kendall's statistic gives: no
single outlier bends it. Trends of levels are taken on a logarithmic scale, because faults grow by
a share of what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from auscult.models.baseline.scaling import MAD_TO_SIGMA

Float64 = NDArray[np.float64]

BLOCKS = 40
"""Medians that a trend is taken over: neighbouring windows resemble each other, blocks hardly."""
MIN_BLOCKS = 10
"""Fewer can't show a trend at the level asked for."""
SIGNIFICANCE = 0.01
"""Chance of calling a trend where there is none."""
COVERAGE = 0.9
"""Chance that the slope lies within the interval."""
LATEST = 3
"""Blocks at the end, by whose median a trend …"""
LEFT_BEHIND = 3.0
"""… that has been left by this many robust σ is over."""
FARTHEST = 3.0
"""A limit is foretold no farther ahead than so many times the stretch that was seen."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a limit will be reached if the trend goes on, in s from the last value.

    ``latest_s`` is None where the slowest slope of the interval does not get there in
    `FARTHEST` times the stretch seen; ``per_day`` is the slope, of the natural logarithm for levels
    (0.01 = 1 % a day).
    """

    expected_s: float
    earliest_s: float
    latest_s: float | None
    per_day: float


def time_to_limit(
    t_ns: Sequence[int] | NDArray[np.int64],
    values: Sequence[float] | Float64,
    limit: float,
    *,
    level: bool = True,
) -> Forecast | None:
    """Foretell when values reach a limit.

    Parameters
    ----------
    t_ns : array_like [shape=(n,)]
        Times, ascending.
    values : array_like [shape=(n,)]
        Values of one feature, > 0 where `level`.
    limit : float
        In the same unit.
    level : bool
        Trend of the logarithm.

    Returns
    -------
    Forecast or None
        None unless the trend is significant, leads to the limit, the latest values still follow
        it, and the limit is near enough.

    Examples
    --------
    >>> day = 86_400_000_000_000
    >>> rising = [1.0 * 1.01**i for i in range(100)]
    >>> forecast = time_to_limit([i * day for i in range(100)], rising, 4.5)
    >>> round(forecast.per_day, 3), round(forecast.expected_s / 86_400)
    (0.01, 52)
    """
    t = (np.asarray(t_ns, np.int64) - int(t_ns[0]) if len(t_ns) else np.empty(0)) * 1e-9
    y = np.asarray(values, np.float64)
    if level:
        if limit <= 0 or (y <= 0).any():
            return None
        y, limit = np.log(y), float(np.log(limit))
    blocks = min(BLOCKS, len(y) // 2 if len(y) >= 2 * BLOCKS else len(y))
    if blocks < MIN_BLOCKS:
        return None
    bt = np.array([np.median(part) for part in np.array_split(t, blocks)])
    by = np.array([np.median(part) for part in np.array_split(y, blocks)])
    first, second = np.triu_indices(blocks, 1)
    slopes = np.sort((by[second] - by[first]) / np.maximum(bt[second] - bt[first], 1e-9))
    # Kendall's S and its variance without ties.
    s = float(np.sign(slopes).sum())
    deviation = float(np.sqrt(blocks * (blocks - 1) * (2 * blocks + 5) / 18))
    if abs(s) <= -ndtri(SIGNIFICANCE / 2) * deviation:
        return None
    reach = -ndtri((1 - COVERAGE) / 2) * deviation
    low = slopes[max(0, round((len(slopes) - reach) / 2))]
    high = slopes[min(len(slopes) - 1, round((len(slopes) + reach) / 2))]
    slope = float(np.median(slopes))
    if not _still_follows(slope, bt, by):
        return None
    expected = _reached_s(slope, bt, by, float(t[-1]), limit)
    horizon = FARTHEST * float(t[-1])
    if not 0 < expected <= horizon:
        return None
    slow, fast = sorted((float(low), float(high)), key=lambda v: v * np.sign(slope))
    latest = _reached_s(slow, bt, by, float(t[-1]), limit) if slow * slope > 0 else np.inf
    return Forecast(
        expected_s=expected,
        earliest_s=max(0.0, _reached_s(fast, bt, by, float(t[-1]), limit)),
        latest_s=latest if latest <= horizon else None,
        per_day=slope * 86_400,
    )


def _still_follows(slope: float, t: Float64, y: Float64) -> bool:
    """Whether the last blocks lie no farther behind the trend's line than others lie off it."""
    residual = y - slope * t
    residual -= np.median(residual)
    behind = -float(np.sign(slope)) * float(np.median(residual[-LATEST:]))
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(residual)))
    return behind <= LEFT_BEHIND * sigma + 1e-9


def _reached_s(slope: float, t: Float64, y: Float64, now_s: float, limit: float) -> float:
    """When the line of this slope through the middle of the data reaches the limit, from now on."""
    return (limit - float(np.median(y - slope * t))) / slope - now_s
