"""Confirmation of an alarm: whether the level stays, by later windows alone.

The evidence that opened an alarm may come from a passing disturbance, and its chart stays high for
a while. So the windows after the opening are tested by themselves: the level stays if their mean
normal score is above the allowance of the alarm chart. The last `WINDOWS` of them count as 9 to 43
independent ones (a machine wanders: 1.4 to 7 windows count as one, docs/results.md), so a healthy
machine's mean reaches 1.5 σ with a probability below 10⁻⁵.

Where overall values decide, the medians of the last `RECENT` rows are compared with the reference.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from scipy.special import ndtri

from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.models.decision.alarm_rule import RULE
from auscult.models.decision.value_evidence import RECENT, CompareValues
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
        self._since_ns = 0
        """When it opened."""

    def follow(self, decision: Decision, compare: CompareValues | None = None) -> Decision:
        """Return the decision, in an alarm whose level stays with that reason.

        Parameters
        ----------
        decision : Decision
            On the machine; one each hop.
        compare : callable, optional
            Where overall values decide: compares them with their reference.
        """
        if self._scores is None:
            if decision.condition is Condition.ALARM:
                self._scores, self._since_ns = deque(maxlen=WINDOWS), decision.t_ns
            return decision
        if RULE.closes(decision.condition):
            self._scores = None
            return decision
        if compare is not None:
            stays = self._by_values(compare)
        else:
            stays = self._by_scores(self._scores, decision.p_value)
        if stays is None or decision.condition is not Condition.ALARM:
            return decision
        return decision._replace(reasons=(*decision.reasons, stays))

    def _by_values(self, compare: CompareValues) -> Reason | None:
        if compare(RECENT, self._since_ns)[1] in (None, "gone"):
            return None
        said = Said("level_stays_value", {"windows": RECENT})
        return Reason(ReasonKind.LEARNED, Condition.ALARM, said)

    def _by_scores(self, scores: deque[float], p_value: float | None) -> Reason | None:
        if p_value is not None:
            cap = SHIPPED.score_cap
            scores.append(float(np.clip(-ndtri(p_value), -cap, cap)))
        mean = float(np.mean(scores)) if len(scores) == WINDOWS else 0.0
        if mean <= LEAST_SIGMA:
            return None
        said = Said("level_stays", {"windows": WINDOWS, "sigma": mean})
        return Reason(
            ReasonKind.LEARNED, Condition.ALARM, said, value=mean, limit=LEAST_SIGMA, unit="σ"
        )
