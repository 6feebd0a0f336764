"""The state of a case in one line: what holds, who has seen it, and since when."""

from __future__ import annotations

from typing import Any

from auscult.app.views import CaseState, EventView, WorkState
from auscult.contract.said import Said


def status_of(
    row: dict[str, Any],
    state: CaseState,
    condition: str,
    lead: EventView | None,
    acknowledged_by: str,
    unrepaired: bool,
    work: WorkState | None,
) -> tuple[Said, int | None]:
    """Return the line, and when it began; None where the machine's suppression says it.

    Parameters
    ----------
    row : dict
        Of the case.
    state : CaseState
    condition : str
        Of the machine now; ``lost`` where its gateway does not have the open event any more.
    lead : EventView
        The event that the case stands for; None of a sensor.
    acknowledged_by : str
        Empty where no one acknowledged it.
    unrepaired : bool
        Whether a confirmed fault is in the machine still.
    work : WorkState, optional
    """
    if state == "closed":
        closed_by, at_ms = row["closed_by"], row["closed_ms"]
        if unrepaired:
            return Said("status_closed_unrepaired", {"actor": closed_by}), at_ms
        by = Said("status_closed", {"actor": closed_by})
        return (by if closed_by else Said("status_closed_quiet")), at_ms
    if condition == "lost" and lead is not None:
        return Said("status_lost", {"condition": lead.condition}), lead.updated_ms
    if work == "under_way" and state == "open":
        return Said("status_work"), None
    if state == "over":
        at_ms = row["last_ms"]
        if row["unacknowledged"]:
            return Said("status_over_waits"), at_ms
        return Said("status_over_unrepaired" if unrepaired else "status_over"), at_ms
    if row["unacknowledged"] or not acknowledged_by:
        return Said("status_waits", {"condition": condition}), row["opened_ms"]
    seen = {"condition": condition, "actor": acknowledged_by}
    return Said("status_seen", seen), row["opened_ms"]
