"""Evidence of a machine whose learned points are all overall values: rows in, codes out.

It stands in for the charts of p-values (`EvidenceCharts`), which promise a budget for values that
vary about one level. See `models.values.monitor` for what is compared with what.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import ceil, exp
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Condition, Contribution, Detectable, Reason, ReasonKind
from auscult.contract.said import Said, SaidValue
from auscult.dsp.scales import DB_PER_NEPER
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.evidence import ALARM, NORMAL, WARNING
from auscult.models.decision.feature_names import feature_words
from auscult.models.records import RUNNING, Observation
from auscult.models.values.least_changes import WITHIN_DAYS, least_drifts, least_steps
from auscult.models.values.monitor import (
    READY_CAMPAIGNS,
    READY_DAYS,
    READY_STRETCHES,
    Compared,
    OpenDeparture,
    ValueMonitor,
    nanmedian,
)

LEAST_LOG: Final = 0.02
"""Least spread of a level: 2 %, 0.17 dB, the repeatability of a transmitter."""
LEAST_C: Final = 0.1
LEAST_SHARE: Final = 5e-3
"""Least spread of other values, as a share of their size: the class of a good transmitter."""
JUMP_RATIO, JUMP_C = 3.0, 10.0
"""Least distance of a level, as a ratio, and of a temperature from all that was seen, that is a
departure at once."""
STEP: Final = 0.3
"""Least spread in units of the smallest change so far, where no resolution is stated: rounding."""
SIZED: Final = 60
"""Rows after which the size of the values is known."""
SMALLEST: Final = 1e-6
SILENT: Final = 3.0
"""Intervals after which a row is complete without a point that is silent."""
TEMPERATURE: Final = "temperature_c"
DRIVES: Final = frozenset({"current", "voltage", "power", "flow", "pressure", "speed"})
"""Features of values that drive a machine; the others follow."""
LASTS, FURTHER, BECAME_NORMAL = "level_lasts", "further_departs", "level_became_normal"
"""Statements on a departure that settled at its level."""
MOVED: Final = 3.0
"""Least spreads by which a reference has moved noticeably: 6 % of a level."""
MOST_NAMED: Final = 3
"""Values that a relation names."""
RECENT: Final = 60
"""Most rows that are compared with the reference: all of them say whether an alarm stays."""
CompareValues = Callable[[int, int], tuple[int, Compared | None]]
"""See `ValueEvidence.compare`."""


class ValueEvidence:
    """Makes rows of the points' values, follows them, and says what departs.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
        Points with a baseline.
    run_stated : bool
        Whether a value states that the machine runs; others are then left out.
    budget : float
        False events a year.
    """

    def __init__(
        self, specs: Mapping[str, FeatureSpec], *, run_stated: bool, budget: float
    ) -> None:
        self._specs = dict(specs)
        self._points = tuple(specs)
        self._d = len(self._points)
        self._column = {point: column for column, point in enumerate(self._points)}
        self._log = [spec.features[0].scale == "log" for spec in specs.values()]
        self._run_stated = run_stated
        seasonal = [float(spec.names[0] == TEMPERATURE) for spec in specs.values()]
        self._least = np.array(
            [LEAST_LOG if log else max(0.6 * spec.resolution, LEAST_C * warm, 1e-12)
             for log, spec, warm in zip(self._log, specs.values(), seasonal, strict=True)]
        )  # fmt: skip
        self._patience_ns = round(SILENT * max(1 / spec.fs_hz for spec in specs.values()) * 1e9)
        drives = np.array([spec.names[0] in DRIVES for spec in specs.values()])
        jump = np.where(self._log, np.log(JUMP_RATIO), JUMP_C * np.array(seasonal))
        self.monitor = ValueMonitor(self._least, drives, np.array(seasonal), jump, budget)
        self._floor = self._least.copy()
        """Least spread without rounding."""
        self._smallest = np.full(len(specs), np.inf)
        self._rounds = np.array([spec.resolution == 0.0 for spec in specs.values()])
        self._before = np.full(len(specs), np.nan)
        self._sized: list[NDArray[np.float64]] | None = []
        self._recent = deque[tuple[int, NDArray[np.float64]]](maxlen=RECENT)
        """Times and rows; after a restart they begin again."""
        self._begin_row()

    def _begin_row(self) -> None:
        # Lists: their items are faster than those of an array.
        self._sum, self._count = [0.0] * self._d, [0] * self._d
        self._waits_for = self._d
        self._from_ns: int | None = None

    # ------------------------------------------------------------------ rows

    def add(self, observations: Sequence[Observation]) -> None:
        """Add values without sensor fault; a row is followed when each point has one."""
        for one in observations:
            if one.point not in self._column or not self._takes(one):
                continue
            column = self._column[one.point]
            value = self._followed(column, float(one.features[0]))
            if value is None:
                continue
            late = self._from_ns is not None and one.t_ns - self._from_ns > self._patience_ns
            if late and self._waits_for < self._d:
                self._end_row(one.t_ns)
            self._from_ns = one.t_ns if self._from_ns is None else self._from_ns
            self._waits_for -= not self._count[column]
            self._sum[column] += value
            self._count[column] += 1
            if not self._waits_for:
                self._end_row(one.t_ns)

    def _followed(self, column: int, value: float) -> float | None:
        """Return a value as it is followed, None for a level of 0: no measurement."""
        if not self._log[column]:
            return value
        return float(np.log(max(value, SMALLEST))) if value > 0.0 else None

    def _takes(self, one: Observation) -> bool:
        return not self._run_stated or (one.state is not None and RUNNING in one.state.tags)

    def _end_row(self, t_ns: int) -> None:
        row = np.array(
            [s / n if n else np.nan for s, n in zip(self._sum, self._count, strict=True)]
        )
        whole = not self._waits_for
        self._begin_row()
        if self._sized is not None:
            self._sized.append(row)
            if len(self._sized) == SIZED:
                self._size(np.array(self._sized))
                self._sized = None
        change = np.abs(row - self._before)
        self._before = row if whole else np.where(np.isnan(row), self._before, row)
        smaller = (change < self._smallest) & (change > 0) & self._rounds
        if smaller.any():
            self._smallest[smaller] = change[smaller]
            self._least[:] = np.maximum(
                self._floor, np.where(np.isfinite(self._smallest), STEP * self._smallest, 0.0)
            )
        self._recent.append((t_ns, row))
        self.monitor.push(t_ns / 1e9, row)

    def _size(self, rows: NDArray[np.float64]) -> None:
        """Take the size of the values from the first rows."""
        for column, log in enumerate(self._log):
            own = rows[np.isfinite(rows[:, column]), column]
            if not log and len(own):
                size = LEAST_SHARE * abs(float(np.median(own)))
                self._floor[column] = max(self._floor[column], size)
        self._least[:] = np.maximum(self._least, self._floor)

    def begin_run(self) -> None:
        """Begin another run."""
        self._begin_row()
        self.monitor.begin_run()

    def decides(self) -> None:
        """End the healthy period: decide from now on."""
        self.monitor.learns = False

    def reset(self) -> None:
        """Discard evidence and open departure."""
        self._begin_row()
        self.monitor.reset()

    # ------------------------------------------------------------------ what it knows

    def days_missing(self) -> float:
        """Return the days until the baseline is complete, at the machine's own pace."""
        known, needed = self._days()
        return max(0.0, needed - known)

    def _days(self) -> tuple[float, float]:
        monitor = self.monitor
        known = monitor.days
        if monitor.complete:
            return known, known
        stretches = max(len(monitor.stretches), 0.5)
        campaigns = min(READY_CAMPAIGNS / max(monitor.campaigns, 1), READY_DAYS / stretches)
        pace = max(READY_STRETCHES / stretches, campaigns)
        return known, max(READY_DAYS, known * pace)

    def lacks(self) -> tuple[Said, ...]:
        """Return what the baseline still waits for, and how long that takes."""
        if self.monitor.complete:
            return ()
        known, needed = self._days()
        days, stretches, campaigns = self.monitor.missing()
        values: dict[str, SaidValue] = {
            "known_days": int(known), "days": ceil(needed), "more_days": ceil(days) or None,
            "more_stretches": stretches or None, "more_campaigns": campaigns or None,
        }  # fmt: skip
        return (Said("provisional", values),)

    def moved(self) -> tuple[Said, ...]:
        """Return how far the reference of each value has moved since commissioning, if it has."""
        first = self.monitor.first
        if first is None:
            return ()
        level = self.monitor.level
        return tuple(
            Said(
                "reference_moved",
                {
                    "point": point,
                    "first": float(f"{self._shown(column, first[column]):.3g}"),
                    "now": float(f"{self._shown(column, level[column]):.3g}"),
                    "unit": "" if (unit := self._specs[point].features[0].unit) == "1" else unit,
                },
            )
            for column, point in enumerate(self._points)
            if abs(level[column] - first[column]) > MOVED * self._least[column]
        )

    @property
    def fraction(self) -> float:
        """Return how complete the baseline is, 0..1."""
        known, needed = self._days()
        return 1.0 if self.monitor.complete else min(0.99, known / needed)

    def detectable(self) -> tuple[Detectable, ...]:
        """Return the least step and drift of each value that would be found."""
        limits, found = self.monitor.limits(), list[Detectable]()
        steps = np.array([least_steps(limits, days) for days in WITHIN_DAYS])
        drifts = np.array([least_drifts(limits, days) for days in WITHIN_DAYS])
        for column, (point, spec) in enumerate(self._specs.items()):
            feature, log = spec.features[0], self._log[column]
            unit = "×" if log else "" if feature.unit == "1" else feature.unit
            step, drift = _least(steps[:, column], log), _least(drifts[:, column], log)
            found.append(Detectable(point, "step", unit, feature.name, *step))
            found.append(Detectable(point, "drift", unit, feature.name, *drift))
        return tuple(found)

    def compare(self, rows: int, since_ns: int) -> tuple[int, Compared | None]:
        """Compare the medians of the last ``rows`` with the present reference.

        Returns
        -------
        int
            Rows after ``since_ns`` (UTC), ``rows`` at most.
        Compared or None
            By `ValueMonitor.compare`; None while there are fewer.
        """
        recent = [row for t_ns, row in self._recent if t_ns > since_ns][-rows:]
        if len(recent) < rows:
            return len(recent), None
        return rows, self.monitor.compare(nanmedian(np.array(recent)), since_ns / 1e9)

    # ------------------------------------------------------------------ evidence of the rows

    def of(self, rows: Mapping[str, int]) -> RowEvidence:
        """Return the evidence of a model's rows; the machine's own row, the last, has none."""
        share = np.zeros((2, len(rows) + 1))
        monitor, departed = self.monitor, self.departed
        for point, row in rows.items():
            if (column := self._column.get(point)) is None:
                continue
            share[0, row] = min(float(monitor.evidence[column]), 0.99)
            if point in departed:
                share[0, row] = 1.0
                share[1, row] = float(departed[point])
        return RowEvidence(share)

    @property
    def departed(self) -> Mapping[str, bool]:
        """Return the points that depart, and whether each is an alarm."""
        departed: dict[str, bool] = {}
        for one in self._open():
            for channel in [one.channel, *one.held]:
                point = self._points[channel % len(self._points)]
                departed[point] = one.alarm or departed.get(point, False)
        return departed

    def _open(self) -> list[OpenDeparture]:
        monitor = self.monitor
        return [one for one in (monitor.open, monitor.lasting, monitor.became) if one is not None]

    @property
    def first(self) -> str | None:
        """Return the point that was farthest beyond its limit when the departure began."""
        return next((self._points[one.channel % self._d] for one in self._open()), None)

    def reasons(self, point: str, condition: Condition) -> tuple[Reason, ...]:
        """Return why a point departs, with what was expected and what is measured."""
        found = []
        for one in self._open():
            channels = [c for c in (one.channel, *one.held) if self._points[c % self._d] == point]
            if channels:
                found.append(self._reason(one, channels[0], condition))
        return tuple(found)

    def _reason(self, one: OpenDeparture, channel: int, condition: Condition) -> Reason:
        column = channel % self._d
        point = self._points[column]
        weights = one.held[channel][0] if channel in one.held else np.eye(self._d)[column]
        others = np.where(np.arange(self._d) == column, 0.0, -weights)
        change = others @ (one.now - one.reference)
        expected = self._shown(column, one.reference[column] + change)
        measured = self._shown(column, one.now[column])
        sigma = abs(one.held[channel][3]) if channel in one.held else 1.0
        moved = one.now[column] - one.reference[column] - change
        feature = self._specs[point].features[0]
        title = feature_words(self._specs[point], feature.name)
        contribution = Contribution(
            feature=feature.name, value=measured, baseline=expected, unit=feature.unit,
            sigma=float(moved / max(sigma, 1e-12)), share=1.0, title=title,
            change_db=float(moved * DB_PER_NEPER) if self._log[column] else None,
        )  # fmt: skip
        values: dict[str, SaidValue] = {
            "expected": float(f"{expected:.3g}"),
            "measured": float(f"{measured:.3g}"),
            "feature": feature.name,
            "title": title,
        }
        return Reason(
            ReasonKind.LEARNED, condition, self._said(one, channel, others, values), point=point,
            value=measured, unit="" if feature.unit == "1" else feature.unit,
            contributions=(contribution,),
        )  # fmt: skip

    def _said(
        self, one: OpenDeparture, channel: int, others: NDArray[np.float64],
        values: dict[str, SaidValue],
    ) -> Said:  # fmt: skip
        if one is self.monitor.became:
            return Said(BECAME_NORMAL, values | {"count": len(one.stretches)})
        if one is self.monitor.lasting:
            return Said(LASTS, values | {"at_ms": round(one.since_s * 1000)})
        if self.monitor.lasting is not None:
            return Said(FURTHER, values | {"at_ms": round(one.since_s * 1000)})
        if others.any():
            by = np.argsort(-np.abs(others * self._least))[:MOST_NAMED]
            named = tuple(self._points[k] for k in by.tolist() if others[k])
            return Said("relation_departs", values | {"others": named})
        if one.kind == "level":
            code = "level_drifts" if self._gradual(one, channel) else "level_moved"
            return Said(code, values | {"count": one.scale})
        return Said("departs")

    def _gradual(self, one: OpenDeparture, column: int) -> bool:
        """Return whether a line fits the level's way better than one step."""
        before = self.monitor.stretches.levels[-2 * one.scale :, column]
        after = np.array([level[column] for level in one.stretches])
        if len(after) < 8:
            return False
        y = np.concatenate([before, after])
        x = np.arange(len(y)) - (len(y) - 1) / 2
        line = y - y.mean() - x * (x @ (y - y.mean())) / (x @ x)
        steps = [
            np.square(y[:k] - y[:k].mean()).sum() + np.square(y[k:] - y[k:].mean()).sum()
            for k in range(3, len(y) - 2)
        ]
        return bool(np.square(line).sum() < min(steps))

    def _shown(self, column: int, value: float) -> float:
        return exp(value) if self._log[column] else float(value)

    # ------------------------------------------------------------------ resuming

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Convert to JSON and arrays."""
        meta, arrays = self.monitor.to_arrays()
        meta |= {"points": self._points, "from_ns": self._from_ns, "sized": self._sized is None}
        arrays["row"] = np.array([self._sum, self._count])
        arrays["sizes"] = np.array([self._least, self._floor, self._smallest, self._before])
        arrays["first"] = np.array(self._sized or [], np.float64).reshape(-1, len(self._points))
        return meta, arrays

    def restore(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bool:
        """Resume from `to_arrays`; return False if it is of other points."""
        if tuple(meta["points"]) != self._points:
            return False
        self.monitor.restore(meta, arrays)
        self._least[:] = arrays["sizes"][0]
        self._floor, self._smallest, self._before = arrays["sizes"][1:].copy()
        self._sum, counts = arrays["row"].tolist()
        self._count = [int(count) for count in counts]
        self._waits_for = self._count.count(0)
        self._from_ns = meta["from_ns"]
        self._sized = None if meta["sized"] else list(arrays["first"])
        return True


def _least(
    sizes: NDArray[np.float64], log: bool
) -> tuple[float | None, float | None, float | None]:
    """Return sizes within a day, a week and a month as they are shown."""
    shown = np.exp(sizes) if log else sizes
    day, week, month = (float(f"{one:.3g}") if one < np.inf else None for one in shown.tolist())
    return day, week, month


class RowEvidence:
    """Evidence of a model's rows at one moment, as `EvidenceCharts` gives it."""

    def __init__(self, share: NDArray[np.float64]) -> None:
        self.share = share
        self.open = bool((share >= 1.0).any())

    def condition(self) -> NDArray[np.intp]:
        """Return the code of each row: `NORMAL`, `WARNING` or `ALARM`."""
        return np.where(
            self.share[1] >= 1.0, ALARM, np.where(self.share[0] >= 1.0, WARNING, NORMAL)
        )
