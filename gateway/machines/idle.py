"""A machine at rest gets no decision: its windows are neither a fault nor healthy running.

The process value `running` says whether it runs; without one, speed or signal (`run_phases`).
"""

from __future__ import annotations

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


def idle_decision(observation: Observation) -> Decision:
    """Decide on a point whose machine is at rest: its condition is unknown."""
    return _undecided(observation.point, observation.t_ns)


def idle_point(point: str, t_ns: int) -> Decision:
    """Decide on a point that is silent because its machine is at rest."""
    return _undecided(point, t_ns)


def idle_machine(t_ns: int) -> Decision:
    """Decide on a machine at rest."""
    return _undecided(None, t_ns)


def passing_decision(point: str | None, t_ns: int, code: str) -> Decision:
    """Decide on a machine, or one of its points, that starts or coasts: `starting`, `coasting`."""
    return _undecided(point, t_ns, code)


def _undecided(point: str | None, t_ns: int, code: str = "not_running") -> Decision:
    reason = Reason(ReasonKind.STATE, Condition.UNKNOWN, Said(code), point=point)
    return Decision(point, t_ns, Condition.UNKNOWN, (reason,))
