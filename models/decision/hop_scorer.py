"""From the windows of a hop to p-values and evidence, with the fitted model of a machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.calibration import capped_normal_scores
from auscult.models.baseline.container import under
from auscult.models.baseline.kind_model import HeadCorrection, KindScores
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.baseline.rounds import Rounds
from auscult.models.decision.departures import DEPARTS, Departure, Departures
from auscult.models.decision.drift import Drift
from auscult.models.decision.evidence_levels import MachineEvidence
from auscult.models.decision.point_rows import PointRows, end_to_end
from auscult.models.decision.sensor_signatures import SensorSignatures
from auscult.models.decision.slow_change import SlowChange
from auscult.models.decision.value_evidence import RowEvidence, ValueEvidence
from auscult.models.records import Observation, ScoredWindow
from auscult.models.settings import DetectorSettings

Float32 = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]

_FUSED = np.zeros(1)
"""Place of the machine's own p-value behind those of its points."""
EVIDENCE = "evidence/"
DEPARTURES = "departures/"
ROUNDS = "rounds/"
SLOW = "slow/"
"""Prefixes of arrays in a stored state."""
POINT_SETS = 8
"""Sets of points that arrived together whose rows are kept, besides each point alone."""

Place = tuple[KindScores, int]
"""One window: the scores of its kind, and its row in them."""


@dataclass(frozen=True)
class HopScores:
    """Scores of the windows of one hop, with the evidence accumulated so far.

    ``p_values`` holds the points with a score, ``unseen`` those of them in an operating state that
    the baseline does not hold, ``p_value`` is that of the machine.
    """

    model: MachineModel
    evidence: MachineEvidence | RowEvidence
    kinds: Sequence[KindScores] = ()
    p_values: Mapping[str, float] = field(default_factory=dict)
    unseen: Collection[str] = ()
    p_value: float | None = None
    departures: Sequence[Departures] = ()
    """Of each kind of the model; none where the values decide."""
    values: ValueEvidence | None = None
    """What decides instead of the p-values, on a machine of overall values."""

    @cached_property
    def codes(self) -> list[int]:
        """Return `NORMAL`, `WARNING` or `ALARM` of each of the machine's rows."""
        codes: list[int] = self.evidence.condition().tolist()
        return codes

    def all_normal(self, windows: int) -> bool:
        """Return whether all of so many windows have a score, a seen state and no open evidence."""
        return len(self.p_values) == windows and not self.evidence.open and not self.unseen

    def find(self, point: str) -> Place | None:
        """Place of a point's window, None if it has no score."""
        return next(
            (
                (kind, i)
                for kind in self.kinds
                for i, observation in enumerate(kind.observations)
                if observation.point == point
            ),
            None,
        )

    def departure(self, place: Place) -> Departure:
        """Mean departure of a window's point; that of the window alone where none is known."""
        scores, i = place
        alone = Departure.from_window(scores, i)
        if not self.departures:
            return alone
        number = next(n for n, kind in enumerate(self.model.kinds) if kind is scores.kind)
        return self.departures[number].departure_of(int(scores.rows[i])) or alone

    def least_probable(self) -> Place | None:
        """Place of the window with the smallest p-value, None without windows."""
        kind = min(self.kinds, key=lambda kind: kind.ln_p.min(), default=None)
        return None if kind is None else (kind, int(kind.ln_p.argmin()))


def discount_sigma(model: MachineModel, settings: DetectorSettings) -> float:
    """Return the reduction of the normal scores of windows in unseen states, in σ."""
    if model.predicts_states:
        return settings.predicted_discount_sigma
    return settings.unseen_discount_sigma


