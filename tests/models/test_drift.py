"""Slow ageing within its bound is followed for a year; the same rate a month is not."""

from __future__ import annotations

import numpy as np
import pytest

from dsp.spec import FeatureSpec
from models.detector import MachineDetector, Observation
from models.profile import MachineProfile
from models.records import Condition

SPEC = FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500)
HOUR_NS = 3600 * 10**9
YEAR_HOURS = 8766
BASELINE_HOURS = 500
NEPER_PER_DB = np.log(10) / 20


class Machine:
    """Hourly windows; all level-like features may rise by so many dB a month."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)
        self._log = np.array([f.scale == "log" for f in SPEC.features])
        self._mixing = self._rng.normal(size=(4, len(SPEC))) * 0.05

    def windows(self, hours, db_per_month=0.0, start=0):
        for hour in range(hours):
            x = self._rng.normal(size=4) @ self._mixing + 0.06 * self._rng.normal(size=len(SPEC))
            risen = db_per_month * NEPER_PER_DB * hour / (YEAR_HOURS / 12)
            features = np.where(self._log, np.exp(x + risen), x).astype(np.float32)
            yield Observation("de", (start + hour) * HOUR_NS, features)


@pytest.fixture(scope="module")
def commissioned() -> bytes:
    detector = MachineDetector(MachineProfile("pump"), {"de": SPEC})
    for observation in Machine().windows(BASELINE_HOURS):
        detector.observe([observation])
    detector.adopt(detector.train_now().run())
    return detector.state()


def _watch(state: bytes, db_per_month: float, hours: int) -> tuple[list[Condition], float]:
    detector = MachineDetector(MachineProfile("pump"), {"de": SPEC})
    detector.restore(state)
    machine = Machine()
    list(machine.windows(BASELINE_HOURS))
    conditions = [
        detector.observe([observation]).machine.condition
        for observation in machine.windows(hours, db_per_month, BASELINE_HOURS)
    ]
    return conditions, float(np.abs(detector._drift[0].offset).max())


@pytest.mark.slow
def test_an_ageing_machine_raises_no_alarm_for_a_year(commissioned) -> None:
    conditions, moved = _watch(commissioned, 2.4 / 12, YEAR_HOURS)
    assert Condition.ALARM not in conditions
    assert conditions.count(Condition.WARNING) < 0.02 * YEAR_HOURS
    assert moved / NEPER_PER_DB > 1.5


@pytest.mark.slow
def test_the_same_rate_a_month_alarms_when_the_bound_is_used_up(commissioned) -> None:
    conditions, moved = _watch(commissioned, 2.4, YEAR_HOURS // 2)
    assert conditions[-1] is Condition.ALARM
    assert moved / NEPER_PER_DB <= 3.0 + 1e-3
