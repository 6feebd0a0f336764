"""Loose mounts: the one whose residual is smallest, of all that are possible."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.sensor_signature import CUT_SIGMA, _median, explain, transmissibility_db

EDGES_HZ = np.c_[np.geomspace(10, 10_000, 47)[:-1], np.geomspace(10, 10_000, 47)[1:]]
CALM_DB = np.full(len(EDGES_HZ), 0.5)


def residual_of(change_db: np.ndarray, resonance_hz: float, damping: float) -> float:
    """Residual of one mount, band by band: the mean energy over nine frequencies of the band."""
    cut = []
    for (low, high), change, scatter in zip(EDGES_HZ, change_db, CALM_DB, strict=True):
        f_hz = low + (high - low) * (np.arange(9) + 0.5) / 9
        energy = np.mean(10 ** (transmissibility_db(f_hz, resonance_hz, damping) / 10))
        z = (change - 10 * np.log10(energy)) / np.hypot(scatter, 1.0)
        cut.append(min(z * z, CUT_SIGMA**2))
    return float(np.sqrt(np.mean(cut)))


@pytest.mark.parametrize(("resonance_hz", "damping"), [(300, 0.03), (1500, 0.1), (4321, 0.05)])
def test_the_nearest_of_all_mounts_is_found(resonance_hz: float, damping: float) -> None:
    """16 resonances an octave with four dampings are all compared, however they are searched."""
    rng = np.random.default_rng(round(resonance_hz))
    change_db = transmissibility_db(EDGES_HZ.mean(axis=1), resonance_hz, damping)
    change_db = change_db + rng.normal(0, 0.5, change_db.size)
    found = explain(change_db, np.zeros_like(change_db), CALM_DB, EDGES_HZ)
    assert found is not None
    assert found.kind == "loose_mount"
    resonances_hz = [7000 * 2 ** (-n / 16) for n in range(6 * 16)]
    nearest, hz = min(
        (residual_of(change_db, hz, zeta), hz)
        for hz in resonances_hz
        if abs(np.log2(hz / resonance_hz)) < 0.5
        for zeta in (0.02, 0.05, 0.1, 0.2)
    )
    assert found.residual == pytest.approx(nearest, rel=1e-9)
    assert found.value == pytest.approx(hz)
    assert abs(np.log2(hz / resonance_hz)) < 0.1


@pytest.mark.parametrize("size", range(1, 8))
def test_the_quick_median_is_the_median(size):
    x = np.random.default_rng(size).normal(size=size)
    assert _median(x) == pytest.approx(np.median(x), rel=1e-15)
