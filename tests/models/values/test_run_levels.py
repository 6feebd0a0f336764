"""The two levels of a value: which courses have them, and which must not be divided."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.spec import FeatureSpec
from auscult.models.values.run_levels import LONG_REST, RunLevels

QUARTER_S = 900
NS = 10**9
N = 6000
AT = np.arange(N)
RNG = np.random.default_rng(1)
NOISE = np.exp(0.15 * RNG.standard_normal(N))
SPEEDS = 10 ** np.interp(AT, AT[::40], RNG.uniform(0, 1, len(AT[::40])))


def levels_of(quantity: str = "velocity_rms", unit: str = "mm/s") -> RunLevels:
    return RunLevels({"v": FeatureSpec.value(quantity, unit, QUARTER_S)})


def played(levels: RunLevels, values, start: int = 0) -> list[bool | None]:
    """Return whether the machine runs, after each value."""
    found = []
    for i, value in enumerate(np.asarray(values, float).tolist(), start):
        levels.add("v", i * QUARTER_S * NS, value)
        found.append(levels.running(i * QUARTER_S * NS))
    return found


RUNS = AT % 400 < 60
"""15 % of the time."""


@pytest.mark.parametrize(
    ("course", "runs"),
    [
        (np.where(RUNS, 1.5, 0.06), RUNS),
        (np.where(RUNS, 1.5, 0.2), RUNS),
        (np.choose(AT // 50 % 3, [0.05, 0.6, 2.8]), AT // 50 % 3 > 0),
    ],
    ids=["runs 15 % of the time", "a loud hall", "rest and two speeds"],
)
def test_a_machine_that_rests_is_recognised(course, runs):
    levels = levels_of()
    found = np.array(played(levels, course * NOISE), dtype=object)
    known = np.flatnonzero(found != None)  # noqa: E711
    assert known[0] < 500, "after the first runs"
    assert (found[known].astype(bool) == runs[known]).mean() > 0.99


@pytest.mark.parametrize(("quantity", "unit"), [("current", "A"), ("acceleration_rms", "g")])
def test_zero_at_rest_is_one_level_however_it_is_rounded(quantity, unit):
    levels = levels_of(quantity, unit)
    found = played(levels, np.round(np.where(RUNS, 1.5, 0.02) * NOISE, 1))
    assert found[-340:] == [False] * 340
    assert found[-400:-340] == [True] * 60


@pytest.mark.parametrize(
    "course",
    [
        np.full(N, 2.0),
        np.choose(AT // 50 % 2, [0.8, 3.2]),
        0.3 * SPEEDS,
        np.where(AT < 3000, 0.2, 2.0),
        np.where(AT < 3000, 1.0, 9.0),
        0.5 * np.exp(3 * AT / N),
        np.where((AT > 4000) & (AT < 4100), 0.03, 2.0),
    ],
    ids=["steady", "two speeds", "all speeds", "a fault from a low level", "a fault", "wear",
         "one stop"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("quantity", "unit"), [("velocity_rms", "mm/s"), ("current", "A"), ("acceleration_rms", "g")]
)
def test_a_machine_that_always_runs_is_not_divided(course, quantity, unit):
    levels = levels_of(quantity, unit)
    assert played(levels, course * NOISE) == [None] * N


def test_a_temperature_shows_no_rest():
    levels = levels_of("temperature", "°C")
    played(levels, np.where(RUNS, 60.0, 5.0))
    assert not levels.limits


def test_the_limit_is_fixed_and_a_loose_sensor_is_no_rest():
    specs = {p: FeatureSpec.value("velocity_rms", "mm/s", QUARTER_S) for p in "ab"}
    levels = RunLevels(specs)
    course = np.where(RUNS, 1.5, 0.06) * NOISE
    for i, value in enumerate(course[:900].tolist()):
        for point in "ab":
            levels.add(point, i * QUARTER_S * NS, value)
    limits = dict(levels.limits)
    assert limits.keys() == {"a", "b"}
    for i in range(900, 1000):
        levels.add("a", i * QUARTER_S * NS, 1.5)
        levels.add("b", i * QUARTER_S * NS, 0.01)
        assert levels.running(i * QUARTER_S * NS)
    assert levels.limits == limits


def test_a_machine_beside_it_that_one_value_feels_is_no_run():
    levels = RunLevels({p: FeatureSpec.value("velocity_rms", "mm/s", QUARTER_S) for p in "ab"})
    for i, runs in enumerate(RUNS[:900].tolist()):
        levels.add("a", i * QUARTER_S * NS, (0.3 if runs else 0.05) * NOISE[i])
        levels.add("b", i * QUARTER_S * NS, (1.5 if runs else 0.06) * NOISE[i])
    assert levels.limits.keys() == {"a", "b"}
    for i in range(900, 910):
        levels.add("a", i * QUARTER_S * NS, 0.3)
        levels.add("b", i * QUARTER_S * NS, 0.1)
        assert not levels.running(i * QUARTER_S * NS)


def test_levels_survive_a_restart_at_any_value():
    course = np.where(RUNS, 1.5, 0.06) * NOISE
    straight, broken = levels_of(), levels_of()
    expected = played(straight, course[:1000])
    found = []
    for at in range(0, 1000, 125):
        found += played(broken, course[at : at + 125], at)
        again = levels_of()
        again.restore(broken.to_arrays())
        broken = again
    assert found == expected


def test_a_rest_that_is_far_longer_than_any_before_is_reported():
    levels = levels_of()
    played(levels, np.where(RUNS, 1.5, 0.06)[:2000])
    last_ns, longest_s = 1659 * QUARTER_S * NS, 341 * QUARTER_S
    t_ns = last_ns + round(LONG_REST * longest_s - QUARTER_S) * NS
    levels.add("v", t_ns, 0.06)
    assert levels.standstill(t_ns) is None
    t_ns += 2 * QUARTER_S * NS
    levels.add("v", t_ns, 0.06)
    found = levels.standstill(t_ns)
    assert (found.code, found.since_ns) == ("run_not_recognised", last_ns)


def test_a_run_bit_that_stays_while_the_machine_rests_and_runs_is_stuck():
    levels = levels_of()
    levels.note_bit(0, True)
    played(levels, np.where(RUNS, 1.5, 0.06)[:1500])
    assert not levels.bit_is_stuck, "twice since the levels are known"
    played(levels, np.where(RUNS, 1.5, 0.06)[1500:2000], 1500)
    assert levels.bit_is_stuck
    assert levels.standstill(2000 * QUARTER_S * NS).code == "run_bit_stuck"
    levels.note_bit(2000 * QUARTER_S * NS, False)
    assert not levels.bit_is_stuck
