"""The healthy period: collects windows until there are enough, and reports what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import compress
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Coverage, OperatingState
from auscult.contract.said import Said
from auscult.contract.times import DAY_S
from auscult.dsp.scales import MAD_TO_SIGMA
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.knots import KnotShifts, states_of
from auscult.models.baseline.scaling import StateScaling
from auscult.models.baseline.states import (
    StateMap,
    state_from_json,
    state_name,
    state_to_json,
    state_values,
)
from auscult.models.network.input_slots import Known, Slots, under_todays_names
from auscult.models.records import RUNNING
from auscult.models.settings import DetectorSettings

Float32 = NDArray[np.float32]

LONGEST_PAUSE_S = 40 * DAY_S
"""A longer time between two windows of a point is a clock that was set: a computer without a clock
of its own begins months ago. A machine that runs once a month has shorter ones."""
STATE_WAITS = 0.25
"""Share of the windows needed without an operating state, after which it is not waited for."""
VALUES_ALONE_DAYS = 0.25
"""A machine of overall values alone needs values of so long, or `DetectorSettings.value_windows`:
what is decided on (`models.values`) widens its own limits while it knows little."""
SETTLED_EVERY = 10
"""Windows between checks whether the features have settled."""


@dataclass(frozen=True, slots=True)
class PointWindows:
    """Baseline windows of one point in order of time.

    ``features`` [shape=(n, d), dtype=float32], ``t_ns`` [shape=(n,)], ``states`` n entries; one of
    ``stride`` windows was kept.
    """

    features: Float32
    t_ns: NDArray[np.int64]
    states: tuple[OperatingState | None, ...]
    stride: int = 1

    def where(self, rows: NDArray[np.bool_]) -> PointWindows:
        """Select these windows."""
        states = tuple(compress(self.states, rows.tolist()))
        return replace(self, features=self.features[rows], t_ns=self.t_ns[rows], states=states)


def measured(specs: Mapping[str, FeatureSpec], windows: Mapping[str, Float32]) -> Known:
    """Return the model features that all windows of these points have.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
    windows : mapping of point to np.ndarray [shape=(n, d)]
        NaN where a window is of a release that did not have the feature yet.
    """
    known: dict[str, int] = {}
    for point, features in windows.items():
        spec = specs[point]
        whole = np.atleast_1d(np.isfinite(features).all(axis=0))
        own = [f for f, complete in zip(spec.features, whole, strict=True) if f.model and complete]
        known |= {f.name: f.version for f in own}
    return known


def slots_of(spec: FeatureSpec, features: Float32) -> Slots:
    """Return a slot for each model feature that all windows [shape=(n, d)] of a point have."""
    known = measured({"": spec}, {"": features})
    return Slots.assign({"": spec}, len(known), known)


def _in_columns(
    spec: FeatureSpec, stored: Sequence[tuple[str, int]] | None, windows: Float32
) -> Float32:
    """Bring stored windows [shape=(n, stored)] to the columns of this release; NaN is unknown."""
    if stored is None:  # of version 0.3 or earlier
        stored = [(f.name, 1) for f in spec.features if not f.added]
    known = under_todays_names(dict(stored))
    if list(known.items()) == list(spec.versions.items()):
        return windows
    brought = np.full((len(windows), len(spec)), np.nan, np.float32)
    for column, (name, version) in enumerate(known.items()):
        if spec.versions.get(name) == version:
            brought[:, spec.index[name]] = windows[:, column]
    return brought


def all_values(specs: Mapping[str, FeatureSpec]) -> bool:
    """Return whether all points deliver overall values."""
    return all(spec.kind == "value" for spec in specs.values())


def windows_needed(spec: FeatureSpec, settings: DetectorSettings, *, alone: bool = False) -> int:
    """Return the windows, or overall values, of a point that a baseline needs.

    ``alone``: of a machine without waveforms.

    >>> [[windows_needed(FeatureSpec.value("current", "A", s), DetectorSettings(), alone=alone)
    ...   for s in (1, 60, 900, 3600, 86_400)] for alone in (False, True)]
    [[200, 200, 200, 72, 20], [200, 200, 24, 20, 20]]
    """
    if spec.kind != "value":
        return settings.baseline_windows
    days = VALUES_ALONE_DAYS if alone else settings.value_days
    in_days = round(days * DAY_S / spec.interval_s)
    return max(settings.value_windows, min(settings.baseline_windows, in_days))


def learned_points(specs: Mapping[str, FeatureSpec]) -> dict[str, FeatureSpec]:
    """Return the points with a baseline: all but run bits, unless there is nothing else."""
    return {point: spec for point, spec in specs.items() if not spec.is_run_bit} or dict(specs)


@dataclass
class _PointBuffer:
    features: list[Float32] = field(default_factory=list)
    t_ns: list[int] = field(default_factory=list)
    states: list[OperatingState | None] = field(default_factory=list)
    stride: int = 1
    seen: int = 0
    passed_ns: int = 0
    """Time over which windows came, without steps of the clock."""
    last_ns: int | None = None

    def keep(self, rows: Sequence[bool]) -> None:
        """Keep these windows only."""
        self.features = list(compress(self.features, rows))
        self.t_ns = list(compress(self.t_ns, rows))
        self.states = list(compress(self.states, rows))

    def count_time(self, t_ns: int) -> None:
        """Count the time since the window before."""
        since_ns = 0 if self.last_ns is None else t_ns - self.last_ns
        if 0 < since_ns <= LONGEST_PAUSE_S * 1e9:
            self.passed_ns += since_ns
        self.last_ns = t_ns

    def sorted_windows(self) -> PointWindows:
        t_ns = np.array(self.t_ns, np.int64)
        order = np.argsort(t_ns, kind="stable")
        states = tuple(self.states[i] for i in order.tolist())
        return PointWindows(np.stack(self.features)[order], t_ns[order], states, self.stride)


class Baseline:
    """Windows of a healthy period, bounded in memory.

    Run bits have no baseline (`learned_points`). On a machine with one, windows of which it is not
    known whether the machine ran are left out.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
        All points of the machine.
    settings : DetectorSettings
    started_ns : int
        Start of the period, UTC.
    reason : str
        Why it was started.
    because : Said, optional
        Why what was learned before is not used.
    """

    def __init__(
        self,
        specs: Mapping[str, FeatureSpec],
        settings: DetectorSettings,
        started_ns: int = 0,
        reason: str = "commissioning",
        because: Said | None = None,
    ) -> None:
        self.specs = learned_points(specs)
        self._run_stated = any(spec.states_run for spec in specs.values())
        self.settings = settings
        self.started_ns = started_ns
        self.reason = reason
        self.because = because
        self._points = {point: _PointBuffer() for point in self.specs}
        self._values_alone = all_values(specs)
        self._needed = {
            point: windows_needed(spec, settings, alone=self._values_alone)
            for point, spec in self.specs.items()
        }
        self._starts = 0
        self._first_ns: int | None = None
        self._shift: float | None = None
        self._states: dict[str, tuple[StateMap, NDArray[np.intp]]] = {}
        self._looked_at = 0

    def add(self, point: str, t_ns: int, features: Float32, state: OperatingState | None) -> None:
        """Add a window; run bits, and features that are not finite, are left out."""
        if point not in self._points or not self._takes(state):
            return
        buffer = self._points[point]
        buffer.seen += 1
        buffer.count_time(t_ns)
        self._first_ns = t_ns if self._first_ns is None else self._first_ns
        if buffer.seen % buffer.stride or not np.isfinite(features).all():
            return
        buffer.features.append(np.array(features, np.float32))
        buffer.t_ns.append(t_ns)
        buffer.states.append(state)
        if len(buffer.features) > self.settings.baseline_windows_kept:
            for column in (buffer.features, buffer.t_ns, buffer.states):
                del column[::2]
            buffer.stride *= 2

    def _takes(self, state: OperatingState | None) -> bool:
        """Return whether it is known that the machine ran, where a run bit says so."""
        return not self._run_stated or (state is not None and RUNNING in state.tags)

    def discard_between(self, start_ns: int, end_ns: int) -> None:
        """Remove the windows that began after `start_ns` and up to `end_ns`, UTC.

        Later ones are from before a clock was set back.
        """
        for buffer in self._points.values():
            buffer.keep([not start_ns < at <= end_ns for at in buffer.t_ns])

    def discard_below(self, limits: Mapping[str, float]) -> None:
        """Remove the values of these points that lie below their limit, in their unit."""
        for point, limit in limits.items():
            buffer = self._points[point]
            buffer.keep([bool(own[0] >= limit) for own in buffer.features])

    @property
    def seen(self) -> int:
        """Return the number of windows of all points so far."""
        return sum(buffer.seen for buffer in self._points.values())

    def count_start(self) -> None:
        """Count a start of the machine."""
        self._starts += 1

    def windows(self) -> dict[str, PointWindows]:
        """Return the windows of each point that has any, in order of time.

        They arrive in another order if a sensor's clock is set back.
        """
        return {
            point: buffer.sorted_windows()
            for point, buffer in self._points.items()
            if buffer.features
        }

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Convert the windows so far to JSON and arrays."""
        arrays: dict[str, NDArray[Any]] = {}
        given: dict[str, list[Any]] = {}
        for point, buffer in self._points.items():
            if not buffer.features:
                continue
            arrays[f"features/{point}"] = np.stack(buffer.features)
            arrays[f"t_ns/{point}"] = np.array(buffer.t_ns, np.int64)
            distinct = {id(state): state for state in buffer.states}
            place = {key: i for i, key in enumerate(distinct)}
            given[point] = [state_to_json(state) for state in distinct.values()]
            arrays[f"told/{point}"] = np.array([place[id(s)] for s in buffer.states], np.int32)
        meta = {
            "started_ns": self.started_ns,
            "reason": self.reason,
            "because": asdict(self.because) if self.because else None,
            "told": given,
            "seen": {point: [g.seen, g.stride] for point, g in self._points.items()},
            "features": {p: list(self.specs[p].versions.items()) for p in given},
            "period_ns": [self._first_ns, (self._first_ns or 0) + self._passed_ns],
            "starts": self._starts,
        }
        return meta, arrays

    @classmethod
    def from_arrays(
        cls,
        specs: Mapping[str, FeatureSpec],
        settings: DetectorSettings,
        meta: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
    ) -> Baseline:
        """Continue a healthy period from `to_arrays`."""
        because = Said(**given) if (given := meta.get("because")) else None
        baseline = cls(specs, settings, meta["started_ns"], meta["reason"], because)
        baseline._first_ns, end_ns = meta.get("period_ns", (None, 0))
        passed_ns = 0 if baseline._first_ns is None else end_ns - baseline._first_ns
        baseline._starts = meta.get("starts", 0)
        for point, buffer in baseline._points.items():
            buffer.seen, buffer.stride = meta["seen"][point]
            if point not in meta["told"]:
                continue
            known = meta.get("features", {}).get(point)  # in the order of the columns
            buffer.features = list(_in_columns(specs[point], known, arrays[f"features/{point}"]))
            buffer.t_ns = arrays[f"t_ns/{point}"].tolist()
            buffer.passed_ns, buffer.last_ns = passed_ns, buffer.t_ns[-1]
            distinct = [state_from_json(one) for one in meta["told"][point]]
            buffer.states = [distinct[i] for i in arrays[f"told/{point}"]]
            # Older versions took all of them.
            buffer.keep([baseline._takes(state) for state in buffer.states])
        return baseline

    def coverage(self) -> Coverage:
        """Completeness of the baseline: windows, period, operating states, settled statistics."""
        settings = self.settings
        counts = {point: len(buffer.features) for point, buffer in self._points.items()}
        fewest = min(counts, key=lambda point: counts[point] / self._needed[point])
        windows, needed = counts[fewest], self._needed[fewest]
        lacks = self._period_lacks()
        if windows < needed:
            point = fewest if len(counts) > 1 else None
            lacks.append(Said("windows", {"count": needed - windows, "point": point}))
        states, index = self._states_of(fewest)
        names = tuple(state_name(state) for state in states.states)
        if self._values_alone:
            return Coverage(
                phase="collecting",
                fraction=min(1.0, windows / needed, *self._period_shares()),
                windows=windows,
                windows_needed=needed,
                states=names,
                settled=windows >= needed,
                lacks=tuple(lacks),
                because=self.because,
            )
        thin, waits = [], max(1, round(STATE_WAITS * needed))
        for k in range(len(names)):
            have = int((index == k).sum())
            more = settings.state_windows - have
            # One that came up rarely is not waited for.
            if more > 0 and not states.are_knots and (k in index[-waits:] or windows < needed):
                thin.append(have)
                values = state_values(states.states[k])
                lacks.append(Said("state_windows", {"count": more, **values}))
        shift = self._last_shift(windows) if windows >= needed else None
        settled = shift is not None and shift <= settings.settled_sigma
        if shift is not None and not settled:
            drift = {"sigma": shift, "allowed_sigma": settings.settled_sigma}
            lacks.append(Said("drift", drift))
        fraction = min(1.0, windows / needed, *self._period_shares())
        if thin:
            fraction = min(fraction, 1 - (1 - min(thin) / settings.state_windows) / len(names))
        if not settled:
            fraction = min(fraction, 0.99)
        return Coverage(
            phase="collecting",
            fraction=fraction,
            windows=windows,
            windows_needed=needed,
            states=names,
            settled=settled,
            lacks=tuple(lacks),
            because=self.because,
        )

    def complete(self) -> bool:
        """Whether windows and period suffice; four times the required windows need no more."""
        points = [(self._points[point], needed) for point, needed in self._needed.items()]
        if any(len(own.features) < needed for own, needed in points) or self._period_lacks():
            return False
        if self._values_alone:
            return True
        return all(own.seen >= 4 * needed for own, needed in points) or not self.coverage().lacks

    @property
    def _passed_ns(self) -> int:
        """Return the length of the period so far, in the windows' own time."""
        return max(buffer.passed_ns for buffer in self._points.values())

    @property
    def _days(self) -> float:
        return self._passed_ns / 1e9 / DAY_S

    def _period_shares(self) -> list[float]:
        days, starts = self.settings.baseline_days, self.settings.baseline_starts
        return [self._days / days if days else 1.0, self._starts / starts if starts else 1.0]

    def _period_lacks(self) -> list[Said]:
        """Return the days and starts that are still missing."""
        lacks = []
        if (days := self.settings.baseline_days - self._days) > 0:
            lacks.append(Said("baseline_days", {"hours": ceil(days * 24)}))
        if (starts := self.settings.baseline_starts - self._starts) > 0:
            lacks.append(Said("baseline_starts", {"count": starts}))
        return lacks

    def _states_of(self, point: str) -> tuple[StateMap, NDArray[np.intp]]:
        """States of a point's windows; those that do not repeat are cached for a few windows."""
        settings = self.settings
        given = self._points[point].states
        states, index = self._states.get(point, (None, np.empty(0, np.intp)))
        recent = len(given) - SETTLED_EVERY < len(index) <= len(given)
        if states is None or not states.are_knots or not recent:
            states, index = states_of(given, settings.state_windows, settings.baseline_windows)
            self._states[point] = states, index
        return states, index

    def _last_shift(self, windows: int) -> float:
        """Return `_unsettled`, cached for a few windows: it takes medians over the whole period."""
        if self._shift is None or abs(windows - self._looked_at) >= SETTLED_EVERY:
            self._shift, self._looked_at = self._unsettled(), windows
        return self._shift

    def _unsettled(self) -> float:
        """Return the largest distance of a quarter from the whole, in σ (median over features)."""
        worst = 0.0
        for point, buffer in self._points.items():
            if len(buffer.features) < 8:
                continue
            states, index = self._states_of(point)
            features = np.stack(buffer.features[: len(index)])
            slots = slots_of(self.specs[point], features)
            x = slots.model_units_of(features, 0)
            groups = [x[index == k] for k in range(len(states))]
            if states.are_knots:
                shift = KnotShifts(states).all(buffer.states[: len(index)], index)
                scaling = StateScaling.fit(x, index, len(states), slots.least_size, shift)
                groups = [scaling.brought(x, shift) - scaling.location[index]]
            for rows in groups:
                if len(rows) < 8:
                    continue
                centre = np.median(rows, axis=0)
                sigma = np.maximum(MAD_TO_SIGMA * np.median(np.abs(rows - centre), axis=0), 1e-3)
                for quarter in np.array_split(rows, 4):
                    off = np.abs(np.median(quarter, axis=0) - centre) / sigma
                    worst = max(worst, float(np.median(off)))
        return worst
