"""Overall values on their way to observations: irregular, repeated, late, counting, too fast."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from auscult.contract.machines import MachineSettings
from auscult.dsp.health import SensorHealth
from auscult.gateway.records import PointId, PointValue
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import plan_points, plan_values

T = PointId("pump", "t")
S = 1_000_000_000


def pipeline(**point) -> Pipeline:
    settings = {"id": "t", "kind": "value", "quantity": "temperature", "unit": "°C",
                "interval_s": 60, **point}  # fmt: skip
    speed = {"id": "n", "kind": "value", "quantity": "speed", "unit": "r/min", "interval_s": 10,
             "state": "speed_rpm"}  # fmt: skip
    machine = MachineSettings(id="pump", points=[settings, speed])
    all_settings = GatewaySettings(machines=[machine])
    return Pipeline(plan_points(all_settings, {}), values=plan_values(all_settings))


def values(taker: Pipeline, *pairs, **more) -> list[float]:
    items = [PointValue(T, t_s * S, value, more.get("unit", "")) for t_s, value in pairs]
    return [round(float(h.observations[0].features[0]), 3) for h in taker.process(items)]


def test_each_interval_gives_one_observation_however_it_jitters():
    taker = pipeline()
    assert values(taker, (1000, 40), (1065, 41), (1110, 42), (1900, 43)) == [40, 41, 42, 43]


def test_repeated_and_late_values_are_left_out_and_fast_ones_joined():
    taker = pipeline()
    assert values(taker, (1000, 40), (1000, 40), (900, 99)) == [40]
    assert values(taker, (1010, 41), (1020, 43), (1040, 45)) == [43]
    counts = taker.value_counts[T]
    assert (counts.repeated, counts.late, counts.joined) == (1, 1, 2)


def test_values_of_one_machine_and_time_are_one_hop():
    points = [{"id": p, "kind": "value", "quantity": "temperature", "unit": "°C", "interval_s": 60}
              for p in ("a", "b")]  # fmt: skip
    wave = {"id": "w", "kind": "vibration", "unit": "g", "fs_hz": 1000}
    machines = [MachineSettings(id=m, points=points) for m in ("pump", "fan")]
    machines.append(MachineSettings(id="mixed", points=[*points, wave]))
    settings = GatewaySettings(machines=machines)
    taker = Pipeline(plan_points(settings, {}), values=plan_values(settings))
    came = [("pump", "a", 0), ("pump", "b", 0), ("fan", "a", 0), ("fan", "b", 1), ("fan", "a", 60),
            ("mixed", "a", 0), ("mixed", "b", 0)]  # fmt: skip
    items = [PointValue(PointId(m, p), (1000 + t) * S, 40.0, "") for m, p, t in came]
    hops = [(hop.machine, [o.point for o in hop.observations]) for hop in taker.process(items)]
    assert hops == [
        ("pump", ["a", "b"]), ("fan", ["a"]), ("fan", ["b"]), ("fan", ["a"]),
        ("mixed", ["a"]), ("mixed", ["b"]),
    ]  # fmt: skip
    assert taker.windows_total == 7


def test_values_continue_when_the_gateways_clock_is_set_back():
    taker = pipeline()
    at = [(5000, 40), (5060, 41), (1000, 42), (1060, 43)]
    items = [PointValue(T, t_s * S, value, "", measured=False) for t_s, value in at]
    assert [float(h.observations[0].features[0]) for h in taker.process(items)] == [40, 41, 42, 43]
    assert taker.value_counts[T].late == 0


def test_a_counter_begins_again_when_the_gateways_clock_is_set_back():
    taker = pipeline(quantity="other", unit="kWh", counter="per_h")
    at = [(7200, 1), (10_800, 3), (0, 4), (3600, 6)]
    items = [PointValue(T, 1 + t_s * S, value, "", measured=False) for t_s, value in at]
    assert [float(h.observations[0].features[0]) for h in taker.process(items)] == [2, 2]


def test_a_mean_of_an_uncertain_value_is_uncertain():
    taker = pipeline()
    items = [
        PointValue(T, t_s * S, 40, "", uncertain=t_s == 1010) for t_s in (1000, 1010, 1060, 1120)
    ]
    healths = [h.observations[0].health for h in taker.process(items)]
    assert [bool(health & SensorHealth.UNCERTAIN) for health in healths] == [False, True, False]


def test_units_are_converted_and_wrong_ones_refused():
    taker = pipeline()
    assert values(taker, (1000, 212), unit="°F") == [100]
    assert values(taker, (1100, 3), unit="bar") == []
    assert taker.faults[T].code == "wrong_unit"
    assert values(taker, (1200, float("nan"))) == []
    assert taker.faults[T].code == "not_a_number"
    assert values(taker, (1300, 50)) == [50]
    assert not taker.faults


@pytest.mark.parametrize("unit", ["", "°F"])
def test_numbers_that_are_no_measurement_never_become_one(unit):
    taker = pipeline()
    absurd = (1.7e308, -1.7e308, 1e39, 1e19, float("inf"))
    given = [(1000 + 100 * n, value) for n, value in enumerate(absurd)]
    assert values(taker, *given, unit=unit) == []
    assert taker.faults[T].code in ("value_too_large", "not_a_number")
    assert "word order" in taker.faults[T].text or taker.faults[T].code == "not_a_number"
    assert values(taker, (2000, 40.0)) == [40]


def test_a_counter_within_a_nanosecond_gives_no_absurd_rate():
    taker = pipeline(quantity="other", unit="kWh", counter="per_h")
    items = [PointValue(T, 1000 * S, 0.0, ""), PointValue(T, 1000 * S + 1, 1e14, "")]
    assert not list(taker.process(items))
    assert taker.faults[T].code == "value_too_large"


def test_a_counter_gives_its_rate_and_survives_a_reset():
    taker = pipeline(quantity="other", unit="kWh", counter="per_h")
    given = [(0, 100), (3600, 102), (7200, 106), (10800, 1), (14400, 4)]
    assert values(taker, *[(s + 1000, v) for s, v in given]) == [2, 4, 3]
    assert taker.value_counts[T].resets == 1


def test_a_value_may_be_part_of_the_operating_state():
    taker = pipeline()
    list(taker.process([PointValue(PointId("pump", "n"), 990 * S, 1480.0, "r/min")]))
    (hop,) = taker.process([PointValue(T, 1000 * S, 40.0, "°C")])
    assert hop.observations[0].state.speed_rpm == 1480


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"unit": "bar"}, "unit_unknown"),
        ({"interval_s": None}, "value_incomplete"),
        ({"fs_hz": 1000}, "value_has_no_rate"),
        ({"counter": "per_h"}, "counter_needs_plain_quantity"),
        ({"kind": "vibration", "unit": "g", "fs_hz": 2560}, "only_for_values"),
        ({"kind": "vibration", "unit": "g"}, "rate_too_low"),
        ({"kind": "vibration", "unit": "bar", "fs_hz": 2560}, "unit_unknown"),
    ],
)
def test_settings_that_do_not_fit_are_refused_with_the_reason(change, code):
    with pytest.raises(ValidationError) as refused:
        pipeline(**change)
    assert refused.value.errors()[0]["ctx"]["error"].said.code == code
