"""Limits, which need no baseline: each compares one feature of one point with two levels.

ISO zones (`iso20816`) and the limits that people set both have this form. The median of a few
windows is compared, so that a single spike has no effect. `alarm_rule` says when a condition ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from statistics import median
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.alarm_rule import RULE
from auscult.models.decision.feature_names import band_values, feature_words
from auscult.models.decision.limited_values import LimitedValue, LimitError, limited_value

__all__ = ["Limit", "LimitChecks", "LimitError", "values_compared"]


@dataclass(frozen=True, slots=True)
class Limit:
    """Two levels of one feature or own band, in its unit; None = level not in use.

    ``title`` begins the reason's text, for example ``velocity, group 2 rigid``.
    """

    feature: str
    warning: float | None
    alarm: float | None
    direction: Literal["above", "below"] = "above"
    kind: ReasonKind = ReasonKind.FIXED_LIMIT
    title: str = ""
    standard: str = ""
    """Standard and group of the limit; empty for a limit that people set."""

    @property
    def key(self) -> str:
        """Return the name of the limit in a stored state."""
        return f"{self.kind} {self.feature} {self.direction} {self.warning} {self.alarm}"

    @property
    def compared(self) -> tuple[ReasonKind, str, str]:
        """Return what is compared, whatever the levels."""
        return self.kind, self.feature, self.direction


class LimitChecks:
    """Checks the limits of all points of a machine.

    Parameters
    ----------
    limits : mapping of point to limits
    specs : mapping of point to FeatureSpec
    windows : int
        The median of this number of windows is compared; of overall values see
        `values_compared`.

    Raises
    ------
    LimitError
        If a limit names a feature or an own band that the point does not have.

    Examples
    --------
    >>> spec = FeatureSpec.vibration(1000, 1000, "g")
    >>> checks = LimitChecks({"de": [Limit("rms", 1.0, 2.0)]}, {"de": spec}, windows=1)
    >>> values = np.ones(len(spec), np.float32) * 1.5
    >>> checks.update("de", values)
    >>> [reason.condition.value for reason in checks.reasons("de")]
    ['warning']
    """

    def __init__(
        self,
        limits: Mapping[str, Sequence[Limit]],
        specs: Mapping[str, FeatureSpec],
        windows: int,
    ) -> None:
        self._checks: dict[str, list[_LimitCheck]] = {}
        self._exceeded: set[str] = set()
        for point, own in limits.items():
            spec = specs[point]
            for limit in own:
                read = limited_value(spec, point, limit.feature)
                count = values_compared(spec.interval_s) if spec.kind == "value" else windows
                check = _LimitCheck(limit, point, spec, read, count)
                self._checks.setdefault(point, []).append(check)

    @property
    def points(self) -> Collection[str]:
        """Return the points that have limits."""
        return self._checks.keys()

    def update(self, point: str, values: NDArray[np.float32]) -> None:
        """Check the features [shape=(d,)] of a window of a point."""
        checks = self._checks.get(point)
        if checks is None:
            return
        beyond = [check.update(check.read.compute(values)) for check in checks]
        if not any(beyond):
            return
        for check in checks:
            check.compare()
        self._note(point, checks)

    def limits_of(self, point: str) -> tuple[Limit, ...]:
        """Return the limits of a point."""
        return tuple(check.limit for check in self._checks.get(point, ()))

    def any(self) -> bool:
        """Return whether a limit of any point is exceeded now."""
        return bool(self._exceeded)

    def reasons(self, point: str) -> tuple[Reason, ...]:
        """Return the reasons for the limits of a point that are exceeded now."""
        if point not in self._exceeded:
            return ()
        return tuple(w.reason() for w in self._checks[point] if w.alarm or w.warning)

    def snapshot(self) -> dict[str, dict[str, list[Any]]]:
        """Copy the newest values and conditions of each limit of each point, to store them."""
        return {
            point: {check.limit.key: check.snapshot() for check in checks}
            for point, checks in self._checks.items()
        }

    def restore(self, stored: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """Resume from `snapshot`; limits that were not there then start without values."""
        for point, checks in self._checks.items():
            known = stored.get(point, {})
            for check in checks:
                check.restore(*known.get(check.limit.key, ((), False, False)))
            self._note(point, checks)

    def resume(self, older: LimitChecks) -> None:
        """Compare the newest values of `older` with these limits; new ones start without values."""
        for point, checks in self._checks.items():
            known = {one.limit.compared: one for one in older._checks.get(point, ())}
            for check in checks:
                if (before := known.get(check.limit.compared)) is not None:
                    check.restore(*before.snapshot())
                    check.compare()
            self._note(point, checks)

    def _note(self, point: str, checks: Sequence[_LimitCheck]) -> None:
        if any(check.alarm or check.warning for check in checks):
            self._exceeded.add(point)
        else:
            self._exceeded.discard(point)


def values_compared(interval_s: float) -> int:
    """Overall values whose median is compared: a limit acts within a few minutes, or at once.

    >>> values_compared(1.0), values_compared(60.0), values_compared(3600.0)
    (5, 3, 1)
    """
    return 5 if interval_s < 10 else 3 if interval_s <= 600 else 1


class _LimitCheck:
    """A limit of a point, with its newest values; for limits below, both change their sign."""

    __slots__ = (
        "_levels", "_lowest", "_recent", "_sign", "_spec", "_value", "alarm", "limit", "point",
        "read", "warning",
    )  # fmt: skip

    def __init__(
        self, limit: Limit, point: str, spec: FeatureSpec, read: LimitedValue, windows: int
    ) -> None:
        self.limit, self.point, self.read, self._spec = limit, point, read, spec
        self._sign = 1.0 if limit.direction == "above" else -1.0
        self._levels = [
            inf if level is None else self._sign * level for level in (limit.warning, limit.alarm)
        ]
        self._lowest = min(self._levels)
        self._recent: deque[float] = deque(maxlen=windows)
        self._value = nan
        self.warning = self.alarm = False

    def update(self, value: float) -> bool:
        """Add a value; True if it is beyond a level, or a condition is on."""
        new = value * self._sign
        self._recent.append(new)
        return self.warning or self.alarm or new >= self._lowest

    def compare(self) -> None:
        """Compare the median of the newest values with the levels."""
        if len(self._recent) < (self._recent.maxlen or 0):
            return
        self._value = median(self._recent)
        self.warning, self.alarm = (
            RULE.on_by_value(on, self._value, level)
            for level, on in zip(self._levels, (self.warning, self.alarm), strict=True)
        )

    def snapshot(self) -> list[Any]:
        """Copy the newest values and the conditions, to store them."""
        return [list(self._recent), self.warning, self.alarm]

    def restore(self, recent: Sequence[float], warning: bool, alarm: bool) -> None:
        """Resume from `snapshot`."""
        self._recent = deque(recent, self._recent.maxlen)
        self._value = median(recent) if recent else nan
        self.warning, self.alarm = warning, alarm

    def reason(self) -> Reason:
        """Return the reason for the level that is exceeded."""
        limit, value = self.limit, self._value * self._sign
        level = limit.alarm if self.alarm else limit.warning
        return Reason(
            kind=limit.kind,
            condition=Condition.ALARM if self.alarm else Condition.WARNING,
            point=self.point,
            value=value,
            limit=level,
            unit=self.read.unit,
            said=Said(
                "limit",
                {
                    "feature": limit.feature,
                    "level": "alarm" if self.alarm else "warning",
                    "direction": limit.direction,
                    "standard": limit.standard,
                    "title": limit.title or feature_words(self._spec, limit.feature),
                    **band_values(self._spec, limit.feature),
                },
            ),
        )
