"""From evidence and limits to decisions with reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.machine_model import Judgement, KindModel, MachineModel
from auscult.models.baseline.states import state_name, state_values
from auscult.models.decision.diagnosis import diagnose
from auscult.models.decision.evidence import ALARM, NORMAL, WARNING, Evidence
from auscult.models.decision.feature_names import (
    change_words,
    feature_band_hz,
    feature_order,
    feature_words,
)
from auscult.models.decision.limits import LimitBoard
from auscult.models.decision.sensor_checks import Sensors
from auscult.models.records import (
    SEVERITY,
    Condition,
    Contribution,
    Decision,
    Observation,
    Reason,
    ReasonKind,
    Said,
    Score,
)
from auscult.models.settings import DetectorSettings

CONDITIONS: Final = {
    NORMAL: Condition.NORMAL,
    WARNING: Condition.WARNING,
    ALARM: Condition.ALARM,
}
WARNING_LEVEL, ALARM_LEVEL = 1.0, 2.0
"""Units of a decision's evidence: 1 switches the warning on, 2 the alarm."""
TOP = 5
"""Features that a reason names."""
TOGETHER = ""
"""Stands for all points where details are kept by point."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Where one observed window stands in the arrays of its kind."""

    observation: Observation
    kind: KindModel
    row: int
    judgement: Judgement
    index: int


class JudgedKind(NamedTuple):
    """Windows of one kind in one hop, and the arrays with a row for each of them."""

    kind: KindModel
    observations: Sequence[Observation]
    rows: NDArray[np.intp]
    judgement: Judgement


@dataclass(frozen=True)
class Learned:
    """What the learned detector made of a hop.

    ``p_values`` are of the points that were judged, ``unseen`` those among them whose operating
    state the baseline does not hold.
    """

    model: MachineModel
    evidence: Evidence
    hops: Sequence[JudgedKind] = ()
    p_values: Mapping[str, float] = field(default_factory=dict)
    unseen: Collection[str] = ()
    p_value: float | None = None
    """Of the machine."""

    @cached_property
    def codes(self) -> list[int]:
        """`NORMAL`, `WARNING` or `ALARM` of each of the machine's rows."""
        codes: list[int] = self.evidence.condition().tolist()
        return codes

    def calm(self, windows: int) -> bool:
        """Whether so many windows were all judged, and all is as in the baseline."""
        return len(self.p_values) == windows and not self.evidence.open and not self.unseen

    def points(self) -> Iterator[Judged]:
        """Give each judged window; only what departs is looked at so closely."""
        for hop in self.hops:
            for i, observation in enumerate(hop.observations):
                yield Judged(observation, hop.kind, int(hop.rows[i]), hop.judgement, i)

    def point(self, name: str) -> Judged | None:
        """Give the judged window of a point."""
        return next((one for one in self.points() if one.observation.point == name), None)


@dataclass(slots=True)
class _Details:
    """Reasons of a point that is not normal, kept until the condition changes or a heartbeat."""

    code: int
    left: int
    reasons: tuple[Reason, ...]
    score: Score | None


