"""How the points of a machine turn at each hop: what is decided on, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auscult.contract.records import Reason
from auscult.contract.said import Said, SaidValue
from auscult.contract.times import NS_PER_S
from auscult.gateway.machines.idle import at_rest, undecided
from auscult.gateway.machines.run_phases import RunPhase, RunPhases
from auscult.gateway.machines.value_runs import ValueRuns
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.detector import MachineDetector
from auscult.models.records import RUNNING, Decision, Observation

PASSING = (RunPhase.STARTING, RunPhase.COASTING)


@dataclass(frozen=True, slots=True)
class Turning:
    """How the points of one hop turn."""

    observations: tuple[Observation, ...]
    """Of overall values with the tag `RUNNING`, where it is known."""
    idle: frozenset[str]
    """Points that were measured at rest."""
    passing: Mapping[str, RunPhase]
    """Points of a start or a coast-down."""
    starts: bool
    """Whether the machine was at rest until this hop."""
    rests: bool
    """Whether it is at rest after this hop."""
    rest_found: bool
    """Whether its rest was found: what was learned until then may be rest, and is discarded."""

    @property
    def running(self) -> list[Observation]:
        """Return what may be decided on."""
        left_out = self.idle | self.passing.keys()
        return [one for one in self.observations if one.point not in left_out]


class RunCourse:
    """Follows whether a machine runs; what the detector learns follows it.

    Parameters
    ----------
    detector : MachineDetector
    from_signal : bool
        Whether the signals may say that the machine is at rest.
    start_s : float
        Time after a rest that is not decided on.
    """

    def __init__(
        self, detector: MachineDetector, *, from_signal: bool = True, start_s: float = 0.0
    ) -> None:
        self._detector = detector
        self._start_ns = round(start_s * NS_PER_S)
        self._started_ns = -(1 << 62)
        self._waveforms = {p for p, spec in detector.specs.items() if spec.kind != "value"}
        self._phases = RunPhases(
            detector.specs, detector.name_plate.speed_rpm, from_signal=from_signal
        )
        self._values = (
            None
            if self._waveforms
            else ValueRuns(detector.specs, detector.run_levels, from_levels=from_signal)
        )
        self.at_rest = False

    @property
    def contradicted(self) -> bool:
        """Return whether the speed says rest while the machine vibrates."""
        return self._phases.contradicted

    def use(self, model: MachineModel) -> None:
        """Take the levels of a new baseline."""
        self._phases.use(model)

    def doubt(self, t_ns: int) -> Reason | None:
        """Return why a run may no longer be recognised."""
        return self._values.doubt(t_ns) if self._values is not None else None

    def follow(self, observations: Sequence[Observation], t_ns: int) -> Turning:
        """Follow a hop; with the first one after a rest the detector counts a start."""
        rest_found = False
        if self._values is not None:
            observations = self._values.stated(observations)
            if self._values.found and self._detector.run_levels.has_bit:
                # A run bit was late: only what it called running is in question.
                self._detector.discard_rest()
            elif self._values.found:
                rest_found = True
                because = Said("rest_found", self._values.rest_values())
                self._detector.start_over(t_ns, "its rest was found", because)
        idle, passing = self._idle_points(observations)
        rests = len(idle) == len(observations)
        starts = self.at_rest and not rests
        if not rests:
            if starts:
                self.at_rest, self._started_ns = False, t_ns
                self._detector.count_start()
            if 0 <= t_ns - self._started_ns < self._start_ns:
                passing = dict.fromkeys((o.point for o in observations), RunPhase.STARTING)
            # A run bit may come between the values of its time: the last one is the newest.
            rests = self._values is not None and at_rest(observations[-1].state)
        return Turning(tuple(observations), idle, passing, starts, rests, rest_found)

    def rest(self, t_ns: int) -> Decision:
        """Begin a rest, or continue it; return the decision on the machine.

        Values and windows of the fall before it are left out of the healthy period.
        """
        if not self.at_rest:
            self.at_rest = True
            fell_ns = self._phases.fell_ns
            if self._values is not None:
                fell_ns = self._values.last_ns(t_ns)
            if fell_ns is not None:
                self._detector.discard_between(fell_ns, t_ns)
        return self.resting(None, t_ns)

    def resting(self, point: str | None, t_ns: int) -> Decision:
        """Decide on a point, or the machine, at rest; name the limit below which its values lie."""
        values: Mapping[str, SaidValue] = {}
        if self._values is not None:
            values = self._values.rest_values()
        return undecided(point, t_ns, "rests_below" if values else "not_running", values)

    def _idle_points(
        self, observations: Sequence[Observation]
    ) -> tuple[frozenset[str], Mapping[str, RunPhase]]:
        """Return the points that were measured at rest, and those of a start or coast-down."""
        every = frozenset(o.point for o in observations)
        stated = [o for o in observations if o.state is not None and RUNNING in o.state.tags]
        idle = frozenset(o.point for o in stated if at_rest(o.state))
        if self._values is not None and stated:
            phases = {o.point: self._values.phase(o) for o in observations}
            return idle, {point: one for point, one in phases.items() if one in PASSING}
        turns = any(o.state is not None and o.state.speed_rpm is not None for o in observations)
        if not any(o.point in self._waveforms for o in observations) and not (stated or turns):
            # A value beside waveforms knows of no rest.
            return (every if self.at_rest else idle), {}
        if idle == every:
            return idle, {}
        phase = self._phases.follow(observations, stated=bool(stated))
        if phase is RunPhase.REST and not stated:
            return every, {}
        return idle, dict.fromkeys(every, phase) if phase in PASSING else {}
