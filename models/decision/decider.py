"""From evidence and limits to decisions with reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Final

import numpy as np

from auscult.contract.records import (
    RECOVERED,
    SEVERITY,
    Condition,
    Contribution,
    Reason,
    ReasonKind,
)
from auscult.contract.said import Said
from auscult.dsp.scales import DB_PER_NEPER
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.collection import learned_points
from auscult.models.baseline.kind_model import KindModel, KindScores
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.baseline.states import state_values
from auscult.models.decision.alarm_rule import worst
from auscult.models.decision.departures import Departure
from auscult.models.decision.diagnosis import diagnose
from auscult.models.decision.evidence import ALARM, NORMAL, WARNING, EvidenceCharts
from auscult.models.decision.feature_names import (
    feature_band_hz,
    feature_order,
    feature_words,
)
from auscult.models.decision.hop_scorer import HopScores, Place
from auscult.models.decision.limits import LimitChecks
from auscult.models.decision.lubrication import lubrication_diagnosis
from auscult.models.decision.sensor_checks import SensorChecks
from auscult.models.decision.value_evidence import RowEvidence
from auscult.models.records import Decision, Observation, Score
from auscult.models.settings import DetectorSettings

CONDITIONS: Final = {
    NORMAL: Condition.NORMAL,
    WARNING: Condition.WARNING,
    ALARM: Condition.ALARM,
}
WARNING_LEVEL, ALARM_LEVEL = 1.0, 2.0
"""Evidence of a decision at which the warning and the alarm switch on."""
NO_LEVEL = ("1", "Hz", "s", "dB")
"""Units whose change is no level's: a ratio, a frequency, a time. dB would say nothing of them."""
TOP = 5
"""Features that a reason names."""
ALL_POINTS = ""
"""Key of the explanation that is of all points together."""


@dataclass(slots=True)
class _Explanation:
    """Why a condition is on; it is renewed at the heartbeat, not at every hop."""

    code: int
    hops_left: int
    reasons: tuple[Reason, ...]
    score: Score | None = None


