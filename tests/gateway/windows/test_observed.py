"""Windows of several feature sets: each gets the features of its own set."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.dsp.pipeline import FeaturePipeline
from auscult.dsp.spec import FeatureSpec
from auscult.gateway.records import PointId, Window
from auscult.gateway.windows import observed
from auscult.gateway.windows.observed import Observer

LONG = FeatureSpec.vibration(6400, 6400, "g", nominal_speed_rpm=1500)
SHORT = FeatureSpec.vibration(6400, 1024, "g")
SPECS = {PointId(f"m{i}", "de"): LONG if i % 3 else SHORT for i in range(24)}


def windows() -> list[Window]:
    rng = np.random.default_rng(0)
    made = []
    for number, (point, spec) in enumerate(SPECS.items()):
        half = spec.n_samples // 2
        parts = tuple(rng.standard_normal((2, half)).astype(np.float32))
        state = OperatingState(1400.0 + number) if number % 2 else None
        made.append(Window(point, spec.fs_hz, "g", number, parts, state))
    return made


@pytest.mark.parametrize("rows", [1, 5, 32])
def test_each_window_has_the_features_of_its_own_set(monkeypatch, rows):
    monkeypatch.setattr(observed, "BATCH_SAMPLES", rows * LONG.n_samples)
    given = windows()
    found = Observer(SPECS).observe(given)
    assert {one.window.point for one in found} == SPECS.keys()
    for one in found:
        window, spec = one.window, SPECS[one.window.point]
        speed_rpm = np.array([window.state.speed_rpm if window.state else np.nan])
        alone = FeaturePipeline(spec).extract(np.concatenate(window.parts)[np.newaxis], speed_rpm)
        np.testing.assert_allclose(one.observation.features, alone.values[0], rtol=2e-4, atol=2e-4)
        assert one.observation.t_ns == window.t0_ns
        assert one.observation.state == window.state
