"""A sensor fault is named beside the departure that it explains, and never hides one."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import Condition, OperatingState, ReasonKind
from auscult.dsp.health import SensorHealth
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.simulation import sensors as lies
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision import sensor_signatures
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Decision, Observation

FS_HZ, N = 8000.0, 3200
SPEC = FeatureSpec.vibration(FS_HZ, N, "g", nominal_speed_rpm=1740)
STATE = OperatingState(1740.0)
RNG = np.random.default_rng(3)
SHAPES = {p: 10 ** (RNG.normal(0, 0.5, 30).cumsum() / 8) for p in ("de", "nde", "fan")}
"""Transfer from the machine to each point, by frequency."""


def signals(windows: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Coloured noise and shaft orders, a signal a point."""
    n = windows * N
    t = np.arange(n) / FS_HZ
    made = {}
    for point, shape in SHAPES.items():
        spectrum = np.fft.rfft(rng.standard_normal(n))
        spectrum *= np.interp(np.linspace(0, 29, spectrum.size), np.arange(30), shape)
        orders = sum(np.sin(2 * np.pi * 29.0 * k * t + k) / k for k in (1, 2, 3))
        made[point] = np.fft.irfft(spectrum, n) + 0.5 * orders
    return made


def hops(made: dict[str, np.ndarray], start: int = 0) -> list[list[Observation]]:
    pipeline = FeaturePipeline(SPEC)
    blocks = {
        point: pipeline.extract(x.reshape(-1, N).astype(np.float32)) for point, x in made.items()
    }
    return [
        [
            Observation(p, (start + i) * 400_000_000, b.values[i], STATE, int(b.health[i]))
            for p, b in blocks.items()
        ]
        for i in range(len(blocks["de"]))
    ]


@pytest.fixture(scope="module")
def fitted() -> bytes:
    detector = MachineDetector(NamePlate("pump"), dict.fromkeys(SHAPES, SPEC))
    for hop in hops(signals(220, np.random.default_rng(0))):
        detector.observe(hop)
    detector.adopt(detector.fit_now().run())
    return detector.state()


@pytest.fixture
def pump(fitted) -> MachineDetector:
    detector = MachineDetector(NamePlate("pump"), dict.fromkeys(SHAPES, SPEC))
    detector.restore(fitted)
    return detector


FAULTS = {
    "sensor_sensitivity": lies.WrongGain(9.80665),
    "sensor_loose_mount": lies.LooseMount(hz=1100.0),
    "sensor_open_cable": lies.CableBreak(pickup=0.02),
    "sensor_hum": lies.Hum(2.0),
    "sensor_saturated": lies.Clipping(0.8),
    "sensor_fault": lies.Aliasing(4),
}


def with_lie(code: str) -> list[list[Observation]]:
    """Hops in which the sensor at `de` lies from within the eleventh window on."""
    rng = np.random.default_rng(1)
    made = signals(40, rng)
    onset = 10 * N + N // 3
    lie = FAULTS[code].applied(made["de"][onset:], FS_HZ, rng)
    made["de"] = np.concatenate([made["de"][:onset], lie])
    return hops(made, 220)


def sensor_codes(decision: Decision) -> set[str]:
    return {one.said.code for one in decision.reasons if one.kind is ReasonKind.SENSOR}


@pytest.mark.parametrize("code", FAULTS)
def test_a_sensor_fault_stands_beside_the_departure(pump, code) -> None:
    decisions = [pump.observe(hop) for hop in with_lie(code)]
    last = decisions[-1]
    assert sensor_codes(last.points["de"]) == sensor_codes(last.machine) == {code}
    assert last.points["nde"].condition is Condition.NORMAL
    for hop in hops(signals(60, np.random.default_rng(8)), 260):  # repaired
        last = pump.observe(hop)
    assert last.machine.condition is Condition.NORMAL
    assert not last.machine.reasons


@pytest.mark.parametrize("code", sorted(FAULTS.keys() - {"sensor_fault"}))
def test_a_sensor_fault_never_takes_the_place_of_a_departure(pump, fitted, code) -> None:
    without = MachineDetector(NamePlate("pump"), dict.fromkeys(SHAPES, SPEC))
    without.restore(fitted)
    without._scorer.signatures.follow = lambda scores: set()  # type: ignore[method-assign, union-attr]
    for hop in with_lie(code):
        one, other = pump.observe(hop), without.observe(hop)
        assert one.machine.evidence == other.machine.evidence
        assert one.machine.p_value == other.machine.p_value
        if other.machine.condition is not Condition.NORMAL:
            assert one.machine.condition is other.machine.condition
    assert other.machine.condition is Condition.ALARM
    departs = [r for r in one.machine.reasons if r.kind is ReasonKind.LEARNED]
    assert departs
    assert sensor_codes(one.machine) == {code}


def test_a_window_without_a_measurement_is_not_decided_on(pump) -> None:
    decisions = [pump.observe(hop) for hop in with_lie("sensor_fault")]
    assert {one.machine.condition for one in decisions} == {Condition.NORMAL, Condition.UNKNOWN}
    assert decisions[-1].points["de"].p_value is None


