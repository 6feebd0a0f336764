"""Baselines with few windows of each state, where the fit is started early."""

import numpy as np
import pytest

from auscult.models.settings import SHIPPED
from tests.models.baseline.test_unseen_states import fitted, ln_p

SPEEDS = tuple(np.linspace(800, 1700, 10))


@pytest.mark.parametrize(("windows", "shift"), [(2, 1.0), (5, 0.3)])
def test_a_fault_is_beyond_the_limit_and_a_healthy_window_is_not(windows, shift):
    detector, _ = fitted(SPEEDS, windows)
    limit = np.log(SHIPPED.p_limit)
    for speed in SPEEDS[::3]:
        assert (ln_p(detector, speed) > limit).all()
        assert (ln_p(detector, speed, shift) < limit).all()