class HopScorer:
    """Scores hops with a fitted model; holds evidence, followed drift and heads."""

    def __init__(
        self, model: MachineModel, specs: Mapping[str, FeatureSpec], settings: DetectorSettings
    ) -> None:
        self.model = model
        self.evidence = MachineEvidence(model, settings)
        self.signatures = SensorSignatures(model.kinds, specs, settings.sensor_windows)
        self._specs = specs
        self.settings = settings
        self._discount_sigma = discount_sigma(model, settings)
        self._drift = tuple(Drift(kind, settings) for kind in model.kinds)
        self._slow = tuple(
            SlowChange(kind, drift) for kind, drift in zip(model.kinds, self._drift, strict=True)
        )
        self._departures = tuple(Departures() for _ in model.kinds)
        starts = np.cumsum([0, *(len(kind.points) for kind in model.kinds)]).tolist()
        self._rows_of_kind = tuple(slice(a, b) for a, b in pairwise(starts))
        self.heads: Mapping[str, HeadCorrection] = {}
        self._heads: tuple[Mapping[int, HeadCorrection], ...] = ({},) * len(model.kinds)
        self._scores: tuple[KindScores, ...] = ()
        self._rows: dict[tuple[str, ...], PointRows] = {}
        is_value = [kind.kind == "value" for kind in model.kinds for _ in kind.points]
        self._rounds = Rounds(is_value) if any(is_value) else None
        self._fused_p: float | None = None

    def use(self, settings: DetectorSettings) -> None:
        """Use other levels from now on; running evidence is kept as a share of its level."""
        evidence = MachineEvidence(self.model, settings)
        evidence.resume(self.evidence.to_arrays())
        self.evidence, self.settings = evidence, settings

    @property
    def followed(self) -> tuple[Float32, ...]:
        """Return the distance of the followed baseline from the fitted one, of each kind."""
        return tuple(drift.offset for drift in self._drift)

    def resume_slow_change(self, before: HopScorer) -> None:
        """Resume what another scorer with these points learned of slow change."""
        for own, other in zip(self._slow, before._slow, strict=True):
            own.restore(other.to_arrays())

    def set_heads(self, heads: Mapping[str, HeadCorrection]) -> None:
        """Correct the scores of these points by their heads from now on."""
        self.heads = dict(heads)
        self._heads = tuple(
            {kind.row[p]: h for p, h in heads.items() if p in kind.row and not h.is_start}
            for kind in self.model.kinds
        )

    def score(
        self, usable: Sequence[Observation], features: Float32, follow_drift: bool,
        values: ValueEvidence | None = None,
    ) -> HopScores:  # fmt: skip
        """Score the windows of a hop, and add them to the evidence.

        Windows without a measurement (`SensorSignatures.follow`) are left out.

        Parameters
        ----------
        usable : sequence of Observation
            Windows without sensor fault, at most one of each point.
        features : np.ndarray
            Their features end to end (`end_to_end`).
        follow_drift : bool
            Whether the baseline may follow these windows, if their evidence is normal.
        values : ValueEvidence, optional
            What decides instead of the p-values, which are then of labels alone.
        """
        evidence = self.evidence if values is None else values.of(self.model.row)
        points = self._measure(usable, features)
        if empty := self.signatures.follow(self._scores):
            usable = [one for one in usable if one.point not in empty]
            points = self._measure(usable, end_to_end(usable))
        if not self._scores:
            return HopScores(self.model, evidence, values=values)
        ln_p = np.concatenate([*(kind.ln_p for kind in self._scores), _FUSED])
        all_seen = all(kind.all_seen for kind in self._scores)
        if self._rounds is None:
            fused: float | None = self.model.fuse(ln_p[:-1], points.variance, all_seen)
        else:
            fused = self._fuse_rounds(self._rounds, points, ln_p[:-1], all_seen)
        ln_p[-1] = 0.0 if fused is None else fused
        p = np.exp(ln_p)
        unseen: Collection[str] = ()
        if values is None:
            unseen = self._add_evidence(points, p, all_seen, fused is not None)
        if fused is not None:
            self._fused_p = float(p[-1])
        if all_seen and follow_drift and not (evidence.open or self.signatures.suspects):
            self._follow(points, usable[-1].t_ns)
        p_values = dict(zip(points.points, p[:-1].tolist(), strict=True))
        return HopScores(
            self.model, evidence, self._scores, p_values, unseen, self._fused_p,
            self._departures if values is None else (), values,
        )  # fmt: skip

    def _add_evidence(
        self, points: PointRows, p: NDArray[np.float64], all_seen: bool, fused: bool
    ) -> Collection[str]:
        """Add p-values, the machine's last, to the evidence; return the points in unseen states."""
        normal = capped_normal_scores(p, self.settings.score_cap)
        unseen: Collection[str] = ()
        if not all_seen:
            seen = np.concatenate([kind.seen for kind in self._scores])
            normal -= self._discount_sigma * np.append(~seen, True)
            unseen = {points.points[i] for i in np.flatnonzero(~seen)}
        states = np.concatenate([*(kind.state for kind in self._scores), self._scores[0].state[:1]])
        if fused:
            self.evidence.observe(points.rows, states, normal, all_seen)
        else:
            self.evidence.observe(points.rows_of_points, states[:-1], normal[:-1], all_seen)
        self._update_departures(points)
        for slow, rows in zip(self._slow, self._rows_of_kind, strict=True):
            slow.settle(self.evidence.share[0, rows] <= 0.0, event=self.evidence.open)
        return unseen

    def _measure(self, usable: Sequence[Observation], features: Float32) -> PointRows:
        """Score windows without adding them to the evidence."""
        points = self._rows_of(tuple([one.point for one in usable]))
        self._scores = tuple(
            own.kind.score(
                own.rows,
                own.model_units(features),
                [usable[i] for i in own.places],
                self._drift[own.number].offset,
                self._heads[own.number],
                self._slow[own.number].apply,
            )
            for own in points.kinds
        )
        return points

    def _fuse_rounds(
        self, rounds: Rounds, points: PointRows, ln_p: NDArray[np.float64], seen: bool
    ) -> float | None:
        """Fused ln p of a machine with overall values; None where nothing is to be fused yet."""
        rows = points.rows_of_points
        ended = rounds.add(rows.tolist(), ln_p.tolist())
        if ended is not None:
            together, values = ended
            return self.model.fuse(values, self.model.fusion.variance(together), seen)
        waves = ~np.isin(rows, rounds.value_rows)
        if not waves.any():
            return None
        return self.model.fuse(ln_p[waves], self.model.fusion.variance(rows[waves]), seen)

    def _update_departures(self, points: PointRows) -> None:
        for own, scores in zip(points.kinds, self._scores, strict=True):
            departures, departs = self._departures[own.number], scores.ln_p < DEPARTS
            if departs.any():
                departures.add(scores, departs)
            if departures:
                departures.discard(self.evidence.share[0, self._rows_of_kind[own.number]] <= 0.0)

    def days_missing(self) -> float:
        """Return the days of healthy running until small changes are found as fast as before."""
        slow = max(one.days_missing for one in self._slow)
        return max(self.evidence.days_missing(), slow)

    def reset(self) -> None:
        """Discard evidence and departures, for example after maintenance."""
        self.evidence.reset()
        self.signatures.reset()
        for departures in self._departures:
            departures.clear()
        if self._rounds is not None:
            self._rounds.clear()
        self._fused_p = None

    def _follow(self, points: PointRows, newest_ns: int) -> None:
        for own, kind in zip(points.kinds, self._scores, strict=True):
            drift = self._drift[own.number]
            self._slow[own.number].add(own.rows, kind.z, kind.position, newest_ns)
            if newest_ns >= drift.due_ns or newest_ns < drift.from_ns:
                drift.follow(own.rows, kind.z, [one.t_ns for one in kind.observations])

    def _rows_of(self, points: tuple[str, ...]) -> PointRows:
        """Return the rows of these points; those of a few sets that arrived together are kept."""
        rows = self._rows.get(points)
        if rows is None:
            if len(self._rows) >= POINT_SETS + len(self._specs):
                self._rows.clear()
            rows = self._rows[points] = PointRows.for_points(self.model, self._specs, points)
        return rows

    def scored_windows(self) -> tuple[ScoredWindow, ...]:
        """Return the windows of the last hop, as learning from labels stores them."""
        return tuple(
            ScoredWindow(
                observation.point,
                observation.t_ns,
                scores.position[i],
                float(scores.log_score[i]),
                scores.kind.state_names[int(scores.state[i])],
                bool(scores.seen[i]),
                scores.kind.used(scores.z[i]),
            )
            for scores in self._scores
            for i, observation in enumerate(scores.observations)
        )

    def to_arrays(self) -> Arrays:
        """Copy evidence and drift, to store them."""
        drift = {f"drift/{number}": one.offset.copy() for number, one in enumerate(self._drift)}
        times = {f"drift_times/{number}": one.times() for number, one in enumerate(self._drift)}
        slow = {
            f"{SLOW}{number}/{name}": array
            for number, one in enumerate(self._slow)
            for name, array in one.to_arrays().items()
        }
        watched = {"sensor_signatures": self.signatures.to_array()}
        evidence = {EVIDENCE + name: array for name, array in self.evidence.to_arrays().items()}
        departed = {
            f"{DEPARTURES}{number}/{name}": array
            for number, one in enumerate(self._departures)
            for name, array in one.to_arrays().items()
        }
        collected: dict[str, NDArray[Any]] = {}
        if self._rounds is not None:
            collected = {ROUNDS + name: array for name, array in self._rounds.to_arrays().items()}
            if self._fused_p is not None:
                collected["fused_p"] = np.array([self._fused_p])
        return {**evidence, **drift, **times, **slow, **watched, **departed, **collected}

    def restore(self, arrays: Arrays) -> None:
        """Resume from `to_arrays`."""
        self.evidence.resume(
            {name.removeprefix(EVIDENCE): a for name, a in arrays.items() if EVIDENCE in name}
        )
        watched = arrays.get("sensor_signatures")
        if watched is not None:  # none of older versions
            self.signatures.restore(watched)
        for number, departures in enumerate(self._departures):
            # none where nothing departed, or of older versions
            if own := under(f"{DEPARTURES}{number}/", arrays):
                departures.restore(own)
        if self._rounds is not None and ROUNDS + "round" in arrays:  # none of older versions
            self._rounds.restore({n.removeprefix(ROUNDS): arrays[n] for n in arrays if ROUNDS in n})
            self._fused_p = float(arrays["fused_p"][0]) if "fused_p" in arrays else None
        for number, slow in enumerate(self._slow):
            slow.restore(under(f"{SLOW}{number}/", arrays))
        for number, drift in enumerate(self._drift):
            drift.offset[:] = arrays[f"drift/{number}"]
            if (times := arrays.get(f"drift_times/{number}")) is not None:  # none of older versions
                drift.resume(times)
