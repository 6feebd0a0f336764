"""When an alarm opens and when it closes: the one rule, from a value to the end of an event.

**A level switches on and off.** Accumulated evidence and the median of a limited value are compared
with a warning and an alarm level. A condition begins when the value reaches its level. It ends when
the value falls below a lower level, so that a value at the level does not switch it again and
again: evidence below half of the level, because its chart falls slowly and is capped at 1.5 times
the level; a limited value 5 % below its level, the dead band of ISA-18.2.

**The machine has the worst condition of its points**, of their fused evidence, limits and sensors
(`worst`). `unknown` is worse than `normal`: a sensor that fails is not a healthy machine.

**A departure opens an event**: the first decision on the machine with `warning` or `alarm`. Each
later one continues it; the condition may become worse or better meanwhile.

**A recovery closes it**: the first decision with `normal`, or with `learning`, where a new healthy
period begins or a baseline awaits its approval. `unknown` neither opens nor closes an event: a
silent machine has not recovered. While nothing newer is known, after a restart or during silence,
the machine shows the condition of its open event (`shown`).

**No decision reaches the rule** while the machine is at rest, starts, coasts or is worked on
(`gateway/machines/machine.py`); evidence and event wait. A check after work that finds no fault
sets the evidence to zero, so the next decision closes the event.

**What does not close an event.** Later windows confirm an alarm (`confirmation.py`): that adds a
reason. People acknowledge, shelve or suppress an alarm (`gateway/machines/alarms.py`, ISA-18.2):
the event of a suppressed machine opens and closes by this rule too; an alarm whose
event closed waits for an acknowledgement if it had none. The dashboard groups events that follow
one another within a day into a case (`app/store/cases.py`), and people close the event of a gateway
that lost its memory (`app/store/lost.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import DEPARTED, RECOVERED, SEVERITY, Condition


@dataclass(frozen=True, slots=True)
class AlarmRule:
    """Decides when conditions and events begin and end.

    Parameters
    ----------
    evidence_off : float
        Share of its level below which evidence ends a condition, 0..1.
    dead_band : float
        Share of its level by which a limited value must fall before the condition ends, 0..1.

    Examples
    --------
    >>> RULE.on_by_value(False, 10.0, 10.0), RULE.on_by_value(True, 9.6, 10.0)
    (True, True)
    >>> RULE.on_by_value(True, 9.4, 10.0), RULE.opens(Condition.ALARM), RULE.closes(Condition.ALARM)
    (False, True, False)
    """

    evidence_off: float = 0.5
    dead_band: float = 0.05

    def on_by_evidence(
        self, on: NDArray[np.bool_], share: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return which conditions are on, from the evidence as a share of its level."""
        return share >= np.where(on, self.evidence_off, 1.0)

    def on_by_value(self, on: bool, value: float, level: float) -> bool:
        """Tell whether a limited value is in a condition; an infinite level is not in use."""
        if on and not isinf(level):
            level -= self.dead_band * abs(level)
        return value >= level

    def opens(self, condition: Condition) -> bool:
        """Tell whether a decision on the machine opens an event, or continues the open one."""
        return condition in DEPARTED

    def closes(self, condition: Condition) -> bool:
        """Tell whether a decision on the machine closes its open event."""
        return condition in RECOVERED

    def shown(self, present: Condition, of_open_event: Condition) -> Condition:
        """Return the condition of a machine with an open event, also if no decision is known."""
        known = self.opens(present) or present is Condition.NORMAL
        return present if known else of_open_event


RULE: Final = AlarmRule()


def worst(*conditions: Condition) -> Condition:
    """Return the worst of several conditions; of equally bad ones the first.

    >>> worst(Condition.NORMAL, Condition.UNKNOWN, Condition.WARNING).value
    'warning'
    """
    return max(conditions, key=SEVERITY.__getitem__)
