"""The comb of lines that stands out at any order: what a bearing says that is not configured.

It needs no bearing. A race's comb has its fundamental at the ball-pass order; where the stated
bearing is another one, the comb that stands out lies elsewhere than the stated orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.line_search import HARMONIC_COST_DB, INNER, OUTER, SAME_LINE, LineSearch

Float64 = NDArray[np.float64]

LEAST_ORDER: Final = 1.3
MOST_ORDER: Final = 14.0
"""Ball-pass orders of rolling bearings: 5 balls on a large circle up to 25 rollers."""
CANDIDATES: Final = 12
"""Fundamentals that are examined with all speeds and sidebands, in each spectrum."""
HARMONICS: Final = np.array(OUTER.harmonics)
SUBMULTIPLES: Final = (1, 2, 3)
"""A line may be the first, second or third harmonic of its comb."""


@dataclass(frozen=True, slots=True)
class Comb:
    """The comb of race lines with most evidence, at any order.

    Parameters
    ----------
    order : float
        Of its fundamental, in orders of the stated speed.
    evidence_db : float
        What it explains beyond the shaft's own lines.
    plain_db : float
        The same where no sidebands are expected (outer race).
    zoned_db : float
        The same where sidebands at ± shaft are expected (a part that turns through the load zone).
    speed_scale : float
        True over stated speed, as the comb and its sidebands say.
    depth : float
        Largest modulation depth of a harmonic, 0..2.
    synchronous : bool
        Its fundamental is one line with a harmonic of the shaft at the comb's speed, the stated
        one or the one that explains most of the shaft: gear mesh, blades, looseness.
    channel : int
        The channel nearest to what makes it.
    """

    order: float
    evidence_db: float
    plain_db: float
    zoned_db: float
    speed_scale: float
    depth: float
    synchronous: bool
    channel: int


def strongest_comb(searches: Sequence[LineSearch]) -> Comb | None:
    """Find the comb with most evidence in spectra of one recording; None without any line."""
    found = [_candidates(search) for search in searches]
    orders = np.unique(np.concatenate(found).round(4))
    if not orders.size:
        return None
    evidence = np.zeros((2, orders.size))
    speeds = np.ones(orders.size)
    for search in searches:
        turns = orders / search.speed
        carriers = search.carriers(OUTER, turns)
        for i, family in enumerate((OUTER, INNER)):
            explained = search.explain(family, turns, 1.0, carriers)
            worth = explained.worth - search.shaft.max()
            evidence[i] += worth.max(axis=0) / len(searches)
            if search is searches[0]:
                best = evidence[i] >= evidence[0]
                speeds = np.where(best, search.speed[worth.argmax(axis=0), 0], speeds)
    at = int(evidence.max(axis=0).argmax())
    order, speed = float(orders[at]), float(speeds[at])
    first = searches[0]
    shaft_speed = float(first.speed[first.shaft.argmax(), 0])
    turns = order / np.array([speed, shaft_speed, 1.0])
    off = float(np.abs(turns - np.rint(turns)).min())
    return Comb(
        order=order,
        evidence_db=float(evidence[:, at].max()),
        plain_db=float(evidence[0, at]),
        zoned_db=float(evidence[1, at]),
        speed_scale=speed,
        depth=max(search.lines.deepest(order * HARMONICS) for search in searches),
        synchronous=all(off * search.lines.per_order < SAME_LINE for search in searches),
        channel=first.lines.nearest(order * HARMONICS),
    )


def _candidates(search: LineSearch) -> Float64:
    """Return the fundamentals whose harmonics are highest, a comb's neighbours left out."""
    lines = search.lines.maxima(search.peaks)
    orders = np.concatenate([lines / n for n in SUBMULTIPLES])
    orders = orders[(orders > LEAST_ORDER) & (orders < MOST_ORDER)]
    heights = search.height(np.outer(orders, HARMONICS)) - HARMONIC_COST_DB
    kept: list[float] = []
    for order in orders[np.argsort(-heights.sum(axis=1), kind="stable")]:
        if all(abs(order - one) * search.lines.per_order > SAME_LINE - 0.5 for one in kept):
            kept.append(float(order))
        if len(kept) == CANDIDATES:
            break
    return np.array(kept)
