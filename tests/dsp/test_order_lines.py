"""Amplitudes of the shaft's orders: neither noise nor the mains may move or pass for them."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.order_lines import ORDERS, order_lines

FS_HZ = 2000.0
ONCE, TWICE = ORDERS.index(1.0), ORDERS.index(2.0)


def lines(seconds: float, shaft_hz: float, seed: int = 1, **amplitudes: float) -> np.ndarray:
    """Amplitudes found in noise of 0.01 with lines, such as `hz100=0.5`; the stated speed is 1 %
    too high."""
    t = np.arange(int(seconds * FS_HZ)) / FS_HZ
    x = 0.01 * np.random.default_rng(seed).standard_normal(t.size)
    for name, amplitude in amplitudes.items():
        x += amplitude * np.cos(2 * np.pi * float(name.removeprefix("hz").replace("_", ".")) * t)
    found = order_lines([(x.astype(np.float32), FS_HZ)], 1.01 * shaft_hz * 60)
    assert found is not None
    return np.abs(found.lines[0])


@pytest.mark.parametrize("seconds", [2, 8])
@pytest.mark.parametrize(("mains", "amplitude"), [("hz100", 0.5), ("hz120", 0.1), ("hz120", 0.0)])
def test_the_mains_are_not_taken_for_twice_the_shaft(seconds, mains, amplitude) -> None:
    """A motor of two poles that slips by 1 %: the mains lie two lines beside 2×, or 8."""
    shaft_hz = 0.495 * float(mains.removeprefix("hz"))
    own = {f"hz{shaft_hz:g}".replace(".", "_"): 1.0}
    found = lines(seconds, shaft_hz, **own, **{mains: amplitude})
    assert found[ONCE] == pytest.approx(1.0, rel=0.02)
    assert found[TWICE] == 0


def test_a_line_beside_the_mains_is_measured() -> None:
    """At 4 Hz from them, eight lines away, and without any line at 1×."""
    found = lines(4, 48, hz96=0.5, hz100=0.5)
    assert found[TWICE] == pytest.approx(0.5, rel=0.05)


def test_orders_beyond_half_the_rate_are_not_measured() -> None:
    found = lines(8, 200, hz200=1.0)
    assert found[ONCE] == pytest.approx(1.0, rel=0.02)
    assert (found[ORDERS.index(5.0) :] == 0).all()


def test_noise_seldom_has_a_line() -> None:
    """Ten times the median of 18 independent exponential variables is exceeded with p = 0.0045."""
    counted = sum(np.count_nonzero(lines(1, 45, seed)) for seed in range(40))
    assert counted < 4 * 0.0045 * 40 * len(ORDERS)
