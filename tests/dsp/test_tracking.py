"""Order tracking: orders stay lines while the speed changes."""

from __future__ import annotations

import numpy as np
import pytest

from auscult.dsp.tracking import angle_from_speed, at_mean_speed, order_track

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


def test_the_angle_integrates_the_speed():
    np.testing.assert_allclose(angle_from_speed(SPEED_RPM, FS), ANGLE, atol=1e-6)


def test_a_run_up_becomes_a_steady_recording():
    x = np.sin(2 * np.pi * 7.5 * ANGLE).astype(np.float32)
    steady, fs_hz, mean_rpm = at_mean_speed(x, FS, T[::1000], SPEED_RPM[::1000])
    assert mean_rpm == pytest.approx(60 * 30, rel=1e-3)
    assert steady.size / fs_hz == pytest.approx(N / FS, rel=1e-3)
    level = np.abs(np.fft.rfft(steady * np.hanning(steady.size)))
    assert level.argmax() * fs_hz / steady.size == pytest.approx(7.5 * 30, rel=2e-3)


def test_signals_that_cannot_be_tracked_are_rejected():
    x = np.zeros(N, np.float32)
    with pytest.raises(ValueError, match="lower max_order"):
        order_track(x, FS, ANGLE, 200)
    with pytest.raises(ValueError, match="increase"):
        order_track(x, FS, -ANGLE, 10)
