"""Scores of replayed windows under the heads used last, so that a label scores only what is new."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.models.learning.head import Head
from auscult.models.learning.replay import ReplayRows

Float64 = NDArray[np.float64]

HEADS = 3
"""Heads whose scores are kept: the active one and its latest candidates."""


class KnownScores:
    """Scores of one point's windows; not thread-safe.

    A window's score depends on its row in the replay and on the head only. Heads are compared by
    identity: one that was read again from disk is scored again.
    """

    def __init__(self) -> None:
        self._of: list[tuple[Head, NDArray[np.int64], Float64]] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> KnownScores:
        other = KnownScores()
        other._of = list(self._of)
        return other

    def scores_of(
        self, head: Head, rows: ReplayRows, score: Callable[[ReplayRows], Float64]
    ) -> Float64:
        """Return the score [shape=(n,)] of each row, computed for those not known yet."""
        serials = rows.serials
        scores = np.full(len(rows), np.nan)
        known = next((one for one in self._of if one[0] is head), None)
        if known is not None and len(known[1]):
            at = np.minimum(known[1].searchsorted(serials), len(known[1]) - 1)
            same = known[1][at] == serials
            scores[same] = known[2][at[same]]
        new = np.flatnonzero(np.isnan(scores))
        if len(new):
            scores[new] = score(rows.where(new))
        others = [one for one in self._of if one[0] is not head]
        self._of = [*others[-(HEADS - 1) :], (head, serials, scores)]
        return scores
