"""A machine at rest gets no decision: its windows are neither a fault nor healthy running.

The process value `running` says whether it runs. Without one the signal may say it: the vibration
of a machine at rest is far below that of any of its operating states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.records import (
    Condition,
    Decision,
    Observation,
    OperatingState,
    Reason,
    ReasonKind,
    Said,
)

RUNNING = "running"
"""Name of the process value."""
AT_REST = frozenset({"no", "0", "false", "off", "stopped"})
"""Its values, in any case, for a machine at rest."""


def at_rest(state: OperatingState | None) -> bool:
    """Whether the operating state says that the machine does not run.

    >>> at_rest(OperatingState(tags={"running": "Off"})), at_rest(OperatingState(1500))
    (True, False)
    """
    return state is not None and state.tags.get(RUNNING, "").casefold() in AT_REST


REST_SHARE = 0.1
"""Level of a machine at rest, at most, as a share of the lowest level of its baseline: 20 dB. The
levels of one machine's speeds and loads differ by less, and the noise of a sensor lies below it."""
REST_HOPS = 3
"""Hops in a row that make rest, so that no single window does."""


class SignalRest:
    """Detects from the vibration that a machine is at rest.

    All waveform points of the machine must be quiet together: a loose sensor is quiet alone.

    Parameters
    ----------
    specs : mapping of point to FeatureSpec
    """

    def __init__(self, specs: Mapping[str, FeatureSpec]) -> None:
        self._columns = {
            point: spec.index["rms"] for point, spec in specs.items() if spec.kind == "vibration"
        }
        self._limits: dict[str, float] = {}
        self._quiet = 0

    def use(self, model: MachineModel) -> None:
        """Take the levels of a baseline."""
        self._limits = {
            point: REST_SHARE * level
            for point in self._columns
            if (level := model.lowest_value(point, "rms")) is not None
        }
        self._quiet = 0

    def at_rest(self, observations: Sequence[Observation]) -> bool:
        """Whether the machine is at rest, by the windows of a hop."""
        known = [o for o in observations if o.point in self._limits]
        if not known:
            return False
        if all(o.features[self._columns[o.point]] < self._limits[o.point] for o in known):
            self._quiet += 1
        else:
            self._quiet = 0
        return self._quiet >= REST_HOPS


def idle_decision(observation: Observation) -> Decision:
    """Decide on a point whose machine is at rest: its condition is unknown."""
    return _undecided(observation.point, observation.t_ns)


def idle_point(point: str, t_ns: int) -> Decision:
    """Decide on a point that is silent because its machine is at rest."""
    return _undecided(point, t_ns)


def idle_machine(t_ns: int) -> Decision:
    """Decide on a machine at rest."""
    return _undecided(None, t_ns)


def starting_decision(point: str | None, t_ns: int) -> Decision:
    """Decide on a machine, or one of its points, that starts: its condition is unknown."""
    return _undecided(point, t_ns, "starting")


def _undecided(point: str | None, t_ns: int, code: str = "not_running") -> Decision:
    reason = Reason(ReasonKind.STATE, Condition.UNKNOWN, Said(code), point=point)
    return Decision(point, t_ns, Condition.UNKNOWN, (reason,))
