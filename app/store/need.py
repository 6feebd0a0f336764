"""What a machine needs while it has no case: the one rule for page, messages and reports."""

from __future__ import annotations

from typing import Final

from auscult.app.views import Machine, Need
from auscult.contract.records import DEPARTED, Condition

NOT_RUNNING: Final = frozenset({"not_running", "rests_below", "starting", "coasting"})
"""Why a machine is not assessed although nothing is wrong with it."""


def need_of(machine: Machine) -> Need:
    """Return the need of a machine as its own state says it."""
    if machine.suppression is not None:
        return "shelved"
    departs = machine.condition in DEPARTED and not machine.stale
    if machine.unacknowledged or machine.awaiting_approval or departs:
        return "needs_someone"
    if machine.stale:
        return "cannot_assess"
    if machine.condition == Condition.UNKNOWN:
        codes = {reason.said.code for reason in machine.reasons}
        return "at_rest" if codes and codes <= NOT_RUNNING else "cannot_assess"
    return "learning" if machine.condition == Condition.LEARNING else "quiet"
