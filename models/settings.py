"""The design numbers of the detector, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

SECONDS_PER_YEAR = 365.25 * 86_400


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """Requirements of a baseline, budget of false alarms, bounds of drift.

    Parameters
    ----------
    false_alarms_per_year : float
        Budget of false events of the detector per machine and year, all points together. ISA-18.2
        asks that each alarm needs a response; once a year is once a week in a plant of 50 machines.
    wider : float
        Factor of all limits of learned evidence, >= 1: the plant's account sets it while a machine
        has more false events than the plant's promise explains.
    baseline_windows : int
        Windows of each point that a baseline needs. With 200, the tenth of the scores that makes
        the tail has 20.
    baseline_days, baseline_starts : float, int
        Shortest healthy period, and starts of the machine in it; 0 = no requirement. A person
        chooses them at commissioning.
    value_days, value_windows : float, int
        A point with overall values needs the values of this time, or `baseline_windows` if these
        are fewer, but at least `value_windows`: 72 of an hourly value. A day and its night differ,
        and so may the third day.
    state_windows : int
        Windows that an operating state needs to count as covered: a median of 10 has a standard
        error of 0.4 σ.
    inferred_state_windows : int
        Windows that an inferred operating state needs: with 100, the tenth that makes the tail has
        10 scores, the fewest. With fewer the limit is so high that labels include faults in it
        (lab/results/labels.md).
    baseline_windows_kept : int
        Most windows of a point in memory; beyond it every second one is dropped, so that the rest
        still represents the whole period.
    settled_sigma : float
        A baseline is settled when no quarter of it is farther from the whole than this, in units
        of its spread (median over features): less than the shift of the warning chart.
    p_limit : float
        A single window below this p-value is shown as beyond the limit: one healthy window in 500.
        Conditions depend on the evidence of many windows.
    warning_sigma, alarm_sigma : float
        Lasting shift of the normal score to which the warning and the alarm chart are tuned: one
        that is just noticeable, and one that no healthy machine has for long. A chart tuned to δ
        uses the allowance δ/2 (Page 1954), and ignores smaller shifts.
    score_cap : float
        Normal scores are limited to ± this before they accumulate: p = 3e-5. So one spike moves
        the evidence no more than a few ordinary windows.
    correlation_max : float
        Upper limit of the lag-1 correlation; slower changes are wander of the machine, which the
        spread of the held-out scores includes.
    correlation_s : float
        Windows this far apart count as correlated by at least 1/e, whatever a short baseline
        shows: a machine does not change by itself in this time.
    evidence_cap : float
        Upper limit of the evidence as a multiple of the level. A machine that recovers is then
        shown as normal within about twice the time of its detection.
    outlier_sigma, outlier_share : float
        Held-out log scores this many robust σ above the median are outliers: removed from the
        baseline and reported. If there are more than this share, they are normal for the machine.
    drift_days : float
        Time constant with which the baseline follows slow change while all is normal. It is short
        enough that ageing by the bound in a year lags behind by less than 0.1 dB.
    drift_bound_db, drift_bound_sigma : float
        Largest distance of the followed baseline from the fitted one: half of the 6 dB that
        practice calls a significant change (features with ``scale="log"``), or a number of σ
        (other features).
    warning_budget_share : float
        Share of the budget for the warning chart; the rest is for the alarm chart.
    estimation_sigma : float
        The allowance grows by this many standard deviations of the offset that the baseline's error
        and wander give the scores; the level keeps the budget on average over this offset. 2.0 and
        2.6 were slower at 2 σ (docs/results.md).
    unseen_discount_sigma : float
        Reduction of the normal scores of windows in an unseen operating state. These windows share
        the state's offset, so only strong scores count.
    predicted_discount_sigma : float
        The same where the state is predicted from the known ones: the p-value includes the
        uncertainty of the prediction, so the common offset is smaller.
    heartbeat_windows : int
        Windows between decisions with renewed explanations while the condition is unchanged.
    sensor_windows : int
        Unusable windows in a row that make a point `unknown`; fewer are only left out.
    folds : int
        Contiguous blocks of the cross-conformal calibration (Vovk 2015). With 5, a held-out model
        lacks a fifth of a short baseline, and p-values are too high (median 0.8 at 200 windows).
    iso_windows : int
        ISO zones and limits compare the median of this number of windows, so that one spike has no
        effect.
    """

    false_alarms_per_year: float = 1.0
    wider: float = 1.0
    baseline_windows: int = 200
    baseline_days: float = 0.0
    baseline_starts: int = 0
    value_days: float = 3.0
    value_windows: int = 20
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
    outlier_sigma: float = 6.0
    outlier_share: float = 0.02
    drift_days: float = 7.0
    drift_bound_db: float = 3.0
    drift_bound_sigma: float = 1.0
    warning_budget_share: float = 0.75
    estimation_sigma: float = 1.28
    unseen_discount_sigma: float = 2.0
    predicted_discount_sigma: float = 1.0
    sensor_windows: int = 3
    heartbeat_windows: int = 50
    folds: int = 10
    iso_windows: int = 5


SHIPPED = DetectorSettings()
"""Settings of every machine; they are not tuned to a data set."""
