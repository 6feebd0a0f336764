"""A healthy period with a fault that develops, or with two machines, is reported."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.contract.records import OperatingState
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.collection import PointWindows
from auscult.models.baseline.doubts import doubts
from auscult.models.baseline.states import StateMap

SPEC = FeatureSpec.vibration(8000, 3200, "g", nominal_speed_rpm=1500)
BANDS = [SPEC.index[n] for n in SPEC.names if n.startswith("band_")]
SLOW, FAST = OperatingState(1500.0), OperatingState(3000.0)
N = 120


def found(levels_db: np.ndarray, states: tuple[OperatingState, ...]) -> list[str]:
    features = np.ones((N, len(SPEC)), np.float32)
    features[:, BANDS] = 10 ** (levels_db / 20)
    windows = {"de": PointWindows(features, np.arange(N, dtype=np.int64), states)}
    return [one.code for one in doubts({"de": SPEC}, windows, StateMap.group(states)[0])]


@pytest.fixture
def healthy() -> np.ndarray:
    """Levels with scatter and with wander of the machine that lasts some windows, dB."""
    rng = np.random.default_rng(0)
    wander = np.convolve(rng.normal(0, 0.5, N + 9), np.ones(10), "valid")
    return rng.normal(-20, 8, len(BANDS)) + rng.normal(0, 1.5, (N, len(BANDS))) + wander[:, None]


def test_a_healthy_period_has_none(healthy) -> None:
    assert found(healthy, (SLOW,) * N) == []


def test_a_fault_that_develops(healthy) -> None:
    healthy[:, 25:30] += np.linspace(0, 18, N)[:, None]
    assert found(healthy, (SLOW,) * N) == ["baseline_rises"]


def test_two_machines_unless_the_state_explains_them(healthy) -> None:
    other = np.random.default_rng(1).normal(0, 10, len(BANDS))
    second = np.arange(N) // 10 % 2 == 1
    levels_db = healthy + np.where(second[:, None], other, 0.0)
    assert found(levels_db, (SLOW,) * N) == ["baseline_groups"]
    assert found(levels_db, tuple(FAST if one else SLOW for one in second)) == []


@pytest.mark.parametrize(("share", "codes"), [(0.3, []), (0.6, ["baseline_groups"])])
def test_two_machines_in_windows_that_scatter_much_differ_in_most_bands(share, codes) -> None:
    """A load that no one stated moves fewer bands, or all by a few dB."""
    rng = np.random.default_rng(0)
    band = np.arange(len(BANDS))
    apart = np.where(band < share * len(BANDS), np.where(band % 2, 10.0, -10.0), 0.0)
    second = np.arange(N) // 10 % 2 == 1
    levels_db = rng.normal(-20, 8, len(BANDS)) + rng.normal(0, 6, (N, len(BANDS)))
    assert found(levels_db + np.where(second[:, None], apart, 0.0), (SLOW,) * N) == codes
