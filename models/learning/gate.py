"""The gate: how heads do on a replay, and whether new ones may replace the old."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri_exp

from auscult.contract.records import Metrics
from auscult.contract.said import Said
from auscult.contract.times import WEEK_NS
from auscult.models.baseline.calibration import Calibration
from auscult.models.baseline.fusion import UNKNOWN_CORRELATION
from auscult.models.baseline.kind_model import Rescore
from auscult.models.learning.head import Head
from auscult.models.learning.known_scores import KnownScores
from auscult.models.learning.replay import ROW, ReplayArrays, ReplayRows, RowClass
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.records import ScoredWindow

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

CLOSER = 0.05
"""σ by which a labelled false alarm that still alarms must have come closer to normal."""
WEAKENED = 0.5
"""σ of evidence that a confirmed fault may lose at most: a quarter of the shift that the alarm
chart is tuned to."""


@dataclass(frozen=True, slots=True)
class PointContext:
    """What the baseline fixed for a point: its whitened coordinates, and its calibrations.

    ``unseen`` is for windows of operating states that the baseline does not hold, ``predicted``
    says whether the baseline predicts these states from the known ones.
    """

    coordinates: int
    seen: Calibration
    unseen: Calibration
    predicted: bool = False
    slots: int = 0
    """Number w of z-scores that a window has."""
    rescore: Rescore | None = None
    """Scores windows from z-scores of another location."""


@dataclass(frozen=True, slots=True)
class PointReplay:
    """One point's rows, what turns their scores into p-values, and the scores known so far."""

    rows: ReplayRows
    context: PointContext
    known: KnownScores = field(default_factory=KnownScores)

    def normal_scores(self, head: Head) -> Float64:
        """Return the normal scores of all rows under a head, as `normal_scores`."""
        return self.known.scores_of(
            head, self.rows, lambda rows: normal_scores(rows, self.context, head)
        )


