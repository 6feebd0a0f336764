"""`auscult bench box`: the part that limits, and the margin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from auscult.dsp.spec import FeatureSpec
from auscult.gateway.box.measure import Rate, measure
from auscult.gateway.box.plant import Layout, Plant, Rows, fitted_state
from auscult.models.settings import DetectorSettings


def test_the_scarcest_part_limits() -> None:
    rate = Rate(25_600, 700.0, 0.5, by_processor=900, by_memory=120, by_disk=3_000)
    assert (rate.channels, rate.limit) == (120, "memory")


def test_a_plant_processes_all_windows_of_its_stream(tmp_path: Path) -> None:
    fs_hz = 1_000
    spec = FeatureSpec.vibration(fs_hz, fs_hz, "g")

    def noise(n: int, seed: int) -> Rows:
        return np.random.default_rng(seed).standard_normal((2, n)).astype(np.float32)

    state = fitted_state(
        spec, DetectorSettings(baseline_windows=20, folds=2), lambda hop: noise(fs_hz, hop)
    )
    received: list[object] = []
    plant = Plant(
        Layout(4, 2, spec, noise(4 * fs_hz, 99), state),
        tmp_path,
        "test",
        listeners=[received.append],
    )
    assert plant.play(5.0) > 0
    plant.close()
    trends = [m for m in received if type(m).__name__ == "Trend"]
    assert sum(m.windows for m in trends) == 4 * 9  # type: ignore[attr-defined]


@pytest.mark.nightly
def test_this_machine_carries_something() -> None:
    box = measure()
    assert all(rate.channels > 0 for rate in box.rates)
    assert box.rates[1].by_processor > box.rates[0].by_processor, "a lower rate costs less"
