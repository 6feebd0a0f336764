"""A machine that stands still is not judged: its silence is no fault, and no healthy running.

Whether it runs is told by the process value `running`; without one, a machine counts as running.
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
STANDING = frozenset({"no", "0", "false", "off", "stopped"})
"""What it says, without regard to case, of a machine that stands still."""
NOT_RUNNING = "not running: it is not judged"


def stands(state: OperatingState | None) -> bool:
    """Whether the machine was told to stand still.

    >>> stands(OperatingState(tags={"running": "Off"})), stands(OperatingState(1500)), stands(None)
    (True, False, False)
    """
    return state is not None and state.tags.get(RUNNING, "").casefold() in STANDING


def idle_decision(observation: Observation) -> Decision:
    """Say of a window that the machine stood still: nothing is known of its condition."""
    return _unjudged(observation.point, observation.t_ns)


def idle_machine(t_ns: int) -> Decision:
    """Say the same of the machine."""
    return _unjudged(None, t_ns)


def _unjudged(point: str | None, t_ns: int) -> Decision:
    said = Said("not_running")
    reason = Reason(ReasonKind.STATE, Condition.UNKNOWN, NOT_RUNNING, point=point, said=said)
    return Decision(point, t_ns, Condition.UNKNOWN, (reason,))
