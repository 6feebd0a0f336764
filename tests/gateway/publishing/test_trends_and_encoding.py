"""Trends keep the extremes; numbers are rounded but never moved; states are planned right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from auscult.contract.records import Condition, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.machines.idle import undecided
from auscult.gateway.machines.trends import PointTrend, TrendAggregator
from auscult.gateway.publishing.encode import quality_of
from auscult.gateway.publishing.inventory import inventory
from auscult.gateway.publishing.levels import level_columns, trend_columns
from auscult.gateway.publishing.numbers import rounded, rounded_all
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.windows.points import plan_points
from auscult.models.decision.feature_names import feature_words
from auscult.models.records import Decision, Observation

LARGE = 2.0**100
FINITE = st.floats(-LARGE, LARGE, width=32, allow_subnormal=False)


@given(
    hnp.arrays(np.float32, st.tuples(st.integers(1, 40), st.just(3)), elements=FINITE),
    st.integers(1, 50),
)
def test_no_extreme_is_lost_and_each_window_counts_once(values, interval_ns):
    trend = TrendAggregator(3, interval_ns)
    done = [i for t, row in enumerate(values) if (i := trend.add(7 * t, row)) is not None]
    done += [i for i in [trend.flush()] if i is not None]
    assert sum(i.windows for i in done) == len(values)
    assert max(i.high.max() for i in done) == values.max()
    assert min(i.low.min() for i in done) == values.min()
    for interval in done:
        assert (interval.low <= interval.mean * (1 + 1e-6 * np.sign(interval.mean))).all()
        assert interval.start_ns % interval_ns == 0
    assert [i.start_ns for i in done] == sorted(i.start_ns for i in done)


@given(hnp.arrays(np.float32, st.integers(1, 50), elements=FINITE))
def test_rounding_keeps_five_digits(values):
    for value, short in zip(values.tolist(), rounded_all(values), strict=True):
        assert short == pytest.approx(value, rel=6e-5)
        assert short == pytest.approx(rounded(value), rel=2e-5), "ties may fall either way"
        if 1e-15 < abs(value) < 1e15:  # powers of ten are exact there
            assert len(repr(abs(short)).split("e")[0].replace(".", "").strip("0")) <= 5


def one_point(**point: object) -> GatewaySettings:
    body = {"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 10_000} | point
    machine = {"id": "pump", "speed_rpm": 1500, "points": [body]}
    return GatewaySettings.model_validate(
        {"gateway": {"data_dir": Path("x")}, "machines": [machine]}
    )


def test_volts_become_what_the_sensor_measures():
    settings = one_point(unit="V", sensitivity_mv=100, sensitivity_unit="g")
    plan = plan_points(settings, {})[PointId("pump", "de")]
    assert plan.unit == plan.spec.unit == "g"
    assert plan.gain == pytest.approx(10)


def test_the_envelope_is_demodulated_where_commissioning_chose():
    point = PointId("pump", "de")
    chosen = plan_points(one_point(envelope_low_hz=1000, envelope_high_hz=2500), {})[point].spec
    assert chosen.demodulation_band_hz == (1000, 2500)
    default = plan_points(one_point(), {})[point].spec
    assert default.spec_id != chosen.spec_id, "other features, another baseline"
    with pytest.raises(ValueError, match="below 5000 Hz"):
        one_point(envelope_low_hz=1000, envelope_high_hz=6000)
    with pytest.raises(ValueError, match="or neither"):
        one_point(envelope_low_hz=1000)


def test_bursts_shorten_the_window():
    point = PointId("pump", "de")
    assert plan_points(one_point(), {point: 0.1})[point].window.n_samples == 1000
    assert plan_points(one_point(), {})[point].window.n_samples == 10_000


def test_a_trend_carries_what_people_know_and_what_the_detector_sees():
    spec = plan_points(one_point(), {})[PointId("pump", "de")].spec
    names = [spec.features[i].name for i in trend_columns(spec)]
    assert {"rms", "velocity_rms_mm_s", "crest_factor"} <= set(names)
    assert set(spec.model_names) <= set(names)
    assert len(level_columns(spec)) == 7


def test_the_inventory_has_orders_zones_and_limits():
    settings = one_point(limits=[{"feature": "rms", "alarm": 2.0}])
    plate = {
        "power_kw": 55,
        "template": "P55",
        "support": "rigid",
        "consequence_safety": "low",
        "consequence_production": "medium",
        "downtime_cost_per_h": 900,
        "bearings": [
            {"name": "6205", "balls": 9, "ball_diameter_mm": 7.94, "pitch_diameter_mm": 39.04}
        ],
    }
    machine = settings.machines[0]
    machine = type(machine).model_validate(machine.model_dump() | plate)
    spec = FeatureSpec.vibration(10_000, 10_000, "g")
    specs = {PointId(machine.id, machine.points[0].id): spec}
    (part,) = inventory([machine], ts=1, specs=specs).machines
    bands = {one.prefix: one for one in part.points[0].bands}
    assert bands.keys() == {"band_", "envelope_band_"}
    assert len(bands["band_"].low_hz) == 40
    assert bands["band_"].high_hz[39] == 5000
    assert bands["band_"].low_hz[39] == pytest.approx(spec.band_edges_hz[39, 0], rel=1e-4)
    assert part.bearings[0].bpfo == pytest.approx(3.58, abs=0.01)
    assert part.zones is not None
    assert (part.zones.ab, part.zones.bc, part.zones.cd) == (1.4, 2.8, 4.5)
    assert part.points[0].limits[0].alarm == 2.0
    assert part.template == "P55"
    (unknown,) = inventory(settings.machines, ts=1).machines
    assert unknown.zones is None, "nothing is known of its power"
    assert "neither rated power" in unknown.zones_refusal
    assert part.zones_refusal == ""
    assert part.criticality.model_dump(exclude_none=True) == {
        "worst": "medium", "safety": "low", "production": "medium", "downtime_cost_per_h": 900,
    }  # fmt: skip
    assert unknown.criticality.worst is None, "what was not stated is not guessed"
    point = {"id": "de", "kind": "vibration", "unit": "as_delivered", "fs_hz": 10_000}
    (no_unit,) = inventory(
        [type(machine).model_validate(machine.model_dump() | {"points": [point]})], ts=1
    ).machines
    assert "de: the unit is not declared" in no_unit.zones_refusal


@pytest.mark.parametrize(
    ("kind", "quality"), [(ReasonKind.STATE, "uncertain"), (ReasonKind.SENSOR, "bad")]
)
def test_an_unseen_state_is_uncertain_and_a_sensor_fault_is_bad(kind, quality):
    reason = Reason(kind, Condition.UNKNOWN, Said("not_running"))
    assert quality_of(Decision("de", 0, Condition.UNKNOWN, (reason,))) == quality
    assert quality_of(Decision("de", 0, Condition.UNKNOWN, ())) == "bad"
    assert quality_of(Decision("de", 0, Condition.NORMAL, ()), ["spike"]) == "uncertain"


@pytest.mark.parametrize("condition", [Condition.UNKNOWN, Condition.ALARM])
def test_a_sensor_fault_beside_a_decision_is_uncertain(condition):
    beside = Reason(ReasonKind.SENSOR, Condition.UNKNOWN, Said("sensor_hum"))
    assert quality_of(Decision("de", 0, condition, (beside,), 0.01)) == "uncertain"


@pytest.mark.parametrize("kind", ["vibration", "sound"])
def test_every_feature_has_words_without_its_unit(kind):
    unit = {"vibration": "g", "sound": "Pa"}[kind]
    spec = plan_points(one_point(kind=kind, unit=unit), {})[PointId("pump", "de")].spec
    words = [feature_words(spec, f.name) for f in spec.features]
    assert len(set(words)) == len(words)
    for said in words:
        assert "_" not in said
        assert not said.endswith((" hz", " mm s", " um", " s2"))


SECOND = 10**9


def point_trend(conditions_and_times):
    """Pass windows (t_s, condition, idle) to a trend of 10 s; returns what it finishes."""
    trend = PointTrend("de", 1, 10 * SECOND)
    done = []
    for t_s, condition, idle in conditions_and_times:
        decision = undecided("de", t_s * SECOND)._replace(condition=condition)
        observation = Observation("de", t_s * SECOND, np.float32([t_s]), None, 0)
        done.append(trend.add(observation, decision, idle=idle))
    return [(one.interval.start_ns // SECOND, one.condition) for one in done if one]


def test_an_interval_has_the_condition_of_its_own_end():
    windows = [(1, Condition.NORMAL, False), (9, Condition.WARNING, False)]
    assert point_trend([*windows, (11, Condition.NORMAL, False)]) == [(1, Condition.WARNING)]


def test_the_interval_in_which_a_machine_stops_is_finished_while_it_rests():
    windows = [(1, Condition.NORMAL, False), (8, Condition.UNKNOWN, True)]
    rest = [(t_s, Condition.UNKNOWN, True) for t_s in (11, 12, 25)]
    assert point_trend([*windows, *rest]) == [(1, Condition.UNKNOWN)]
