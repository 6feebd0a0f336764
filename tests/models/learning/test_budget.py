"""Training pauses for load, heat and battery, and continues."""

import dataclasses

import pytest

from auscult.models.learning.budget import Budget, BudgetSettings, PsutilSensors

QUICK = BudgetSettings(pause_s=0.001, load_patience_s=0.01)


@dataclasses.dataclass
class Computer:
    """Sensors with one reading a look; the last one stays."""

    cpu: tuple[float | None, ...] = (0.1,)
    heat: tuple[float | None, ...] = (40.0,)
    charge: tuple[float | None, ...] = (None,)
    looks: int = 0

    def others_cpu_share(self):
        return self.cpu[min(self.looks, len(self.cpu) - 1)]

    def temperature_c(self):
        self.looks += 1
        return self.heat[min(self.looks - 1, len(self.heat) - 1)]

    def battery_share(self):
        return self.charge[min(self.looks - 1, len(self.charge) - 1)]


@pytest.mark.parametrize("computer", [Computer(), Computer((None,), (None,), (None,))])
def test_training_is_allowed_within_the_limits_and_without_sensors(computer, caplog):
    caplog.set_level("INFO")
    Budget(QUICK, computer).wait()
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("computer", "message"),
    [
        (Computer(cpu=(0.99,)), "other work takes 99%"),
        (Computer(heat=(91.0,)), "91 °C, the limit is 80 °C"),
        (Computer(charge=(0.1,)), "battery at 10%"),
    ],
)
def test_each_limit_is_named(computer, message, caplog):
    caplog.set_level("INFO")
    Budget(QUICK, computer).wait(stopped=iter((False, True)).__next__)
    assert message in caplog.text


def test_it_waits_until_it_is_cool(caplog):
    caplog.set_level("INFO")
    computer = Computer(heat=(91.0, 90.0, 85.0, 70.0))
    budget = Budget(QUICK, computer)
    budget.begin()
    budget.wait()
    assert computer.looks == 4
    computer.looks = 0
    budget.wait()
    assert computer.looks == 4
    logged = [r.message for r in caplog.records]
    assert logged == ["training waits and then continues by itself: 91 °C, the limit is 80 °C"]


def test_load_holds_a_training_up_only_so_long():
    computer = Computer(cpu=(0.99,))
    budget = Budget(QUICK, computer)
    budget.begin()
    for _ in range(20):
        budget.wait()
    assert computer.looks == 20 + 10  # ten pauses of 1 ms in all


def test_stopping_ends_the_wait():
    budget = Budget(QUICK, Computer(heat=(99.0,)))
    looks = iter([False, False, True])
    budget.wait(lambda: next(looks))


def test_this_computer_can_be_read():
    sensors = PsutilSensors()
    sum(range(10**6))
    share = sensors.others_cpu_share()
    assert share is None or 0.0 <= share <= 1.0
    heat, charge = sensors.temperature_c(), sensors.battery_share()
    assert heat is None or -60 < heat < 150
    assert charge is None or 0 <= charge <= 1
