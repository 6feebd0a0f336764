"""A copy of a detector, made from its stored state before any hop, decides as the detector does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from auscult.contract.records import Condition
from auscult.dsp.health import SensorHealth
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.container import pack, unpack
from auscult.models.decision.limits import Limit
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import MachineDecision, Observation

PLATE = NamePlate("pump")


def copy_of(detector: MachineDetector, *without: str) -> MachineDetector:
    """Restore the state of a detector, or the state of an older version without these entries."""
    meta, arrays = unpack(detector.state())
    for name in without:
        meta.pop(name, None)
        arrays = {key: array for key, array in arrays.items() if not key.startswith(name)}
    made = MachineDetector(
        detector.name_plate, detector.specs, detector.settings, limits=detector.limits
    )
    made.restore(pack(meta, arrays))
    return made


def decide_alike(
    detector: MachineDetector, hops: Iterable[Sequence[Observation]]
) -> list[MachineDecision]:
    """Copy the detector before each hop, compare all copies, and return its decisions."""
    copies: list[MachineDetector] = []
    decisions = []
    for number, hop in enumerate(hops):
        copies.append(copy_of(detector))
        decisions.append(detector.observe(hop))
        for before, copy in enumerate(copies):
            assert copy.observe(hop) == decisions[-1], f"copy before hop {before}, at hop {number}"
    return decisions


def levels(spec: FeatureSpec, rms: Sequence[float]) -> list[list[Observation]]:
    """Hops of one point with these levels."""
    hops = []
    for number, level in enumerate(rms):
        features = np.ones(len(spec), np.float32)
        features[spec.index["rms"]] = level
        hops.append([Observation("de", number * 10**9, features)])
    return hops


def test_the_newest_values_of_limits_belong_to_the_state() -> None:
    spec = FeatureSpec.vibration(8000, 3200, "g")
    limits = {"de": [Limit("rms", 2.0, 4.0), Limit("rms", 0.5, None, "below")]}
    detector = MachineDetector(PLATE, {"de": spec}, limits=limits)
    rms = [1.0] * 6 + [3.0] * 6 + [5.0] * 6 + [1.95] * 4 + [1.0] * 6 + [0.4] * 6
    decided = decide_alike(detector, levels(spec, rms))
    found = [one.machine.condition for one in decided]
    assert found[5] is Condition.LEARNING
    assert found[11] is Condition.WARNING
    assert found[17] is Condition.ALARM
    assert found[21] is found[33] is Condition.WARNING
    assert found[27] is Condition.LEARNING

    older = copy_of(detector, "limits")
    assert older.observe(levels(spec, [0.4])[0]).machine.condition is Condition.LEARNING
    detector.set_limits("de", [Limit("rms", 1.0, None)])
    assert copy_of(detector).observe(levels(spec, [5.0])[0]).points["de"].reasons == ()


def test_an_older_baseline_takes_no_values_of_its_time() -> None:
    spec = FeatureSpec.vibration(8000, 3200, "g")
    detector = MachineDetector(PLATE, {"de": spec}, limits={"de": [Limit("rms", 2.0, 4.0)]})
    for hop in levels(spec, [3.0] * 5):
        detector.observe(hop)
    older = detector.state()
    for hop in levels(spec, [1.0] * 5):
        detector.observe(hop)
    detector.go_back(older)
    assert detector.observe(levels(spec, [1.0])[0]).machine.condition is Condition.LEARNING


def test_a_begun_round_of_overall_values_belongs_to_the_state() -> None:
    specs = {name: FeatureSpec.value("temperature", "°C", 60) for name in "abc"}
    rng = np.random.default_rng(0)

    def values(start: int, rounds: int) -> list[list[Observation]]:
        return [
            [Observation(point, (60 * i + k) * 10**9, np.array([value], np.float32))]
            for i in range(start, start + rounds)
            for k, (point, value) in enumerate(zip("abc", 50 + rng.standard_normal(3), strict=True))
        ]

    detector = MachineDetector(PLATE, specs)
    for hop in values(0, 200):
        detector.observe(hop)
    detector.adopt(detector.fit_now().run())
    decided = decide_alike(detector, values(200, 6))
    assert len({one.machine.p_value for one in decided}) == 7  # a new one each round, first none
    detector.observe(values(206, 1)[0])
    older = copy_of(detector, "rounds/", "fused_p")
    for hop in values(207, 2):
        last = [one.observe(hop).machine.p_value for one in (older, copy_of(detector))]
    assert None not in last
    detector.reset_evidence()
    detector.observe(values(207, 1)[0])  # begins a round
    assert detector.observe(values(208, 1)[1]).machine.p_value is None


def test_unusable_windows_in_a_row_belong_to_the_state() -> None:
    spec = FeatureSpec.vibration(8000, 3200, "g")
    detector = MachineDetector(PLATE, {"de": spec})
    flat = [
        [one._replace(health=int(SensorHealth.FLAT_LINE)) for one in hop]
        for hop in levels(spec, [1.0] * (detector.settings.sensor_windows + 2))
    ]
    decided = decide_alike(detector, [*flat, *levels(spec, [1.0])])
    assert decided[0].machine.condition is Condition.LEARNING
    assert decided[-2].machine.condition is Condition.UNKNOWN
    assert decided[-1].machine.condition is Condition.LEARNING

    detector.observe(flat[0])
    older = copy_of(detector, "sensors")
    for hop in flat[2:]:
        last = [one.observe(hop).machine.condition for one in (detector, older)]
    assert last == [Condition.UNKNOWN, Condition.UNKNOWN]
