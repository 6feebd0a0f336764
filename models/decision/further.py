"""Further departures: what is added to a machine while an event is open.

An event that no one answered would hide what comes later. So its steady part becomes a provisional
reference: the baseline, moved to where the event's windows lie. The reference decides by the same
calibration, charts and budget, and follows slow change as a baseline of that age. A departure from
it that reaches the alarm level is reported, unless it goes back towards the healthy machine. Every
departure begins another reference.

The first windows of a point give the location, and as many that follow widen the spread until their
median score is that of healthy windows. Where that takes more than `MOST_WIDE`, the event is not
steady, and the next windows are tried. Each report doubles the windows of the next reference, so a
fault that grows is reported again as often as the logarithm of its age.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.container import under
from auscult.models.baseline.kind_model import KindModel
from auscult.models.decision.evidence import ALARM
from auscult.models.decision.hop_scorer import HopScorer, HopScores, Place
from auscult.models.records import Observation

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

WINDOWS: Final = 100
"""Windows of each point that give the first reference its location, and as many its spread."""
MOST_WIDE: Final = 2.0
"""Largest factor of the spread: that of a place in `LearningSettings`, as a square."""
WAITS: Final = 32
"""Hops in which a departure from the reference must reach the alarm chart's level."""
BACK: Final = 0.5
"""Cosine between a departure and the way back, in spreads, from which the machine goes back."""
ADDED: Final = "added_departs"
SCORER: Final = "scorer/"


@dataclass(frozen=True, slots=True)
class Added:
    """What was added to an open event: since when, and the window that shows it best."""

    t_ns: int
    place: Place


