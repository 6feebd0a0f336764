"""The design numbers of the detector, in one place, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

SECONDS_PER_YEAR = 365.25 * 86_400


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """How much a baseline needs, how often a false alarm is bearable, how far drift may go.

    Parameters
    ----------
    false_alarms_per_year : float
        Budget of false learned events per machine and year, all points together. ISA-18.2 asks
        that an alarm be worth a walk; once a year per machine is a walk a week in a plant of 50.
    baseline_windows : int
        Windows of each point that a baseline needs. 200 leave 20 in the tenth of the scores from
        which the tail is extrapolated.
    state_windows : int
        Windows that an operating state needs before it counts as covered: a median of 10 has a
        standard error of 0.4 σ.
    inferred_state_windows : int
        Windows that an operating state needs if nobody told it: 100 leave the least of scores, 10,
        in the tenth that is the tail. With fewer the limit lies so far out that labels make faults
        part of it (docs/labels.md).
    baseline_windows_kept : int
        Windows of a point that are kept at most; beyond it every second one is dropped, so that
        memory is bounded and the whole period stays represented.
    settled_sigma : float
        A baseline is settled when no quarter of it lies farther from the whole than this, in
        units of its own spread (median over features): less than the shift that warns.
    p_limit : float
        A single window below this p-value counts as beyond the limit (shown as such; conditions
        follow the evidence of many windows): one healthy window in 500.
    warning_sigma, alarm_sigma : float
        Lasting shift of the normal score that the warning and the alarm chart are tuned to: what
        is just noticeable, and what no healthy machine shows for long. A chart tuned to δ uses the
        allowance δ/2 (Page 1954), which also bounds what it ignores.
    score_cap : float
        Normal scores are limited to ± this before they accumulate: p = 3e-5. One spike, however
        high, then moves the evidence by no more than a few ordinary windows could.
    correlation_max : float
        Largest lag-1 correlation believed; what is slower is wander of the machine, which the
        spread of the held-out scores already holds.
    correlation_s : float
        Time within which a machine can't be assumed to have changed by itself: windows so far
        apart count as correlated by 1/e at least, whatever a short baseline seems to say.
    evidence_cap : float
        Evidence is held below this multiple of the level, so that a machine that is well again
        is shown as well within about twice the time that it took to be noticed.
    off_level : float
        A condition ends when the evidence falls below this share of its level (hysteresis).
    outlier_sigma, outlier_share : float
        Held-out log scores this many robust σ above the median are set apart from the baseline
        and reported, as long as they are no more than this share: more is the machine's way.
    drift_days : float
        Time constant with which the baseline follows slow change while all is normal: fast enough
        that ageing by the bound a year never lags behind by a tenth of a dB.
    drift_bound_db, drift_bound_sigma : float
        Farthest that the followed baseline may lie from the commissioning baseline: half of the
        6 dB that practice calls a significant change (level-like features), or so many σ (other
        features).
    warning_budget_share : float
        Share of the budget that goes to the warning chart; the rest goes to the alarm chart.
    estimation_sigma : float
        The allowance grows by this many standard errors of the baseline's mean score: a chart
        whose baseline is short would else run away on the baseline's own error (Albers &
        Kallenberg 2004, guaranteed in-control performance; 1.28 = nine machines in ten).
    unseen_discount_sigma : float
        Normal scores of windows in an operating state that the baseline does not hold are lowered
        by this: they share the state's offset, so only what would be strong once counts at all.
    heartbeat_windows : int
        Windows between decisions with all details while the condition stays the same.
    sensor_windows : int
        Unusable windows in a row that make a point `unknown`; fewer are merely left out.
    folds : int
        Contiguous blocks of the cross-conformal calibration (Vovk 2015). With 5, a held-out model
        misses a fifth of a short baseline and p-values come out too high (median 0.8 at 200).
    iso_windows : int
        ISO zones and limits judge the median of so many windows: no single spike.
    """

    false_alarms_per_year: float = 1.0
    baseline_windows: int = 200
    state_windows: int = 10
    inferred_state_windows: int = 100
    baseline_windows_kept: int = 2000
    settled_sigma: float = 1.0
    p_limit: float = 0.002
    warning_sigma: float = 1.0
    alarm_sigma: float = 3.0
    score_cap: float = 4.0
    correlation_max: float = 0.8
    correlation_s: float = 1.0
    evidence_cap: float = 1.5
    off_level: float = 0.5
    outlier_sigma: float = 6.0
    outlier_share: float = 0.02
    drift_days: float = 7.0
    drift_bound_db: float = 3.0
    drift_bound_sigma: float = 1.0
    warning_budget_share: float = 0.75
    estimation_sigma: float = 1.28
    unseen_discount_sigma: float = 2.0
    sensor_windows: int = 3
    heartbeat_windows: int = 50
    folds: int = 10
    iso_windows: int = 5


SHIPPED = DetectorSettings()
"""What every machine starts with; nothing is tuned to a data set."""