@pytest.mark.parametrize("health", [SensorHealth.BIAS, SensorHealth.UNCERTAIN])
def test_a_doubtful_window_is_decided_on_but_not_learned(pump, health) -> None:
    for hop in hops({p: 3.0 * x for p, x in signals(30, np.random.default_rng(4)).items()}, 220):
        last = pump.observe([one._replace(health=int(health)) for one in hop])
    assert last.machine.condition is Condition.ALARM
    assert sensor_codes(last.machine) == {"sensor_fault"}
    fresh = MachineDetector(NamePlate("pump"), dict.fromkeys(SHAPES, SPEC))
    for hop in hops(signals(5, np.random.default_rng(4)), 0):
        last = fresh.observe([one._replace(health=int(health)) for one in hop])
    assert last.machine.condition is Condition.UNKNOWN
    assert fresh.coverage.windows == 0


def test_exchanged_cables_name_each_other(pump) -> None:
    made = signals(20, np.random.default_rng(2))
    made["de"], made["nde"] = made["nde"], made["de"]
    for hop in hops(made, 220):
        last = pump.observe(hop)
    said = {
        reason.point: reason.said.values["other"]
        for reason in last.machine.reasons
        if reason.said.code == "sensor_other_point"
    }
    assert said == {"de": "nde", "nde": "de"}


def test_what_all_points_show_is_the_machine(pump) -> None:
    made = {point: 3.0 * x for point, x in signals(30, np.random.default_rng(4)).items()}
    for hop in hops(made, 220):
        last = pump.observe(hop)
    assert last.machine.condition is Condition.ALARM


def test_a_resonance_that_a_fault_excites_is_no_sensor_fault(pump) -> None:
    rng = np.random.default_rng(5)
    made = signals(30, rng)
    t = np.arange(made["de"].size) / FS_HZ
    knocks = np.zeros(t.size)
    knocks[:: int(FS_HZ / 104.0)] = 60.0  # an outer race
    ring = np.exp(-400 * t[:400]) * np.sin(2 * np.pi * 2500 * t[:400])
    made["de"] = made["de"] + np.convolve(knocks, ring)[: t.size]
    for hop in hops(made, 220):
        last = pump.observe(hop)
    assert last.points["de"].condition is Condition.ALARM


def at_1000_rpm(windows: int, seed: int, third: float = 0.1, hum: float = 0.0) -> np.ndarray:
    """A fan with three blades: its third order lies at 50 Hz, as hum does."""
    rng = np.random.default_rng(seed)
    t = np.arange(windows * N) / FS_HZ
    x = 0.3 * rng.standard_normal(t.size)
    for order, level in ((1, 0.3), (2, 0.1), (3, third), (6, third / 3)):
        x += level * np.sin(2 * np.pi * 1000 / 60 * order * t + order)
    return lies.Hum(hum).applied(x, FS_HZ, rng)


def fan_hops(x: np.ndarray, spec: FeatureSpec) -> list[list[Observation]]:
    block = FeaturePipeline(spec).extract(x.reshape(-1, N).astype(np.float32), 1000.0)
    return [
        [Observation("fan", i * 400_000_000, values, OperatingState(1000.0), int(health))]
        for i, (values, health) in enumerate(zip(block.values, block.health, strict=True))
    ]


@pytest.mark.parametrize(("unit", "may_be_hum"), [("g", True), ("A", False)])
def test_hum_differs_from_an_order_of_the_shaft_at_the_mains(unit: str, may_be_hum: bool) -> None:
    """What rises at the mains in a current is its load."""
    spec = FeatureSpec.vibration(FS_HZ, N, unit, nominal_speed_rpm=1000)
    fan = MachineDetector(NamePlate("fan"), {"fan": spec})
    for hop in fan_hops(at_1000_rpm(120, 0), spec):
        fan.observe(hop)
    fan.adopt(fan.fit_now().run())
    for x, is_hum in (
        (at_1000_rpm(12, 1, hum=1.0), may_be_hum), (at_1000_rpm(12, 1, third=1.5), False),
    ):  # fmt: skip
        fan.reset_evidence()
        decisions = [fan.observe(hop).points["fan"] for hop in fan_hops(x, spec)]
        assert decisions[-1].condition is Condition.ALARM
        assert ("sensor_hum" in set().union(*map(sensor_codes, decisions))) is is_hum


def test_the_last_window_is_examined_then_the_median_of_the_last_four(pump, monkeypatch) -> None:
    examined = []

    def nothing(levels_db, *args, **more):
        examined.append(levels_db.copy())

    monkeypatch.setattr(sensor_signatures, "explain", nothing)
    made = signals(7, np.random.default_rng(6))
    made["de"] *= 5.0
    for hop in hops(made, 220):
        pump.observe(hop)
    first, rest = examined[0], examined[1:]
    last, medians = np.array([first, *rest[::2]]), rest[1::2]
    assert len(last) == 7
    for k, median in enumerate(medians, start=1):
        np.testing.assert_allclose(median, np.median(last[max(0, k - 3) : k + 1], axis=0))
