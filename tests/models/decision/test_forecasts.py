"""Forecasts of limits: from the right time scale, despite daily cycles, and after a restart."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import Condition, ReasonKind
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.forecasts import ForecastHistory, Forecasts
from auscult.models.decision.limits import Limit

SPEC = FeatureSpec.vibration(5120, 5120, "g")
LIMITS = (Limit("rms", 3.5, 4.5),)
MINUTE_NS = 60 * 10**9


def forecasts_after(levels: np.ndarray) -> Forecasts:
    forecasts = Forecasts({"de": SPEC})
    values = np.ones(len(SPEC), np.float32)
    for i, level in enumerate(levels):
        values[SPEC.index["rms"]] = level
        forecasts.add("de", i * MINUTE_NS, values, LIMITS)
    return forecasts


def noise(n: int, seed: int = 0) -> np.ndarray:
    return np.exp(0.03 * np.random.default_rng(seed).standard_normal(n))


@pytest.mark.parametrize(
    ("minutes", "left_min", "unit"),
    [(70, 40, "minutes"), (700, 400, "hours"), (6000, 4000, "days")],
)
def test_faults_of_an_hour_and_of_a_week_are_forecast(minutes, left_min, unit) -> None:
    slope = np.log(3.5) / (minutes + left_min)
    forecasts = forecasts_after(np.exp(slope * np.arange(minutes)) * noise(minutes))
    (reason,) = forecasts.reasons("de", LIMITS)
    assert (reason.kind, reason.condition) == (ReasonKind.TREND, Condition.NORMAL)
    assert (reason.limit, reason.unit) == (3.5, "g")
    assert "the warning limit of 3.5 g is reached in about" in reason.text
    said = float(reason.text.split("about ")[1].split()[0])
    scale = {"minutes": 1, "hours": 60, "days": 1440}[reason.text.split("about ")[1].split()[1]]
    assert said * scale == pytest.approx(left_min, rel=0.4)


def test_a_daily_cycle_and_a_steady_level_give_no_forecast() -> None:
    minutes = np.arange(6 * 1440)
    cycle = 1.5 + 0.5 * np.sin(2 * np.pi * minutes / 1440)
    forecasts = Forecasts({"de": SPEC})
    values = np.ones(len(SPEC), np.float32)
    said = 0
    for i, level in enumerate(cycle * noise(len(minutes))):
        values[SPEC.index["rms"]] = level
        forecasts.add("de", i * MINUTE_NS, values, LIMITS)
        if i > 2 * 1440 and i % 60 == 0:
            said += len(forecasts.reasons("de", LIMITS))
    assert said <= 2, "of 96 looks"
    assert not forecasts_after(noise(500, 1)).reasons("de", LIMITS)


def test_beyond_the_warning_level_the_forecast_is_of_the_alarm_level() -> None:
    slope = np.log(4.0) / 70
    (reason,) = forecasts_after(np.exp(slope * np.arange(70))).reasons("de", LIMITS)
    assert reason.limit == 4.5
    assert not forecasts_after(5 * np.exp(slope * np.arange(70))).reasons("de", LIMITS)


def test_forecasts_survive_a_restart_without_removed_limits() -> None:
    forecasts = forecasts_after(np.exp(0.01 * np.arange(70)))
    arrays = forecasts.to_arrays()
    resumed = Forecasts({"de": SPEC})
    resumed.restore(arrays)
    assert resumed.reasons("de", LIMITS) == forecasts.reasons("de", LIMITS) != ()
    elsewhere = Forecasts({"nde": SPEC})
    elsewhere.restore(arrays)
    assert not elsewhere.to_arrays()


def test_a_fault_is_forecast_after_the_clock_was_set_back() -> None:
    forecasts = forecasts_after(noise(80))
    values = np.ones(len(SPEC), np.float32)
    for i, level in enumerate(np.exp(np.log(3.5) / 110 * np.arange(70)) * noise(70, 3)):
        values[SPEC.index["rms"]] = level
        forecasts.add("de", (i - 500) * MINUTE_NS, values, LIMITS)
    assert len(forecasts.reasons("de", LIMITS)) == 1


@pytest.mark.parametrize(("t_ns", "kept"), [(30, [10, 20, 30]), (20, [10, 20]), (15, [10, 15])])
def test_values_from_a_time_that_comes_again_on_are_discarded(t_ns: int, kept: list[int]) -> None:
    history = ForecastHistory()
    for time_ns, value in ((10, 1.0), (20, 2.0), (t_ns, 3.0)):
        history.add(time_ns, value)
    times, values = history.held(0)
    assert times.tolist() == kept
    assert values[-1] == 3