@dataclass
class Decider:
    """Decides on points and machine.

    A hop may hold windows of some points only, so it keeps the last decision of each point.
    """

    specs: Mapping[str, FeatureSpec]
    settings: DetectorSettings
    _learned: Mapping[str, FeatureSpec] = field(init=False)
    _last: dict[str, Decision] = field(default_factory=dict)
    _explanations: dict[str, _Explanation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._learned = learned_points(self.specs)

    def reset(self) -> None:
        """Discard earlier decisions, for example after a new baseline."""
        self._last.clear()
        self._explanations.clear()

    def decide(
        self,
        observations: Sequence[Observation],
        scores: HopScores | None,
        sensors: SensorChecks,
        limits: LimitChecks,
    ) -> tuple[Decision, dict[str, Decision]]:
        """Decide on the machine and on each observed point; without a baseline scores are None."""
        levels = _evidence(scores.evidence) if scores else []
        quiet = not limits.any() and not sensors.any()
        if quiet and scores is not None and scores.all_normal(len(observations)):
            decisions = self._all_normal(observations, scores, levels)
        else:
            decisions = {
                one.point: self._point(one, scores, levels, sensors, limits) for one in observations
            }
        self._last |= decisions
        t_ns = max([o.t_ns for o in observations], default=0)
        return self._machine(t_ns, scores, levels), decisions

    def _all_normal(
        self, observations: Sequence[Observation], scores: HopScores, levels: list[float]
    ) -> dict[str, Decision]:
        """Decide on a healthy hop: the fast path, taken nearly always."""
        self._explanations.clear()
        normal, row, p_values = Condition.NORMAL, scores.model.row, scores.p_values
        return {
            point: Decision(
                point, t_ns, normal, (), p_values[point], levels[row[point]],
                WARNING_LEVEL, ALARM_LEVEL,
            )
            for point, t_ns, _, _, _ in observations
        }  # fmt: skip

    def _point(
        self,
        observation: Observation,
        scores: HopScores | None,
        levels: list[float],
        sensors: SensorChecks,
        limits: LimitChecks,
    ) -> Decision:
        point, t_ns = observation.point, observation.t_ns
        fault = sensors.unusable(point)
        if fault is not None:
            return Decision(point, t_ns, Condition.UNKNOWN, (fault,))
        beside = limits.reasons(point) + sensors.beside(point)
        if point not in self._learned:
            condition, reasons = _with(beside, Condition.NORMAL, ())
            return Decision(point, t_ns, condition, reasons)
        if scores is None or point not in scores.model.row:
            condition, reasons = _with(beside, Condition.LEARNING, ())
            return Decision(point, t_ns, condition, reasons)
        row = scores.model.row[point]
        code = scores.codes[row]
        condition, score = CONDITIONS[code], None
        reasons = ()
        place = scores.find(point)
        if point in scores.unseen and place is not None:
            reasons = (_unseen(*place),)
            condition = Condition.UNKNOWN if code == NORMAL else condition
        if code == NORMAL:
            self._explanations.pop(point, None)
        else:
            explanation = self._explain(point, code, place, scores)
            reasons += explanation.reasons
            score = explanation.score
        condition, reasons = _with(beside, condition, reasons)
        return Decision(
            point, t_ns, condition, reasons, scores.p_values.get(point), levels[row],
            WARNING_LEVEL, ALARM_LEVEL, score,
        )  # fmt: skip

    def _explain(self, key: str, code: int, place: Place | None, scores: HopScores) -> _Explanation:
        """Explain the condition of a point, or of `ALL_POINTS`, by this window."""
        known = self._explanations.get(key)
        if known is not None and known.code == code and (known.hops_left > 0 or place is None):
            known.hops_left -= 1
            return known
        condition, hops = CONDITIONS[code], self.settings.heartbeat_windows
        if key == ALL_POINTS:
            made = _Explanation(code, hops, (self._points_together(condition, place),))
        elif place is None:
            made = _Explanation(code, 0, ())
        else:
            made = self._one_point(key, place, scores, code)
        self._explanations[key] = made
        return made

    def _one_point(self, point: str, place: Place, scores: HopScores, code: int) -> _Explanation:
        spec, condition = self.specs[point], CONDITIONS[code]
        top = contributions(*place, spec)
        score = score_of(*place, scores.model, top)
        departs = scores.values.reasons(point, condition) if scores.values else ()
        departs = departs or (
            Reason(
                ReasonKind.LEARNED,
                condition,
                Said("departs"),
                point=point,
                value=score.value,
                contributions=top,
            ),
        )
        kind, departure = place[0].kind, scores.departure(place)
        # A stage is that of now; a pattern is that of the event.
        named = diagnose(
            spec, _sigmas(kind, departure), _moved(kind, departure)
        ) or lubrication_diagnosis(spec, _moved(kind, Departure.from_window(*place)))
        reasons = departs if named is None else (*departs, named.reason(condition, point))
        # Renewed when its mean holds twice the windows; of overall values, each time.
        hops = 0 if scores.values else min(self.settings.heartbeat_windows, departure.windows)
        return _Explanation(code, hops, reasons, score)

    def _points_together(self, condition: Condition, place: Place | None) -> Reason:
        """Say that the points together depart, and at which of them the window departs most."""
        said = Said("departs_together")
        if place is None:
            return Reason(ReasonKind.LEARNED, condition, said)
        kind, i = place
        point = kind.observations[i].point
        top = contributions(kind, i, self.specs[point])
        return Reason(ReasonKind.LEARNED, condition, said, point=point, contributions=top)

    def _machine(self, t_ns: int, scores: HopScores | None, levels: list[float]) -> Decision:
        """Decide by the worst of the points and of their fused evidence."""
        condition = Condition.LEARNING if scores is None else Condition.NORMAL
        fused = NORMAL
        if scores is not None and scores.evidence.open and len(scores.model.row) > 1:
            fused = scores.codes[-1]
            condition = CONDITIONS[fused]
        for decision in self._last.values():
            if decision.condition is not Condition.NORMAL:
                condition = worst(condition, decision.condition)
        reasons: tuple[Reason, ...] = ()
        if condition not in RECOVERED:
            reasons = self._machine_reasons(fused, scores)
        evidence = max(levels, default=None) if scores else None
        p_value = scores.p_value if scores else None
        return Decision(
            None, t_ns, condition, reasons, p_value, evidence, WARNING_LEVEL, ALARM_LEVEL
        )

    def _machine_reasons(self, fused: int, scores: HopScores | None) -> tuple[Reason, ...]:
        """Reasons of the points, worst first, led by that of all together if none is as bad.

        Overall values that depart have the same evidence: the one that opened the event leads.
        """
        first = scores.values.first if scores is not None and scores.values else None
        points = sorted(
            (d for d in self._last.values() if d.reasons),
            key=lambda d: (SEVERITY[d.condition], d.evidence or 0.0, d.point == first),
            reverse=True,
        )
        reasons = tuple(reason for decision in points for reason in decision.reasons)
        severity = SEVERITY[CONDITIONS[fused]]
        explained = fused == NORMAL or any(SEVERITY[d.condition] >= severity for d in points)
        if explained or scores is None:
            self._explanations.pop(ALL_POINTS, None)
            return reasons
        together = self._explain(ALL_POINTS, fused, scores.least_probable(), scores)
        return together.reasons + reasons


def contributions(
    scores: KindScores, i: int, spec: FeatureSpec, top: int = TOP
) -> tuple[Contribution, ...]:
    """Return features that moved most in window i, largest share of the squared z-scores first."""
    kind, observation = scores.kind, scores.observations[i]
    z = scores.z[i].astype(np.float64)
    square = z**2
    total = float(square.sum()) or 1.0
    spread = kind.spread[scores.rows[i], scores.state[i]]
    found = []
    names = kind.slots.names
    own = [slot for slot in np.argsort(-square[: len(names)]) if names[slot] in spec.index]
    for slot in own[:top]:
        name = names[slot]
        low_hz, high_hz = feature_band_hz(spec, name) or (None, None)
        feature = spec.features[spec.index[name]]
        value = float(observation.features[spec.index[name]])
        moved = float(z[slot] * spread[slot])
        level = bool(kind.slots.level[slot])
        found.append(
            Contribution(
                feature=name,
                value=value,
                baseline=value * exp(-moved) if level else value - moved,
                unit=feature.unit,
                sigma=float(z[slot]),
                change_db=float(moved * DB_PER_NEPER)
                if level and feature.unit not in NO_LEVEL
                else None,
                share=float(square[slot]) / total,
                title=feature_words(spec, name),
                low_hz=low_hz,
                high_hz=high_hz,
                order=feature_order(spec, name),
            )
        )
    return tuple(found)


def score_of(
    scores: KindScores, i: int, model: MachineModel, top: tuple[Contribution, ...]
) -> Score:
    """Score of window i, with its parts."""
    position = scores.position[i].astype(np.float64)
    width = scores.kind.slots.mask.shape[1]
    parts = {
        "residual": float((position[:width] ** 2).sum()),
        "latent": float((position[width:] ** 2).sum()),
    }
    return Score(exp(float(scores.log_score[i])), parts, top, model.model_id, model.baseline_id)


def _sigmas(kind: KindModel, departure: Departure) -> dict[str, float]:
    """Return the mean z-score of each feature of a departure."""
    return dict(zip(kind.slots.names, departure.z.tolist(), strict=False))


def _moved(kind: KindModel, departure: Departure) -> dict[str, float]:
    """Return the mean change of each feature against its state's baseline; of levels in dB."""
    moved = np.where(kind.slots.level, departure.moved * DB_PER_NEPER, departure.moved)
    return dict(zip(kind.slots.names, moved.tolist(), strict=False))


def _unseen(scores: KindScores, i: int) -> Reason:
    states, observation = scores.kind.states, scores.observations[i]
    state = observation.state
    nearest = states.states[states.nearest(state)[0]]
    return Reason(
        ReasonKind.STATE,
        Condition.UNKNOWN,
        Said("unseen_state", state_values(state) | state_values(nearest, "nearest_")),
        point=observation.point,
    )


def _with(
    beside: tuple[Reason, ...], condition: Condition, reasons: tuple[Reason, ...]
) -> tuple[Condition, tuple[Reason, ...]]:
    """Add limits that are exceeded and sensor faults; the worst condition counts."""
    return worst(condition, *(r.condition for r in beside)), reasons + beside


def _evidence(evidence: EvidenceCharts | RowEvidence) -> list[float]:
    """Evidence of each row in units where 1 is the warning level and 2 the alarm level."""
    charts = zip(*evidence.share.tolist(), strict=True)
    return [2 * alarm if alarm >= 1 else max(warning, alarm) for warning, alarm in charts]
