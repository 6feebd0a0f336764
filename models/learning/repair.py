"""Was the repair good? After planned work the first windows are compared with those before it.

The mean capped normal score of 20 windows says whether the machine departs from its baseline at
all: above 1 σ for healthy windows is 4.5 standard errors, less if they correlate. If it departs,
the direction says whether the departure is that of before: by cosine, over all points, in whitened
coordinates. The same fault at the same state on cwru, uestc, gearbox_gfd, bldc_audio and hit_sm has
0.97 or more, another one on cwru and uestc at most 0.93; the same broken tooth at two loads has
0.77 to 0.98. So states count.

Overall values have a reference that moves with answers and seasons, which the baseline does not
follow: there the medians of as many values are compared with that reference.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from auscult.contract.said import Said
from auscult.models.decision.value_evidence import CompareValues
from auscult.models.learning.recognition import cosine
from auscult.models.learning.replay import number_of
from auscult.models.records import Decision, ScoredWindow

Float32 = NDArray[np.float32]

WINDOWS = 20
"""Windows of the machine on which the result is based."""
DEPARTS = 1.0
"""Mean capped normal score, in σ, above which the machine departs from its baseline."""
SAME_STATE, OTHER_STATE = 0.95, 0.75
"""Cosine from which a departure is the one of before, in a state that was seen before or not."""
SCORE_CAP = 4.0

Centres = Mapping[int, Mapping[str, Float32]]
"""Mean position [shape=(m,)] by operating state (`number_of` its name) and point."""


class RepairResult(StrEnum):
    """What planned work changed."""

    GONE = "gone"
    """The machine runs as in its baseline, or at its values' reference, which stays in use."""
    UNCHANGED = "unchanged"
    """It departs as before."""
    NEW = "new"
    """It departs in another direction than before."""


@dataclass(slots=True)
class RepairCheck:
    """Compares the windows after planned work with an event before it.

    Parameters
    ----------
    event_id : str
    since_ns : int
        Time of the work, UTC.
    before : mapping of state to mapping of point to np.ndarray
        Mean positions of the event's windows; empty if none are stored.
    """

    event_id: str
    since_ns: int
    before: Centres
    windows: int = 0
    result: RepairResult | None = None
    likeness: float | None = None
    """Cosine 0..1 with the departure before, where the machine departs."""
    _scores: float = 0.0
    _sums: dict[int, dict[str, Float32]] = field(default_factory=dict)
    _counts: dict[int, int] = field(default_factory=dict)

    def add_hop(self, decision: Decision, windows: Sequence[ScoredWindow]) -> bool:
        """Add a hop of the running machine; True if this made the result."""
        unseen = not windows or not all(window.seen for window in windows)
        if self.result is not None or decision.p_value is None or unseen:
            return False
        score = -float(ndtri(max(decision.p_value, 1e-300)))
        self._scores += float(np.clip(score, -SCORE_CAP, SCORE_CAP))
        state = number_of(windows[0].state)
        self._counts[state] = self._counts.get(state, 0) + 1
        sums = self._sums.setdefault(state, {})
        for window in windows:
            so_far = sums.get(window.point)
            position = window.position
            sums[window.point] = position.copy() if so_far is None else so_far + position
        self.windows += 1
        if self.windows < WINDOWS:
            return False
        self._decide()
        return True

    def ask_values(self, compare: CompareValues) -> bool:
        """Ask how overall values lie since the work; True if this made the result."""
        if self.result is not None:
            return False
        self.windows, compared = compare(WINDOWS, self.since_ns)
        if compared is None:
            return False
        self.result = RepairResult(compared)
        return True

    @property
    def said(self) -> Said:
        """Return the result, or the progress towards it, in words."""
        match self.result:
            case None:
                return Said("repair_watched", {"windows": self.windows, "needed": WINDOWS})
            case RepairResult.GONE:
                return Said("repair_gone", {"windows": self.windows})
            case RepairResult.UNCHANGED:
                return Said("repair_unchanged", {"windows": self.windows})
            case RepairResult.NEW if self.likeness is None:
                return Said("repair_new_value", {"windows": self.windows})
            case RepairResult.NEW:
                return Said("repair_new", {"likeness": self.likeness})

    def to_bytes(self) -> bytes:
        """Serialise what a restart needs; an unfinished check begins again."""
        known = (self.event_id, self.since_ns, self.result, self.likeness)
        return json.dumps(known).encode()

    @classmethod
    def from_bytes(cls, data: bytes, before: Callable[[str], Centres]) -> RepairCheck:
        """Read what `to_bytes` wrote; ``before`` returns the centres of an event."""
        event_id, since_ns, result, likeness = json.loads(data)
        if result is None:
            return cls(event_id, since_ns, before(event_id))
        return cls(event_id, since_ns, {}, WINDOWS, RepairResult(result), likeness)

    def _decide(self) -> None:
        if self._scores / self.windows <= DEPARTS:
            self.result = RepairResult.GONE
            return
        state = max(self._counts, key=lambda one: self._counts[one])
        now = self._sums[state]
        known = self.before.get(state)
        least = OTHER_STATE if known is None else SAME_STATE
        others = [known] if known is not None else list(self.before.values())
        if not others:
            # Nothing to compare with: it departs, as it did.
            self.result = RepairResult.UNCHANGED
            return
        self.likeness = max(cosine(now, other) for other in others)
        same = self.likeness >= least
        self.result = RepairResult.UNCHANGED if same else RepairResult.NEW
