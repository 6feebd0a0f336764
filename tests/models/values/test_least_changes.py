"""What the monitor says it would find, it finds; and it says nothing before it knows limits."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.value_evidence import ValueEvidence
from auscult.models.records import Observation
from auscult.models.values.least_changes import ChartLimit, MonitorLimits, least_drifts, least_steps

HOUR_NS = 3600 * 10**9
SPECS = {
    "de": FeatureSpec.value("velocity_rms", "mm/s", 3600.0),
    "temp": FeatureSpec.value("temperature", "°C", 3600.0),
}
LEVEL, KELVIN = 0, 1


class Machine:
    """Hourly values of a machine that runs all day."""

    def __init__(self) -> None:
        self.evidence = ValueEvidence(SPECS, run_stated=False, budget=1.0)
        self._rng = np.random.default_rng(3)
        self._hour = 0
        self.run(60)
        self.evidence.decides()
        self.run(60 * 24)
        assert self.evidence.monitor.open is None

    def run(self, hours: int, factor: float = 1.0, more: float = 0.0) -> bool:
        """Follow values; return whether a departure opened."""
        opened = False
        for _ in range(hours):
            self._hour += 1
            noise = self._rng.standard_normal(2)
            values = (2.0 * np.exp(0.1 * noise[0]) * factor, 50 + noise[1] + more)
            self.evidence.add(
                [
                    Observation(point, self._hour * HOUR_NS, np.array([value], np.float32))
                    for point, value in zip(SPECS, values, strict=True)
                ]
            )
            opened |= self.evidence.monitor.open is not None
        return opened


def said(machine: Machine) -> dict[tuple[str, str], tuple[float | None, ...]]:
    return {
        (one.point, one.change): (one.day, one.week, one.month)
        for one in machine.evidence.detectable()
    }


@pytest.mark.parametrize(("share", "found"), [(2.0, True), (0.4, False)])
@pytest.mark.parametrize("column", [LEVEL, KELVIN])
def test_a_step_of_twice_the_size_is_found_within_the_time_and_a_small_one_is_not(
    share, found, column
):
    machine = Machine()
    point = tuple(SPECS)[column]
    _, week, _ = said(machine)[point, "step"]
    change = {"factor": week**share} if column == LEVEL else {"more": share * week}
    assert machine.run(7 * 24, **change) is found


def test_more_time_shows_smaller_changes_and_a_drift_needs_more_than_a_step():
    sizes = said(Machine())
    for point in SPECS:
        day, week, month = sizes[point, "step"]
        assert day >= week >= month > 0
        nothing, drift, later = sizes[point, "drift"]
        assert nothing is None
        assert drift >= week
        assert later >= month


def test_nothing_is_said_before_the_first_limits_are_known():
    evidence = ValueEvidence(SPECS, run_stated=False, budget=1.0)
    assert {(one.day, one.week, one.month) for one in evidence.detectable()} == {(None,) * 3}


def test_a_chart_needs_its_level_in_the_blocks_of_the_time():
    """Five blocks of at most 6 − 2 reach 20; with fewer blocks no step does."""
    unknown = np.array([np.inf])
    chart = ChartLimit(np.ones(2), np.full(2, 20.0), np.full(2, 15.0), 24, 3)

    def limits(rows_a_day: float) -> MonitorLimits:
        return MonitorLimits([chart], unknown, 9, unknown, (), rows_a_day)

    assert np.isinf(least_steps(limits(9), 1))
    assert np.isfinite(least_steps(limits(24), 1))
    assert np.isinf(least_drifts(limits(24), 1))
