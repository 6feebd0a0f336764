"""The baseline follows a year of slow ageing within its bound; faster ageing alarms."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import Condition
from auscult.models.baseline.container import unpack
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from lab.studies.ageing import BASELINE_HOURS, NEPER_PER_DB, SPEC, YEAR_HOURS, AgeingMachine


@pytest.fixture(scope="module")
def fitted() -> bytes:
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    for observation in AgeingMachine().windows(BASELINE_HOURS):
        detector.observe([observation])
    detector.adopt(detector.fit_now().run())
    return detector.state()


def _watch(state: bytes, db_per_month: float, hours: int) -> tuple[list[Condition], float]:
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    detector.restore(state)
    machine = AgeingMachine()
    list(machine.windows(BASELINE_HOURS))
    conditions = [
        detector.observe([observation]).machine.condition
        for observation in machine.windows(hours, db_per_month, BASELINE_HOURS)
    ]
    return conditions, moved_by(detector)


def moved_by(detector: MachineDetector) -> float:
    """Largest distance of the followed baseline from the fitted one, from the stored state."""
    _, arrays = unpack(detector.state())
    return float(np.abs(arrays["drift/0"]).max())


@pytest.mark.slow
def test_an_ageing_machine_raises_no_alarm_for_a_year(fitted) -> None:
    conditions, moved = _watch(fitted, 2.4 / 12, YEAR_HOURS)
    assert Condition.ALARM not in conditions
    assert conditions.count(Condition.WARNING) < 0.02 * YEAR_HOURS
    assert moved / NEPER_PER_DB > 1.5


@pytest.mark.slow
def test_the_same_rate_a_month_alarms_when_the_bound_is_used_up(fitted) -> None:
    conditions, moved = _watch(fitted, 2.4, YEAR_HOURS // 2)
    assert conditions[-1] is Condition.ALARM
    assert moved / NEPER_PER_DB <= 3.0 + 1e-3


def test_a_window_is_scored_by_its_distance_from_the_followed_baseline(fitted) -> None:
    """Features and baseline that moved by the same leave the score where it was."""
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    detector.restore(fitted)
    assert detector.model is not None
    (kind,) = detector.model.kinds
    observations = [*AgeingMachine().windows(3)]
    rows = np.zeros(3, np.intp)
    rng = np.random.default_rng(0)
    moved = rng.normal(0, 0.1, (1, kind.location.shape[-1])).astype(np.float32)
    x = kind.location[rows, 0] + rng.normal(0, 0.1, (3, moved.size)).astype(np.float32)
    plain, followed = (
        kind.score(rows, x, observations),
        kind.score(rows, x + moved, observations, moved),
    )
    np.testing.assert_allclose(followed.log_score, plain.log_score, atol=1e-3)
    still = kind.score(rows, x + moved, observations).log_score
    assert np.abs(still - plain.log_score).max() > 0.01, "without following they differ"


def test_drift_continues_after_a_clock_was_ten_years_ahead(fitted) -> None:
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    detector.restore(fitted)
    machine = AgeingMachine()
    windows = [*machine.windows(3, 2.0, BASELINE_HOURS + 10 * YEAR_HOURS)]
    windows += machine.windows(300, 2.0, BASELINE_HOURS)
    for observation in windows[:11]:
        detector.observe([observation])
    early = moved_by(detector)
    for observation in windows[11:]:
        detector.observe([observation])
    assert moved_by(detector) > early > 0
