"""Order tracking: orders stay lines while the speed changes."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.tracking import angle_from_speed, angle_from_tacho, order_track

FS, N = 10000, 40000
T = np.arange(N) / FS
SPEED_RPM = 60 * (20 + 5 * T)  # 20 → 40 Hz in 4 s
ANGLE = 20 * T + 2.5 * T**2


def order_levels(x, per_rev, orders):
    w = np.hanning(x.size)
    f = np.arange(x.size // 2 + 1) * per_rev / x.size
    amplitude = np.abs(np.fft.rfft(x * w)) * 2 / w.sum()
    return [amplitude[np.abs(f - o) < 0.1].max() for o in orders]


def test_orders_of_a_run_up_are_lines():
    x = np.sin(2 * np.pi * ANGLE) + 0.5 * np.sin(2 * np.pi * 7.5 * ANGLE)
    tracked, per_rev = order_track(x.astype(np.float32), FS, ANGLE, 20)
    found = order_levels(tracked, per_rev, [1.0, 7.5, 3.0])
    assert found[0] == pytest.approx(1.0, rel=0.03)
    assert found[1] == pytest.approx(0.5, rel=0.03)
    assert found[2] < 0.01


def test_higher_orders_do_not_fold_down():
    x = np.sin(2 * np.pi * ANGLE) + np.sin(2 * np.pi * 60.0 * ANGLE)
    tracked, per_rev = order_track(x.astype(np.float32), FS, ANGLE, 10)
    orders = np.arange(2, 10, 0.25)
    assert max(order_levels(tracked, per_rev, orders)) < 0.05


def test_speed_and_tacho_give_the_same_angle():
    by_speed = angle_from_speed(SPEED_RPM, FS)
    np.testing.assert_allclose(by_speed, ANGLE, atol=1e-6)
    revolutions = np.arange(0, int(ANGLE[-1]))
    pulses = (-20 + np.sqrt(400 + 10 * revolutions)) / 5
    by_tacho = angle_from_tacho(pulses, T)
    known = np.isfinite(by_tacho)
    np.testing.assert_allclose(by_tacho[known], ANGLE[known], atol=0.02)
    assert not known[-1]  # no pulse after it


def test_signals_that_cannot_be_tracked_are_rejected():
    x = np.zeros(N, np.float32)
    with pytest.raises(ValueError, match="lower max_order"):
        order_track(x, FS, ANGLE, 200)
    with pytest.raises(ValueError, match="increase"):
        order_track(x, FS, -ANGLE, 10)
    with pytest.raises(ValueError, match="two pulses"):
        angle_from_tacho(np.array([1.0]), T)