class Further:
    """Follows the open event of one machine with waveforms.

    Parameters
    ----------
    scorer : HopScorer
        Of the baseline.
    specs : mapping of point to FeatureSpec
    """

    def __init__(self, scorer: HopScorer, specs: Mapping[str, FeatureSpec]) -> None:
        self._baseline, self._specs = scorer, specs
        self._raised = 0
        self._begin()

    def _begin(self) -> None:
        model = self._baseline.model
        self._moved = [np.zeros(kind.location[:, 0].shape) for kind in model.kinds]
        """Sums, then means, of the event's distance from the fitted baseline in model units."""
        self._count = np.zeros(len(model.row))
        self._wide: Float64 | None = None
        """Factor of each row's spread; None until it is known."""
        self._scores: list[list[float]] = [[] for _ in model.row]
        """Of each row against the reference, while its spread is measured."""
        self._scorer: HopScorer | None = None
        self._open = 0
        """Hops since a departure from the reference began."""

    def clear(self) -> None:
        """Discard the event."""
        if self._raised or self._count.any():
            self._raised = 0
            self._begin()

    def follow(
        self, usable: Sequence[Observation], features: Float32, scores: HopScores, *, steady: bool
    ) -> Added | None:
        """Add a hop; return what was added to the event, once.

        Parameters
        ----------
        usable, features
            See `HopScorer.score`.
        scores : HopScores
            Of the baseline, with its evidence.
        steady : bool
            See `follow_drift` of `HopScorer.score`.
        """
        if not scores.evidence.open:
            self.clear()
            return None
        if not scores.kinds:
            return None
        if self._scorer is None:
            self._locate(scores)
            return None
        self._scorer.set_heads(self._baseline.heads)
        found = self._scorer.score(usable, features, steady)
        if self._wide is None:
            self._measure_spread(found)
            return None
        place = found.least_probable()
        if not found.evidence.open or place is None:
            self._open = 0
            return None
        self._open += 1
        alarm = ALARM in found.codes
        if not alarm and self._open < WAITS:
            return None
        added = alarm and not self._goes_back(found)
        self._raised += added
        self._begin()
        return Added(usable[-1].t_ns, place) if added else None

    def _goes_back(self, found: HopScores) -> bool:
        """Return whether the departure from the reference leads towards the healthy machine."""
        moved: list[Float64] = []
        back: list[Float64] = []
        for scores in found.kinds:
            number = _number(scores.kind, found)
            for i, row in enumerate(scores.rows.tolist()):
                spread = scores.kind.spread[row, scores.state[i]]
                moved.append(found.departure((scores, i)).z)
                back.append(-self._moved[number][row] / spread)
        z, way = np.concatenate(moved), np.concatenate(back)
        return bool(z @ way > BACK * np.linalg.norm(z) * np.linalg.norm(way))

    @property
    def _wanted(self) -> int:
        return int(WINDOWS * 2**self._raised)

    def _locate(self, scores: HopScores) -> None:
        for own in scores.kinds:
            number = _number(own.kind, scores)
            self._moved[number][own.rows] += own.z * own.kind.spread[own.rows, own.state]
            self._count[[scores.model.row[one.point] for one in own.observations]] += 1
        if self._count.min() >= self._wanted:
            starts = np.cumsum([0, *map(len, self._moved)])
            followed = self._baseline.followed
            self._moved = [
                moved / self._count[start : start + len(moved), None] + by
                for moved, start, by in zip(self._moved, starts[:-1], followed, strict=True)
            ]
            self._scorer = self._at_event()

    def _measure_spread(self, found: HopScores) -> None:
        for own in found.kinds:
            for one, score in zip(own.observations, own.log_score.tolist(), strict=True):
                self._scores[found.model.row[one.point]].append(score)
        if min(map(len, self._scores)) < self._wanted:
            return
        points = [point for kind in found.model.kinds for point in kind.points]
        usual = [np.interp(np.log(0.5), one.seen.ln_p[::-1], one.seen.u[::-1]) for one in points]
        above = np.array([np.median(own) for own in self._scores]) - usual
        wide = np.exp(np.maximum(above, 0.0) / 2)
        if wide.max() > MOST_WIDE:
            self._begin()
            return
        self._wide, measured = wide, self._scorer
        self._scorer = self._at_event()
        if measured is not None:
            self._scorer.resume_slow_change(measured)

    def _at_event(self) -> HopScorer:
        """Return a scorer with the baseline moved to the event."""
        model, windows = self._baseline.model, int(self._count.min())
        wide = iter(np.ones(len(model.row)) if self._wide is None else self._wide)
        kinds = []
        for kind, moved in zip(model.kinds, self._moved, strict=True):
            points = []
            for point, by in zip(kind.points, moved, strict=True):
                d = point.scaling.location.shape[1]
                scaling = replace(
                    point.scaling,
                    location=(point.scaling.location + by[:d]).astype(np.float32),
                    spread=(point.scaling.spread * next(wide)).astype(np.float32),
                )
                fewer = min(point.windows, windows)
                points.append(replace(point, scaling=scaling, windows=fewer))
            kinds.append(replace(kind, points=tuple(points)))
        moved_model = replace(model, kinds=tuple(kinds), windows=min(model.windows, windows))
        return HopScorer(moved_model, self._specs, self._baseline.settings)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Copy what is known of the event, to store it; nothing without one."""
        if not (self._raised or self._count.any()):
            return {}
        arrays: dict[str, NDArray[Any]] = {
            f"moved/{n}": own.copy() for n, own in enumerate(self._moved)
        }
        arrays |= {"raised": np.array([self._raised]), "count": self._count.copy()}
        if self._wide is not None and self._scorer is not None:
            arrays["wide"] = self._wide.copy()
            arrays |= {SCORER + name: own for name, own in self._scorer.to_arrays().items()}
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`; a spread that was being measured is measured again."""
        if not arrays:
            return
        self._raised = int(arrays["raised"][0])
        self._count = arrays["count"].copy()
        self._moved = [arrays[f"moved/{n}"].copy() for n in range(len(self._moved))]
        if "wide" in arrays:
            self._wide = arrays["wide"].copy()
        if self._count.min() >= self._wanted:
            self._scorer = self._at_event()
            if self._wide is not None:
                self._scorer.restore(under(SCORER, arrays))


def _number(kind: KindModel, scores: HopScores) -> int:
    return next(n for n, own in enumerate(scores.model.kinds) if own is kind)
