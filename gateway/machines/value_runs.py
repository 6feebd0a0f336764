"""Rest, start and run of a machine of overall values: by its levels, and by a run bit beside them.

Values are means over an interval: the first and the last value of a run are mixed, and left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from auscult.contract.records import Condition, OperatingState, Reason, ReasonKind
from auscult.contract.said import Said, SaidValue
from auscult.contract.times import NS_PER_MS, NS_PER_S
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.machines.idle import at_rest
from auscult.gateway.machines.run_phases import RunPhase
from auscult.models.records import RUNNING, Observation
from auscult.models.values.run_levels import RunLevels

FELL = 0.5
"""Share of the value before: a lower one may be the last of a run, so the next one decides."""
LAST_INTERVALS = 1.5
"""Intervals before a rest that may hold a mixed value."""


class ValueRuns:
    """Adds to each observation whether the machine runs, and names the phase.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
        Overall values only.
    levels : RunLevels
        The machine's, which the detector stores.
    from_levels : bool
        Whether levels may say that the machine is at rest.
    """

    def __init__(
        self, specs: Mapping[str, FeatureSpec], levels: RunLevels, *, from_levels: bool
    ) -> None:
        self._specs = specs
        self._levels = levels
        # A limit that a person set takes precedence.
        stated = any(spec.states_run and not spec.is_run_bit for spec in specs.values())
        self._from_levels = from_levels and not stated
        self._before: dict[str, float | None] = {}
        """The last value of each point, None at rest."""
        self.found = False
        """Whether the last observations showed the machine's levels for the first time."""

    def stated(self, observations: Sequence[Observation]) -> tuple[Observation, ...]:
        """Return the observations with the tag `RUNNING`, where it is known.

        All values count before any is stated: those of one time have one answer.
        """
        self.found = False
        if not self._from_levels:
            return tuple(observations)
        for one in observations:
            if one.state is not None and RUNNING in one.state.tags:
                self._levels.note_bit(one.t_ns, not at_rest(one.state))
            self.found |= self._levels.add(one.point, one.t_ns, float(one.features[0]))
        runs = self._levels.running(observations[-1].t_ns)
        if runs is None:
            return tuple(observations)
        stated: dict[int, OperatingState] = {}  # mostly one for all
        for one in observations:
            if id(one.state) not in stated:
                stated[id(one.state)] = self._with(one.state, runs=runs)
        return tuple([one._replace(state=stated[id(one.state)]) for one in observations])

    def _with(self, state: OperatingState | None, *, runs: bool) -> OperatingState:
        state = state or OperatingState()
        if RUNNING in state.tags and not self._levels.bit_is_stuck:
            runs = runs and not at_rest(state)
        return replace(state, tags={**state.tags, RUNNING: "yes" if runs else "no"})

    def phase(self, one: Observation) -> RunPhase:
        """Return how the machine turns, from an observation that is `stated`."""
        if one.state is None or RUNNING not in one.state.tags:
            return RunPhase.RUNNING
        value = float(one.features[0])
        before = self._before.get(one.point, value)
        if at_rest(one.state):
            self._before[one.point] = None
            return RunPhase.REST
        self._before[one.point] = value
        if self._specs[one.point].is_run_bit:
            return RunPhase.RUNNING
        if before is None:
            return RunPhase.STARTING
        return RunPhase.COASTING if value < FELL * before else RunPhase.RUNNING

    def last_ns(self, t_ns: int) -> int:
        """Return the time after which the values before a rest at `t_ns` may be mixed."""
        longest_s = max(1 / spec.fs_hz for spec in self._specs.values())
        return t_ns - round(LAST_INTERVALS * longest_s * NS_PER_S)

    def rest_values(self) -> Mapping[str, SaidValue]:
        """Return a point and its limit, for the sentence on a rest; empty where none is known."""
        for point, spec in self._specs.items() if self._from_levels else ():
            if (limit := self._levels.limit(point)) is not None:
                unit = spec.features[0].unit
                return {"point": point, "limit": float(f"{limit:.2g}"), "unit": unit}
        return {}

    def doubt(self, t_ns: int) -> Reason | None:
        """Return why a run may no longer be recognised."""
        found = self._levels.standstill(t_ns) if self._from_levels else None
        if found is None:
            return None
        said = Said(found.code, {"at_ms": found.since_ns // NS_PER_MS, **self.rest_values()})
        return Reason(ReasonKind.SENSOR, Condition.UNKNOWN, said)
