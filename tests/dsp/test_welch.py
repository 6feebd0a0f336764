"""Welch's periodogram against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal as ss

from auscult.dsp.welch import welch


@pytest.mark.parametrize(("samples", "n"), [(40_000, 4_096), (5_121, 777), (3_000, 3_000)])
def test_it_agrees_with_scipy(samples: int, n: int) -> None:
    x = (np.random.default_rng(0).standard_normal(samples) + 3).astype(np.float32)
    hz, density = welch(x, 25_600.0, n)
    expected_hz, expected = ss.welch(x.astype(np.float64), 25_600.0, nperseg=n)
    np.testing.assert_allclose(hz, expected_hz, rtol=1e-12)
    np.testing.assert_allclose(density[1:], expected[1:], rtol=1e-4)
