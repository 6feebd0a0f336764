"""Trends: each feature's minimum, mean and maximum over an interval of stream time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.spec import FeatureSpec

LEVELS = (
    "velocity_rms_mm_s",
    "displacement_rms_um",
    "acceleration_rms_m_s2",
    "a_weighted_rms",
    "rms",
    "peak",
    "crest_factor",
    "kurtosis",
)
"""The overall values that people know: shown with each state, and always in the trend."""

EVIDENCE = "evidence"
"""Name, in a trend, of the evidence against the levels that switch conditions."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A finished interval: ``low``, ``mean``, ``high`` are float32 (width,) in the order taken."""

    start_ns: int
    end_ns: int
    windows: int
    low: NDArray[np.float32]
    mean: NDArray[np.float32]
    high: NDArray[np.float32]


class TrendAggregator:
    """Gathers the windows of one point into intervals aligned to whole multiples of their length.

    The first one begins with its first window: an earlier process may have told the part before,
    and an interval is known by its start.

    Parameters
    ----------
    width : int
        Number of features.
    interval_ns : int

    Examples
    --------
    >>> trend = TrendAggregator(1, 10)
    >>> trend.add(12, np.float32([3])), trend.add(19, np.float32([5]))
    (None, None)
    >>> done = trend.add(20, np.float32([9]))
    >>> done.start_ns, done.end_ns, done.windows, float(done.mean[0]), float(done.high[0])
    (12, 20, 2, 4.0, 5.0)
    """

    def __init__(self, width: int, interval_ns: int) -> None:
        self._interval_ns = interval_ns
        self._start_ns = self._end_ns = 0
        self._windows = 0
        self._low = np.empty(width, np.float32)
        self._high = np.empty(width, np.float32)
        self._sum = np.empty(width, np.float64)

    def add(self, t_ns: int, values: NDArray[np.float32]) -> Interval | None:
        """Take a window's features; returns the interval before, once a window lies beyond it."""
        end_ns = t_ns - t_ns % self._interval_ns + self._interval_ns
        done = None
        if self._windows and end_ns != self._end_ns:
            done = self.flush()
        if not self._windows:
            self._start_ns = t_ns if done is None else end_ns - self._interval_ns
            self._end_ns = end_ns
            self._low[:] = self._high[:] = self._sum[:] = values
        else:
            np.minimum(self._low, values, out=self._low)
            np.maximum(self._high, values, out=self._high)
            self._sum += values
        self._windows += 1
        return done

    def flush(self) -> Interval | None:
        """Give what has been gathered so far, if anything, and begin anew."""
        if not self._windows:
            return None
        done = Interval(
            start_ns=self._start_ns,
            end_ns=self._end_ns,
            windows=self._windows,
            low=self._low.copy(),
            mean=(self._sum / self._windows).astype(np.float32),
            high=self._high.copy(),
        )
        self._windows = 0
        return done


def trend_columns(spec: FeatureSpec) -> tuple[int, ...]:
    """Columns that a trend carries: what the detector sees, and the overall values."""
    return tuple(i for i, f in enumerate(spec.features) if f.model or f.name in LEVELS)


def level_columns(spec: FeatureSpec) -> Sequence[int]:
    """Columns of the overall values."""
    return tuple(i for i, f in enumerate(spec.features) if f.name in LEVELS)
