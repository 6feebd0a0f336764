"""The healthy period: windows are in order of time, also after a clock was set back."""

from __future__ import annotations

import numpy as np

from auscult.contract.records import OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.collection import Baseline
from auscult.models.settings import SHIPPED

SPEC = FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500)
HOUR_NS = 3600 * 10**9


def test_windows_are_in_order_of_time_after_the_clock_was_set_back():
    baseline = Baseline({"de": SPEC}, SHIPPED)
    for number, hour in enumerate((0, 1, 5, 6, 2, 3)):
        features = np.full(len(SPEC), hour, np.float32)
        baseline.add("de", hour * HOUR_NS, features, OperatingState(load=float(hour)))
        assert baseline.windows()["de"].features.shape == (number + 1, len(SPEC))
    windows = baseline.windows()["de"]
    assert windows.t_ns.tolist() == [hour * HOUR_NS for hour in (0, 1, 2, 3, 5, 6)]
    assert windows.features[:, 0].tolist() == [0, 1, 2, 3, 5, 6]
    assert [state.load for state in windows.states] == [0, 1, 2, 3, 5, 6]