@dataclass(frozen=True, slots=True)
class Replayed:
    """How some heads do on the labelled events and the healthy windows.

    ``faults``, ``false_alarms`` and ``unlabelled`` map an event to its evidence, the mean normal
    score of its windows in σ (see `_together`), ``faults_bare`` to its evidence without any head;
    `healthy_beyond` counts the healthy windows below the p-limit, ``healthy_raised`` those of them
    that are normal without any head: a window that a head silenced may show a fault.
    """

    faults: Mapping[str, float]
    faults_bare: Mapping[str, float]
    false_alarms: Mapping[str, float]
    unlabelled: Mapping[str, float]
    healthy_beyond: int
    span_ns: int
    healthy_raised: int = 0
    healthy_windows: int = 0

    def faults_lost(self, before: Replayed, settings: LearningSettings = SETTINGS) -> list[str]:
        """List the confirmed faults that are weaker than before, and clearly weaker than bare.

        Compared with the evidence without any head: many small steps would lose a fault as well.
        """
        return [
            event
            for event, bare in self.faults_bare.items()
            if bare > settings.allowance
            and self.faults[event] < before.faults.get(event, bare)
            and self.faults[event] <= settings.least_evidence(bare - WEAKENED)
        ]

    def alarming(self, settings: LearningSettings = SETTINGS) -> set[str]:
        """List the events that alarm."""
        evidence = {**self.faults, **self.false_alarms, **self.unlabelled}
        return {event for event, x in evidence.items() if x > settings.allowance}

    def metrics(self, threshold: float, settings: LearningSettings = SETTINGS) -> Metrics:
        """Return the record that people see."""
        limit = settings.allowance
        silenced = sum(evidence <= limit for evidence in self.false_alarms.values())
        detected = sum(evidence > limit for evidence in self.faults.values())
        still = len(self.false_alarms) - silenced + detected
        return Metrics(
            false_alarm_rate=self.healthy_beyond / max(self.healthy_windows, 1),
            healthy_windows=self.healthy_windows,
            healthy_beyond=self.healthy_beyond,
            faults_detected=detected,
            faults_total=len(self.faults),
            labelled_false_alarms_silenced=silenced,
            labelled_false_alarms_total=len(self.false_alarms),
            alarms_per_week=still * WEEK_NS / max(self.span_ns, WEEK_NS),
            threshold=threshold,
        )


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Whether the heads may become active, and why."""

    accepted: bool
    reason: Said


def replay_events(
    replays: Mapping[str, PointReplay],
    heads: Mapping[str, Head],
    settings: LearningSettings = SETTINGS,
) -> Replayed:
    """Score all replayed windows again, with these heads."""
    events: dict[RowClass, dict[str, list[_PointEvidence]]] = {c: {} for c in RowClass}
    bare: dict[str, list[_PointEvidence]] = {}
    healthy = beyond = raised = 0
    times: list[NDArray[np.int64]] = []
    limit = float(-ndtri_exp(np.log(settings.p_limit)))
    for point, replay in replays.items():
        info = replay.rows.info
        if len(info) == 0:
            continue
        rows = replay.rows
        scores = replay.normal_scores(heads[point])
        without = normal_scores(rows, replay.context, heads[point].bare)
        times.append(info["t_ns"])
        is_healthy = info["class"] == RowClass.HEALTHY
        is_beyond = is_healthy & (scores > limit)
        healthy += int(is_healthy.sum())
        beyond += int(is_beyond.sum())
        raised += int((is_beyond & (without <= limit)).sum())
        discount = settings.discount_sigma(replay.context.predicted)
        for event, row_class, now, was in _by_event(rows, scores, without, discount, settings):
            events[row_class].setdefault(event, []).append(now)
            if row_class is RowClass.CONFIRMED_FAULT:
                bare.setdefault(event, []).append(was)
    all_times = np.concatenate(times) if times else np.zeros(1, np.int64)
    return Replayed(
        faults=_all_together(events[RowClass.CONFIRMED_FAULT]),
        faults_bare=_all_together(bare),
        false_alarms=_all_together(events[RowClass.FALSE_ALARM]),
        unlabelled=_all_together(events[RowClass.OPEN]),
        healthy_windows=healthy,
        healthy_beyond=beyond,
        span_ns=int(all_times.max() - all_times.min()),
        healthy_raised=raised,
    )


def _by_event(
    rows: ReplayRows,
    scores: Float64,
    without: Float64,
    discount_sigma: float,
    settings: LearningSettings,
) -> Iterator[tuple[str, RowClass, _PointEvidence, _PointEvidence]]:
    """Yield each event of a point, how it is marked, and its evidence with and without the head."""
    marked = np.flatnonzero(rows.info["class"] != RowClass.HEALTHY)
    info = rows.info[marked]
    number: dict[bytes, int] = {}
    group = [number.setdefault(name, len(number)) for name in info["group"].tolist()]
    classes = dict(zip(group, info["class"].tolist(), strict=True))
    count = np.bincount(group)
    cap = settings.score_cap
    now, was, discount = (
        (np.bincount(group, values) / count).tolist()
        for values in (
            np.clip(scores[marked], -cap, cap),
            np.clip(without[marked], -cap, cap),
            discount_sigma * (info["seen"] == 0),
        )
    )
    for name, i in number.items():
        yield (
            name.decode(errors="replace"),
            RowClass(classes[i]),
            _PointEvidence(now[i], discount[i]),
            _PointEvidence(was[i], discount[i]),
        )


@dataclass(frozen=True, slots=True)
class _PointEvidence:
    """A point's evidence of an event: its mean normal score, and the discount of unseen states."""

    score: float
    discount: float


