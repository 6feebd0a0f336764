"""Limits that judge from the first minute: each compares one feature of one point with two levels.

ISO zones (`models.iso20816`) and the limits that people set are both of this form. The median of a
few windows is compared, so that no single spike speaks, and a limit is left at 95 % of its level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dsp.spec import FeatureSpec
from models.records import Condition, Reason, ReasonKind

DEAD_BAND = 0.05
"""Share of the level by which a value must come back before the limit is left (ISA-18.2)."""


class LimitError(ValueError):
    """A limit that can't be judged: the message names point, feature and remedy."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Two levels of one feature, in the feature's unit; None = that level is not used.

    ``title`` starts the reason's text, for example ``velocity, group 2 rigid``.
    """

    feature: str
    warning: float | None
    alarm: float | None
    direction: Literal["above", "below"] = "above"
    kind: ReasonKind = ReasonKind.FIXED_LIMIT
    title: str = ""


class LimitBoard:
    """Judges the limits of all points of a machine together.

    Parameters
    ----------
    limits : mapping of point to limits
    specs : mapping of point to FeatureSpec
    windows : int
        The median of so many windows is judged.

    Raises
    ------
    LimitError
        If a limit names a feature that the point does not have.

    Examples
    --------
    >>> spec = FeatureSpec.vibration(1000, 1000, "g")
    >>> board = LimitBoard({"de": [Limit("rms", 1.0, 2.0)]}, {"de": spec}, windows=1)
    >>> values = np.ones(len(spec), np.float32) * 1.5
    >>> board.take("de", values)
    >>> [reason.condition.value for reason in board.reasons("de")]
    ['warning']
    """

    def __init__(
        self,
        limits: Mapping[str, Sequence[Limit]],
        specs: Mapping[str, FeatureSpec],
        windows: int,
    ) -> None:
        self._rows: dict[str, slice] = {}
        self._limits: list[Limit] = []
        self._points: list[str] = []
        self._units: list[str] = []
        columns: list[int] = []
        for point, own in limits.items():
            start = len(self._limits)
            for limit in own:
                if limit.feature not in specs[point].index:
                    raise LimitError(
                        f"limit of point {point!r}: it has no feature {limit.feature!r}; "
                        f"see docs/features.md"
                    )
                column = specs[point].index[limit.feature]
                columns.append(column)
                self._units.append(specs[point].features[column].unit)
                self._limits.append(limit)
                self._points.append(point)
            if own:
                self._rows[point] = slice(start, len(self._limits))
        self._columns = np.array(columns, np.intp)
        sign = [1.0 if limit.direction == "above" else -1.0 for limit in self._limits]
        self._sign = np.array(sign)
        self._level = np.array([
            [np.inf if level is None else s * level for level in (limit.warning, limit.alarm)]
            for s, limit in zip(sign, self._limits, strict=True)
        ]).reshape(-1, 2)  # fmt: skip
        self._recent = np.full((len(self._limits), windows), np.nan)
        self._taken = np.zeros(len(self._limits), np.intp)
        self._value = np.full(len(self._limits), np.nan)
        self._on = np.zeros((len(self._limits), 2), bool)

    def take(self, point: str, values: NDArray[np.float32]) -> None:
        """Take one window's features [shape=(d,)] of a point."""
        rows = self._rows.get(point)
        if rows is None:
            return
        new = values[self._columns[rows]] * self._sign[rows]
        place = self._taken[rows.start] % self._recent.shape[1]
        self._recent[rows, place] = new
        self._taken[rows] += 1
        if not self._on[rows].any() and not (new[:, None] >= self._level[rows]).any():
            self._value[rows] = new
            return
        if self._taken[rows.start] < self._recent.shape[1]:
            return
        value = np.median(self._recent[rows], axis=1)
        level = self._level[rows]
        used = np.isfinite(level)
        leave = np.where(used, level - DEAD_BAND * np.abs(np.where(used, level, 0.0)), np.inf)
        above = value[:, None] >= self._level[rows]
        self._on[rows] = above | (self._on[rows] & (value[:, None] >= leave))
        self._value[rows] = value

    def of(self, point: str) -> tuple[Limit, ...]:
        """Limits of a point."""
        rows = self._rows.get(point)
        return tuple(self._limits[rows]) if rows is not None else ()

    def any(self) -> bool:
        """Whether any limit is exceeded now."""
        return bool(self._on.any())

    def reasons(self, point: str) -> tuple[Reason, ...]:
        """Limits of a point that are exceeded now."""
        rows = self._rows.get(point)
        if rows is None or not self._on[rows].any():
            return ()
        return tuple(
            self._reason(row) for row in range(rows.start, rows.stop) if self._on[row].any()
        )

    def _reason(self, row: int) -> Reason:
        limit, value = self._limits[row], float(self._value[row] * self._sign[row])
        alarm = bool(self._on[row, 1])
        level = limit.alarm if alarm else limit.warning
        what = limit.title or limit.feature
        return Reason(
            kind=limit.kind,
            condition=Condition.ALARM if alarm else Condition.WARNING,
            text=f"{what}: {value:.3g} {self._units[row]} is {limit.direction} the "
            f"{'alarm' if alarm else 'warning'} limit of {level:.3g} {self._units[row]}",
            point=self._points[row],
            value=value,
            limit=level,
            unit=self._units[row],
        )
