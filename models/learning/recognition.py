"""Recognition of a confirmed fault when it returns: which labelled event a departure resembles.

It compares directions, not distances, in whitened coordinates and over all points together: a
returning fault may be weaker or stronger. Similarity is no diagnosis, because different faults can
look alike; so the reason names the earlier event, not a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from auscult.contract.label import Label
from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.models.records import ScoredWindow

Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class KnownFault:
    """A confirmed fault: its label, and the mean position of its windows at each point."""

    label: Label
    centres: Mapping[str, Float32]


@dataclass(slots=True)
class DepartureSum:
    """Sum of the positions of a departure's windows so far, by point."""

    sums: dict[str, Float32] = field(default_factory=dict)

    def add(self, windows: Iterable[ScoredWindow]) -> None:
        """Add windows."""
        for window in windows:
            so_far = self.sums.get(window.point)
            self.sums[window.point] = (
                window.position.copy() if so_far is None else so_far + window.position
            )

    def likeness(self, fault: KnownFault) -> float:
        """Cosine 0..1 between the departure and a fault, over the points that both have."""
        return cosine(self.sums, fault.centres)


def cosine(mine: Mapping[str, Float32], theirs: Mapping[str, Float32]) -> float:
    """Return the cosine 0..1 of two departures by point, over the points that both have."""
    common = [point for point in theirs if point in mine]
    if not common:
        return 0.0
    a, b = (np.concatenate([own[point] for point in common]) for own in (mine, theirs))
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return max(0.0, float(a @ b) / size) if size > 0 else 0.0


def resemblance(
    departure: DepartureSum, faults: Sequence[KnownFault], least: float
) -> Reason | None:
    """Return the confirmed fault that a departure resembles most, if it resembles any enough.

    Parameters
    ----------
    departure : DepartureSum
    faults : sequence of KnownFault
    least : float
        Cosine from which two are alike (`LearningSettings.resembles`).
    """
    alike = [(departure.likeness(fault), fault) for fault in faults]
    likeness, fault = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    if fault is None or likeness < least:
        return None
    label = fault.label
    return Reason(
        ReasonKind.LEARNED,
        Condition.WARNING,
        Said(
            "resembles",
            {
                "event_id": label.event_id,
                "kind": label.kind,
                "actor": label.actor,
                "at_ms": label.created_ms,
            },
        ),
        value=likeness,
        limit=least,
    )
