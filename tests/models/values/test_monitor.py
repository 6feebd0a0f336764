"""The monitor of overall values: quiet about what is usual, sure of what is not."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from auscult.models.values.monitor import ValueMonitor

QUARTER_S = 900.0
DAY = 96
"""Rows a day."""
LOAD, WARM, LEVEL = 0, 1, 2


def monitor() -> ValueMonitor:
    """A machine of a current, a temperature and a vibration level (its logarithm)."""
    one = ValueMonitor(
        np.array([0.05, 0.1, 0.02]),
        np.array([True, False, False]),
        np.array([0.0, 1.0, 0.0]),
        np.array([0.0, 10.0, 1.1]),
        1.0,
    )
    one.learns = False
    return one


class Plant:
    """Runs of 8 hours a day; each has its own load, which warms the machine."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)
        self.day = 0

    def run(
        self, one: ValueMonitor, days: int, rows: Callable[[], object] = int, **more: float
    ) -> list[tuple[str, int]]:
        """Follow runs, and call ``rows`` after each row; return what opened."""
        opened = []
        for _ in range(days):
            one.begin_run()
            load = more.get("load", 10 + 1.5 * self._rng.standard_normal())
            level = 0.2 * self._rng.standard_normal() + more.get("level", 0.0)
            for row in range(DAY // 3):
                noise = self._rng.standard_normal(3) * [0.3, 0.3, 0.1]
                values = np.array([load, 40 + 2 * load + more.get("warm", 0.0), level]) + noise
                before = one.open
                one.push((self.day * DAY + row) * QUARTER_S, values)
                rows()
                if one.open is not None and before is None:
                    opened.append((one.open.kind, one.open.channel))
            self.day += 1
        return opened


def test_a_healthy_plant_of_varying_load_is_quiet_and_its_baseline_becomes_complete():
    one, plant = monitor(), Plant()
    assert plant.run(one, 3) == []
    assert not one.complete
    assert plant.run(one, 57) == []
    assert one.complete
    assert len(one.stretches) == 59


def test_a_jump_far_beyond_all_that_was_seen_is_raised_on_the_first_day():
    one, plant = monitor(), Plant()
    assert plant.run(one, 2) == []
    assert plant.run(one, 1, warm=40.0)


def test_doubled_vibration_is_found_within_30_runs():
    one, plant = monitor(), Plant()
    plant.run(one, 40)
    opened = plant.run(one, 30, level=float(np.log(2)))
    assert opened
    assert opened[0][1] % 3 == LEVEL


def test_more_load_warms_the_machine_and_that_is_no_departure_of_its_temperature():
    one, plant = monitor(), Plant()
    plant.run(one, 40)
    opened = plant.run(one, 5, load=14.5)
    assert all(channel % 3 != WARM for _, channel in opened)


def test_a_temperature_above_what_the_load_explains_is_a_departure():
    one, plant = monitor(), Plant()
    plant.run(one, 40)
    opened = plant.run(one, 10, warm=6.0)
    assert opened
    assert opened[0][1] % 3 == WARM
    assert one.open is None or one.open.held


def test_a_warning_that_stays_becomes_the_reference_and_says_so_once():
    one, plant = monitor(), Plant()
    plant.run(one, 60)
    opened, became = [], set()
    for _ in range(40):
        opened += plant.run(one, 1, level=0.6, rows=lambda: became.add(id(one.became)))
    assert len(opened) == 1
    assert len(became - {id(None)}) == 1
    assert one.event is None
    assert one.moved[LEVEL] == pytest.approx(0.6, abs=0.3)


def test_an_alarm_that_stays_lasts_and_hides_no_further_one():
    one, plant = monitor(), Plant()
    plant.run(one, 60)
    plant.run(one, 40, level=2.0)
    assert one.open is None
    assert one.lasting is not None
    assert one.moved[LEVEL] == 0.0, "no person said that it is normal"
    opened = plant.run(one, 40, level=4.0)
    assert {channel % 3 for _, channel in opened} == {LEVEL}
    assert one.event is one.lasting
    one.accept()
    assert one.event is None
    assert one.moved[LEVEL] == pytest.approx(4.0, abs=0.3)
    assert plant.run(one, 10, level=4.0) == []


def test_what_lasts_ends_when_the_old_level_is_back():
    one, plant = monitor(), Plant()
    plant.run(one, 60)
    before = one.stretches.level(8)
    plant.run(one, 40, level=2.0)
    plant.run(one, 3)
    assert one.event is None
    assert one.stretches.level(8) == pytest.approx(before, abs=0.5)
    assert plant.run(one, 20) == []
    assert plant.run(one, 10, level=2.0), "it is found again"


def test_maintenance_ends_what_lasts_and_the_old_level_is_the_reference():
    one, plant = monitor(), Plant()
    plant.run(one, 60)
    before = one.stretches.level(8)
    plant.run(one, 40, level=2.0)
    one.reset()
    assert one.event is None
    assert one.stretches.level(8) == pytest.approx(before, abs=0.5)


def test_a_confirmed_fault_never_becomes_the_reference():
    one, plant = monitor(), Plant()
    plant.run(one, 40)
    while one.open is None:
        plant.run(one, 1, level=1.5)
    one.confirm()
    assert plant.run(one, 40, level=1.5) == []
    assert one.lasting is not None
    assert one.lasting.confirmed
    assert one.moved[LEVEL] == 0.0
    account = one.account.copy()
    plant.run(one, 5)
    assert one.event is None, "it ends with the fault"
    assert (one.account <= account).all()


def test_an_accepted_level_is_normal_and_its_spread_stays():
    one, plant = monitor(), Plant()
    plant.run(one, 40)
    while one.open is None:
        plant.run(one, 1, level=1.5)
    one.accept()
    assert one.open is None
    assert plant.run(one, 20, level=1.5) == []


@pytest.mark.parametrize("later", [0, 2, 3])
def test_a_level_accepted_right_after_the_opening_does_not_open_again(later):
    one, rng, hours = monitor(), np.random.default_rng(0), itertools.count()

    def push() -> None:
        step = 1.5 * ((hour := next(hours)) >= 40 * 24)
        one.push(hour * 3600.0, [10, 60, step] + rng.standard_normal(3) * [0.3, 0.3, 0.1])

    while one.open is None:
        push()
    for _ in range(later):
        push()
    one.accept()
    assert one.moved[LEVEL] == pytest.approx(1.5, abs=0.2)
    for _ in range(24):
        push()
        assert one.event is None


def test_a_level_accepted_two_days_after_a_step_holds_no_row_of_before():
    one, rng = monitor(), np.random.default_rng(0)
    for hour in range(42 * 24):
        level = 0.0 if hour < 40 * 24 + 18 else 1.5
        values = np.array([10, 60, level]) + rng.standard_normal(3) * [0.3, 0.3, 0.1]
        one.push(hour * 3600.0, values)
    assert one.open is not None
    one.accept()
    assert one.level[LEVEL] == pytest.approx(1.5, abs=0.1)


def test_a_restart_changes_nothing():
    one, plant = monitor(), Plant()
    plant.run(one, 40)
    plant.run(one, 3, level=1.5)
    again = monitor()
    meta, arrays = one.to_arrays()
    again.restore(meta, arrays)
    for follower in (one, again):
        continued = Plant(seed=5)
        continued.day = plant.day
        continued.run(follower, 20, level=1.5)
    assert np.allclose(one.stretches.levels, again.stretches.levels, atol=1e-5)
    assert (one.open is None) == (again.open is None)
    assert (one.lasting is None) == (again.lasting is None)
    assert np.allclose(one.moved, again.moved, atol=1e-4)


def test_a_year_of_eight_values_is_stored_in_less_than_50_kB():
    d, rng = 8, np.random.default_rng(0)
    one = ValueMonitor(np.full(d, 0.01), np.zeros(d, bool), np.zeros(d), np.ones(d), 1.0)
    one.learns = False
    for day in range(380):
        for row in range(24):
            one.push(day * 86_400.0 + row * 3600, rng.standard_normal(d))
    _, arrays = one.to_arrays()
    assert sum(array.nbytes for array in arrays.values()) < 50_000