@dataclass
class Decider:
    """Makes decisions; remembers the last one of each point, because a hop may show only some."""

    specs: Mapping[str, FeatureSpec]
    settings: DetectorSettings
    _last: dict[str, Decision] = field(default_factory=dict)
    _details: dict[str, _Details] = field(default_factory=dict)

    def reset(self) -> None:
        """Forget earlier decisions, as after a new baseline."""
        self._last.clear()
        self._details.clear()

    def decide(
        self,
        observations: Sequence[Observation],
        learned: Learned | None,
        sensors: Sensors,
        limits: LimitBoard,
    ) -> tuple[Decision, dict[str, Decision]]:
        """Decide on the machine and on each observed point."""
        levels = _evidence(learned.evidence) if learned else []
        quiet = not limits.any() and not sensors.any()
        if quiet and learned is not None and learned.calm(len(observations)):
            decisions = self._all_normal(observations, learned, levels)
        else:
            decisions = self._one_by_one(observations, learned, levels, sensors, limits)
        self._last |= decisions
        t_ns = max([o.t_ns for o in observations], default=0)
        return self._machine(t_ns, learned, levels), decisions

    def _all_normal(
        self, observations: Sequence[Observation], learned: Learned, levels: list[float]
    ) -> dict[str, Decision]:
        """Decide where nothing speaks: what a machine in good health costs each hop."""
        self._details.clear()
        normal, row, p_values = Condition.NORMAL, learned.model.row, learned.p_values
        return {
            point: Decision(
                point, t_ns, normal, (), p_values[point], levels[row[point]],
                WARNING_LEVEL, ALARM_LEVEL,
            )
            for point, t_ns, _, _, _ in observations
        }  # fmt: skip

    def _one_by_one(
        self,
        observations: Sequence[Observation],
        learned: Learned | None,
        levels: list[float],
        sensors: Sensors,
        limits: LimitBoard,
    ) -> dict[str, Decision]:
        decisions = {}
        for observation in observations:
            point, t_ns = observation.point, observation.t_ns
            fault = sensors.reason(point)
            if fault is not None:
                decision = Decision(point, t_ns, Condition.UNKNOWN, (fault,))
            elif learned is None or point not in learned.model.row:
                condition, reasons = _worst(Condition.LEARNING, limits.reasons(point))
                decision = Decision(point, t_ns, condition, reasons)
            else:
                level = levels[learned.model.row[point]]
                decision = self._point(observation, learned, level, limits)
            decisions[point] = decision
        return decisions

    def _point(
        self,
        observation: Observation,
        learned: Learned,
        evidence: float,
        limits: LimitBoard,
    ) -> Decision:
        point = observation.point
        code = learned.codes[learned.model.row[point]]
        p_value = learned.p_values.get(point)
        unseen = point in learned.unseen
        condition = CONDITIONS[code]
        reasons: tuple[Reason, ...] = ()
        score = None
        if code == NORMAL:
            self._details.pop(point, None)
        if unseen or code != NORMAL:
            judged = learned.point(point)
            if unseen and judged is not None:
                reasons = (_unseen(judged),)
                condition = Condition.UNKNOWN if code == NORMAL else condition
            if code != NORMAL:
                details = self._detail(point, code, judged, learned)
                reasons += details.reasons
                score = details.score
        condition, reasons = _worst(condition, limits.reasons(point), reasons)
        return Decision(
            point,
            observation.t_ns,
            condition,
            reasons,
            p_value,
            evidence,
            WARNING_LEVEL,
            ALARM_LEVEL,
            score,
        )

    def _detail(self, point: str, code: int, judged: Judged | None, learned: Learned) -> _Details:
        details = self._details.get(point)
        if details is not None and details.code == code and (details.left > 0 or judged is None):
            details.left -= 1
            return details
        if judged is None:
            return _Details(code, 0, (), None)
        top = contributions(judged, self.specs[point])
        score = score_of(judged, learned.model, top)
        spec = self.specs[point]
        moved = ", ".join(change_words(spec, one) for one in top[:3])
        condition = CONDITIONS[code]
        reasons = [
            Reason(
                ReasonKind.LEARNED,
                condition,
                f"departs from its baseline: {moved}",
                point=point,
                value=score.value,
                contributions=top,
                said=Said("departs"),
            )
        ]
        named = diagnose(spec, _sigmas(judged))
        if named is not None:
            reasons.append(named.reason(point, condition))
        details = _Details(code, self.settings.heartbeat_windows, tuple(reasons), score)
        self._details[point] = details
        return details

    def _machine(self, t_ns: int, learned: Learned | None, levels: list[float]) -> Decision:
        """Worst of the points and of their fused evidence; says which points carried it."""
        condition = Condition.LEARNING if learned is None else Condition.NORMAL
        fused = NORMAL
        if learned is not None and learned.evidence.open and len(learned.model.row) > 1:
            fused = learned.codes[-1]
            condition = CONDITIONS[fused]
        for decision in self._last.values():
            if decision.condition is not Condition.NORMAL:
                condition = max(condition, decision.condition, key=SEVERITY.__getitem__)
        reasons: tuple[Reason, ...] = ()
        if condition not in (Condition.NORMAL, Condition.LEARNING):
            reasons = self._machine_reasons(fused, learned)
        evidence = max(levels, default=None) if learned else None
        p_value = learned.p_value if learned else None
        return Decision(
            None, t_ns, condition, reasons, p_value, evidence, WARNING_LEVEL, ALARM_LEVEL
        )

    def _machine_reasons(self, fused: int, learned: Learned | None) -> tuple[Reason, ...]:
        points = sorted(
            (d for d in self._last.values() if d.reasons),
            key=lambda d: (SEVERITY[d.condition], d.evidence or 0.0),
            reverse=True,
        )
        reasons = tuple(reason for decision in points for reason in decision.reasons)
        carried = fused == NORMAL or any(
            SEVERITY[d.condition] >= SEVERITY[CONDITIONS[fused]] for d in points
        )
        if carried or learned is None:
            self._details.pop(TOGETHER, None)
            return reasons
        return (self._together(fused, learned), *reasons)

    def _together(self, fused: int, learned: Learned) -> Reason:
        """Say that the points depart together, and which of them carries most; kept as details."""
        details = self._details.get(TOGETHER)
        ranked = sorted(learned.points(), key=lambda j: j.judgement.ln_p[j.index])
        if details is not None and details.code == fused and (details.left > 0 or not ranked):
            details.left -= 1
            return details.reasons[0]
        text = "its points together depart from the baseline, none of them alone yet"
        said = Said("departs_together")
        reason = Reason(ReasonKind.LEARNED, CONDITIONS[fused], text, said=said)
        if ranked:
            lead = ranked[0].observation.point
            spec = self.specs[lead]
            top = contributions(ranked[0], spec)
            moved = ", ".join(change_words(spec, one) for one in top[:3])
            text += f"; most at {lead}: {moved}"
            reason = Reason(
                ReasonKind.LEARNED,
                CONDITIONS[fused],
                text,
                point=lead,
                contributions=top,
                said=said,
            )
        self._details[TOGETHER] = _Details(fused, self.settings.heartbeat_windows, (reason,), None)
        return reason


