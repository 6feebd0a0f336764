"""Trends: each feature's minimum, mean and maximum over an interval of stream time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Condition
from auscult.dsp.health import DOUBTS, SensorHealth
from auscult.models.records import Decision, Observation

MOMENT_NS = 1_000_000
"""Length of the interval of one value: messages carry milliseconds."""
_UNUSABLE = int(SensorHealth.NOT_FINITE | SensorHealth.FLAT_LINE)  # the flags take 2 µs a window


@dataclass(frozen=True, slots=True)
class TrendInterval:
    """A finished interval: ``low``, ``mean``, ``high`` are float32 (width,) in the order added."""

    start_ns: int
    end_ns: int
    windows: int
    low: NDArray[np.float32]
    mean: NDArray[np.float32]
    high: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PointInterval:
    """A finished interval of one point; its last column is the evidence (NaN without a baseline).

    ``condition`` is the point's condition when the interval ended; ``doubtful`` says that the
    sensor was doubtful in one of its windows.
    """

    point: str
    interval: TrendInterval
    condition: Condition
    doubtful: bool

    @property
    def mean_features(self) -> NDArray[np.float32]:
        """Return the mean of each feature over the interval [shape=(d,)]."""
        return self.interval.mean[:-1]


class TrendAggregator:
    """Collects the windows of one point into intervals aligned to whole multiples of their length.

    The first interval starts with its first window: an earlier process may have published the part
    before, and receivers identify an interval by its start.

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

    def add(self, t_ns: int, values: NDArray[np.float32]) -> TrendInterval | None:
        """Add a window's features; returns the previous interval when the window is beyond it."""
        end_ns, done = self._end(t_ns), self.flush_before(t_ns)
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

    def flush_before(self, t_ns: int) -> TrendInterval | None:
        """Return the unfinished interval if this time is beyond it."""
        return self.flush() if self._end(t_ns) != self._end_ns else None

    def _end(self, t_ns: int) -> int:
        return t_ns - t_ns % self._interval_ns + self._interval_ns

    def flush(self) -> TrendInterval | None:
        """Return the unfinished interval, if it has windows, and start a new one."""
        if not self._windows:
            return None
        done = TrendInterval(
            start_ns=self._start_ns,
            end_ns=self._end_ns,
            windows=self._windows,
            low=self._low.copy(),
            mean=(self._sum / self._windows).astype(np.float32),
            high=self._high.copy(),
        )
        self._windows = 0
        return done


class PointTrend:
    """The trend of one point: the intervals of its features and its evidence.

    Parameters
    ----------
    point : str
    width : int
        Number of features.
    interval_ns : int
    at_once : bool
        Each window is an interval, for values that are rarer than the interval.
    """

    def __init__(self, point: str, width: int, interval_ns: int, *, at_once: bool = False) -> None:
        self._point = point
        self._at_once = at_once
        self._aggregator = TrendAggregator(width + 1, interval_ns)
        self._row = np.empty(width + 1, np.float32)
        self._condition = Condition.UNKNOWN
        self._doubtful = False

    def add(
        self, observation: Observation, decision: Decision, *, idle: bool
    ) -> PointInterval | None:
        """Add a window; one at rest, or of a failed sensor, is left out of the features."""
        if idle or observation.health & _UNUSABLE:
            # It may be days until the next window that counts.
            done = self._finished(self._aggregator.flush_before(observation.t_ns))
            self._condition = decision.condition
            return done
        self._row[:-1] = observation.features
        self._row[-1] = np.nan if decision.evidence is None else decision.evidence
        if self._at_once:
            self._condition = decision.condition
            row, t_ns = self._row.copy(), observation.t_ns
            return self._finished(TrendInterval(t_ns, t_ns + MOMENT_NS, 1, row, row, row))
        done = self._finished(self._aggregator.add(observation.t_ns, self._row))
        self._condition = decision.condition
        self._doubtful = self._doubtful or bool(observation.health & DOUBTS)
        return done

    def flush(self) -> PointInterval | None:
        """Return the unfinished interval, if it has windows."""
        return self._finished(self._aggregator.flush())

    def _finished(self, interval: TrendInterval | None) -> PointInterval | None:
        if interval is None:
            return None
        doubtful, self._doubtful = self._doubtful, False
        return PointInterval(self._point, interval, self._condition, doubtful)
