"""The charts keep their budget of false alarms, and find shifts as fast as theory says."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from auscult.models.decision.decider import _evidence
from auscult.models.decision.evidence import (
    ALARM,
    NORMAL,
    WARNING,
    ControlChart,
    EvidenceCharts,
    average_run_length,
    level_for,
)
from auscult.models.decision.evidence_levels import _Spread
from auscult.models.settings import SHIPPED

WINDOWS_PER_YEAR = 17_532
"""A window each half hour."""


def _charts(rows: int, rho: float, per_year: float = 1.0) -> EvidenceCharts:
    """Shipped charts of machines with one point and a long baseline."""
    charts = []
    for sigma, part in (
        (SHIPPED.warning_sigma, SHIPPED.warning_budget_share),
        (SHIPPED.alarm_sigma, 1 - SHIPPED.warning_budget_share),
    ):
        level = level_for(WINDOWS_PER_YEAR / (per_year * part), sigma / 2, rho)
        charts.append(ControlChart(np.full(rows, sigma / 2), np.full(rows, level)))
    return EvidenceCharts(*charts, SHIPPED.evidence_cap)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7])
def test_false_alarms_keep_the_budget_of_one_a_machine_and_year(rho) -> None:
    rng = np.random.default_rng(0)
    machines = 200
    evidence = _charts(machines, rho)
    rows = np.arange(machines)
    score = rng.standard_normal(machines)
    events = 0
    before = np.zeros(machines, int)
    for _ in range(WINDOWS_PER_YEAR):
        score = rho * score + np.sqrt(1 - rho**2) * rng.standard_normal(machines)
        evidence.update(rows, np.clip(score, -SHIPPED.score_cap, SHIPPED.score_cap))
        now = evidence.condition()
        events += int(((before == NORMAL) & (now > NORMAL)).sum())
        before = now
    assert 0.5 <= events / machines <= 2.0


@pytest.mark.parametrize("shift", [1.0, 2.0, 3.0])
def test_a_lasting_shift_is_found_as_fast_as_theory_says(shift) -> None:
    rng = np.random.default_rng(1)
    machines = 300
    evidence = _charts(machines, 0.0)
    rows = np.arange(machines)
    delay = np.full(machines, np.nan)
    for window in range(1, 2000):
        score = np.minimum(shift + rng.standard_normal(machines), SHIPPED.score_cap)
        evidence.update(rows, score)
        found = np.isnan(delay) & (evidence.condition() >= WARNING)
        delay[found] = window
        if not np.isnan(delay).any():
            break
    allowance, level = evidence.allowance[0, 0], evidence.level[0, 0]
    theory = (level + 0.583) / (shift - allowance)
    assert delay.mean() <= 1.25 * theory


def test_a_small_shift_warns_and_a_large_one_alarms() -> None:
    evidence = _charts(2, 0.0)
    for _ in range(60):
        evidence.update(np.array([0, 1]), np.array([1.2, 3.0]))
    assert evidence.condition().tolist() == [WARNING, ALARM]


def test_a_condition_ends_with_hysteresis_and_in_bounded_time() -> None:
    evidence = _charts(1, 0.0)
    for _ in range(500):
        evidence.update(np.array([0]), np.array([4.0]))
    assert evidence.share.max() <= SHIPPED.evidence_cap
    healthy = 0
    while evidence.condition()[0] != NORMAL:
        evidence.update(np.array([0]), np.array([0.0]))
        healthy += 1
    assert 5 < healthy < 100


def test_a_single_spike_opens_no_condition() -> None:
    evidence = _charts(1, 0.0)
    evidence.update(np.array([0]), np.array([SHIPPED.score_cap]))
    assert evidence.condition()[0] == NORMAL


def test_levels_and_run_lengths_are_each_others_inverse() -> None:
    for rho in (0.0, 0.5):
        for run_length in (1e2, 1e5, 1e9):
            level = level_for(run_length, 0.5, rho)
            assert average_run_length(level, 0.5, rho) == pytest.approx(run_length, rel=1e-3)


def test_only_the_rows_that_were_observed_move() -> None:
    evidence = _charts(3, 0.0)
    evidence.update(np.array([1]), np.array([3.0]))
    assert evidence.share[:, [0, 2]].max() == 0
    assert evidence.share[:, 1].min() > 0
    share, on = evidence.snapshot()
    evidence.reset()
    assert evidence.share.max() == 0
    evidence.restore(share, on)
    assert evidence.share[:, 1].min() > 0


def test_evidence_is_stated_in_levels_of_warning_and_alarm():
    """1 is the warning level, 2 the alarm level, each reached exactly or exceeded."""
    shares = np.array([[0.5, 0.2], [1.0, 0.4], [1.5, 1.0], [3.0, 1.25], [0.2, 0.9]]).T
    stated = _evidence(SimpleNamespace(share=shares))  # type: ignore[arg-type]
    assert stated == [0.5, 1.0, 2.0, 2.5, 0.9]


def test_the_budget_is_of_a_year_however_often_there_is_a_window() -> None:
    """Ten false alarms a year of windows each second are as rare as one of windows each 10 s."""
    one = np.ones(1)
    each_s = _Spread(
        budget_share=one, mean_hop_s=one, alike=0 * one, correlation=0.3 * one, variance=one,
        wander=0 * one, long_run=2 * one, measured_long_run=2 * one, sigma=0.05 * one,
    )  # fmt: skip
    ten_a_year = each_s.charts(replace(SHIPPED, false_alarms_per_year=10.0))
    np.testing.assert_allclose(ten_a_year, replace(each_s, mean_hop_s=10 * one).charts(SHIPPED))
    assert (ten_a_year[:, :, 1] < each_s.charts(SHIPPED)[:, :, 1]).all(), "noticed sooner"
