"""The gate: what a replay says of heads, and whether new ones may replace the old."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri_exp

from models.calibration import Calibration
from models.learning.head import Head
from models.learning.replay import RowClass, Rows
from models.learning.settings import SETTINGS, LearningSettings
from models.records import Metrics

WEEK_NS = 7 * 86_400 * 10**9
CLOSER = 0.05
"""σ by which a labelled false alarm that still alarms must have come closer to normal."""
WEAKENED = 0.5
"""σ of evidence that a confirmed fault may lose at most: a quarter of the shift that the alarm
chart is tuned to."""


@dataclass(frozen=True, slots=True)
class PointReplay:
    """One point's rows, and the calibrations that turn their scores into p-values.

    ``unseen`` judges windows of operating states that the baseline does not hold.
    """

    rows: Rows
    seen: Calibration
    unseen: Calibration


@dataclass(frozen=True, slots=True)
class Replayed:
    """How the labelled events and the healthy windows fare under some heads.

    ``faults`` and ``false_alarms`` map an event to its evidence: the mean normal score of its
    windows at the point that shows it best, in σ; `healthy_beyond` is the share of healthy
    windows below the p-limit.
    """

    faults: Mapping[str, float]
    false_alarms: Mapping[str, float]
    healthy_beyond: float
    span_ns: int

    def faults_lost(self, before: Replayed, settings: LearningSettings = SETTINGS) -> list[str]:
        """Name the confirmed faults that alarmed before and now don't, or are clearly weaker."""
        limit = settings.allowance
        return [
            event
            for event, was in before.faults.items()
            if was > limit and self.faults.get(event, was) <= max(limit, was - WEAKENED)
        ]

    def metrics(self, threshold: float, settings: LearningSettings = SETTINGS) -> Metrics:
        """Put it into the record that people see."""
        limit = settings.allowance
        silenced = sum(evidence <= limit for evidence in self.false_alarms.values())
        detected = sum(evidence > limit for evidence in self.faults.values())
        still = len(self.false_alarms) - silenced + detected
        return Metrics(
            false_alarm_rate=self.healthy_beyond,
            faults_detected=detected,
            faults_total=len(self.faults),
            labelled_false_alarms_silenced=silenced,
            labelled_false_alarms_total=len(self.false_alarms),
            alarms_per_week=still * WEEK_NS / self.span_ns if self.span_ns > 0 else float(still),
            threshold=threshold,
        )


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Whether the heads may become active, and the reason for a person."""

    accepted: bool
    reason: str


def replay_events(
    replays: Mapping[str, PointReplay],
    heads: Mapping[str, Head],
    settings: LearningSettings = SETTINGS,
) -> Replayed:
    """Judge all replayed windows again, with these heads."""
    evidence: dict[RowClass, dict[str, float]] = {
        RowClass.CONFIRMED_FAULT: {},
        RowClass.FALSE_ALARM: {},
    }
    healthy: list[NDArray[np.bool_]] = []
    times: list[NDArray[np.int64]] = []
    for point, replay in replays.items():
        rows = replay.rows
        if len(rows) == 0:
            continue
        scores = _normal_scores(replay, heads[point])
        times.append(rows.info["t_ns"])
        limit = float(-ndtri_exp(np.log(settings.p_limit)))
        healthy.append(scores[rows.info["class"] == RowClass.HEALTHY] > limit)
        capped = np.clip(scores, -settings.score_cap, settings.score_cap)
        capped -= settings.unseen_discount_sigma * (rows.info["seen"] == 0)
        for row_class, events in evidence.items():
            of_class = rows.info["class"] == row_class
            names, group = np.unique(rows.info["group"][of_class], return_inverse=True)
            means = np.bincount(group, capped[of_class]) / np.maximum(np.bincount(group), 1)
            for name, mean in zip(names, means, strict=True):
                event = name.decode()
                events[event] = max(events.get(event, -np.inf), float(mean))
    beyond = np.concatenate(healthy) if healthy else np.zeros(0, bool)
    all_times = np.concatenate(times) if times else np.zeros(1, np.int64)
    return Replayed(
        faults=evidence[RowClass.CONFIRMED_FAULT],
        false_alarms=evidence[RowClass.FALSE_ALARM],
        healthy_beyond=float(beyond.mean()) if len(beyond) else 0.0,
        span_ns=int(all_times.max() - all_times.min()),
    )


def judge(
    before: Replayed,
    after: Replayed,
    event_id: str,
    settings: LearningSettings = SETTINGS,
) -> GateDecision:
    """Let the new heads in only if no confirmed fault is lost and nothing else gets worse.

    The rules, in order: every confirmed fault is seen as it was; the share of healthy
    windows beyond the limit does not rise; the event just labelled, if a false alarm, is silent
    or closer to it; no other labelled false alarm comes back.
    """
    limit = settings.allowance
    if lost := after.faults_lost(before, settings):
        return GateDecision(
            False, f"would lose or weaken the confirmed fault of event {', '.join(lost)}"
        )
    if after.healthy_beyond > before.healthy_beyond:
        return GateDecision(
            False,
            f"false alarms on healthy windows would rise from {before.healthy_beyond:.1%} to "
            f"{after.healthy_beyond:.1%}",
        )
    for event, x in after.false_alarms.items():
        was = before.false_alarms.get(event, np.inf)
        allowed = was - CLOSER if event == event_id else was + CLOSER
        if x > limit and x > allowed:
            return GateDecision(
                False,
                f"the false alarm of event {event} would go from {was:.2f} σ to {x:.2f} σ, "
                f"{limit:g} σ is silent",
            )
    silenced = sum(x <= limit for x in after.false_alarms.values())
    return GateDecision(
        True,
        f"{silenced} of {len(after.false_alarms)} labelled false alarms are silent, "
        f"{sum(x > limit for x in after.faults.values())} of {len(after.faults)} confirmed faults "
        "still alarm",
    )


def limit_of(calibration: Calibration, p: float) -> float:
    """Find the log score whose p-value is p, by bisection."""
    low, high = float(calibration.u[0]), float(calibration.u[-1]) + 50 * calibration.scale
    for _ in range(60):
        middle = (low + high) / 2
        if calibration.ln_p_of(np.array([middle]))[0] > np.log(p):
            low = middle
        else:
            high = middle
    return high


def _normal_scores(replay: PointReplay, head: Head) -> NDArray[np.float64]:
    rows = replay.rows
    log_scores = head.adjust(rows.positions, rows.log_scores)
    ln_p = replay.seen.ln_p_of(log_scores)
    unseen = rows.info["seen"] == 0
    if unseen.any():
        ln_p[unseen] = replay.unseen.ln_p_of(log_scores[unseen])
    scores: NDArray[np.float64] = -ndtri_exp(ln_p)
    return scores
