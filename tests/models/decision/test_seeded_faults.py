"""Faults that a baseline says it would find raise a warning, much smaller ones do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from auscult.contract.records import DEPARTED, OperatingState
from auscult.dsp.bearing import Bearing
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.simulation.bearings import Friction
from auscult.dsp.simulation.machine import healthy_pump, triaxial
from auscult.dsp.simulation.rotation import Rotation
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.model_state import model_from_arrays, model_to_arrays
from auscult.models.decision.seeded_faults import RINGS, HealthyWindows, faults, least_faults
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation

FS, N, RPM = 6400, 2560, 1480.0
SPEC = FeatureSpec.vibration(
    FS, N, "g", nominal_speed_rpm=RPM, bearings=(Bearing("6205", bpfo=3.585, bpfi=5.415),),
    gear_teeth=(21,),
)  # fmt: skip
STATE = OperatingState(RPM)
HOP_NS = 400_000_000


def windows(count: int, start_s: float) -> np.ndarray:
    machine = healthy_pump(triaxial(2)[:1], seed=1, more=[Friction(0.02, band_hz=(500.0, 3000.0))])
    machine = replace(machine, seed=round(start_s) + 2)
    rotation = Rotation.steady(RPM, FS, count * N / FS, start_s=start_s)
    return machine.record(rotation).samples[0].reshape(count, N)


def observed(rows: np.ndarray, t0: int) -> list[Observation]:
    values = FeaturePipeline(SPEC).extract(rows, RPM).values
    return [
        Observation("de", 10**18 + (t0 + i) * HOP_NS, one, STATE) for i, one in enumerate(values)
    ]


@pytest.fixture(scope="module")
def learned():
    detector = MachineDetector(NamePlate("pump"), {"de": SPEC})
    healthy = windows(200, 0.0)
    for one in observed(healthy, 0):
        detector.observe([one])
    model = detector.fit_now().run()
    found = least_faults(
        model, detector.specs, {"de": HealthyWindows(healthy[-16:], STATE)}, detector.settings
    )
    detector.adopt(replace(model, detectable=found))
    return detector


def test_each_fault_that_a_point_could_show_has_a_size(learned):
    sizes = {(one.change, one.name): one.day for one in learned.detectable}
    assert set(sizes) == {
        ("outer", "6205"), ("inner", "6205"), ("gear", ""), ("imbalance", ""),
    }  # fmt: skip
    assert all(size and 0.0005 < size < 5 for size in sizes.values()), sizes


@pytest.mark.parametrize("change", ["outer", "inner", "gear", "imbalance"])
def test_three_times_the_size_is_found_and_a_quarter_is_not(learned, change):
    size = next(one.day for one in learned.detectable if one.change == change)
    wave = next(wave for code, _, wave in faults(SPEC) if code == change)
    rows = windows(60, 500.0)
    rotation = Rotation.steady(RPM, FS, rows.size / FS, start_s=500.3)
    fault = wave(rotation, RINGS[1] * FS, np.random.default_rng(5)).reshape(rows.shape)
    for share, found in ((3.0, True), (0.25, False)):
        learned.reset_evidence()
        conditions = [
            learned.observe([one]).machine.condition
            for one in observed((rows + share * size * fault).astype(np.float32), 400)
        ]
        assert any(one in DEPARTED for one in conditions) is found, share


def test_a_point_without_speed_or_of_another_kind_has_none(learned):
    healthy = HealthyWindows(windows(8, 0.0))
    assert least_faults(learned.model, {"de": SPEC}, {}, learned.settings) == ()
    unknown = replace(SPEC, nominal_speed_rpm=None)
    assert least_faults(learned.model, {"de": unknown}, {"de": healthy}, learned.settings) == ()
    few = HealthyWindows(healthy.samples[:2], STATE)
    assert least_faults(learned.model, {"de": SPEC}, {"de": few}, learned.settings) == ()


def test_the_sizes_are_stored_with_the_model(learned):
    meta, arrays = model_to_arrays(learned.model)
    assert model_from_arrays(meta, arrays, learned.specs).detectable == learned.detectable
    del meta["detectable"]
    assert model_from_arrays(meta, arrays, learned.specs).detectable == ()
