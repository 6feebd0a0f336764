"""A limit is forecast with its interval for significant trends only."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.models.decision.trend import time_to_limit

HOUR_NS = 3600 * 10**9
DAY_S = 86_400


def _hours(n):
    return np.arange(n) * HOUR_NS


def test_the_interval_holds_the_truth() -> None:
    rng = np.random.default_rng(0)
    n, per_day = 24 * 30, 0.02
    held = 0
    for _ in range(60):
        values = np.exp(per_day * np.arange(n) / 24 + 0.1 * rng.standard_normal(n))
        forecast = time_to_limit(_hours(n), values, np.exp(0.9))
        assert forecast is not None
        assert forecast.earliest_s <= forecast.expected_s
        truth_s = (0.9 / per_day - n / 24) * DAY_S
        held += forecast.earliest_s <= truth_s
    assert held == 60


def test_noise_has_no_trend() -> None:
    rng = np.random.default_rng(1)
    said = sum(
        time_to_limit(_hours(500), np.exp(0.1 * rng.standard_normal(500)), limit) is not None
        for _ in range(150)
        for limit in (0.8, 1.25)
    )
    assert said <= 6


@pytest.mark.parametrize(
    ("slope", "limit"),
    [(+0.001, 0.5), (-0.001, 2.0), (+0.00001, 2.0)],
    ids=["away above", "away below", "too far ahead"],
)
def test_there_is_no_forecast_of_a_limit_away_from_the_trend(slope, limit) -> None:
    assert time_to_limit(_hours(300), np.exp(slope * np.arange(300)), limit) is None


def test_a_falling_value_reaches_a_lower_limit() -> None:
    values = 10.0 - 0.01 * np.arange(400)
    forecast = time_to_limit(_hours(400), values, 5.0, level=False)
    assert forecast is not None
    assert forecast.expected_s == pytest.approx(101 * 3600, rel=0.02)


def test_spikes_do_not_change_a_trend_and_few_values_have_none() -> None:
    values = np.exp(0.002 * np.arange(400))
    spiked = values.copy()
    spiked[[50, 200, 399]] = 40.0
    plain, bent = (time_to_limit(_hours(400), v, 3.0) for v in (values, spiked))
    assert plain is not None
    assert bent is not None
    assert bent.expected_s == pytest.approx(plain.expected_s, rel=0.05)
    assert time_to_limit(_hours(9), np.exp(np.arange(9.0)), 1e5) is None
    assert time_to_limit([], [], 1.0) is None


def _moments(course, seed: int, rounded: float = 0.0, begin: int = 20) -> list[bool]:
    """Whether there is a time to a limit of 4.5, at each tenth value from `begin` on."""
    rng = np.random.default_rng(seed)
    values = course * np.exp(0.02 * rng.standard_normal(len(course)))
    if rounded:
        values = np.round(values / rounded) * rounded
    looks = range(begin, len(values), 10)
    return [time_to_limit(_hours(i), values[:i], 4.5) is not None for i in looks]


@pytest.mark.parametrize("rounded", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("height", [1.2, 1.6, 2.6])
def test_a_step_followed_by_a_level_leads_to_no_limit(height, rounded):
    course = np.where(np.arange(160) < 60, 1.0, height)
    shown = [one for seed in range(5) for one in _moments(course, seed, rounded)]
    assert sum(shown) <= 0.02 * len(shown)


def test_a_trend_that_ended_leads_to_no_limit_soon_after():
    """A ramp over 60 values: at its end nothing shows yet that it ended."""
    course = 1.0 + 1.5 * np.clip(np.arange(160) - 20, 0, 60) / 60
    for seed in range(5):
        shown = _moments(course, seed)
        assert any(shown[:7]), "the ramp"
        assert not any(shown[9:]), "from 30 values after its end"


def test_latest_values_in_shorter_intervals_contradict_a_trend():
    course = np.exp(0.01 * np.arange(100))
    flat = (np.arange(98 * 10, 106 * 10) * HOUR_NS // 10, np.full(80, course[-1]))
    rises = flat[0], course[-1] * np.exp(0.001 * np.arange(80))
    assert time_to_limit(_hours(100), course, 4.5, latest=rises) is not None
    assert time_to_limit(_hours(100), course, 4.5, latest=flat) is None


def test_a_coarse_resolution_is_no_slope_of_zero():
    """Most values alike, and a significant trend: the median slope is 0."""
    values = np.repeat([1.0, 1.2], [28, 12])
    assert time_to_limit(_hours(40), values, 4.5) is None