def _together(points: Sequence[_PointEvidence]) -> float:
    """Return an event's evidence at its clearest point, or of all together if that is more.

    Scores of points correlate; Stouffer's sum assumes `UNKNOWN_CORRELATION` between them.
    """
    if len(points) == 1:
        return points[0].score - points[0].discount
    n = len(points)
    total = sum(point.score for point in points)
    sum_of_all = total / np.sqrt(n * (1 + (n - 1) * UNKNOWN_CORRELATION))
    discount = sum(point.discount for point in points) / n
    return float(max(sum_of_all, *(point.score for point in points)) - discount)


def _all_together(events: Mapping[str, Sequence[_PointEvidence]]) -> dict[str, float]:
    return {event: _together(points) for event, points in events.items()}


def decide(
    before: Replayed,
    after: Replayed,
    event_id: str,
    settings: LearningSettings = SETTINGS,
) -> GateDecision:
    """Accept the new heads only if no confirmed fault is lost and nothing else gets worse.

    The rules, in order: every confirmed fault is detected as before; the share of healthy
    windows beyond the limit does not rise; the event just labelled, if a false alarm, is silent
    or closer to it; no other labelled false alarm comes back, one that alarmed anyway by more than
    0.05 σ, and by more than 0.5 σ where the label confirms a fault.
    """
    limit = settings.allowance
    if lost := after.faults_lost(before, settings):
        return GateDecision(False, Said("gate_fault_lost", {"events": tuple(lost)}))
    if after.healthy_raised > before.healthy_raised:
        windows = after.healthy_windows
        rise = {
            "before": before.healthy_raised / windows,
            "after": after.healthy_raised / windows,
            "windows": windows,
        }
        return GateDecision(False, Said("gate_more_false_alarms", rise))
    # A confirmed fault outweighs false alarms that were not silent anyway.
    may_rise = WEAKENED if event_id in after.faults else CLOSER
    for event, x in after.false_alarms.items():
        was = before.false_alarms.get(event, np.inf)
        allowed = was - CLOSER if event == event_id else was + may_rise
        if x > limit and x > allowed:
            if event != event_id and event_id in after.faults:
                return GateDecision(False, Said("gate_false_alarm_returns", {"event": event}))
            moved = Said(
                "gate_false_alarm_stays",
                {"event": event, "before": float(was), "after": x, "limit": limit},
            )
            return GateDecision(False, moved)
    return GateDecision(True, _kept(after, limit))


def _kept(after: Replayed, limit: float) -> Said:
    """Say how many labelled false alarms are silent, and how many confirmed faults alarm."""
    silenced = {
        "silenced": sum(x <= limit for x in after.false_alarms.values()),
        "false_alarms": len(after.false_alarms),
    }
    detected = {
        "detected": sum(x > limit for x in after.faults.values()),
        "faults": len(after.faults),
    }
    if not after.faults:
        return Said("gate_silenced", silenced) if after.false_alarms else Said("gate_no_labels")
    if not after.false_alarms:
        return Said("gate_detected", detected)
    return Said("gate_passed", silenced | detected)


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


def normal_scores(
    rows: ReplayRows,
    context: PointContext,
    head: Head,
) -> Float64:
    """Return the normal scores −Φ⁻¹(p) in σ, not limited, of n windows of a point under a head."""
    unseen = rows.info["seen"] == 0
    adjusted = head.adjusted(rows, context.rescore)
    ln_p = context.seen.ln_p_of(adjusted)
    if unseen.any():
        ln_p[unseen] = context.unseen.ln_p_of(adjusted[unseen])
    scores: Float64 = -ndtri_exp(ln_p)
    return scores


def normal_score(window: ScoredWindow, head: Head, context: PointContext) -> float:
    """Return the normal score of one window under a head."""
    info = np.zeros(1, ROW)
    info["log_score"], info["seen"] = window.log_score, window.seen
    z = np.full((1, context.slots), np.nan, np.float32)
    if window.z is not None:
        z[0] = window.z
    stored = ReplayArrays(window.position[None], z, np.zeros(1, np.int64))
    rows = ReplayRows(stored, np.zeros(1, np.intp), info)
    return float(normal_scores(rows, context, head)[0])
