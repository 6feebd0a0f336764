"""Overall values: from what transmitters deliver to one observation an interval.

Irregular intervals, repeated and late values, resets of counters and values that come faster than
their interval are normal; each is handled here and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Protocol

import numpy as np

from auscult.contract.records import OperatingState
from auscult.contract.said import Rejection
from auscult.contract.times import NS_PER_S
from auscult.dsp.health import SensorHealth
from auscult.dsp.quantities import conversion, conversion_of
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.records import MOST_VALUE, PointId, PointValue
from auscult.gateway.windows.machine_states import MachineStates
from auscult.models.records import Observation

SOONEST = 0.5
"""Share of the interval before which a further value is joined with the next one. Transmitters
jitter; one that sends on change may send many at once."""
SECONDS = {"per_s": 1.0, "per_min": 60.0, "per_h": 3600.0}
"""Length of the unit of a counter's rate."""

STATE_INTERVALS = 3.0
"""Intervals for which a value holds as part of the operating state."""


class ValuePointSettings(Protocol):
    """What is set of a point with overall values, by the configuration or in Python."""

    @property
    def quantity(self) -> str | None: ...
    @property
    def unit(self) -> str: ...
    @property
    def interval_s(self) -> float | None: ...
    @property
    def resolution(self) -> float: ...
    @property
    def counter(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def running_above(self) -> float: ...


class PlannedValue(Protocol):
    """The plan of a point with overall values."""

    @property
    def settings(self) -> ValuePointSettings: ...
    @property
    def interval_s(self) -> float: ...


def value_spec(settings: ValuePointSettings) -> FeatureSpec:
    """Return the feature set of a point with overall values.

    Raises
    ------
    SpecError
        If the quantity is unknown, or does not have this unit.
    """
    assert settings.quantity is not None  # noqa: S101
    assert settings.interval_s is not None  # noqa: S101
    unit, resolution = settings.unit, settings.resolution
    if settings.counter:
        unit, resolution = f"{unit}/{settings.counter.removeprefix('per_')}", 0.0
    else:
        gain, _ = conversion(settings.quantity, unit) or (1.0, 0.0)
        resolution *= gain
    return FeatureSpec.value(
        settings.quantity, unit, settings.interval_s, resolution,
        states_run=settings.state == "running",
    )  # fmt: skip


class ValueMismatchError(Rejection):
    """A value that can't be used; the message says why."""


@dataclass(slots=True)
class ValueCounts:
    """Counts of the values of one point since the start."""

    used: int = 0
    """Values that complete an interval, or begin a counter."""
    joined: int = 0
    """Values that came within an interval and are part of its mean."""
    repeated: int = 0
    """Values with the time of the one before; discarded."""
    late: int = 0
    """Values older than the one before; discarded."""
    resets: int = 0
    """A counter that fell, by a value that is used."""


@dataclass(slots=True)
class _ValueStream:
    plan: PlannedValue
    counts: ValueCounts = field(default_factory=ValueCounts)
    last_ns: int = 0
    measured: bool = True
    """Whether the sensor sent the last time; else it is of this computer's clock."""
    observed_ns: int = 0
    total: float = 0.0
    waiting: int = 0
    uncertain: bool = False
    """Whether the source marks one of those that wait as uncertain."""
    before: tuple[int, float] | None = None

    def begin_again(self) -> None:
        """Begin again after this computer's clock was set back; counts stay."""
        self.last_ns = self.observed_ns = self.waiting = 0
        self.total, self.uncertain, self.before = 0.0, False, None

    def rate(self, t_ns: int, value: float) -> float | None:
        """Rate of a counter since its value before; None for the first one and after a reset."""
        before, self.before = self.before, (t_ns, value)
        if before is None:
            return None
        if value < before[1]:
            self.counts.resets += 1
            return None
        passed_s = (t_ns - before[0]) / NS_PER_S
        return (value - before[1]) / passed_s * SECONDS[self.plan.settings.counter]


class ValueStreams:
    """The overall values of all points; not thread-safe."""

    def __init__(self, plans: Mapping[PointId, PlannedValue]) -> None:
        self._streams = {point: _ValueStream(plan) for point, plan in plans.items()}

    @property
    def counts(self) -> Mapping[PointId, ValueCounts]:
        """Return the counts of the values of each point."""
        return {point: stream.counts for point, stream in self._streams.items()}

    def observe(self, item: PointValue, states: MachineStates) -> Observation | None:
        """Add a value with the operating state of its machine, of which it may be a part.

        Returns and raises as `push`.
        """
        machine, plan = item.point.machine, self._streams[item.point].plan
        observation = self.push(item, states.state_of(machine))
        settings = plan.settings
        if settings.state and not item.uncertain:
            value = item.value > settings.running_above
            part = value if settings.state == "running" else item.value
            states.put(machine, settings.state, part, STATE_INTERVALS * plan.interval_s)
            if observation is not None:
                # The value that ends a run belongs to the rest.
                observation = observation._replace(state=states.state_of(machine))
        return observation

    def push(self, item: PointValue, state: OperatingState | None) -> Observation | None:
        """Add a value; returns the observation of an interval that it completes.

        Raises
        ------
        ValueMismatchError
            If the unit does not fit, or the value is not finite or beyond `MOST_VALUE`.
        """
        stream = self._streams[item.point]
        plan, counts = stream.plan, stream.counts
        gain, offset = self._conversion(plan, item.unit)
        value = _measured(item.value * gain + offset, item.value)
        if item.t_ns < stream.last_ns and not (item.measured or stream.measured):
            stream.begin_again()
        if item.t_ns <= stream.last_ns:
            repeated = item.t_ns == stream.last_ns
            counts.repeated += repeated
            counts.late += not repeated
            return None
        stream.last_ns, stream.measured = item.t_ns, item.measured
        if plan.settings.counter:
            rate = stream.rate(item.t_ns, value)
            if rate is None:
                counts.used += 1
                return None
            value = _measured(rate, item.value)
        stream.total += value
        stream.waiting += 1
        stream.uncertain |= item.uncertain
        if item.t_ns - stream.observed_ns < SOONEST * plan.interval_s * NS_PER_S:
            counts.joined += 1
            return None
        counts.used += 1
        mean = stream.total / stream.waiting
        health = SensorHealth.UNCERTAIN if stream.uncertain else SensorHealth.OK
        stream.total, stream.waiting, stream.uncertain = 0.0, 0, False
        stream.observed_ns = item.t_ns
        features = np.array([mean], np.float32)
        return Observation(item.point.point, item.t_ns, features, state, int(health))

    def _conversion(self, plan: PlannedValue, unit: str) -> tuple[float, float]:
        settings = plan.settings
        assert settings.quantity is not None  # noqa: S101
        found = conversion_of(settings.quantity, settings.unit, unit)
        if found is None:
            raise ValueMismatchError("wrong_unit", unit=unit, configured=settings.unit)
        return found


def _measured(value: float, given: float) -> float:
    """Return a value that can be a measurement; `given` is what the source delivered."""
    if abs(value) <= MOST_VALUE:
        return value
    if isfinite(given):
        raise ValueMismatchError("value_too_large", value=f"{given:.3g}", limit=f"{MOST_VALUE:g}")
    raise ValueMismatchError("not_a_number", value=str(given))
