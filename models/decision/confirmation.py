"""Confirmation of an alarm: whether the level stays, by later windows alone.

The evidence that opened an alarm may come from a passing disturbance, and its chart stays high for
a while. So the windows after the opening are tested by themselves: the level stays if their mean
normal score is above the allowance of the alarm chart. The last `WINDOWS` of them count as 9 to 43
independent ones (a machine wanders: 1.4 to 7 windows count as one, docs/results.md), so a healthy
machine's mean reaches 1.5 σ with a probability below 10⁻⁵.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from scipy.special import ndtri

from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.models.decision.alarm_rule import RULE
from auscult.models.records import Decision
from auscult.models.settings import SHIPPED

WINDOWS = 60
"""Windows after the opening that confirm an alarm."""
LEAST_SIGMA = SHIPPED.alarm_sigma / 2
"""Their mean normal score is above this: the allowance of the alarm chart."""


class Confirmation:
    """Follows the decisions on one machine."""

    def __init__(self) -> None:
        self._scores: deque[float] | None = None
        """Normal scores since the alarm opened, None without an alarm."""

    def follow(self, decision: Decision) -> Decision:
        """Return the decision, in an alarm whose level stays with that reason.

        Parameters
        ----------
        decision : Decision
            On the machine; one each hop.
        """
        if self._scores is None:
            if decision.condition is Condition.ALARM:
                self._scores = deque(maxlen=WINDOWS)
            return decision
        if RULE.closes(decision.condition):
            self._scores = None
            return decision
        if decision.p_value is not None:
            cap = SHIPPED.score_cap
            self._scores.append(float(np.clip(-ndtri(decision.p_value), -cap, cap)))
        if len(self._scores) < WINDOWS or decision.condition is not Condition.ALARM:
            return decision
        mean = float(np.mean(self._scores))
        if mean <= LEAST_SIGMA:
            return decision
        said = Said("level_stays", {"windows": WINDOWS, "sigma": mean})
        stays = Reason(
            ReasonKind.LEARNED, Condition.ALARM, said, value=mean, limit=LEAST_SIGMA, unit="σ"
        )
        return decision._replace(reasons=(*decision.reasons, stays))
