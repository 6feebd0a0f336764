"""Running, starting, coasting down, at rest: from the speed, or from the level of the vibration.

A start or a coast-down passes speeds and resonances that the healthy machine never stays at. It is
no anomaly and no part of a baseline. Where the speed is known the phase follows it; else it follows
the vibration, whose level falls with the machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median
from typing import Final

from auscult.contract.times import NS_PER_S
from auscult.dsp.health import UNUSABLE
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.records import Observation

FALL_S: Final = 20.0
"""A fall is looked for within so many seconds: a fan that coasts for 10 minutes loses 3 %."""
RISE_S: Final = 5.0
"""A start ends when speed or level have not risen for so long."""
LONGEST_NS: Final = 600 * NS_PER_S
"""A start or a coast-down that takes longer is a state of its own."""
LEVELS_KEPT: Final = 500
LEAST_LEVELS: Final = 20
"""Hops whose median level is a reference before there is a baseline."""


_NO_SIGNAL: Final = int(UNUSABLE)


class RunPhase(Enum):
    """How a machine turns."""

    RUNNING = "running"
    STARTING = "starting"
    COASTING = "coasting"
    REST = "rest"


@dataclass(frozen=True, slots=True)
class _Rules:
    """Shares of the reference (the baseline's lowest value) and changes, 0..1."""

    rest: float
    below: float
    """Lower than any value of the running machine …"""
    fell: float
    """… and fallen by so much within `FALL_S`: it coasts."""
    rest_hops: int = 1


SPEED: Final = _Rules(rest=0.01, below=0.95, fell=0.02)
UNSURE_SPEED: Final = _Rules(rest=0.01, below=0.0, fell=0.02)
"""Before the baseline is known any turning shaft may be normal."""
LEVEL: Final = _Rules(rest=0.1, below=0.7, fell=0.2, rest_hops=3)
"""Rest is 20 dB below the lowest level of the baseline. The levels of one machine's speeds and
loads differ by less, and the noise of a sensor lies below it."""
UNSURE_LEVEL: Final = _Rules(rest=0.03, below=0.7, fell=0.2, rest_hops=3)
"""Without a baseline the lowest level is not known: rest is 30 dB below the usual one."""


class Course:
    """The course of a speed or level, relative to the lowest value of the running machine."""

    def __init__(self) -> None:
        self._recent: deque[tuple[int, float]] = deque()
        self._quiet = 0
        self._phase = RunPhase.RUNNING
        self._phase_ns = 0
        self._fallen = False
        self._fell_ns: int | None = None

    @property
    def fell_ns(self) -> int | None:
        """Stream time at which the present fall began; without one, that of the last value.

        None before the first value.
        """
        return self._fell_ns

    @property
    def at_rest(self) -> bool:
        """Return whether the last value was one at rest."""
        return self._phase is RunPhase.REST

    def follow(self, t_ns: int, value: float, rules: _Rules) -> RunPhase:
        """Add a value; return the phase now."""
        recent = self._recent
        if recent and t_ns < recent[-1][0]:
            recent.clear()
        recent.append((t_ns, value))
        while t_ns - recent[0][0] > FALL_S * NS_PER_S:
            recent.popleft()
        highest = max(one for _, one in recent)
        fallen = value < (1 - rules.fell) * highest
        if not fallen:
            self._fell_ns = t_ns
        elif not self._fallen:
            near = (1 - rules.fell / 2) * highest
            self._fell_ns = next(at for at, one in reversed(recent) if one >= near)
        self._fallen = fallen
        lately = min(one for at, one in recent if t_ns - at <= RISE_S * NS_PER_S)
        rising = value * (1 - rules.fell) > lately
        self._quiet = self._quiet + 1 if value < rules.rest else 0
        phase = self._next(fallen=fallen, rising=rising, low=value < rules.below, rules=rules)
        if phase is not self._phase:
            self._phase, self._phase_ns = phase, t_ns
        elif phase in (RunPhase.STARTING, RunPhase.COASTING) and t_ns - self._phase_ns > LONGEST_NS:
            return RunPhase.RUNNING
        return phase

    def _next(self, *, fallen: bool, rising: bool, low: bool, rules: _Rules) -> RunPhase:
        if self._quiet >= rules.rest_hops:
            return RunPhase.REST
        if self._phase is RunPhase.REST:
            return RunPhase.STARTING if not self._quiet else RunPhase.REST
        if rising and (low or self._phase is RunPhase.STARTING):
            return RunPhase.STARTING
        return RunPhase.COASTING if fallen and low else RunPhase.RUNNING


class RunPhases:
    """Phase of one machine from its speed, or from the level of all its vibration points.

    All waveform points must be quiet together: a loose sensor is quiet alone. A window without a
    signal (a flat line, values that are no numbers) is a sensor fault and says nothing.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
    nominal_rpm : float, optional
        Stated speed.
    from_signal : bool
        Whether the vibration may say that the machine is at rest.
    """

    def __init__(
        self, specs: Mapping[str, FeatureSpec], nominal_rpm: float | None, *, from_signal: bool
    ) -> None:
        self._columns = {
            point: spec.index["rms"] for point, spec in specs.items() if spec.kind == "vibration"
        }
        self._from_signal = from_signal
        self._nominal_rpm = nominal_rpm
        self._by_speed, self._by_level = Course(), Course()
        self._lowest_rpm: float | None = None
        self._highest_rpm = 0.0
        self._levels: dict[str, float] = {}
        self._seen: dict[str, deque[float]] = {
            point: deque(maxlen=LEVELS_KEPT) for point in self._columns
        }
        self._course = self._by_level
        self.contradicted = False
        """The speed says rest, and the vibration is that of the running machine."""

    @property
    def fell_ns(self) -> int | None:
        """Stream time at which the fall before this rest began; None where no course shows it."""
        return self._course.fell_ns

    def use(self, model: MachineModel) -> None:
        """Take the lowest speed and levels of a baseline."""
        self._levels = {
            point: level
            for point in self._columns
            if (level := model.lowest_value(point, "rms")) is not None
        }
        speeds = [state.speed_rpm for state in model.states.states if state.speed_rpm]
        self._lowest_rpm = min(speeds, default=None)
        self._by_level, self._by_speed = Course(), Course()

    def follow(self, observations: Sequence[Observation], *, stated: bool = False) -> RunPhase:
        """Return the phase at a hop; where a value states that it runs, the level says nothing."""
        t_ns = max(one.t_ns for one in observations)
        speed_rpm = next(
            (o.state.speed_rpm for o in observations if o.state and o.state.speed_rpm is not None),
            None,
        )
        level = self._level(observations)
        self.contradicted = False
        if speed_rpm is not None:
            self._course = self._by_speed
            phase = self._speed_phase(t_ns, speed_rpm)
            if phase is RunPhase.REST and self._levels and (level or 0.0) >= LEVEL.below:
                self.contradicted = True
                phase = RunPhase.RUNNING
        elif level is not None and self._from_signal and not stated:
            self._course = self._by_level
            phase = self._by_level.follow(t_ns, level, LEVEL if self._levels else UNSURE_LEVEL)
        elif self._from_signal and not stated and self._by_level.at_rest:
            phase = RunPhase.REST
        else:
            phase = RunPhase.RUNNING
        if phase is RunPhase.RUNNING and not self._levels:
            for one in observations:
                column = self._columns.get(one.point)
                if column is not None and not one.health & _NO_SIGNAL:
                    self._seen[one.point].append(float(one.features[column]))
        return phase

    def _speed_phase(self, t_ns: int, speed_rpm: float) -> RunPhase:
        self._highest_rpm = max(self._highest_rpm, speed_rpm)
        if self._lowest_rpm is not None:
            return self._by_speed.follow(t_ns, speed_rpm / self._lowest_rpm, SPEED)
        usual_rpm = self._nominal_rpm or self._highest_rpm or 1.0
        return self._by_speed.follow(t_ns, speed_rpm / usual_rpm, UNSURE_SPEED)

    def _level(self, observations: Sequence[Observation]) -> float | None:
        """Return the highest level of any point over its reference, None where none is known."""
        found = []
        for one in observations:
            column = self._columns.get(one.point)
            if column is None or one.health & _NO_SIGNAL:
                continue
            value = float(one.features[column])
            reference = self._levels.get(one.point)
            if not self._levels:
                seen = self._seen[one.point]
                reference = median(seen) if len(seen) >= LEAST_LEVELS else None
            if reference:
                found.append(value / reference)
        return max(found, default=None)
