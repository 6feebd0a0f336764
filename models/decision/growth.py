"""How the level of a named fault changed since its event began: grew, fell, or no growth seen.

Levels at one operating state only are compared, because speed and load change them more than a
fault does in days.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import SAME_STATE_LOAD, SAME_STATE_SPEED, OperatingState
from auscult.contract.said import Said
from auscult.contract.times import DAY_NS
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.diagnosis import Diagnosis
from auscult.models.decision.forecasts import SCALES, ForecastHistory
from auscult.models.decision.trend import MIN_BLOCKS, slope_of

LEVEL_OF: Final[Mapping[str, str]] = {
    "outer": "bpfo_level",
    "inner": "bpfi_level",
    "ball": "bsf_level",
    "cage": "ftf_level",
    "imbalance": "order_1x",
    "bent": "order_1x",
    "misalignment": "order_2x",
    "gear": "gear_mesh_level",
}
"""Feature whose level a fault raises; all others raise the overall level."""
OVERALL: Final = ("rms", "value")
FOLLOWED: Final = tuple(dict.fromkeys((*LEVEL_OF.values(), *OVERALL)))
LEAST_FACTOR: Final = 10 ** (2 / 20)
"""A smaller change is no growth: healthy machines repeat within 2 dB on the rigs at hand."""
GAP_NS: Final = 30 * DAY_NS
"""After such a pause without an event, another story begins."""
GROWING: Final = "growing"
"""Last part of the prescription of a fault that grows."""
GROWTH_CODES: Final = frozenset({"level_grew", "level_fell", "no_growth"})
_UNITS: Final = ((2 * 86_400, 86_400, "days"), (2 * 3600, 3600, "hours"), (0, 60, "minutes"))


@dataclass(frozen=True, slots=True)
class Growth:
    """Change of a level: the factor over ``span_s``, with its interval (90 %)."""

    factor: float
    low: float
    high: float
    span_s: float
    significant: bool

    @property
    def grows(self) -> bool:
        """Return whether the level rose significantly, and by more than it repeats."""
        return self.significant and self.factor >= LEAST_FACTOR and self.low > 1

    @property
    def falls(self) -> bool:
        """Return whether it fell so."""
        return self.significant and self.factor <= 1 / LEAST_FACTOR and self.high < 1


def growth_of(t_ns: NDArray[np.int64], levels: NDArray[np.float64]) -> Growth | None:
    """Fit the growth of a level.

    Parameters
    ----------
    t_ns : np.ndarray [shape=(n,)]
        Ascending.
    levels : np.ndarray [shape=(n,)]
        > 0; others are left out.

    Returns
    -------
    Growth or None
        None for fewer than ten levels.

    Examples
    --------
    >>> day = 86_400 * 10**9
    >>> found = growth_of(np.arange(10) * day, 2.0 ** (np.arange(10) / 9))
    >>> found.grows, round(found.factor, 2), round(found.span_s / 86_400)
    (True, 2.0, 9)
    """
    positive = levels > 0
    t_s = (t_ns[positive] - t_ns[0]) * 1e-9
    slope = slope_of(t_s, np.log(levels[positive]))
    if slope is None:
        return None
    span_s = float(t_s[-1] - t_s[0])
    low, factor, high = (
        float(np.exp(min(per_s * span_s, 50.0))) for per_s in (slope.low, slope.per_s, slope.high)
    )
    return Growth(factor, low, high, span_s, slope.significant)


class FaultGrowth:
    """Levels by which faults show, at all points of a machine, while an event is open."""

    def __init__(self, specs: Mapping[str, FeatureSpec]) -> None:
        self._specs = dict(specs)
        self._history: dict[tuple[str, str], ForecastHistory] = {}
        self._found: dict[tuple[str, str], tuple[int, Growth | None]] = {}
        self._state: OperatingState | None = None
        self._last_ns = 0

    def clear(self) -> None:
        """Discard all levels, for example after a repair."""
        self._history.clear()
        self._found.clear()
        self._state, self._last_ns = None, 0

    def add(
        self, point: str, t_ns: int, values: NDArray[np.float32], state: OperatingState | None
    ) -> None:
        """Add a point's mean features [shape=(d,)] over an interval."""
        if self._history and t_ns - self._last_ns > GAP_NS:
            self.clear()
        if not self._history:
            self._state = state
        if not _alike(self._state, state):
            return
        self._last_ns = max(self._last_ns, t_ns)
        index = self._specs[point].index
        for name in FOLLOWED:
            if name in index and np.isfinite(values[index[name]]):
                history = self._history.setdefault((point, name), ForecastHistory())
                history.add(t_ns, float(values[index[name]]))

    def growth(self, fault: str, point: str) -> Growth | None:
        """Growth of a fault at a point since the event began; None where it is not known."""
        for name in (LEVEL_OF.get(fault, ""), *OVERALL):
            history = self._history.get((point, name))
            if history is None:
                continue
            taken = int(history.taken[0])
            if self._found.get((point, name), (0, None))[0] != taken:
                self._found[point, name] = taken, _longest(history)
            return self._found[point, name][1]
        return None

    def with_growth(self, named: Diagnosis) -> Diagnosis:
        """Add to a named fault how its level changed, and to its prescription if it grows."""
        if named.prescription is None or named.point is None:
            return named
        growth = self.growth(named.fault, named.point)
        if growth is None:
            return named
        key = named.prescription
        return replace(
            named,
            matched=(*named.matched, _said(growth)),
            prescription=f"{key}.{GROWING}" if growth.grows else key,
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Convert to named arrays."""
        arrays: dict[str, NDArray[Any]] = {
            f"{point}/{name}/{part}": array
            for (point, name), history in self._history.items()
            for part, array in (("t_ns", history.t_ns), ("y", history.y), ("taken", history.taken))
        }
        if arrays:
            state = self._state or OperatingState()
            numbers = [np.nan if v is None else v for v in (state.speed_rpm, state.load)]
            arrays["state"] = np.array(numbers, np.float64)
            arrays["last_ns"] = np.array([self._last_ns], np.int64)
            arrays["tags"] = np.array([json.dumps(dict(state.tags), sort_keys=True)])
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`, for points and features that still exist."""
        self.clear()
        if "state" not in arrays:
            return
        speed_rpm, load = (None if np.isnan(v) else float(v) for v in arrays["state"])
        self._state = OperatingState(speed_rpm, load, json.loads(str(arrays["tags"][0])))
        self._last_ns = int(arrays["last_ns"][0])
        for key in arrays:
            point, _, name = key.removesuffix("/y").rpartition("/")
            if key.endswith("/y") and point in self._specs and name in self._specs[point].index:
                t_ns, y, taken = (arrays[f"{point}/{name}/{p}"] for p in ("t_ns", "y", "taken"))
                self._history[point, name] = ForecastHistory(t_ns.copy(), y.copy(), taken.copy())


def _alike(a: OperatingState | None, b: OperatingState | None) -> bool:
    if a is None or b is None:
        return a is b

    def near(x: float | None, y: float | None, share: float) -> bool:
        if x is None or y is None:
            return x is y
        return abs(x - y) <= share * max(abs(x), abs(y))

    return (
        near(a.speed_rpm, b.speed_rpm, SAME_STATE_SPEED)
        and near(a.load, b.load, SAME_STATE_LOAD)
        and dict(a.tags) == dict(b.tags)
    )


def _longest(history: ForecastHistory) -> Growth | None:
    """Return the growth over the longest time scale that holds enough levels."""
    for scale in reversed(range(SCALES)):
        t_ns, levels = history.held(scale)
        if len(levels) >= MIN_BLOCKS:
            return growth_of(t_ns, levels)
    return None


def _said(growth: Growth) -> Said:
    length, unit = next((long, name) for least, long, name in _UNITS if growth.span_s >= least)
    span: dict[str, float | str] = {
        "span": float(f"{growth.span_s / length:.2g}"),
        "span_unit": unit,
    }
    if not growth.grows and not growth.falls:
        return Said("no_growth", span)
    low, factor, high = (float(f"{v:.2g}") for v in (growth.low, growth.factor, growth.high))
    values = {**span, "factor": factor, "low": low, "high": high}
    return Said("level_grew", values) if growth.grows else Said("level_fell", values)
