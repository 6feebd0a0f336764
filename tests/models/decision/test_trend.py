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
        latest = np.inf if forecast.latest_s is None else forecast.latest_s
        held += forecast.earliest_s <= truth_s <= latest
    assert held >= 45


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
    assert forecast.per_day == pytest.approx(-0.24)


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
