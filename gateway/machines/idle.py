"""A machine at rest gets no decision: its windows are neither a fault nor healthy running.

The process value `running` says whether it runs; without one, speed or signal (`run_phases`).
"""

from __future__ import annotations

from collections.abc import Mapping

from auscult.contract.records import Condition, OperatingState, Reason, ReasonKind
from auscult.contract.said import Said, SaidValue
from auscult.models.records import RUNNING, Decision

PLANNED_WORK = "worked_on"
AT_REST = frozenset({"no", "0", "false", "off", "stopped"})
"""Values of `RUNNING`, in any case, for a machine at rest."""


def at_rest(state: OperatingState | None) -> bool:
    """Return whether the operating state says that the machine does not run.

    >>> at_rest(OperatingState(tags={"running": "Off"})), at_rest(OperatingState(1500))
    (True, False)
    """
    return state is not None and state.tags.get(RUNNING, "").casefold() in AT_REST


def undecided(
    point: str | None,
    t_ns: int,
    code: str = "not_running",
    values: Mapping[str, SaidValue] | None = None,
) -> Decision:
    """Decide on a point, or with None on the machine: unknown, at rest unless `code` says else.

    Parameters
    ----------
    point : str or None
    t_ns : int
        UTC.
    code : str
        ``not_running``, ``rests_below``, ``starting``, ``coasting`` or `PLANNED_WORK`.
    values : mapping, optional
        Of the sentence.
    """
    reason = Reason(ReasonKind.STATE, Condition.UNKNOWN, Said(code, values or {}), point=point)
    return Decision(point, t_ns, Condition.UNKNOWN, (reason,))
