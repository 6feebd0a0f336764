"""Baselines that a person must approve before the machine uses them."""

from __future__ import annotations

import time
from dataclasses import dataclass

from auscult.contract.records import Condition, ReasonKind
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store
from auscult.models.decision.alarm_rule import worst
from auscult.models.records import Decision

_LEARNED = (ReasonKind.LEARNED, ReasonKind.STATE)


def without_baseline(decision: Decision) -> Decision:
    """Remove the learned part of a decision; limits and sensor faults remain.

    >>> learned = Decision(None, 0, Condition.NORMAL, (), p_value=0.5, evidence=0.1)
    >>> without_baseline(learned).condition.value
    'learning'
    """
    reasons = tuple(r for r in decision.reasons if r.kind not in _LEARNED)
    condition = worst(Condition.LEARNING, *(r.condition for r in reasons))
    return decision._replace(
        condition=condition,
        reasons=reasons,
        p_value=None,
        evidence=None,
        warning_level=None,
        alarm_level=None,
        score=None,
    )


def approved_baseline(store: Store, machine: str) -> str:
    """Return the id of the baseline that was approved last, empty if there is none."""
    rows = store.read("SELECT baseline_id FROM approvals WHERE machine = ?", [machine])
    return str(rows[0][0]) if rows else ""


@dataclass(frozen=True, slots=True)
class ApprovalWrite:
    """Stores a person's approval of a baseline."""

    machine: str
    baseline_id: str
    actor: str

    def write_to(self, db: Database) -> None:
        """Write the approval, in the caller's transaction."""
        db.execute(
            "INSERT OR REPLACE INTO approvals (machine, baseline_id, actor, at_ns)"
            " VALUES (?, ?, ?, ?)",
            [self.machine, self.baseline_id, self.actor, time.time_ns()],
        )
