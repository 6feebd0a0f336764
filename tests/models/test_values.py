"""Overall values as points: one number an interval, with an honest decision from few of them."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import Condition, ReasonKind
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.container import StateError, pack, unpack
from auscult.models.baseline.fit import fit_baseline
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from auscult.models.settings import DetectorSettings

HOUR_S = 3600
TEMPERATURE = FeatureSpec.value("temperature", "°C", HOUR_S)
PLATE = NamePlate("pump", power_kw=55, support="rigid")


def observe(detector: MachineDetector, point: str, values, start: int = 0, step_s: int = HOUR_S):
    """Pass values at a fixed interval; returns the decisions on the point."""
    return [
        detector.observe(
            [Observation(point, (start + i) * step_s * 10**9, np.array([value], np.float32))]
        )
        for i, value in enumerate(values)
    ]


def learned(values, spec: FeatureSpec = TEMPERATURE) -> MachineDetector:
    """A detector with a baseline of these values."""
    detector = MachineDetector(PLATE, {"t": spec})
    observe(detector, "t", values)
    detector.adopt(detector.fit_now().run())
    return detector


def healthy(seed: int, n: int) -> np.ndarray:
    return 60 + 1.5 * np.random.default_rng(seed).standard_normal(n)


def test_twenty_hourly_values_make_a_first_baseline():
    detector = MachineDetector(PLATE, {"t": TEMPERATURE})
    observe(detector, "t", healthy(0, 19))
    assert detector.fit_due() is None
    assert [one.code for one in detector.coverage.lacks] == ["windows"]
    observe(detector, "t", healthy(1, 1), start=19)
    job = detector.fit_due()
    assert job is not None
    detector.adopt(job.run())
    assert "provisional" in [one.code for one in detector.coverage.lacks]
    assert observe(detector, "t", [61.0], 20)[-1].machine.condition is Condition.NORMAL


@pytest.mark.parametrize("count", [20, 72, 200])
def test_p_values_of_a_short_baseline_are_honest(count):
    beyond = {0.05: [], 0.002: []}
    for seed in range(5):
        detector = learned(healthy(seed, count))
        p = np.array(
            [d.points["t"].p_value for d in observe(detector, "t", healthy(99 + seed, 250), count)]
        )
        for level, shares in beyond.items():
            shares.append((p < level).mean())
    assert np.mean(beyond[0.05]) < 0.08
    assert np.mean(beyond[0.002]) < 0.004


@pytest.mark.parametrize("lacks", ["drift/0", "evidence/on", "model/fusion"])
def test_a_state_of_another_version_is_rejected_and_changes_nothing(lacks):
    meta, arrays = unpack(learned(healthy(0, 72)).state())
    stored = pack(meta, {name: array for name, array in arrays.items() if name != lacks})
    fresh = MachineDetector(PLATE, {"t": TEMPERATURE})
    with pytest.raises(StateError, match="not a detector state"):
        fresh.restore(stored)
    assert fresh.model is None
    assert fresh.coverage.phase == "collecting"


def test_a_state_of_another_machine_is_rejected_by_its_name():
    with pytest.raises(StateError, match="belongs to machine pump"):
        MachineDetector(NamePlate("fan"), {"t": TEMPERATURE}).restore(
            learned(healthy(0, 72)).state()
        )


def test_a_lasting_rise_alarms_and_a_return_ends_it():
    detector = learned(healthy(0, 72))
    quiet = observe(detector, "t", healthy(1, 200), start=72)
    assert all(one.machine.condition is Condition.NORMAL for one in quiet)
    hot = observe(detector, "t", healthy(2, 24) + 12, start=272)
    assert hot[-1].machine.condition is Condition.ALARM
    (reason, *_) = hot[-1].points["t"].reasons
    assert reason.contributions[0].feature == "temperature_c"
    assert reason.contributions[0].baseline == pytest.approx(60, abs=1)
    back = observe(detector, "t", healthy(3, 60), start=296)
    assert back[-1].machine.condition is Condition.NORMAL


def codes(decision) -> set[str]:
    return {reason.said.code for reason in decision.points["t"].reasons}


def test_an_alarm_at_a_new_level_stays_open_until_a_person_answers():
    detector = learned(healthy(0, 72))
    observe(detector, "t", healthy(1, 400), start=72)
    lasts = observe(detector, "t", healthy(2, 300) + 15, start=472)[-1]
    assert lasts.machine.condition is Condition.ALARM
    assert codes(lasts) == {"level_lasts"}
    further = observe(detector, "t", healthy(3, 24) + 40, start=772)[-1]
    assert codes(further) == {"level_lasts", "further_departs"}
    detector.answer_level(normal=True)
    (after,) = observe(detector, "t", healthy(4, 1) + 40, start=796)
    assert after.machine.condition is Condition.NORMAL
    (moved,) = detector.coverage.moved
    assert moved.values["first"] == pytest.approx(60, abs=1)
    assert moved.values["now"] == pytest.approx(100, abs=2)


def test_the_value_that_departs_most_is_the_first_reason():
    detector = MachineDetector(PLATE, {"a": TEMPERATURE, "b": TEMPERATURE})
    for hour in range(324):
        if hour == 100:
            detector.adopt(detector.fit_now().run())
        rise = np.array([8.0, 40.0]) * (hour >= 300)
        values = 60 + 1.5 * np.random.default_rng(hour).standard_normal(2) + rise
        rows = zip("ab", values.astype(np.float32)[:, None], strict=True)
        decided = detector.observe([Observation(p, hour * HOUR_S * 10**9, v) for p, v in rows])
    assert decided.machine.condition is Condition.ALARM
    assert [reason.point for reason in decided.machine.reasons] == ["b", "a"]


def test_a_provisional_baseline_says_what_it_waits_for():
    detector = learned(healthy(0, 20))
    observe(detector, "t", healthy(1, 52), start=20)
    (lack,) = [one for one in detector.coverage.lacks if one.code == "provisional"]
    assert "days: 5 more; days with running: 5 more" in lack.text
    observe(detector, "t", healthy(2, 120), start=72)
    assert detector.coverage.lacks == ()


def test_a_value_that_never_varies_alarms_when_it_changes_but_not_by_its_resolution():
    spec = FeatureSpec.value("pressure", "bar", HOUR_S, resolution=0.1)
    detector = learned([0.3] * 72, spec)
    assert detector.model is not None
    same = observe(detector, "t", [0.3] * 50, start=72)
    assert same[-1].machine.condition is Condition.NORMAL
    assert observe(detector, "t", [0.4], start=122)[-1].machine.condition is Condition.NORMAL
    changed = observe(detector, "t", [1.5] * 6, start=123)
    assert changed[-1].machine.condition is Condition.ALARM


def test_velocity_of_a_transmitter_has_iso_zones_before_any_baseline():
    spec = FeatureSpec.value("velocity_rms", "in/s", 60)
    detector = MachineDetector(PLATE, {"t": spec})
    decided = observe(detector, "t", [4.2, 4.3, 4.4], step_s=60)[-1]
    assert decided.machine.condition is Condition.WARNING
    assert decided.machine.reasons[0].unit == "mm/s"


def test_values_and_waveforms_are_fused_and_each_keeps_its_own_hop():
    rng = np.random.default_rng(0)
    wave = FeatureSpec.vibration(2560, 2560, "g")
    specs = {"de": wave, "t": FeatureSpec.value("temperature", "°C", 60)}
    detector = MachineDetector(PLATE, specs)

    def hour(start_min: int, minutes: int, rise: float = 0.0, level: float = 1.0):
        decided = None
        for minute in range(start_min, start_min + minutes):
            for half in range(3):
                features = np.exp(0.1 * rng.standard_normal(len(wave))).astype(np.float32) * level
                t_ns = minute * 60 * 10**9 + half * 20 * 10**9
                decided = detector.observe([Observation("de", t_ns, features)])
            value = np.array([50 + rise + rng.standard_normal()], np.float32)
            decided = detector.observe([Observation("t", t_ns + 10**9, value)])
        return decided

    hour(0, 210)
    job = detector.fit_due()
    assert job is not None
    detector.adopt(fit_baseline(job.specs, job.windows, job.settings, train=False))
    model = detector.model
    hops = dict(zip(model.points, [p for kind in model.kinds for p in kind.points], strict=True))
    assert hops["de"].hop_s == pytest.approx(20)
    assert hops["t"].hop_s == pytest.approx(60)
    assert hour(210, 30).machine.condition is Condition.NORMAL
    state = detector.state()
    warm = hour(240, 20, rise=8)
    assert warm.points["t"].condition is Condition.ALARM
    assert warm.machine.condition is Condition.ALARM

    again = MachineDetector(PLATE, specs)
    again.restore(state)
    assert again.model.kinds[1].points[0].hop_s == pytest.approx(60)


@pytest.mark.parametrize("set_to_days", [-400, 400])
def test_a_clock_that_is_set_makes_no_healthy_period_longer(set_to_days):
    settings = DetectorSettings(baseline_days=7)
    specs = {"t": FeatureSpec.value("current", "A", 60), "u": FeatureSpec.value("current", "A", 60)}
    detector = MachineDetector(PLATE, specs, settings)
    for day in (0, set_to_days + 1):
        for point in specs:
            observe(detector, point, healthy(0, 1440), start=(500 + day) * 1440, step_s=60)
    again = MachineDetector(PLATE, specs, settings)
    again.restore(detector.state())
    for one in (detector, again):
        lacks = {lack.code: lack.values for lack in one.coverage.lacks}
        assert lacks["baseline_days"]["hours"] == pytest.approx(5 * 24, abs=1)


def test_a_healthy_period_may_be_asked_for_in_days_and_starts():
    settings = DetectorSettings(baseline_days=3, baseline_starts=2)
    detector = MachineDetector(PLATE, {"t": FeatureSpec.value("current", "A", 60)}, settings)
    observe(detector, "t", healthy(0, 2 * 1440), step_s=60)
    assert {one.code for one in detector.coverage.lacks} == {"baseline_days", "baseline_starts"}
    assert detector.coverage.fraction == 0.0
    observe(detector, "t", healthy(1, 1500), start=2 * 1440, step_s=60)
    assert detector.fit_due() is None
    detector.count_start()
    detector.count_start()
    job = detector.fit_due()
    assert job is not None
    observe(detector, "t", healthy(2, 500), start=5 * 1440, step_s=60)
    model = job.run()
    detector.adopt(model)
    assert detector.coverage.windows == len(job.windows["t"].features)
    assert model.kinds[0].points[0].hop_s == pytest.approx(60)  # kept windows are thinned


VELOCITY = FeatureSpec.value("velocity_rms", "mm/s", HOUR_S)


def test_a_level_of_0_is_a_sensor_fault_and_no_departure():
    level = 2.0 * np.exp(0.1 * np.random.default_rng(0).standard_normal(120))
    detector = learned(level[:80], VELOCITY)
    restarted = [one.points["t"] for one in observe(detector, "t", np.zeros(5), 80)]
    assert [one.p_value for one in restarted] == [None] * 5
    last = restarted[-1]
    assert last.condition is Condition.UNKNOWN
    assert [(r.kind, r.said.code) for r in last.reasons] == [(ReasonKind.SENSOR, "sensor_zero")]
    again = [one.points["t"] for one in observe(detector, "t", level[85:], 85)]
    assert again[-1].condition is Condition.NORMAL
    assert again[0].p_value is not None


def test_a_0_while_an_event_is_open_does_not_end_it():
    level = 2.0 * np.exp(0.1 * np.random.default_rng(0).standard_normal(80))
    detector = learned(level, VELOCITY)
    worn = observe(detector, "t", [6.0] * 10, 80)[-1]
    assert worn.machine.condition is Condition.ALARM
    restarted = observe(detector, "t", np.zeros(5), 90)[-1]
    assert restarted.machine.condition is Condition.ALARM
    assert restarted.machine.evidence == worn.machine.evidence
    assert "sensor_zero" in [reason.said.code for reason in restarted.machine.reasons]


def test_a_0_is_a_value_where_the_baseline_holds_some_and_where_it_may_be_measured():
    coarse = np.random.default_rng(0).choice([0.0, 0.1, 0.2], 120)
    for one in observe(learned(coarse[:80], VELOCITY), "t", coarse[80:], 80):
        assert one.points["t"].condition is Condition.NORMAL
    flow = learned(healthy(0, 80), FeatureSpec.value("flow", "m³/h", HOUR_S))
    stopped = observe(flow, "t", np.zeros(10), 80)[-1].points["t"]
    assert stopped.condition is Condition.ALARM