def contributions(judged: Judged, spec: FeatureSpec, top: int = TOP) -> tuple[Contribution, ...]:
    """Features that moved most in one window, largest share of the squared z-scores first."""
    kind, i = judged.kind, judged.index
    z = judged.judgement.z[i].astype(np.float64)
    square = z**2
    total = float(square.sum()) or 1.0
    spread = kind.spread[judged.row, judged.judgement.state[i]]
    found = []
    for slot in np.argsort(-square)[:top]:
        name = kind.slots.names[slot]
        low_hz, high_hz = feature_band_hz(spec, name) or (None, None)
        feature = spec.features[spec.index[name]]
        value = float(judged.observation.features[spec.index[name]])
        moved = float(z[slot] * spread[slot])
        level = bool(kind.slots.level[slot])
        found.append(
            Contribution(
                feature=name,
                value=value,
                baseline=value * exp(-moved) if level else value - moved,
                unit=feature.unit,
                sigma=float(z[slot]),
                change_db=moved * 20 / float(np.log(10)) if level else None,
                share=float(square[slot]) / total,
                title=feature_words(spec, name),
                low_hz=low_hz,
                high_hz=high_hz,
                order=feature_order(spec, name),
            )
        )
    return tuple(found)


def score_of(judged: Judged, model: MachineModel, top: tuple[Contribution, ...]) -> Score:
    """Record of one window's score, with what it is made of."""
    i = judged.index
    position = judged.judgement.position[i].astype(np.float64)
    width = judged.kind.slots.mask.shape[1]
    parts = {
        "residual": float((position[:width] ** 2).sum()),
        "latent": float((position[width:] ** 2).sum()),
    }
    return Score(
        exp(float(judged.judgement.log_score[i])), parts, top, model.model_id, model.baseline_id
    )


def _sigmas(judged: Judged) -> dict[str, float]:
    """z-score of each feature of one window."""
    z = judged.judgement.z[judged.index]
    return {name: float(z[slot]) for slot, name in enumerate(judged.kind.slots.names)}


def _unseen(judged: Judged) -> Reason:
    states, state = judged.kind.states, judged.observation.state
    nearest = states.states[states.nearest(state)[0]]
    return Reason(
        ReasonKind.STATE,
        Condition.UNKNOWN,
        f"operating state {state_name(state)} was never seen in the baseline "
        f"(nearest: {state_name(nearest)})",
        point=judged.observation.point,
        said=Said("unseen_state", state_values(state) | state_values(nearest, "nearest_")),
    )


def _worst(
    condition: Condition, limits: tuple[Reason, ...], reasons: tuple[Reason, ...] = ()
) -> tuple[Condition, tuple[Reason, ...]]:
    if not limits:
        return condition, reasons
    worst = max((r.condition for r in limits), key=SEVERITY.__getitem__)
    return max(condition, worst, key=SEVERITY.__getitem__), reasons + limits


def _evidence(evidence: Evidence) -> list[float]:
    """Evidence of each row in units where 1 is the warning level and 2 the alarm level."""
    charts = zip(*(evidence.sums / evidence.level).tolist(), strict=True)
    return [2 * alarm if alarm >= 1 else max(warning, alarm) for warning, alarm in charts]
